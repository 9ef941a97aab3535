"""The crawl indexes that one process serves. What an answer is about says which of them it came from, by name."""

from __future__ import annotations

from collections.abc import Iterator

from bot.errors import IndexGone
from bot.inspection.pipeline import Inspector


class Indexes:
    """One inspector an index, the default first. Their profiles have different names."""

    def __init__(self, default: Inspector, *others: Inspector) -> None:
        self.default = default
        self._by_name = {inspector.profile.name: inspector for inspector in (default, *others)}

    @property
    def names(self) -> tuple[str, ...]:
        """What a channel may choose from, the default first."""
        return tuple(self._by_name)

    def __iter__(self) -> Iterator[Inspector]:
        return iter(self._by_name.values())

    def of(self, name: str | None) -> Inspector:
        """The index of that name; the default one where none is named. Raises IndexGone."""
        if not name:
            return self.default
        if name not in self._by_name:
            raise IndexGone(
                f"The index “{name[:80]}” is not served here any more; there is {', '.join(self.names)}. "
                "Inspect the page again."
            )
        return self._by_name[name]
