"""Do the tables have what the profile reads? The server itself is asked, expression by expression; nothing is parsed.

What it cannot compute is lost alone: a field reads NULL, a filter or a robots.txt is UNKNOWN, a breakdown is left out,
and each says why.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.errors import QueryRefused
from bot.index.profile import UNKNOWN, Details, FieldSpec, FilterSpec, IndexProfile, Relation, Site, changed
from bot.inspection.store import Query, Store

RELATIONS = ("robots", "bans", "seen")

# UNKNOWN_IDENTIFIER in the words of several versions: "identifier `x`", "Missing columns: 'x'". A name in quotes: the
# words of a syntax error speak of identifiers and columns too.
_NAMED = re.compile(r"(?:[Ii]dentifier|[Mm]issing columns:?|[Nn]o column(?: with name)?)\s+[`'\"]([\w.]+)[`'\"]")
REASON_SHOWN = 200  # characters of the server's sentence
_PLACEHOLDERS: Mapping[str, Any] = {"now": 1_000_000_000, "keys": [], "hosts": [], "root_hash": 0}


@dataclass(frozen=True, slots=True)
class MissingField:
    """An expression of the profile that the tables cannot serve. `serves` names what is lost: "field meta_title"."""

    table: str
    column: str  # the column that is not there; where the server names none, the expression
    serves: str
    reason: str  # the server's sentence
    named: bool = True  # a column (or the table) is not there; else the expression itself is wrong

    @property
    def why(self) -> str:
        """What is said in place of what is lost."""
        return f"No column {self.column} in the table" if self.named else self.reason[:REASON_SHOWN]

    def __str__(self) -> str:
        if self.named:
            return f"{self.table}: no usable {self.column}, which serves {self.serves}."
        return f"{self.table}: {self.serves} cannot be computed: {self.reason[:REASON_SHOWN]}"


@dataclass(frozen=True, slots=True)
class _Expression:
    sql: str
    serves: str
    source: str
    column: str | None = None


async def check_schema(store: Store, profile: IndexProfile) -> list[MissingField]:
    """What the profile reads and the tables lack, in the profile's order. Raises StoreUnavailable.

    One query for each table where all is well; only a table that lacks something is asked expression by expression.
    """
    sources = _by_source(_expressions(profile))
    found = await asyncio.gather(*(_check_source(store, expressions) for expressions in sources.values()))
    return [missing for source in found for missing in source]


def profile_without(profile: IndexProfile, missing: Iterable[MissingField]) -> IndexProfile:
    """The profile with what is missing replaced by NULL, so that every query runs; a lost filter says what it lacks."""
    lost = {item.serves: item for item in missing}
    relations = {name: _relation_without(name, getattr(profile, name), lost) for name in RELATIONS}
    return changed(
        profile,
        fields=tuple(_field_without(spec, lost) for spec in profile.fields),
        filters=tuple(_filter_without(rule, lost) for rule in profile.filters),
        site=_site_without(profile.site, lost),
        **relations,
    )


def _expressions(profile: IndexProfile) -> list[_Expression]:
    pages = profile.source
    listed = [_Expression(profile.prewhere, "every page", pages), _Expression(profile.key, "every page", pages)]
    listed += [_Expression(spec.sql, f"field {spec.id}", pages, spec.column) for spec in profile.fields]
    for rule in profile.filters:
        listed.append(_Expression(rule.condition, f"filter {rule.id}", pages))
    listed += [_Expression(item.sql, f"breakdown {item.id}", pages) for item in profile.site.breakdowns]
    listed.append(_Expression(profile.site_where, "every site", pages))
    for name in RELATIONS:
        relation: Relation = getattr(profile, name)
        listed.append(_Expression(relation.where, f"all of {name}", relation.source))
        listed += [_Expression(sql, f"{name}.{field}", relation.source) for field, sql in relation.fields.items()]
        if relation.site_where is not None:
            listed.append(_Expression(relation.site_where, f"{name} of every site", relation.source))
    return listed


def _by_source(expressions: Iterable[_Expression]) -> dict[str, list[_Expression]]:
    sources: dict[str, list[_Expression]] = {}
    for expression in expressions:
        sources.setdefault(expression.source, []).append(expression)
    return sources


async def _check_source(store: Store, expressions: list[_Expression]) -> list[MissingField]:
    if await _refusal(store, expressions) is None:
        return []
    anything = _Expression("1", f"all of {_table(expressions[0])}", expressions[0].source, "table")
    if (reason := await _refusal(store, [anything])) is not None:
        return [MissingField(_table(anything), "table", anything.serves, reason)]
    refusals = await asyncio.gather(*(_refusal(store, [expression]) for expression in expressions))
    return [
        _missing(expression, reason)
        for expression, reason in zip(expressions, refusals, strict=True)
        if reason is not None
    ]


async def _refusal(store: Store, expressions: list[_Expression]) -> str | None:
    """What the server says against these expressions over their table; None where it can compute them."""
    listed = ", ".join(f"({expression.sql}) AS probe_{n}" for n, expression in enumerate(expressions))
    used = {name: value for name, value in _PLACEHOLDERS.items() if f"{{{name}:" in listed}
    try:
        await store.fetch(Query(f"SELECT {listed} FROM {expressions[0].source} LIMIT 0 FORMAT JSONEachRow", used), None)
    except QueryRefused as refused:
        return str(refused)
    return None


def _table(expression: _Expression) -> str:
    return expression.source.split()[0]


def _missing(expression: _Expression, reason: str) -> MissingField:
    named = _NAMED.search(reason)
    column = named[1] if named else expression.column or expression.sql
    return MissingField(_table(expression), column, expression.serves, reason, named is not None)


def _field_without(spec: FieldSpec, lost: Mapping[str, MissingField]) -> FieldSpec:
    return changed(spec, sql="NULL") if f"field {spec.id}" in lost else spec


def _filter_without(rule: FilterSpec, lost: Mapping[str, MissingField]) -> FilterSpec:
    missing = lost.get(f"filter {rule.id}")
    if missing is None:
        return rule
    sentence = missing.why.replace("{", "{{").replace("}", "}}")
    words = Details(value=rule.details.value, passes=sentence, absent=sentence)
    return changed(rule, condition=UNKNOWN, details=words)


def _site_without(site: Site, lost: Mapping[str, MissingField]) -> Site:
    kept = tuple(item for item in site.breakdowns if f"breakdown {item.id}" not in lost)
    gone = {item.title: lost[f"breakdown {item.id}"].why for item in site.breakdowns if item not in kept}
    return changed(site, breakdowns=kept, lost=gone)


def _relation_without(name: str, relation: Relation, lost: Mapping[str, MissingField]) -> Relation:
    kept = {field: "NULL" if f"{name}.{field}" in lost else sql for field, sql in relation.fields.items()}
    gone = {field: lost[f"{name}.{field}"].why for field in relation.fields if f"{name}.{field}" in lost}
    return changed(relation, fields=kept, lost=gone)
