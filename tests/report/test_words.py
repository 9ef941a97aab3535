"""How values are written."""

from __future__ import annotations

import doctest
from datetime import UTC, datetime, timedelta

import pytest

from bot.report import words

NOW = datetime(2026, 6, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        # the two seed pages, as of their days
        ("2026-03-31 19:35:40", "2026-04-06 20:00:00", "6 days ago"),
        ("2024-04-18 08:16:34", "2026-04-06 20:00:00", "1 year ago"),
        ("2026-05-03 03:24:51", "2026-06-02 12:00:00", "1 month ago"),
        ("2020-09-26 07:35:34", "2026-06-02 12:00:00", "5 years ago"),
        ("2020-09-24 08:02:34", "2026-06-02 12:00:00", "5 years ago"),
    ],
)
def test_ages_of_the_seed_pages(then: str, now: str, expected: str) -> None:
    """Ages read as the web page printed them."""
    moments = [datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (then, now)]

    assert words.age(*moments) == expected


@pytest.mark.parametrize(
    ("ago", "expected"),
    [
        (timedelta(), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=-59), "just now"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(seconds=119), "1 minute ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=29, hours=23), "29 days ago"),
        (timedelta(days=30), "1 month ago"),
        (timedelta(days=364), "12 months ago"),
        (timedelta(days=365), "1 year ago"),
        (timedelta(days=729), "1 year ago"),
        (timedelta(days=365_000), "1,000 years ago"),
        (timedelta(days=-3, hours=-5), "in 3 days"),
        (timedelta(days=-31), "in 1 month"),
    ],
)
def test_ages_are_whole_units_rounded_down(ago: timedelta, expected: str) -> None:
    """A month counts 30 days, a year 365; what is ahead is said so."""
    assert words.age(NOW - ago, NOW) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (words.number(12013), "12,013"),
        (words.number(0), "0"),
        (words.number(18_446_744_073_709_551_615), "18,446,744,073,709,551,615"),
        (words.utc_time(datetime(2026, 3, 31, 19, 35, 40, tzinfo=UTC)), "2026-03-31 19:35:40"),
        (words.iso_time(datetime(2026, 3, 31, 19, 35, 40, 999, tzinfo=UTC)), "2026-03-31T19:35:40Z"),
        (words.yes_no(True), "Yes"),
        (words.yes_no(False), "No"),
        (words.elapsed(0.04), "0.0 ms"),
        (words.elapsed(12.4), "12 ms"),
        (words.elapsed(1500), "1.5 s"),
        (words.plural(1, "row"), "1 row"),
        (words.plural(2000, "row"), "2,000 rows"),
    ],
)
def test_values_are_written_one_way(written: str, expected: str) -> None:
    """Numbers, times, booleans and durations."""
    assert written == expected


@pytest.mark.parametrize(
    ("text", "one_line", "many_lines"),
    [
        (
            "PyTorch 多进程 עברית العربية हिन्दी 👩‍👩‍👧",
            "PyTorch 多进程 עברית العربية हिन्दी 👩‍👩‍👧",
            None,
        ),  # every script stays
        ("a\x00b", "a⟨U+0000⟩b", None),
        ("a\x1b[31mb", "a⟨U+001B⟩[31mb", None),
        ("a\x9bb", "a⟨U+009B⟩b", None),
        ("\u202egnp.exe", "⟨U+202E⟩gnp.exe", None),
        ("a\u2066b\u2069\u200e\u200f\ufeff", "a⟨U+2066⟩b⟨U+2069⟩⟨U+200E⟩⟨U+200F⟩⟨U+FEFF⟩", None),
        ("a\ud800b", "a\ufffdb", None),
        ("a\r\nb\rc\u2028d\te", "a b c d e", "a\nb\nc\nd\te"),
    ],
)
def test_text_of_the_web_is_made_readable(text: str, one_line: str, many_lines: str | None) -> None:
    """Controls and direction marks become visible; line breaks stay only where there are lines."""
    assert words.readable(text) == one_line
    assert words.readable(text, lines=True) == (many_lines or one_line)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://example.com/a?b=1&c", True),
        ("http://example.com/", True),
        ("javascript:alert(1)", False),
        ("https://example.com/\u202egnp", False),
        ("https://example.com/a b", False),
        ("", False),
    ],
)
def test_only_plain_web_addresses_open(address: str, expected: bool) -> None:
    """A link is made of http(s) addresses that hide nothing."""
    assert words.opens(address) is expected


def test_the_examples_in_the_docstrings_run() -> None:
    """Each docstring example says what happens."""
    found = doctest.testmod(words)

    assert (found.failed, found.attempted > 0) == (0, True)
