"""A report: what is shown of an inspection, in order, as values. Renderers add markup and nothing else.

Every text in a report went through `words.readable`: no control character, no direction mark, one line unless said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.inspection.model import Outcome, StepOutcome, Verdict
from bot.report import words
from bot.report.subject import Subject


class Tone(StrEnum):
    """How a badge or a status is meant; renderers show it by symbol and colour, always beside the word."""

    GOOD = "good"
    BAD = "bad"
    UNSURE = "unsure"


TONE_OF_OUTCOME: Mapping[Outcome, Tone] = {
    Outcome.PASS: Tone.GOOD,
    Outcome.FAIL: Tone.BAD,
    Outcome.UNKNOWN: Tone.UNSURE,
}
TONE_OF_VERDICT: Mapping[Verdict, Tone] = {
    Verdict.INDEXABLE: Tone.GOOD,
    Verdict.NOT_INDEXABLE: Tone.BAD,
    Verdict.NOT_CRAWLED: Tone.BAD,
    Verdict.UNKNOWN: Tone.UNSURE,
}
SYMBOLS: Mapping[Tone, str] = {Tone.GOOD: "✅", Tone.BAD: "❌", Tone.UNSURE: "❔"}


class CellKind(StrEnum):
    """What a value is, and so how it is written."""

    TEXT = "text"  # str, may hold line breaks
    CODE = "code"  # str: an identifier
    URL = "url"  # str: an http(s) address that a reader may open
    TIME = "time"  # datetime; `detail` is its age
    NUMBER = "number"  # int
    BOOLEAN = "boolean"  # bool
    CLASSES = "classes"  # {class: score out of 1000}, the highest first
    HEAVY = "heavy"  # None: read on demand; `link` is where, if anywhere


Value = str | int | bool | datetime | Mapping[str, int] | None
LAST_CRAWLED, FIRST_INDEXED = "download_stamp", "props_url_first_seen"  # the fields that every profile names so
KEY_FACTS = (LAST_CRAWLED, FIRST_INDEXED, "download_http_code", "meta_title")  # shown where space is short
HEAVY_WORDS = "heavy column, fetched on demand"


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a page; `value` None is NULL (or not read, for HEAVY)."""

    kind: CellKind
    value: Value
    detail: str = ""
    link: str | None = None

    def text(self, null: str = words.NULL_PAGE) -> str:
        """The value in plain words; `null` is how NULL reads where this is shown."""
        match self.value:
            case _ if self.kind is CellKind.HEAVY:
                return HEAVY_WORDS
            case None:
                return null
            case bool():
                return words.yes_no(self.value)
            case int():
                return words.number(self.value)
            case datetime():
                return f"{words.utc_time(self.value)} ({self.detail})"
            case str():
                return self.value
            case classes:
                return words.listed(f"{name} {score}" for name, score in classes.items()) or null


@dataclass(frozen=True, slots=True)
class Line:
    """One property: its field's id, its title, its value."""

    id: str
    title: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class Group:
    """Properties under one heading."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Badge:
    """A fact in capitals, with a detail beside it: CRAWLED, "6 days ago"."""

    id: str  # index | crawl | robots
    label: str
    tone: Tone
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FilterRow:
    """One filter, as judged."""

    id: str
    title: str
    outcome: Outcome
    condition: str
    details: str

    @property
    def tone(self) -> Tone:
        """How the outcome is meant."""
        return TONE_OF_OUTCOME[self.outcome]


@dataclass(frozen=True, slots=True)
class StepView:
    """One step: what was asked and answered, in many lines; None where nothing was."""

    number: int
    id: str
    title: str
    outcome: StepOutcome
    query: str | None
    parameters: str | None  # JSON
    curl: str | None
    response: str | None
    note: str
    elapsed: str


@dataclass(frozen=True, slots=True)
class NearLine:
    """A page with an address that differs a little; `link` is the address where a reader may open it."""

    url: str
    link: str | None
    unparsed: str
    difference: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is shown about one inspection. `title` is its URL, or its key, or "hash:<root hash>"."""

    title: str
    url: str | None  # the title where a reader may open it
    verdict: Verdict
    verdict_words: str
    badges: tuple[Badge, ...]
    summary: str  # the verdict and its cause, in a sentence or two
    cause: str | None  # title of the first failing filter
    filters: tuple[FilterRow, ...]
    lines: Mapping[str, Line]  # every property by its field id, each made when it is first read
    groups: Sequence[Group]  # the same, as they are shown
    steps: Sequence[StepView]
    near_heading: str
    near_matches: tuple[NearLine, ...]
    problems: tuple[str, ...]  # what got no answer, and why
    robots: str
    ban: str
    seen: str
    as_of: datetime
    replayed: bool  # the asker fixed `as_of`
    link: str | None
    subject: Subject

    @property
    def tone(self) -> Tone:
        """How the verdict is meant."""
        return TONE_OF_VERDICT[self.verdict]

    @property
    def failures(self) -> tuple[StepView, ...]:
        """The steps that got no answer."""
        return tuple(step for step in self.steps if step.outcome is StepOutcome.FAILED) if self.problems else ()

    def line(self, field_id: str) -> Line | None:
        """The property of that field id, or None."""
        return self.lines.get(field_id)
