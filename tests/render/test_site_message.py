from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image
from rich.console import Console

from bot.inspection.site import SiteReport
from bot.links import Links
from bot.render.actions import ACTION_EXAMPLE, ACTION_REPORT
from bot.render.chart import HEIGHT_MOST, WIDTH, height_of, to_png, to_svg
from bot.render.site_blocks import site_message
from bot.render.site_terminal import site_json, site_view
from bot.report.links import Links as ReportLinks
from bot.report.links import NoLinks
from bot.report.site import build_site
from bot.workspace.validator import check_message
from tests.report import site_reports as made
from tests.report.inspections import SignedLinks

HOSTILE = [
    "<!channel> & <@U1> *b* `c`" * 30,
    "=HYPERLINK(1)",
    "\u202egnp.exe\x00\x1b[31m\n" * 40,
    "漢" * 3_000,
    "&" * 3_000,
]
REPORTS: dict[str, Callable[[], SiteReport]] = {
    "whole": made.site_report,
    "unanswered": made.unanswered,
    **{f"hostile {n}": partial(made.hostile, text) for n, text in enumerate(HOSTILE)},
    "long addresses": partial(made.hostile, "https://www.example.com/" + "x" * 2_900),
}


@pytest.mark.parametrize("links", [NoLinks(), SignedLinks()], ids=["without links", "with links"])
@pytest.mark.parametrize("chart_file", [None, "F0123456789"])
@pytest.mark.parametrize("name", REPORTS)
def test_slack_takes_every_report_of_a_site(name: str, chart_file: str | None, links: ReportLinks) -> None:
    """Whatever the crawl holds, however much of it."""
    assert check_message(site_message(build_site(REPORTS[name](), links), chart_file)) == []


def test_the_table_of_causes_has_a_row_for_each_with_a_link_to_inspect() -> None:
    """Counts beside each other, examples one click away."""
    payload = site_message(build_site(made.site_report()))
    table = next(block for block in payload["blocks"] if block["type"] == "table")

    assert [cell["text"] for cell in table["rows"][0]] == ["Cause", "First", "Alone", "All", "Examples"]
    assert [cell["text"] for cell in table["rows"][1][:4]] == ["❌ HTTP status", "78", "50", "100"]
    assert "https://www.example.com/http-status/1" in json.dumps(table["rows"][1][4])


def buttons(payload: dict[str, Any]) -> list[str]:
    """The actions of a message, in order."""
    found = [element for block in payload["blocks"] for element in (block.get("accessory"), *block.get("elements", ()))]
    return [element["action_id"] for element in found if element and element["type"] == "button"]


def test_with_links_an_example_and_the_whole_are_a_click_away() -> None:
    """Each example beside its address; the page of the site by the button below."""
    payload = site_message(build_site(made.site_report(), SignedLinks()))
    table = next(block for block in payload["blocks"] if block["type"] == "table")
    page, _space, report = table["rows"][1][4]["elements"][0]["elements"]

    assert page["url"] == "https://www.example.com/http-status/1"
    assert (report["text"], report["url"]) == (
        "Inspect",
        "https://bot.example/r/com%2Cexample%21www%2C/http-status/1%20s443",
    )
    assert buttons(payload) == [ACTION_REPORT]


def test_three_usual_examples_of_each_cause_have_room_for_their_links() -> None:
    """Links of the length that signed ones have; Slack counts the characters of a table."""
    urls = tuple(
        f"https://www.example.com/2026/12/{number}-how-we-moved-our-crawler-to-a-new-cluster" for number in "abc"
    )
    whole = made.site_report()
    report = replace(whole, filters=tuple(replace(rule, examples=urls) for rule in whole.filters))
    payload = site_message(build_site(report, Links("https://inspector.crawl.example", ("k" * 40,))))

    assert json.dumps(payload).count('"text": "Inspect"') == 16
    assert check_message(payload) == []


def test_without_links_a_button_inspects_an_example_of_each_cause() -> None:
    """Which stands beside it."""
    payload = site_message(build_site(made.site_report()))
    sections = [block["text"]["text"] for block in payload["blocks"] if block["type"] == "section"]

    assert buttons(payload) == [ACTION_EXAMPLE] * 6
    assert sections[0] == "HTTP status: https://www.example.com/http-status/1"


def test_the_picture_stands_where_it_was_uploaded_and_words_where_not() -> None:
    """A reader without the picture reads its counts."""
    view = build_site(made.site_report())
    pictured, told = json.dumps(site_message(view, "F1")), json.dumps(site_message(view))

    assert '"slack_file": {"id": "F1"}' in pictured
    assert "Status-codes: 200 900, 404 90, none 10" in told


@pytest.mark.parametrize("name", ["whole", "unanswered", "hostile 2"])
def test_the_chart_is_the_same_picture_twice(name: str) -> None:
    """An SVG document that any parser reads and that runs nothing, and a PNG of its size."""
    charts = build_site(REPORTS[name]()).charts
    root = ElementTree.fromstring(to_svg(charts))  # noqa: S314 (our own document)
    image = Image.open(io.BytesIO(to_png(charts)))

    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {"svg", "title", "rect", "text"}
    assert root.get("width") == str(WIDTH)
    assert image.size == (2 * WIDTH, 2 * height_of(charts))
    assert height_of(charts) <= HEIGHT_MOST


def test_bars_are_as_long_as_their_counts() -> None:
    """Half as many pages, half as long."""
    chart = build_site(made.site_report()).charts[1]
    rects = [e for e in ElementTree.fromstring(to_svg([chart])).iter() if e.tag.endswith("rect")]  # noqa: S314 (ours)
    widths = [float(rect.get("width", "0")) for rect in rects[1:]]

    assert widths[1] / widths[0] == pytest.approx(90 / 900, rel=0.01)


@pytest.mark.parametrize("name", REPORTS)
def test_a_terminal_shows_it_and_nothing_in_it_is_obeyed(name: str) -> None:
    """No control character of the crawl reaches the terminal."""
    console = Console(file=io.StringIO(), width=200, force_terminal=False)
    console.print(site_view(build_site(REPORTS[name]())))
    shown = console.file.getvalue()  # type: ignore[attr-defined]

    assert "Crawled" in shown
    assert not {"\x1b", "\x00", "\u202e"} & set(shown)


def test_json_holds_the_counts_and_null_where_nothing_was_answered() -> None:
    """A program tells zero from no answer."""
    whole, none = site_json(made.site_report()), site_json(made.unanswered())

    assert json.loads(json.dumps(whole)) == whole
    assert (whole["known"], whole["verdicts"]) == (1_250, {"indexable": 600, "not_indexable": 390, "unknown": 10})
    assert (none["known"], none["crawled"], none["robots"], none["banned"]) == (None, None, None, None)
