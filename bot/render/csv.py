"""Inspections → CSV (RFC 4180), a row each, as a stream. No cell is a formula to the program that opens the file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from bot.errors import BadInput
from bot.index.profile import IndexProfile
from bot.inspection.model import Inspection, Outcome
from bot.report.model import LAST_CRAWLED
from bot.report.words import iso_time, readable, yes_no

# What spreadsheets take for the beginning of a formula (OWASP, CSV Injection).
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
COLUMNS = ("asked", "url", "key", "shard", "verdict", "cause", "failing", "unknown")
LAST_COLUMNS = ("crawled", "last_crawled", "robots", "host_banned", "seen", "near", "as_of", "index", "problem")


def csv_header(profile: IndexProfile) -> str:
    """The first line."""
    return _line([*COLUMNS, *(rule.id for rule in profile.filters), *LAST_COLUMNS])


def csv_row(item: Inspection | BadInput, profile: IndexProfile) -> str:
    """The line of one inspection; of what could not be read, its sentence in the last column."""
    if isinstance(item, BadInput):
        width = len(COLUMNS) + len(profile.filters) + len(LAST_COLUMNS)
        return _line([*[""] * (width - 1), str(item)])
    lookup = item.lookup
    return _line(
        [
            lookup.text,
            lookup.url,
            lookup.unparsed,
            lookup.host,
            item.verdict.value,
            item.cause,
            " ".join(_of(item, Outcome.FAIL)),
            " ".join(_of(item, Outcome.UNKNOWN)),
            *(result.details if (result := item.filter(rule.id)) else None for rule in profile.filters),
            None if item.crawled is None else yes_no(item.crawled),
            (item.page or {}).get(LAST_CRAWLED),
            item.robots.verdict.value,
            None if item.ban.banned is None else yes_no(item.ban.banned),
            None if item.seen.seen is None else yes_no(item.seen.seen),
            " ".join(near.url for near in item.near_matches),
            item.as_of,
            profile.name,
            " ".join(item.problems),
        ]
    )


def _of(inspection: Inspection, outcome: Outcome) -> Iterator[str]:
    return (result.id for result in inspection.filters if result.outcome is outcome)


def _line(values: list[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow([cell(value) for value in values])
    return line.getvalue()


def cell(value: Any) -> str:
    """A value as a cell: readable, on one line, and with an apostrophe before what would be read as a formula.

    >>> cell("=1+1"), cell("a=1"), cell(None)
    ("'=1+1", 'a=1', '')
    """
    if value is None:
        return ""
    text = iso_time(value) if isinstance(value, datetime) else str(value)
    shown = readable(text)
    return f"'{shown}" if text.lstrip().startswith(FORMULA) or text.startswith(FORMULA) else shown
