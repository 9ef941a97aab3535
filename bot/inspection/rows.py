"""A row → values: fields decoded by kind, filters judged by their columns, and from these the verdict. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.address.key import parse_key
from bot.errors import BadKey
from bot.index.profile import FieldKind, FieldSpec, FilterSpec, IndexProfile
from bot.inspection.model import FilterResult, Outcome, Verdict
from bot.inspection.store import Row

MONTH = timedelta(days=30)  # of an age in words; the cutoff itself is ClickHouse's INTERVAL 6 MONTH


def instant(value: Any) -> datetime | None:
    """Unix seconds, a number or its text, as an aware UTC datetime."""
    return None if value is None else datetime.fromtimestamp(int(value), UTC)


def flag(value: Any) -> bool | None:
    """A UInt8 or Bool column as true, false, or None for NULL."""
    return None if value is None else bool(int(value))


def integer(value: Any) -> int | None:
    """A whole number, which ClickHouse may have quoted, exactly."""
    return None if value is None else int(value)


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
    return {str(name): int(score) for name, score in (value or {}).items()}


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


def decode_page(row: Row, fields: Iterable[FieldSpec]) -> dict[str, Any]:
    """The row's fields by id. A field that the row lacks (its column is missing in the table) is None."""
    return {spec.id: _DECODERS[spec.kind](row.get(spec.alias)) for spec in fields}


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


def judge(row: Row, profile: IndexProfile, now: datetime) -> tuple[FilterResult, ...]:
    """Every filter's outcome for a row with all light fields, in production order, as of `now`."""
    page = decode_page(row, profile.light_fields)
    return tuple(
        FilterResult(rule.id, rule.title, outcome_of(row, rule), rule.condition, _details(rule, row, page, now))
        for rule in profile.filters
    )


def outcome_of(row: Row, rule: FilterSpec) -> Outcome:
    """What ClickHouse said of one filter's condition."""
    passed = flag(row.get(rule.alias))
    return Outcome.UNKNOWN if passed is None else Outcome.PASS if passed else Outcome.FAIL


def _details(rule: FilterSpec, row: Row, page: Mapping[str, Any], now: datetime) -> str:
    words, value = rule.details, page[rule.details.value]
    if value is None or value == "":
        sentence = words.absent
    elif outcome_of(row, rule) is Outcome.PASS:
        sentence = words.passes
    else:
        sentence = words.fails or words.passes
    return sentence.format_map({name: _Shown(item, now) for name, item in {**page, "value": value}.items()})


def verdict_of(row: Row, profile: IndexProfile) -> tuple[Verdict, str | None]:
    """The verdict over a crawled page and its cause: the first failing filter. An unknown filter is never a pass."""
    outcomes = {rule.id: outcome_of(row, rule) for rule in profile.filters}
    cause = next((rule_id for rule_id, outcome in outcomes.items() if outcome is Outcome.FAIL), None)
    if cause is not None:
        return Verdict.NOT_INDEXABLE, cause
    return (Verdict.UNKNOWN if Outcome.UNKNOWN in outcomes.values() else Verdict.INDEXABLE), None
