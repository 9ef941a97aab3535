"""What a report needs to know of links. `bot.links` makes the signed ones; without a public address there are none."""

from __future__ import annotations

from datetime import timedelta
from typing import Protocol

from bot.inspection.model import Inspection
from bot.inspection.site import SiteReport
from bot.report.subject import Subject


class Links(Protocol):
    """Where the web pages of an inspection are; None while no public address is set."""

    def report(self, inspection: Inspection) -> str | None:
        """The page of the full report."""

    def heavy(self, inspection: Inspection, field_id: str) -> str | None:
        """The page of one heavy column."""

    def of_subject(self, subject: Subject) -> str | None:
        """The page of the full report of a subject."""

    def kept_list(self, list_id: str) -> str | None:
        """The page of a list that is kept."""

    def site(self, report: SiteReport) -> str | None:
        """The page of a whole site."""

    @property
    def works_for(self) -> timedelta:
        """How long a link works."""


class NoLinks:
    """No public address: nothing to link to."""

    def report(self, inspection: Inspection) -> str | None:
        """None."""
        return None

    def heavy(self, inspection: Inspection, field_id: str) -> str | None:
        """None."""
        return None

    def of_subject(self, subject: Subject) -> str | None:
        """None."""
        return None

    def kept_list(self, list_id: str) -> str | None:
        """None."""
        return None

    def site(self, report: SiteReport) -> str | None:
        """None."""
        return None

    @property
    def works_for(self) -> timedelta:
        """No time."""
        return timedelta()
