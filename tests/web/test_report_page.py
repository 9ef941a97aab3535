"""The report: what a link opens, its headers, its twin in JSON, its weight, and what it reads."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import turbohtml
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from clickhouse_connect.driver.client import Client as Engine

from bot.errors import StoreUnavailable
from bot.index.profile import IndexProfile
from bot.index.sample import EXAMPLES
from bot.index.sample.catalog import ODD_ADDRESSES
from bot.index.sample.hostile import HOSTILE
from bot.inspection import queries
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.inspection.store import Query
from bot.links import Links
from bot.report.subject import Subject
from bot.web.asked import OUTSIDE
from bot.web.headers import CSP, HEADERS
from bot.web.site import Site
from bot.web.templating import STATIC, static_file
from tests.conftest import LOADED_AT
from tests.inspection.scripted_store import ScriptedStore
from tests.store.both import on_both_stores
from tests.web.conftest import KEYS, Client, PathOf, path, site_links, subject_for

LIGHT = 60 * 1024


async def text_of(client: Client, address: str, status: int = 200) -> str:
    answer = await client.get(address)
    text = await answer.text()
    assert answer.status == status, text[:500]
    return text


def words(page: str, selector: str) -> str:
    element = turbohtml.parse(page).select_one(selector)
    assert element is not None
    return " ".join(element.text.split())


@on_both_stores
@pytest.mark.parametrize("name", EXAMPLES)
async def test_every_example_has_a_light_page(client: Client, report_path: PathOf, name: str) -> None:
    """Each case of the sample: a page under 60 KB, stylesheet and script included."""
    page = await text_of(client, report_path(EXAMPLES[name]))
    own = sum(len(static_file(file)) for file in STATIC)

    assert len(page.encode()) + own < LIGHT
    assert words(page, "h1") == EXAMPLES[name]


CROWDED = (
    *(f"https://cases.example/{name}" for name in ("many-classes", "many-descriptions", "limits")),
    *(f"https://hostile.example/everywhere/{name}" for name in HOSTILE),
    *ODD_ADDRESSES,
)


@on_both_stores
async def test_crowded_pages_stay_light(client: Client, report_path: PathOf) -> None:
    """300 classes, hostile texts everywhere, addresses of 2,000 letters: what is cut is said, and the JSON has all."""
    own = sum(len(static_file(file)) for file in STATIC)
    weights = {url: own + len((await text_of(client, report_path(url))).encode()) for url in CROWDED}

    assert {url: weight for url, weight in weights.items() if weight >= LIGHT} == {}


async def test_the_header_set(client: Client, report_path: PathOf) -> None:
    """Every answer, also an error and a stream, forbids scripts, frames, sniffing and referrers."""
    for address in (report_path(EXAMPLES["indexable"]), "/r/nonsense", "/healthz", "/nowhere", "/metrics"):
        answer = await client.get(address)
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
        assert answer.headers["Cache-Control"] == "no-store"
    assert "unsafe" not in CSP
    assert "frame-ancestors 'none'" in CSP


async def test_nothing_comes_from_elsewhere(client: Client, report_path: PathOf) -> None:
    """What the page loads is ours, relative, and kept for ever; no inline script, style or handler."""
    page = turbohtml.parse(await text_of(client, report_path(EXAMPLES["everything fails"])))
    loaded = [element.attrs.get("src") or element.attrs.get("href") for element in page.select("script, link, img")]

    assert len(loaded) == 3
    for address in loaded:
        answer = await client.get(str(address).removeprefix(".."))
        assert answer.status == 200
        assert "immutable" in answer.headers["Cache-Control"]
    assert not page.select("style, [style], script:not([src]), [onclick], [onload]")


@on_both_stores
async def test_the_json_twin_is_the_inspection(client: Client, report_path: PathOf) -> None:
    """The same address with .json gives what `inspect --json` gives, with signed links to heavy columns."""
    found = json.loads(await text_of(client, report_path(EXAMPLES["canonical elsewhere"]) + ".json"))

    assert (found["verdict"], found["cause"]) == ("not_indexable", "canonical")
    assert found["page"]["attrs_markdown"]["url"].startswith("https://bot.example/h/")
    assert isinstance(found["lookup"]["root_hash"], str)


@on_both_stores
async def test_as_of_replays_the_past(client: Client, report_path: PathOf) -> None:
    """`as_of` in the address, or fixed in the link, judges by that instant; a recheck judges by now."""
    url = EXAMPLES["indexable"]
    past = LOADED_AT + timedelta(days=400)
    asked = await text_of(client, report_path(url) + "?as_of=2028-01-05T12:00Z")
    fixed = await text_of(client, report_path(url, past))
    now = await text_of(client, report_path(url, past) + "?as_of=")

    assert words(asked, ".verdict").startswith("Not indexable: Age cutoff")
    assert words(fixed, ".verdict").startswith("Not indexable: Age cutoff")
    assert "Check as of now" in fixed
    assert words(now, ".verdict") == "Indexable: every rule passes."


@on_both_stores
async def test_a_page_that_is_not_crawled_shows_its_near_matches(client: Client, report_path: PathOf) -> None:
    """Near matches are named, and the link to each works within the same link."""
    address = report_path(EXAMPLES["near match"])
    page = turbohtml.parse(await text_of(client, address))
    rows = page.select("#near tbody tr")

    assert rows
    for row in rows:
        link = row.select("a")[-1].attrs["href"]
        assert words(await text_of(client, f"{address}{link}"), "h1").endswith("nearby.example/guide")


RIGHTS: list[tuple[str, dict[str, str], int]] = [
    ("itself", {}, 200),
    ("its key", {"key": "example,cases!,/indexable s443"}, 200),
    ("its URL", {"key": "https://cases.example/indexable"}, 200),
    ("a near address", {"key": "http://cases.example/indexable"}, 200),
    ("another shard", {"shard": "1"}, 200),
    ("another page of the site", {"key": "https://cases.example/spam"}, 403),
    ("another site", {"key": "https://example.com/"}, 403),
    ("its whole site", {"key": "hash:11923444532763041955"}, 403),
    ("another root hash", {"hash": "1"}, 403),
    ("a shard that is not there", {"shard": "999"}, 400),
    ("a shard that is no number", {"shard": "١٢"}, 400),
    ("no time", {"as_of": "yesterday"}, 400),
    ("a time before any crawl", {"as_of": "1960-01-01"}, 400),
    ("a time before the first year", {"as_of": "0001-01-01T00:00+23:59"}, 400),
    ("a time after the last year", {"as_of": "9999-12-31T23:59-23:59"}, 400),
    ("nothing readable", {"key": "%%%"}, 400),
]


@on_both_stores
@pytest.mark.parametrize(("what", "query", "status"), RIGHTS, ids=[row[0] for row in RIGHTS])
async def test_a_link_opens_its_lookup_and_what_is_next_to_it(
    client: Client, report_path: PathOf, what: str, query: dict[str, str], status: int
) -> None:
    """The lookup form works within the rights of the link; beyond them 403, and nothing of the page asked for."""
    for twin in ("", ".json"):
        answer = await client.get(report_path(EXAMPLES["indexable"]) + twin, params=query)
        text = await answer.text()
        assert (what, answer.status) == (what, status)
        if status == 403:
            assert OUTSIDE in text
            assert "spam" not in text


@on_both_stores
async def test_a_link_to_a_root_hash_opens_its_pages(client: Client, links: Links, inspector: Inspector) -> None:
    """Any page of the site, and no other."""
    root_hash = inspector.read("https://cases.example/").root_hash
    address = path(links.of_subject(Subject(None, root_hash)))
    inside = await client.get(address, params={"key": "https://cases.example/spam"})
    outside = await client.get(address, params={"key": "https://example.com/"})

    assert (inside.status, outside.status) == (200, 403)


@pytest.mark.parametrize("twin", ["", ".json"])
async def test_bad_links_say_how_to_get_a_new_one(client: Client, inspector: Inspector, twin: str) -> None:
    """An altered link gets 403 and an expired one 410, in a sentence, with nothing of what is behind."""
    subject = subject_for(inspector, EXAMPLES["indexable"])
    old = site_links(clock=lambda: LOADED_AT - timedelta(days=8))
    foreign = site_links(keys=("z" * 40,))
    for url, status in ((old.of_subject(subject), 410), (foreign.of_subject(subject), 403)):
        text = await text_of(client, path(url) + twin, status)
        assert "/inspect" in text
        assert "indexable" not in text
        assert "cases" not in text


async def test_comparison_stands_side_by_side(client: Client, links: Links, inspector: Inspector) -> None:
    """Two instants of one page: the age filter differs, and is marked; the JSON names it."""
    address = path(links.compare(subject_for(inspector, EXAMPLES["indexable"])))
    page = turbohtml.parse(await text_of(client, address + "?as_of=2028-01-05"))
    found = json.loads(await text_of(client, address + ".json?as_of=2028-01-05"))
    marked = [" ".join(row.text.split()) for row in page.select("#filters tr.differs th")]

    assert marked == ["Age cutoff differs"]
    assert found["differing"] == ["age-cutoff"]
    assert (found["left"]["verdict"], found["right"]["verdict"]) == ("indexable", "not_indexable")


async def test_comparison_keeps_to_the_rights_of_its_link(client: Client, links: Links, inspector: Inspector) -> None:
    """The right side is what the link opens, too."""
    address = path(links.compare(subject_for(inspector, EXAMPLES["indexable"])))
    answer = await client.get(address, params={"key": "https://cases.example/spam"})

    assert answer.status == 403


async def test_a_shard_that_does_not_answer_is_told(profile: IndexProfile, links: Links) -> None:
    """The page comes all the same, the verdict unknown, the failed steps open with their reason."""
    silent = StoreUnavailable("laksa155 did not answer within 5 s.")
    store = ScriptedStore(page_info_local=silent, robots_txt_local=silent, host_bans_local=silent)
    inspector = Inspector(store, profile, clock=lambda: LOADED_AT)
    application = web.Application()
    Site(Indexes(inspector), links).install(application)
    async with TestClient(TestServer(application)) as client:
        page = await text_of(client, path(links.of_subject(subject_for(inspector, EXAMPLES["indexable"]))))

    assert words(page, ".badge") == "UNKNOWN"
    assert len(turbohtml.parse(page).select("#raw details[open]")) == 3
    assert "laksa155 did not answer" in page


def bytes_read(engine: Engine, query: Query) -> int:
    """What ClickHouse itself says that it read."""
    sql = query.sql.replace("FORMAT JSONEachRow", "FORMAT JSON")
    answer: dict[str, Any] = json.loads(engine.raw_query(sql, parameters=dict(query.parameters)))
    return int(answer["statistics"]["bytes_read"])


def test_the_light_report_reads_no_heavy_column(engine: Engine, profile: IndexProfile, inspector: Inspector) -> None:
    """Of a page with 5 MB of Markdown the report reads a few KB; the heavy query does read it."""
    lookup = inspector.read(EXAMPLES["big text"])
    assert lookup.unparsed
    key = (lookup.root_hash, lookup.unparsed)
    heavy = profile.field("attrs_markdown")
    assert heavy
    light = bytes_read(engine, queries.page_query(profile, [key], datetime(2026, 12, 1, tzinfo=UTC)))

    assert light < 1_000_000
    assert bytes_read(engine, queries.heavy_query(profile, heavy, key)) > 5_000_000


async def test_both_keys_of_a_rotation_open_pages(inspector: Inspector, client: Client) -> None:
    """A link that the old key signed opens while that key is kept."""
    url = site_links(keys=KEYS[1:]).of_subject(subject_for(inspector, EXAMPLES["indexable"]))

    assert (await client.get(path(url))).status == 200
