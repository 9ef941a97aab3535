"""Links: every URL that we emit. None of them exists until a public address is set."""

from __future__ import annotations

from bot.inspection.model import Inspection
from bot.settings import Settings


class Links:
    """Implements the report's Links port."""

    def __init__(self, public_url: str | None) -> None:
        self._base = public_url.rstrip("/") if public_url else None

    @classmethod
    def from_settings(cls, settings: Settings) -> Links:
        """The links of an installation."""
        return cls(settings.public_url)

    def report(self, inspection: Inspection) -> str | None:
        """The full report of an inspection."""
        return None

    def heavy(self, inspection: Inspection, field_id: str) -> str | None:
        """One heavy column of the inspected page."""
        return None
