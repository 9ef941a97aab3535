"""The page of a list: its counts, all of its rows, and what opens it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import turbohtml
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bot.index.sample import EXAMPLES
from bot.inspection.bulk import inspect_many
from bot.inspection.indexes import Indexes
from bot.inspection.model import Inspection, Verdict
from bot.inspection.pipeline import Inspector
from bot.links import Links
from bot.report.kept_list import KeptList, ListRow, from_payload, list_row, to_payload
from bot.report.subject import Subject
from bot.web.site import Site
from bot.web.templating import STATIC, static_file
from tests.conftest import LOADED_AT
from tests.store.both import on_both_stores
from tests.web.conftest import Client, OneList, path, site_links

LIGHT = 60 * 1024
ROW = ListRow("example,cases!,/indexable s443", Verdict.INDEXABLE, None, LOADED_AT - timedelta(days=3), "")
STOPPED = replace(ROW, verdict=Verdict.NOT_INDEXABLE, cause="Canonical")
SILENT = replace(ROW, verdict=Verdict.UNKNOWN, crawled=None, problem="node1 did not answer within 0.9 s.")


def kept(*rows: ListRow, total: int | None = None, replayed: bool = False) -> KeptList:
    return KeptList(total or len(rows), LOADED_AT, replayed, rows)


@pytest.fixture
def lists() -> OneList:
    """Where the list is kept."""
    return OneList()


@pytest.fixture
async def client(inspector: Inspector, links: Links, lists: OneList) -> AsyncIterator[Client]:
    """A client of the site with lists."""
    application = web.Application()
    Site(Indexes(inspector), links, lists=lists).install(application)
    async with TestClient(TestServer(application)) as running:
        yield running


async def shown(client: Client, address: str, status: int = 200) -> str:
    answer = await client.get(address)
    text = await answer.text()
    assert answer.status == status, text[:500]
    return text


def words(page: str, selector: str) -> list[str]:
    return [" ".join(element.text.split()) for element in turbohtml.parse(page).select(selector)]


PAGE = path(site_links().kept_list("one"))


@on_both_stores
async def test_a_list_is_its_counts_and_its_rows(client: Client, lists: OneList, inspector: Inspector) -> None:
    """The examples of the sample: each row as it was answered, and the way to its report."""
    lookups = [inspector.read(url) for url in EXAMPLES.values()]
    found = [item async for item in inspect_many(inspector, lookups) if isinstance(item, Inspection)]
    lists.kept = kept(*map(list_row, found))
    page = await shown(client, PAGE)
    inspections = dict(zip(words(page, "#rows tbody td:first-child"), found, strict=True))
    report = await shown(client, PAGE + "?row=0")

    assert list(inspections) == [item.lookup.url for item in found]
    assert f"Indexable {sum(item.verdict is Verdict.INDEXABLE for item in found)}" in words(page, "#counts li")
    assert f"Canonical {sum(item.cause == 'canonical' for item in found)}" in words(page, "#counts li")
    assert words(report, "h1") == [found[0].lookup.url]
    assert words(page, "#rows h2") == [f"{len(found)} rows"]


@pytest.mark.parametrize(
    ("query", "rows", "heading", "turns"),
    [
        ("", 100, "250 rows, page 1 of 3", ["Next", "Last"]),
        ("?page=2", 100, "250 rows, page 2 of 3", ["First", "Previous", "Next", "Last"]),
        ("?page=3", 50, "250 rows, page 3 of 3", ["First", "Previous"]),
        ("?page=99", 50, "250 rows, page 3 of 3", ["First", "Previous"]),
        ("?page=0", 100, "250 rows, page 1 of 3", ["Next", "Last"]),
        ("?page=x", 100, "250 rows, page 1 of 3", ["Next", "Last"]),
        ("?verdict=not_indexable&page=2", 20, "120 rows, page 2 of 2", ["First", "Previous"]),
        ("?cause=Canonical", 100, "120 rows, page 1 of 2", ["Next", "Last"]),
        ("?verdict=unknown", 1, "1 row", []),
        ("?verdict=nonsense", 0, "0 rows", []),
    ],
)
async def test_pages_turn_and_counts_lead_to_their_rows(
    client: Client, lists: OneList, query: str, rows: int, heading: str, turns: list[str]
) -> None:
    """A hundred rows a page, of all or of one verdict or cause; what is no page shows the nearest."""
    lists.kept = kept(*[ROW] * 129, *[STOPPED] * 120, SILENT)
    page = await shown(client, PAGE + query)

    assert len(turbohtml.parse(page).select("#rows tbody tr")) == rows
    assert words(page, "#rows h2") == [heading]
    assert words(page, "#rows nav a") == turns
    assert words(page, "#counts li") == ["All 250", "Indexable 129", "Not indexable 120", "Unknown 1", "Canonical 120"]


async def test_every_turn_and_row_leads_somewhere(client: Client, lists: OneList) -> None:
    """Followed from the page itself: rows keep their number in the list whatever is chosen."""
    lists.kept = kept(*[ROW] * 3, *[replace(STOPPED, text="example,cases!,/spam s443")] * 101)
    page = await shown(client, PAGE + "?verdict=not_indexable")
    turn = turbohtml.parse(page).select("#rows nav a")[-1].attrs["href"]
    last = turbohtml.parse(await shown(client, PAGE + str(turn)))
    row = last.select("#rows tbody a")[-1].attrs["href"]

    assert row == "?row=103"
    assert words(await shown(client, PAGE + str(row)), "h1") == ["https://cases.example/spam"]


@pytest.mark.parametrize("row", ["", "-1", "3", "x", "١", "9999999"])
async def test_a_row_that_is_not_there_opens_nothing(client: Client, lists: OneList, row: str) -> None:
    """Only what stands in the list."""
    lists.kept = kept(ROW, ROW, ROW)

    assert "This link does not open" in await shown(client, f"{PAGE}?row={row}", 403)


async def test_a_replayed_list_leads_to_replayed_reports(client: Client, lists: OneList) -> None:
    """As of the instant that its asker fixed."""
    lists.kept = replace(kept(ROW, replayed=True), as_of=datetime(2026, 4, 6, tzinfo=UTC))

    assert "Replayed as of 2026-04-06 00:00:00" in words(await shown(client, PAGE), "#counts p")[-1]
    assert "Replayed as of 2026-04-06 00:00:00" in words(await shown(client, PAGE + "?row=0"), "#verdict p.soft")[0]


async def test_what_was_cancelled_and_what_did_not_answer_are_said(client: Client, lists: OneList) -> None:
    """How many were looked up, and the shard's name."""
    lists.kept = kept(ROW, SILENT, total=2_000)
    page = await shown(client, PAGE)

    assert words(page, ".banner") == ["Cancelled: 2 of 2,000 URLs were looked up."]
    assert "node1 did not answer within 0.9 s." in words(page, "#rows td")


async def test_a_crowded_page_stays_light(client: Client, lists: OneList) -> None:
    """A hundred addresses of 2,000 characters, of any script and full of markup; 30 causes."""
    causes = [f"{number:2}{'<é' * 20}" for number in range(30)]
    rows = [
        replace(STOPPED, text=f"example,cases!,/{n}{'<&日本語' * 400} s443", cause=causes[n % 30]) for n in range(250)
    ]
    lists.kept = kept(*rows)
    page = await shown(client, PAGE)

    assert len(page.encode()) + sum(len(static_file(file)) for file in STATIC) < LIGHT
    assert "<é" not in page


async def test_the_json_twin_has_all(client: Client, lists: OneList) -> None:
    """Every row, whole."""
    lists.kept = kept(ROW, STOPPED, SILENT, total=7)
    found = json.loads(await shown(client, PAGE + ".json"))

    assert (found["total"], found["as_of"], found["causes"]) == (7, "2026-12-01T12:00:00Z", {"Canonical": 1})
    assert found["index"] == "crawler3"
    assert found["verdicts"] == {"indexable": 1, "not_indexable": 1, "not_crawled": 0, "unknown": 1}
    assert found["rows"][2] == {
        "lookup": ROW.text,
        "url": "https://cases.example/indexable",
        "verdict": "unknown",
        "cause": None,
        "crawled": None,
        "problem": SILENT.problem,
    }


@pytest.mark.parametrize("twin", ["", ".json"])
async def test_links_that_open_nothing(client: Client, lists: OneList, twin: str) -> None:
    """Altered, of another page, too old, or of a list that is gone: a sentence, and nothing of the list."""
    lists.kept = kept(ROW)
    other = path(site_links().of_subject(Subject(ROW.text, 1, 1, None))).replace("/r/", "/list/")
    old = path(site_links(clock=lambda: LOADED_AT - timedelta(days=8)).kept_list("one"))
    gone = path(site_links().kept_list("two"))
    refused = [(PAGE[:-1], 403), (other, 403), ("/list/nonsense", 403), (old, 410), (gone, 410)]

    for address, status in refused:
        assert "indexable" not in await shown(client, address + twin, status)


def test_what_is_kept_comes_back() -> None:
    """Through JSON and back."""
    found = kept(ROW, STOPPED, SILENT, total=5, replayed=True)

    assert from_payload(json.loads(json.dumps(to_payload(found)))) == found
