"""How values are written, for every renderer alike: ages, times, numbers, NULL, and text from the open web."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

NULL_PAGE = "null"  # where a whole page of values is read, as the seeds print it
NULL_CHAT = "–"  # where space is short; Slack refuses an empty cell
JUST_NOW = "just now"

_UNITS = (
    ("year", 365 * 86_400),
    ("month", 30 * 86_400),
    ("day", 86_400),
    ("hour", 3_600),
    ("minute", 60),
)


def age(then: datetime, now: datetime) -> str:
    """The time from `then` to `now` in whole units, rounded down: "6 days ago", "in 3 days", "just now".

    A month counts 30 days and a year 365.

    >>> age(datetime(2026, 3, 31, 19, 35, 40, tzinfo=UTC), datetime(2026, 4, 6, 20, tzinfo=UTC))
    '6 days ago'
    """
    seconds = int((now - then).total_seconds())
    for unit, size in _UNITS:
        count = abs(seconds) // size
        if count:
            span = plural(count, unit)
            return f"{span} ago" if seconds > 0 else f"in {span}"
    return JUST_NOW


def plural(count: int, noun: str) -> str:
    """A count with its noun: "1 day", "2 days", "12,013 rows"."""
    return f"{number(count)} {noun}" + ("" if count == 1 else "s")


def number(value: int) -> str:
    """A whole number with thousands separators: "12,013"."""
    return f"{value:,}"


def utc_time(value: datetime) -> str:
    """A moment in UTC: "2026-03-31 19:35:40"."""
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def iso_time(value: datetime) -> str:
    """A moment as ISO 8601 in UTC, whole seconds: "2026-03-31T19:35:40Z"."""
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def time_with_age(value: datetime, now: datetime) -> str:
    """A moment and how long ago: "2026-03-31 19:35:40 (6 days ago)"."""
    return f"{utc_time(value)} ({age(value, now)})"


def yes_no(value: bool) -> str:
    """A boolean in words."""
    return "Yes" if value else "No"


def elapsed(milliseconds: float) -> str:
    """How long a step took: "0.4 ms", "12 ms", "1.5 s"."""
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"


def listed(names: Iterable[str]) -> str:
    """Names in one sentence: "a, b, c"."""
    return ", ".join(names)


# Marks that change how the text around them is read, and show nothing themselves (Unicode UAX #9, and the BOM).
_MARKS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_BREAKS = (0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029)
_SURROGATES = range(0xD800, 0xE000)  # half a character: no encoder takes it

_SHOWN = {chr(code): f"⟨U+{code:04X}⟩" for code in (*_CONTROLS, *_MARKS)}
_SHOWN |= dict.fromkeys(map(chr, _SURROGATES), "\ufffd")
_ONE_LINE = _SHOWN | dict.fromkeys(map(chr, _BREAKS), " ")
_MANY_LINES = _SHOWN | dict.fromkeys(map(chr, _BREAKS), "\n") | {"\t": "\t"}
_HIDDEN = re.compile("[" + "".join(map(re.escape, _ONE_LINE)) + "]")


def readable(text: str, *, lines: bool = False) -> str:
    """`text` with every control character and direction mark made visible; letters of all scripts stay as they are.

    Line breaks and tabs become spaces, or stay where `lines` says that the place holds many lines.

    >>> readable("a\\u202eb\\nc")
    'a⟨U+202E⟩b c'
    """
    if text.isprintable():  # most text holds nothing to write otherwise, and 100 KB of it must cost next to nothing
        return text
    written, end = (_MANY_LINES, "\n") if lines else (_ONE_LINE, " ")
    return _HIDDEN.sub(lambda found: written[found[0]], text.replace("\r\n", end))


def opens(address: str) -> bool:
    """May a reader open this address? Only http(s), and only where nothing in it hides from the eye."""
    return address.startswith(("http://", "https://")) and " " not in address and not _HIDDEN.search(address)
