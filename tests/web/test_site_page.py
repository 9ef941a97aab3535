"""The page of a site: the counts of an inspection of each of its pages, drawn, and led on to their reports."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import turbohtml
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bot.index.profile import IndexProfile
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.inspection.site import inspect_site
from bot.render.site_terminal import site_json
from bot.report.subject import Subject
from bot.report.words import number
from bot.web.site import Site
from bot.web.templating import STATIC, static_file
from tests.conftest import LOADED_AT
from tests.inspection.scripted_store import Reply, ScriptedStore
from tests.report.site_reports import site_report
from tests.store.both import on_both_stores
from tests.web.conftest import Client, path, site_links

LIGHT = 60 * 1024
SITE = "cases.example"


async def site_path(inspector: Inspector, site: str = SITE, as_of: datetime | None = None) -> str:
    return path(site_links().site(await inspect_site(inspector, site, as_of)))


async def shown(client: Client, address: str, status: int = 200) -> str:
    answer = await client.get(address)
    text = await answer.text()
    assert answer.status == status, text[:500]
    return text


def words(page: str, selector: str) -> list[str]:
    return [" ".join(element.text.split()) for element in turbohtml.parse(page).select(selector)]


@asynccontextmanager
async def scripted(profile: IndexProfile, **tables: Reply) -> AsyncIterator[tuple[Client, str]]:
    """A site that counts what a script says, and the path of one page of it."""
    inspector = Inspector(ScriptedStore(**tables), profile, step_timeout=60, deadline=0.2, clock=lambda: LOADED_AT)
    application = web.Application()
    Site(Indexes(inspector), site_links()).install(application)
    async with TestClient(TestServer(application)) as client:
        yield client, path(site_links().site(site_report()))


@on_both_stores
async def test_a_site_is_its_counts_its_causes_and_its_charts(client: Client, inspector: Inspector) -> None:
    """The numbers are those of the report; every chart is drawn, and told in a table."""
    report = await inspect_site(inspector, SITE)
    page = await shown(client, await site_path(inspector))
    facts = dict(zip(words(page, "#counts dt"), words(page, "#counts dd"), strict=True))
    first = report.filters[0]
    counts = words(page, "#causes tbody .count")[:4]
    charts = ["Pages by verdict and first cause", *(item.title for item in report.breakdowns)]

    assert (facts["Known"], facts["Crawled"]) == (number(report.known or 0), number(report.crawled or 0))
    assert facts["Robots"] == "1 host allowed"
    assert counts == [number(count) for count in (first.first, first.alone, first.failing, first.unknown)]
    assert words(page, "#charts svg title") == charts
    assert words(page, "#charts summary") == [f"{title}, as a table" for title in charts]
    assert len(page.encode()) + sum(len(static_file(file)) for file in STATIC) < LIGHT


@on_both_stores
async def test_every_example_is_one_click_from_its_inspection(client: Client, inspector: Inspector) -> None:
    """The report says of it what the site did."""
    page = turbohtml.parse(await shown(client, await site_path(inspector)))
    rows = [row for row in page.select("#causes tbody tr") if row.attrs["id"] != "cause-unknown"]
    seen = {}
    for row in rows:
        for link in row.select("td a"):
            report = await shown(client, f"/site/{link.attrs['href']}".replace("/site/..", ""))
            assert words(report, "h1") == [link.text]
            seen[str(row.attrs["id"])] = words(report, f"#{row.attrs['id']} .status".replace("cause-", "filter-"))

    assert len(seen) == len(rows) == 5
    assert set(map(tuple, seen.values())) == {("FAIL",)}


async def test_a_replayed_site_leads_to_replayed_reports(client: Client, inspector: Inspector) -> None:
    """As of the instant that its asker fixed."""
    page = await shown(client, await site_path(inspector, SITE, datetime(2026, 4, 6, tzinfo=UTC)))
    link = turbohtml.parse(page).select("#causes td a")[0].attrs["href"]

    assert "Replayed as of 2026-04-06 00:00:00" in words(page, "#counts p.soft")[0]
    assert "Replayed as of 2026-04-06 00:00:00" in words(await shown(client, str(link)[2:]), "#verdict p.soft")[0]


async def test_the_json_twin_has_the_counts(client: Client, inspector: Inspector) -> None:
    """Those that the command line prints."""
    found = json.loads(await shown(client, await site_path(inspector) + ".json"))

    assert found == json.loads(json.dumps(site_json(await inspect_site(inspector, SITE))))


async def test_of_a_site_without_pages_nothing_is_drawn(client: Client, inspector: Inspector) -> None:
    """It says that none is crawled."""
    page = await shown(client, await site_path(inspector, "nowhere.example"))

    assert words(page, ".verdict") == ["No page of it is crawled."]
    assert words(page, "svg") == []


@pytest.mark.parametrize(
    ("tables", "verdict", "banners"),
    [
        (
            {"startsWith": 60.0, "robots_txt": 60.0, "host_bans": 60.0, "seen_urls": 60.0},
            "Unknown: the pages were not counted.",
            4,
        ),
        ({"robots_txt": 60.0}, "No page of it is crawled.", 1),
    ],
)
async def test_what_does_not_answer_in_time_is_said(
    profile: IndexProfile, tables: dict[str, Reply], verdict: str, banners: int
) -> None:
    """Within the deadline, with the shard's name; nothing is guessed, and the rest is there."""
    async with scripted(profile, **tables) as (client, address):
        page = await shown(client, address)

    assert words(page, ".verdict") == [verdict]
    assert len(words(page, ".banner")) == banners
    assert all("did not answer before the 0.2 s for the whole were over." in said for said in words(page, ".banner"))


@pytest.mark.parametrize("text", ["<script>alert(1)</script>" * 80, "漢&" * 700, "\u202e\x00" * 900])
async def test_a_crowded_page_stays_light(profile: IndexProfile, text: str) -> None:
    """Addresses of 2,000 characters, 40 values in every chart, of any script and full of mark-up."""
    listed = [f"com,example!,/{number}{text[:2_000]} s443" for number in range(3)]
    patterns = [{"part": 15, "pattern": 3**n - 1, "pages": 10**9, "listed": listed} for n in range(5)]
    values = [
        {"part": 15 ^ 1 << bit, f"counted_{3 - bit}": v if bit == 1 else f"{v}{text}", "pages": 10**9, "listed": listed}
        for bit in range(4)
        for v in range(40)
    ]
    profile = profile.model_copy(update={"name": "n" * 60})
    async with scripted(profile, startsWith=[*patterns, *values]) as (client, _):
        report = site_report()
        typed = replace(report.target.lookup, text="example.com", index="")
        page = await shown(
            client, path(site_links().site(replace(report, target=replace(report.target, lookup=typed))))
        )

    assert len(page.encode()) + sum(len(static_file(file)) for file in STATIC) < LIGHT
    assert "<script>alert" not in page
    assert len(words(page, "#charts svg")) == 5


@pytest.mark.parametrize("twin", ["", ".json"])
async def test_links_that_open_nothing(client: Client, twin: str) -> None:
    """Altered, of another page, or too old: a sentence, and nothing of the site."""
    good = path(site_links().site(site_report()))
    other = path(site_links().of_subject(Subject("com,example!,/ s443", 1, 1, None))).replace("/r/", "/site/")
    old = path(site_links(clock=lambda: LOADED_AT - timedelta(days=8)).site(site_report()))
    refused: list[tuple[str, Any]] = [(good[:-1], 403), (other, 403), ("/site/nonsense", 403), (old, 410)]

    for address, status in refused:
        assert "example.com" not in await shown(client, address + twin, status)
