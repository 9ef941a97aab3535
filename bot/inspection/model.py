"""What an inspection found: values only, no I/O. The JSON form of these is `bot.render.json`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar, overload

Item = TypeVar("Item", covariant=True)


class Deferred(Sequence[Item]):
    """A sequence that is made when it is first read: of thousands of inspections most are only counted."""

    __slots__ = ("_items", "_make")

    def __init__(self, make: Callable[[], tuple[Item, ...]]) -> None:
        self._make: Callable[[], tuple[Item, ...]] | None = make
        self._items: tuple[Item, ...] = ()

    def _made(self) -> tuple[Item, ...]:
        if self._make is not None:
            self._items, self._make = self._make(), None
        return self._items

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        return self._made()[index]

    def __len__(self) -> int:
        return len(self._made())

    def __eq__(self, other: object) -> bool:
        return self._made() == (other._made() if isinstance(other, Deferred) else other)

    def __hash__(self) -> int:
        return hash(self._made())

    def __repr__(self) -> str:
        return repr(self._made())


class Verdict(StrEnum):
    """Is the page in the index?"""

    INDEXABLE = "indexable"
    NOT_INDEXABLE = "not_indexable"
    NOT_CRAWLED = "not_crawled"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """What a filter's SQL condition said: true, false, or NULL (which is never a pass)."""

    PASS = "pass"  # noqa: S105 (an outcome, not a password)
    FAIL = "fail"
    UNKNOWN = "unknown"


class StepOutcome(StrEnum):
    """How a step of an inspection ended."""

    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


class RobotsVerdict(StrEnum):
    """What the stored robots.txt says to our crawler."""

    ALLOWED = "allowed"
    DISALLOWED = "disallowed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Lookup:
    """What was asked, and where its answer lives. By root hash alone there is no url, unparsed or root."""

    text: str
    url: str | None
    unparsed: str | None
    root: str | None
    root_hash: int
    shard: int
    host: str  # the server of the shard, as people call it: "laksa149"
    index: str = ""  # the name of the profile that it was read for; "": the default one


@dataclass(frozen=True, slots=True)
class FilterResult:
    """One filter, judged by ClickHouse. `condition` is the SQL that ran; `details` tells the value that it judged."""

    id: str
    title: str
    outcome: Outcome
    condition: str
    details: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step, as it ran. `query` and `response` are None where nothing was asked; `note` is a sentence."""

    id: str  # shard | crawled | robots | spam | seen
    title: str
    outcome: StepOutcome
    query: str | None = None
    parameters: Mapping[str, Any] | None = None
    curl: str | None = None
    response: str | None = None
    note: str = ""
    elapsed_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class RobotsResult:
    """The robots.txt of the page's host, judged for our crawler; `line` (1-based) and `rule` are what decided."""

    verdict: RobotsVerdict
    line: int | None = None
    rule: str | None = None
    group: str | None = None
    fetched_at: datetime | None = None
    http_code: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class BanResult:
    """What is known of the host's standing: `banned` is None where nothing is recorded or the step failed."""

    banned: bool | None
    score: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SeenResult:
    """What the frontier knows of the URL; `seen` is None where it was not asked (skipped) or did not answer."""

    seen: bool | None
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class NearMatch:
    """A page in the table whose address differs a little from the one asked; `difference` says in what."""

    url: str
    unparsed: str
    difference: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Inspection:
    """Everything that was found about one lookup at one instant.

    `page` maps the profile's field ids to decoded values: str, int, bool, datetime (UTC), list of str, a dict of
    class scores, or None where the row holds NULL. Heavy fields are absent from it. `page` is None when the table
    has no row, and when it could not be asked; `crawled` tells these apart (False, None). Of many inspections most
    are only counted: what costs more than the verdict (`page`, `filters`, `steps`) is made when it is first read.
    """

    lookup: Lookup
    as_of: datetime
    verdict: Verdict
    cause: str | None  # id of the first failing filter, in production order
    crawled: bool | None
    filters: Sequence[FilterResult]
    page: Mapping[str, Any] | None
    robots: RobotsResult
    ban: BanResult
    seen: SeenResult
    steps: Sequence[Step]
    near_matches: tuple[NearMatch, ...]
    replayed: bool = False  # the asker fixed `as_of`
    near_error: str | None = None  # why the near matches are not known
    all_answered: bool = False  # known without making the steps

    def filter(self, filter_id: str | None) -> FilterResult | None:
        """The result of one filter, None where it was not judged."""
        return next((result for result in self.filters if result.id == filter_id), None)

    @property
    def problems(self) -> tuple[str, ...]:
        """What got no answer, and why: a sentence for each reason, with the server's name."""
        if self.all_answered:
            return ()
        notes = [step.note for step in self.steps if step.outcome is StepOutcome.FAILED]
        return tuple(dict.fromkeys([*notes, *([self.near_error] if self.near_error else [])]))

    @property
    def index_badge(self) -> str:
        """INDEXABLE, NOT INDEXABLE or UNKNOWN. A page that was never crawled is not in the index."""
        return {
            Verdict.INDEXABLE: "INDEXABLE",
            Verdict.NOT_INDEXABLE: "NOT INDEXABLE",
            Verdict.NOT_CRAWLED: "NOT INDEXABLE",
            Verdict.UNKNOWN: "UNKNOWN",
        }[self.verdict]

    @property
    def crawl_badge(self) -> str:
        """CRAWLED, NOT CRAWLED, or UNKNOWN where the table did not answer."""
        return {True: "CRAWLED", False: "NOT CRAWLED", None: "UNKNOWN"}[self.crawled]

    @property
    def robots_badge(self) -> str:
        """ROBOTS ALLOWED, ROBOTS DISALLOWED or ROBOTS UNKNOWN."""
        return f"ROBOTS {self.robots.verdict.upper()}"
