"""What a page, a host and a site of the sample are, before they become rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

# Column → value, ready for JSONEachRow; times are unix seconds. Bytes that are no UTF-8 are written as the lone
# surrogates of Python's "surrogateescape".
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PageSpec:
    """One crawled page. The filters whose ids are in `failing` and `unknown` judge it so; its URL decides the rest."""

    url: str
    language: str = "en"
    failing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    related: str | None = None  # where its canonical or redirect points, when it has one; the host's start page if None
    age: timedelta | None = None  # how long before `now` it was crawled; drawn when None
    six_months: int | None = None  # instead of `age`: crawled so many seconds after the instant of the age cutoff
    markdown_size: int = 0  # grow the Markdown to so many characters
    facts: Row = field(default_factory=dict)  # columns that are as written here
    bare: bool = False  # nothing is drawn: what `facts` leaves out is NULL or empty
    earlier: Row | None = None  # an earlier crawl of the page, still in the table, differed in this


@dataclass(frozen=True, slots=True)
class Ban:
    """A host's standing."""

    dont_index: int | None
    spam_score: int | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Site:
    """A registered domain with `pages` drawn pages, spread over its hosts ("" is the domain itself)."""

    domain: str
    pages: int
    language: str = "en"
    hosts: tuple[str, ...] = ("",)
    robots: str = "allow_all"  # a name in robots.ROBOTS
    scheme: str = "https"
    port: int | None = None
    ban: Ban | None = None

    @property
    def origins(self) -> tuple[str, ...]:
        """Scheme and host of every host, as URLs without a path."""
        port = f":{self.port}" if self.port else ""
        return tuple(f"{self.scheme}://{host}{'.' if host else ''}{self.domain}{port}" for host in self.hosts)
