"""When a watch tells something: changes at once, flapping pages seldom, silent servers never."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import StoreUnavailable
from bot.index.profile import load_profile
from bot.inspection.pipeline import Inspector
from bot.links import Links
from bot.report.build import build_report
from bot.slack.watches.news import CALM, Change, Facts, News, Standing, first_standing, watched_facts, weigh
from tests.inspection.scripted_store import Reply, ScriptedStore
from tests.slack.running import NOW, PAGE, URL, settings

HOUR = timedelta(hours=1)
BEGAN = datetime(2026, 12, 1, 12, tzinfo=UTC)


def series(checks: Sequence[Facts], standing: Standing, interval: timedelta = HOUR) -> list[tuple[int, News]]:
    """What is told at which check, one every interval; the standing is kept as JSON in between."""
    told = []
    for number, facts in enumerate(checks, 1):
        standing, news = weigh(Standing.decode(standing.encode()), facts, BEGAN + number * interval, interval)
        if news:
            told.append((number, news))
    return told


def of(letters: str) -> list[Facts]:
    """One fact, a letter a check; " " is a check that no server answered."""
    return [{"Verdict": letter} if letter != " " else {} for letter in letters]


def told(letters: str) -> list[tuple[int, str, int]]:
    """(check, old and new, how many changes) of a watch that began with the first letter."""
    first, *checks = of(letters)
    return [
        (number, "".join(change.before + change.now for change in news.changes), news.times)
        for number, news in series(checks, first_standing(first))
    ]


@pytest.mark.parametrize(
    ("letters", "news"),
    [
        ("AAAA", []),
        ("AB", [(1, "AB", 1)]),  # at once
        ("ABBB", [(1, "AB", 1)]),  # and once
        ("ABCC", [(1, "AB", 1), (2, "BC", 1)]),
        ("ABABBB", [(1, "AB", 1), (2, "BA", 1), (4, "AB", 1)]),  # the third waits for the end of two hours
        ("ABACAA", [(1, "AB", 1), (2, "BA", 1), (4, "", 2)]),  # all is as it was told, and still it moved
        ("A  A", []),  # a server was silent
        ("A  B", [(3, "AB", 1)]),
        ("A B ", [(2, "AB", 1)]),
        (" A", [(1, "–A", 1)]),  # silent when the watch began: the first answer is news
    ],
)
def test_what_is_told_and_when(letters: str, news: list[tuple[int, str, int]]) -> None:
    """One letter is one hourly check."""
    assert told(letters) == news


def test_a_page_that_flaps_writes_five_times_on_its_first_day_and_daily_then() -> None:
    """After 0, 1, 3, 7 and 15 hours, then each day; nothing that changed is left uncounted."""
    hours = [number for number, _, _ in told("A" + "BA" * 60)]
    counts = [times for _, _, times in told("A" + "BA" * 60)]

    assert hours == [1, 2, 4, 8, 16, 32, 56, 80, 104]
    assert sum(counts) == 104


def test_a_calm_day_makes_a_watch_quick_again() -> None:
    """A page that flapped last week is told of at once when it changes today."""
    flapping = "A" + "BA" * 10
    checks = told(flapping + "A" * 48 + "BA")

    assert [number for number, _, _ in checks][-2:] == [len(flapping) + 48, len(flapping) + 49]


@given(st.text(alphabet="AB ", min_size=1, max_size=200))
def test_every_change_is_told_in_the_end(letters: str) -> None:
    """Whatever happens, a calm day later everything was counted, and the page is as the last message says."""
    seen = letters.replace(" ", "")
    changes = sum(before != now for before, now in pairwise(seen)) + (letters[0] == " " and bool(seen))
    news = told(letters + " " * 25)
    last = [words[-1] for _, words, _ in news if words]

    assert sum(times for _, _, times in news) == changes
    assert not last or last[-1] == seen[-1]


@given(st.text(alphabet="AB", min_size=2, max_size=60), st.integers(60, 86_400))
def test_messages_are_an_interval_apart_and_at_most_a_day(letters: str, seconds: int) -> None:
    """Whatever the interval is set to."""
    interval = timedelta(seconds=seconds)
    first, *checks = of(letters)
    numbers = [number for number, _ in series(checks, first_standing(first), interval)]
    quiet_until = weigh(first_standing({"Verdict": "A"}), {"Verdict": "B"}, BEGAN, interval)[0].quiet_until

    assert numbers == sorted(set(numbers))
    assert quiet_until is not None
    assert interval <= quiet_until - BEGAN <= CALM


async def facts(**tables: Reply) -> Facts:
    """Of a page as these tables have it."""
    inspector = Inspector(ScriptedStore(**tables), load_profile(), clock=lambda: NOW)
    inspection = await inspector.inspect(inspector.read(URL))
    return watched_facts(build_report(inspection, inspector.profile, Links.from_settings(settings())))


SILENT = StoreUnavailable("shard 6 did not answer within 5 s.")
FINE = {"Verdict": "Indexable", "Cause": "–", "HTTP status": "200", "Canonical": "–", "Robots": "ROBOTS UNKNOWN"}
MISSING = {"Verdict": "Not crawled", "Cause": "–", "HTTP status": "–", "Canonical": "–", "Robots": "ROBOTS UNKNOWN"}


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ({"page_info_local": [PAGE]}, FINE),
        (
            {"page_info_local": [{**PAGE, "pass_http_status": 0, "f_download_http_code": 404}]},
            {**FINE, "Verdict": "Not indexable", "Cause": "HTTP status", "HTTP status": "404"},
        ),
        (
            {"page_info_local": [{**PAGE, "f_meta_canonical": "https://docs.example/b"}]},
            {**FINE, "Canonical": "https://docs.example/b"},
        ),
        (
            {"page_info_local": [{**PAGE, "pass_canonical": None}]},
            {**FINE, "Verdict": "Unknown"},
        ),  # a NULL is an answer
        ({"page_info_local": []}, MISSING),
        ({"page_info_local": SILENT}, {"Robots": "ROBOTS UNKNOWN"}),
        ({"page_info_local": [PAGE], "robots": SILENT}, {name: FINE[name] for name in FINE if name != "Robots"}),
        ({"page_info_local": SILENT, "robots": SILENT}, {}),
    ],
    ids=["fine", "404", "canonical", "null", "missing", "silent", "silent robots", "all silent"],
)
async def test_what_is_compared(tables: dict[str, Any], expected: Facts) -> None:
    """What a silent server would have said is left out, and so stands as it was."""
    assert await facts(**tables) == expected


def test_old_stands_beside_new() -> None:
    """Only what changed, in the order of the facts."""
    _, news = weigh(first_standing(FINE), {**FINE, "Verdict": "Not crawled", "HTTP status": "–"}, BEGAN, HOUR)

    assert news == News((Change("Verdict", "Indexable", "Not crawled"), Change("HTTP status", "200", "–")), 1)
