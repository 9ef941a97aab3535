"""A row → values: fields decoded by kind, filters judged by their columns, and from these the verdict. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.address.key import parse_key
from bot.errors import BadKey
from bot.index.profile import FieldKind, FieldSpec, FilterSpec, IndexProfile
from bot.inspection.model import FilterResult, Outcome, Verdict
from bot.inspection.queries import KEY
from bot.inspection.store import Row

MONTH = timedelta(days=30)  # of an age in words; the cutoff itself is ClickHouse's INTERVAL 6 MONTH


def instant(value: Any) -> datetime | None:
    """Unix seconds, a number or its text, as an aware UTC datetime; None for NULL and for what is no such time."""
    seconds = integer(value)
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):  # beyond the years that a datetime holds
        return None


def flag(value: Any) -> bool | None:
    """A UInt8 or Bool column as true, false, or None for NULL and for what is no number."""
    number = integer(value)
    return None if number is None else bool(number)


def integer(value: Any) -> int | None:
    """A whole number, which ClickHouse may have quoted, exactly; None for NULL and for what is no number."""
    try:
        return None if value is None else int(value)
    except (ValueError, TypeError, OverflowError):  # the profile's kind does not fit what the column holds
        return None


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def url_of_key(value: Any) -> str | None:
    """The URL of an unparsed key; None for NULL and "", and what is no key as it stands."""
    if not value:
        return None
    try:
        return parse_key(str(value)).url
    except BadKey:
        return str(value)


def _classes(value: Any) -> dict[str, int]:
    scores = {str(name): integer(score) for name, score in value.items()} if isinstance(value, Mapping) else {}
    return {name: score for name, score in scores.items() if score is not None}


_DECODERS: Mapping[FieldKind, Callable[[Any], Any]] = {
    FieldKind.TEXT: _text,
    FieldKind.CODE: _text,
    FieldKind.URL: _text,
    FieldKind.KEY: url_of_key,
    FieldKind.INTEGER: integer,
    FieldKind.BOOLEAN: flag,
    FieldKind.TIME: instant,
    FieldKind.CLASSES: _classes,
}


_DEMANDING = {FieldKind.INTEGER, FieldKind.BOOLEAN, FieldKind.TIME, FieldKind.CLASSES}  # not every value fits


class Page(Mapping[str, Any]):
    """The row's fields by id, each decoded when it is first read.

    A field that the row lacks (its column is missing in the table) is None.
    `url` is the URL of the row's own key, where the caller has it: reading it again from the key is most of the work.
    """

    __slots__ = ("_decoded", "_fields", "_row", "_url")

    def __init__(self, row: Row, fields: Mapping[str, FieldSpec], url: str | None = None) -> None:
        self._row = row
        self._fields = fields
        self._url = url
        self._decoded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._decoded:
            self._decoded[name] = self._decode(self._fields[name])
        return self._decoded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return repr(dict(self))

    def _decode(self, spec: FieldSpec) -> Any:
        value = self._row.get(spec.alias)
        if value is None:
            return {} if spec.kind is FieldKind.CLASSES else None
        if self._url is not None and spec.kind is FieldKind.KEY and value == self._row.get(KEY):
            return self._url
        return _DECODERS[spec.kind](value)

    @property
    def unreadable(self) -> str:
        """A sentence that names the fields whose stored value their kind does not fit; empty where there are none."""
        odd = [
            f"{name} is not of kind {spec.kind.value!r}"
            for name, spec in self._fields.items()
            if spec.kind in _DEMANDING
            and not self[name]
            and self[name] in (None, {})
            and self._row.get(spec.alias) not in (None, "", {}, [])
        ]
        return f"Not shown: {', '.join(odd)}." if odd else ""


class _Shown:
    """A field's value as it stands in a filter's details."""

    def __init__(self, value: Any, now: datetime) -> None:
        self._value = value
        self._now = now

    def __format__(self, spec: str) -> str:
        if self._value is None:
            return "NULL"
        if spec == "months" and isinstance(self._value, datetime):
            return f"{round((self._now - self._value) / MONTH, 1):g}"
        return str(int(self._value) if isinstance(self._value, bool) else self._value)


class _Values(Mapping[str, Any]):
    """What the sentence of a filter's details may name: the page's fields, and `value`."""

    def __init__(self, page: Mapping[str, Any], value: Any, now: datetime) -> None:
        self._page = page
        self._value = value
        self._now = now

    def __getitem__(self, name: str) -> _Shown:
        return _Shown(self._value if name == "value" else self._page[name], self._now)

    def __iter__(self) -> Iterator[str]:
        return iter((*self._page, "value"))

    def __len__(self) -> int:
        return len(self._page) + 1


def judge(row: Row, page: Mapping[str, Any], profile: IndexProfile, now: datetime) -> tuple[FilterResult, ...]:
    """Every filter's outcome for a row and its decoded `page`, in production order, as of `now`."""
    return tuple(_judged(rule, outcome_of(row, rule), page, now) for rule in profile.filters)


def _judged(rule: FilterSpec, outcome: Outcome, page: Mapping[str, Any], now: datetime) -> FilterResult:
    return FilterResult(rule.id, rule.title, outcome, rule.condition, _details(rule, outcome, page, now))


def outcome_of(row: Row, rule: FilterSpec) -> Outcome:
    """What ClickHouse said of one filter's condition."""
    passed = flag(row.get(rule.alias))
    return Outcome.UNKNOWN if passed is None else Outcome.PASS if passed else Outcome.FAIL


def _details(rule: FilterSpec, outcome: Outcome, page: Mapping[str, Any], now: datetime) -> str:
    words, value = rule.details, page[rule.details.value]
    if value is None or value == "":
        sentence = words.absent
    elif outcome is Outcome.PASS:
        sentence = words.passes
    else:
        sentence = words.fails or words.passes
    return sentence.format_map(_Values(page, value, now)) if "{" in sentence else sentence


def verdict_of(row: Row, profile: IndexProfile) -> tuple[Verdict, str | None]:
    """The verdict over a crawled page and its cause."""
    return verdict_of_outcomes((rule.id, outcome_of(row, rule)) for rule in profile.filters)


def verdict_of_outcomes(outcomes: Iterable[tuple[str, Outcome]]) -> tuple[Verdict, str | None]:
    """The verdict, and the cause: the first failing filter. `outcomes` by filter, in production order.

    An unknown filter is never a pass.
    """
    verdict = Verdict.INDEXABLE
    for rule_id, outcome in outcomes:
        if outcome is Outcome.FAIL:
            return Verdict.NOT_INDEXABLE, rule_id
        if outcome is Outcome.UNKNOWN:
            verdict = Verdict.UNKNOWN
    return verdict, None
