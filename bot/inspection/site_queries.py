"""The queries of a site's report, built from the profile: the conditions are those that judge one page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from bot.index.profile import IndexProfile, Relation
from bot.inspection.model import Outcome
from bot.inspection.queries import KEY
from bot.inspection.store import Query, Row

EXAMPLES = 3  # pages listed for every combination of outcomes and every counted value
VALUES = 1_000  # rows of one breakdown that are read; the rest is counted together
HOSTS = 200  # hosts whose robots.txt is judged, and banned hosts that are listed

PART, PAGES, LISTED, PATTERN = "part", "pages", "listed", "pattern"
_OUTCOMES = (Outcome.FAIL, Outcome.PASS, Outcome.UNKNOWN)  # by the digit that stands for each in a pattern


def pages_query(profile: IndexProfile, scope: dict[str, Any]) -> Query:
    """One pass over a site: pages by pattern of filter outcomes, and by the value of every breakdown.

    Each row counts one pattern or one value, and lists a few of its pages; PART says of which set it is (`part_of`).
    A pattern holds one digit to the base of three for each filter.
    """
    names = [PATTERN, *(column(number) for number in range(len(profile.site.breakdowns)))]
    sql = f"""SELECT
  grouping({", ".join(names)}) AS {PART},
  {", ".join(names)},
  count() AS {PAGES},
  groupArray({EXAMPLES})({KEY}) AS {LISTED}
FROM (
{_judged(profile)}
)
GROUP BY GROUPING SETS ({", ".join(f"({name})" for name in names)})
ORDER BY {PART}, {PAGES} DESC
LIMIT {VALUES} BY {PART}
FORMAT JSONEachRow"""
    return Query(sql, scope, "pages")


def _judged(profile: IndexProfile) -> str:
    """A row for each page: its key, its pattern, and what the breakdowns count."""
    digits = " + ".join(
        # A condition that gives no number is unknown, as it is for one page (`rows.flag`).
        f"toUInt64(ifNull(accurateCastOrNull({rule.condition}, 'Int64') != 0, 2)) * {3**number}"
        for number, rule in enumerate(profile.filters)
    )
    counted = [(item.sql, column(number)) for number, item in enumerate(profile.site.breakdowns)]
    columns = [(profile.key, KEY), (digits or "toUInt64(0)", PATTERN), *counted]
    listed = ",\n    ".join(f"{sql} AS {alias}" for sql, alias in columns)
    return f"  SELECT\n    {listed}\n  FROM {profile.source}\n  WHERE {_where(profile.site_where, profile.key)}"


def count_query(profile: IndexProfile, scope: dict[str, Any]) -> Query:
    """How many pages of a site are crawled: what the whole report is measured against."""
    where = _where(profile.site_where, profile.key)
    return Query(f"SELECT count() AS {PAGES} FROM {profile.source} WHERE {where} FORMAT JSONEachRow", scope)


def seen_only_query(profile: IndexProfile, scope: dict[str, Any]) -> Query | None:
    """How many pages of a site the frontier knows that are not crawled; None where the profile does not say how."""
    seen = profile.seen
    if seen.site_where is None:
        return None
    met = f"FROM {seen.source} WHERE {_where(seen.site_where, seen.key)}"
    crawled = f"FROM {profile.source} WHERE {_where(profile.site_where, profile.key)}"
    # What was met less what of it is crawled: of the two sides, the frontier's is the one that may be empty, and a
    # million crawled keys need then not be held in memory to compare nothing with.
    sql = f"""SELECT
  (SELECT count() {met}) - (SELECT count() {crawled} AND {profile.key} IN (SELECT {seen.key} {met})) AS {PAGES}
FORMAT JSONEachRow"""
    return Query(sql, scope, "frontier")


def hosts_query(relation: Relation, root_hash: int, host: str | None, condition: str = "1") -> Query | None:
    """The rows of a site's hosts, one more than HOSTS at most; None where the profile does not say how."""
    if relation.site_where is None:
        return None
    columns = [(relation.key, KEY), *((sql, f"f_{name}") for name, sql in relation.fields.items())]
    listed = ",\n  ".join(f"{sql} AS {alias}" for sql, alias in columns)
    sql = f"""SELECT
  {listed}
FROM {relation.source}
WHERE ({relation.site_where}) AND ({{host:String}} = '' OR {relation.key} = {{host:String}}) AND ({condition})
ORDER BY {relation.key}
LIMIT {HOSTS + 1}
FORMAT JSONEachRow"""
    return Query(sql, {"root_hash": root_hash, "host": host or ""}, "hosts")


def scope_of(root_hash: int, prefix: str, now: datetime) -> dict[str, Any]:
    """The parameters that pick the pages of a site."""
    return {"root_hash": root_hash, "prefix": prefix, "now": int(now.timestamp())}


def column(number: int) -> str:
    """The column of a breakdown."""
    return f"counted_{number}"


def part_of(row: Row, breakdowns: int) -> int | None:
    """Which set a row counts: the number of a breakdown, or None for the patterns.

    `grouping` gives a bit for each column, the first the highest, 1 where the column is not of the row's set.
    """
    mask = int(row[PART])
    return next((number for number in range(breakdowns) if not mask >> (breakdowns - 1 - number) & 1), None)


def outcomes_of(pattern: int, filters: Sequence[object]) -> Iterator[Outcome]:
    """The outcomes that a pattern stands for, in production order."""
    for _ in filters:
        pattern, digit = divmod(pattern, 3)
        yield _OUTCOMES[digit]


def _where(site_where: str, key: str) -> str:
    return f"({site_where}) AND startsWith({key}, {{prefix:String}})"
