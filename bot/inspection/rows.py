"""A row → values: fields decoded by kind, filters judged by their columns, and from these the verdict. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from bot.address.key import looks_like_key, parse_key
from bot.errors import BadKey
from bot.index.profile import FieldKind, FieldSpec, FilterSpec, IndexProfile
from bot.inspection.model import FilterResult, Outcome, Verdict
from bot.inspection.store import Row


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


def judge(row: Row, profile: IndexProfile) -> tuple[FilterResult, ...]:
    """Every filter's outcome for a row, in production order."""
    return tuple(_judged(rule, row) for rule in profile.filters)


def _judged(rule: FilterSpec, row: Row) -> FilterResult:
    passed = flag(row.get(rule.alias))
    outcome = Outcome.UNKNOWN if passed is None else Outcome.PASS if passed else Outcome.FAIL
    return FilterResult(rule.id, rule.title, outcome, rule.condition, _details(rule, row.get(rule.details_alias)))


def _details(rule: FilterSpec, details: Any) -> str:
    if details is None:
        return "NULL"
    url = url_of_key(details) if looks_like_key(str(details)) else None
    return rule.key_details.format(url=url) if url else str(details)


def verdict_of(filters: Iterable[FilterResult]) -> tuple[Verdict, str | None]:
    """The verdict over a crawled page and its cause: the first failing filter. An unknown filter is never a pass."""
    results = tuple(filters)
    cause = next((result.id for result in results if result.outcome is Outcome.FAIL), None)
    if cause is not None:
        return Verdict.NOT_INDEXABLE, cause
    if any(result.outcome is Outcome.UNKNOWN for result in results):
        return Verdict.UNKNOWN, None
    return Verdict.INDEXABLE, None
