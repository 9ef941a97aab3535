from __future__ import annotations

from dataclasses import replace

import pytest

from bot.index.profile import UNKNOWN
from bot.inspection.model import Verdict
from bot.report.model import Tone
from bot.report.site import Bar, build_site, share
from tests.report import site_reports as made


def test_a_site_is_told_in_one_line_and_a_few_facts() -> None:
    """What it comes to, first; then the counts, robots and banned hosts."""
    view = build_site(made.site_report())

    assert view.headline == "600 of 1,000 crawled pages are indexable (60 %)."
    assert dict(view.facts) == {
        "Known": "1,250",
        "Crawled": "1,000",
        "Only met by the frontier": "250",
        "Indexable": "600",
        "Not indexable": "390",
        "Unknown": "10",
        "Robots": "1 host allowed, 1 host disallowed (disallowed: dev.example.com)",
        "Banned hosts": "spam.example.com",
    }


def test_every_filter_is_a_cause_in_production_order_and_unknowns_come_last() -> None:
    """A page that no filter fails and that one cannot judge has no filter to stand under."""
    view = build_site(made.site_report())

    assert [row.id for row in view.causes] == [*(rule.id for rule in made.PROFILE.filters), "unknown"]
    assert (view.causes[0].first, view.causes[0].alone, view.causes[0].failing) == (78, 50, 100)
    assert view.causes[-1].examples[0].link == "https://www.example.com/unknown"


def test_what_was_not_answered_is_said_and_never_counted_as_nothing() -> None:
    """A silent table gives no zero."""
    view = build_site(made.unanswered())

    assert view.headline == "Unknown: the pages were not counted."
    assert {words for _, words in view.facts} == {"not answered"}
    assert view.failures[0] == "Pages: laksa7 did not answer within 5 s."


def test_filters_that_were_not_counted_have_no_numbers() -> None:
    """Neither where no page was counted, nor where the column of one filter is missing: no zero passes for a pass."""
    whole = made.site_report()
    lost = replace(whole.filters[0], condition=UNKNOWN, failing=0, first=0, alone=0, unknown=1_000)
    silent = build_site(replace(whole, crawled=None, verdicts={}, examples={}))
    poorer = build_site(replace(whole, filters=(lost, *whole.filters[1:])))

    rows = [*silent.causes, poorer.causes[0]]
    assert {(row.first, row.alone, row.failing, row.unknown, row.tone) for row in rows} == {(*[None] * 4, Tone.UNSURE)}
    assert poorer.causes[0].title == "HTTP status: not answered"
    assert poorer.causes[1].failing == 101
    assert silent.charts[0].bars == ()


def test_a_histogram_shows_its_gaps_and_the_rest_stands_last() -> None:
    """Months without a page are bars of nothing; NULL follows the numbers, what is left out follows all."""
    view = build_site(made.site_report())
    charts = {chart.id: chart.bars for chart in view.charts}

    assert charts["crawl-age"] == (Bar("0", 400), Bar("1", 0), Bar("2", 0), Bar("3", 500), Bar("none", 100))
    assert charts["languages"] == (Bar("en", 700), Bar("de", 200), Bar("others", 100))
    assert sum(bar.pages for bar in charts["causes"]) == 1_000


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [(0, 10, "0 %"), (1, 1_000, "<1 %"), (999, 1_000, ">99 %"), (10, 10, "100 %"), (1, 3, "33 %"), (0, 0, "0 %")],
)
def test_a_share_is_never_rounded_to_all_or_nothing(part: int, whole: int, words: str) -> None:
    """One page of a million is not none."""
    assert share(part, whole) == words


def test_a_site_without_pages_says_so() -> None:
    """No share of nothing."""
    empty = replace(made.site_report(), crawled=0, verdicts=dict.fromkeys(Verdict, 0))

    assert build_site(empty).headline == "No page of it is crawled."
