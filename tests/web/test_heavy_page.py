"""Heavy columns: views, parts, search, download, the word for changed text, and hostile content."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
import turbohtml
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import StoreUnavailable
from bot.index.profile import IndexProfile, load_profile
from bot.index.sample import EXAMPLES, SEED_URLS
from bot.inspection.heavy import PIECE, HeavyText
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.inspection.store import Query, Rows
from bot.links import Action, Grant, Links
from bot.render.html_markdown import LARGEST
from bot.report.subject import Subject
from bot.web.site import Site
from bot.web.text_parts import PART, part_count, whole_characters
from tests.conftest import LOADED_AT
from tests.store.both import on_both_stores
from tests.web.conftest import Client, path, site_links
from tests.web.heavy_store import CRAWLED, HeavyStore

URL = "https://cases.example/indexable"


@asynccontextmanager
async def served(store: HeavyStore, profile: IndexProfile) -> AsyncIterator[Client]:
    inspector = Inspector(store, profile, clock=lambda: LOADED_AT)
    application = web.Application()
    Site(Indexes(inspector), site_links()).install(application)
    async with TestClient(TestServer(application)) as client:
        yield client


def heavy_address(field_id: str = "attrs_markdown", version: int | None = CRAWLED) -> str:
    """The path of a heavy column of URL, linked from the crawl of `version`."""
    profile = load_profile()
    lookup = Inspector(HeavyStore(None), profile).read(URL)
    links = site_links()
    grant = Grant(Subject(lookup.unparsed, lookup.root_hash, lookup.shard), field_id, version)
    return path(links.url(Action.HEAVY, grant))


async def page_of(client: Client, address: str) -> turbohtml.Document:
    answer = await client.get(address)
    assert answer.status == 200
    return turbohtml.parse(await answer.text())


def words(page: turbohtml.Document, selector: str) -> str:
    element = page.select_one(selector)
    assert element is not None, selector
    return " ".join(element.text.split())


@on_both_stores
async def test_markdown_is_rendered_and_its_source_is_there(inspector: Inspector, client: Client, links: Links) -> None:
    """The report's link shows rendered Markdown; the source view shows it as stored; download gives its bytes."""
    inspection = await inspector.inspect(inspector.read(SEED_URLS[1]))
    stored = await inspector.heavy(inspection.lookup, "attrs_markdown")
    assert stored
    address = path(links.heavy(inspection, "attrs_markdown"))
    rendered = await page_of(client, address)
    source = await page_of(client, address + "?view=source")
    download = await client.get(address + ".txt")
    twin = await (await client.get(address + ".json")).json()

    assert words(rendered, ".rendered h3").startswith("多进程训练神经网络")
    pre = source.select_one("pre.text")
    assert pre is not None
    assert pre.text.strip() == stored.strip()
    assert (await download.read()).decode() == stored
    assert "attachment" in download.headers["Content-Disposition"]
    assert (twin["text"], twin["size"], twin["changed"]) == (stored, len(stored.encode()), None)


async def test_plain_text_has_no_rendered_view(inspector: Inspector, client: Client, links: Links) -> None:
    """Boilerpipe text is text."""
    inspection = await inspector.inspect(inspector.read(SEED_URLS[1]))
    page = await page_of(client, path(links.heavy(inspection, "attrs_boilerpipe_text")))

    assert page.select_one(".rendered") is None
    assert words(page, "pre.text")


@on_both_stores
async def test_null_is_said(inspector: Inspector, client: Client, links: Links) -> None:
    """A page without such a text has no text, and no error."""
    inspection = await inspector.inspect(inspector.read(EXAMPLES["nothing known"]))
    address = path(links.heavy(inspection, "attrs_markdown"))

    assert words(await page_of(client, address), ".null") == "null: this page has no such text."
    assert (await (await client.get(address + ".json")).json())["text"] is None


@pytest.mark.parametrize(
    ("version", "query", "changed"),
    [
        (CRAWLED, "", False),
        (CRAWLED - 86_400, "", True),
        (None, "", False),
        (CRAWLED, "?d=5d41402abc4b2a76", False),  # md5 of "hello"
        (CRAWLED, "?d=0000000000000000", True),
    ],
)
async def test_text_that_has_changed_is_told(
    profile: IndexProfile, version: int | None, query: str, changed: bool
) -> None:
    """A link of an earlier crawl, or with another digest, says clearly that the stored text is not the one."""
    async with served(HeavyStore(b"hello"), profile) as client:
        page = await page_of(client, heavy_address(version=version) + query)

    assert bool(page.select("[role=status]")) is changed
    if changed:
        assert words(page, "[role=status]").startswith("The stored text has changed since this link was made.")


async def test_a_large_text_is_shown_in_parts_and_never_read_whole(profile: IndexProfile) -> None:
    """50 MB: its source instead of its rendering, part by part; the download streams pieces of 1 MB."""
    store = HeavyStore(b"0123456789abcde\n" * (50_000_000 // 16))
    async with served(store, profile) as client:
        page = await page_of(client, heavy_address())
        assert store.longest <= PART + 3
        last = await page_of(client, heavy_address() + "?view=source&part=999")
        download = await client.get(heavy_address() + ".txt")
        size = 0
        async for chunk in download.content.iter_chunked(1 << 20):
            size += len(chunk)

    assert "too large to be rendered" in words(page, ".banner")
    assert words(page, "nav[aria-label=Parts]") == "Part 1 of 191 · Next"
    assert words(last, "nav[aria-label=Parts]") == "Part 191 of 191 · Previous"
    assert (size, download.headers["Content-Length"]) == (50_000_000, "50000000")
    assert store.longest <= PIECE


async def test_the_first_byte_waits_for_nothing(profile: IndexProfile) -> None:
    """The head of the page is sent before the index is asked for anything."""
    gate = asyncio.Event()

    class Slow(HeavyStore):
        async def fetch(self, query: Query, shard: int | None) -> Rows:
            await gate.wait()
            return await super().fetch(query, shard)

    async with served(Slow(b"late text"), profile) as client:
        answer = await client.get(heavy_address())
        first = await asyncio.wait_for(answer.content.readany(), 2)
        gate.set()
        rest = await answer.content.read()

    assert b"<h1>Markdown</h1>" in first
    assert b"late text" not in first
    assert b"late text" in rest


async def test_an_index_that_does_not_answer_is_a_sentence(profile: IndexProfile) -> None:
    """In the page, which has begun; as 503 for the download and the JSON."""

    class Silent(HeavyStore):
        async def fetch(self, query: Query, shard: int | None) -> Rows:
            raise StoreUnavailable("laksa155 did not answer within 5 s.")

    async with served(Silent(None), profile) as client:
        page = await page_of(client, heavy_address())
        others = [(await client.get(heavy_address() + twin)).status for twin in (".txt", ".json")]

    assert "laksa155 did not answer" in words(page, ".banner")
    assert others == [503, 503]


HOSTILE = {
    "one long line": b"x" * 10_000_000,
    "nul": b"before\0after",
    "no utf-8": b"Caf\xe9 \xff\xfe end",
    "bidi": "invoice\u202efdp.exe".encode(),
    "no end of a tag": b"<" * 100_000,
    "brackets": b"[" * 250_000,
    "images": b"![](x)" * 40_000,
    "deep quotes": b"> " * 120_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("view", ["rendered", "source"])
async def test_hostile_texts_stay_readable(profile: IndexProfile, name: str, view: str) -> None:
    """Whatever bytes are stored, both views come soon, hold no control character, and close their page."""
    async with served(HeavyStore(HOSTILE[name]), profile) as client:
        answer = await asyncio.wait_for(client.get(heavy_address() + f"?view={view}"), 10)
        text = await asyncio.wait_for(answer.text(), 10)

    assert text.rstrip().endswith("</html>")
    assert not set(text) & {"\0", "\u202e"}


async def test_search_finds_places_across_pieces(profile: IndexProfile) -> None:
    """A place on the edge of two pieces is found once; each leads to its part; letter case does not matter."""
    edge = b"." * (PIECE - 3) + b"Needle" + b"." * PIECE + "ÉCLAIR needle".encode()
    async with served(HeavyStore(edge), profile) as client:
        page = await page_of(client, heavy_address() + "?q=needle")
        accents = await page_of(client, heavy_address() + "?q=éclair")
        shown = await page_of(client, heavy_address() + "?q=needle&part=9&view=source")
    places = [link.text for link in page.select("#found a")]

    assert places == ["byte 1,048,573", f"byte {2 * PIECE + 3 + len('ÉCLAIR '.encode()):,}"]
    assert "part=4" in str(page.select("#found a")[0].attrs["href"])
    assert words(accents, "#found p") == "1 place with “éclair”:"
    assert words(shown, "mark") == "needle"


async def test_search_ends_at_a_hundred(profile: IndexProfile) -> None:
    """More places than that are said to be more."""
    async with served(HeavyStore(b"ab " * 5000), profile) as client:
        page = await page_of(client, heavy_address() + "?q=AB")

    assert words(page, "#found p") == "100 places and more with “AB”, the first of them:"


async def test_search_words_are_text(profile: IndexProfile) -> None:
    """What is searched for is no pattern and no mark-up."""
    async with served(HeavyStore(b"a <b>.*</b> c"), profile) as client:
        page = await page_of(client, heavy_address() + "?q=%3Cb%3E.*")

    assert words(page, "#found mark") == "<b>.*"


@given(st.lists(st.sampled_from(["a", "é", "日", "🦊", "\n"]), max_size=60), st.integers(4, 12))
def test_parts_hold_every_character_once(letters: list[str], size: int) -> None:
    """Parts of any size put together are the text, no character cut in two."""
    text = "".join(letters)
    stored = text.encode()
    windows = (stored[start : start + size + 3] for start in range(0, len(stored) or 1, size))

    assert "".join(whole_characters(window, size, first=n == 0) for n, window in enumerate(windows)) == text


@given(st.binary(max_size=80), st.integers(4, 12))
def test_parts_of_any_bytes_are_text(stored: bytes, size: int) -> None:
    """Bytes that are no UTF-8 are shown as replacement characters, and no byte is left out."""
    windows = (stored[start : start + size + 3] for start in range(0, len(stored) or 1, size))
    text = "".join(whole_characters(window, size, first=n == 0) for n, window in enumerate(windows))

    assert text.replace("\ufffd", "") == stored.decode("utf-8", "replace").replace("\ufffd", "")


def test_part_counts() -> None:
    """An empty text has one part; an edge does not begin another."""
    assert [part_count(size) for size in (0, 1, PART, PART + 1)] == [1, 1, 1, 2]


@on_both_stores
async def test_pieces_of_the_engine_are_the_text(inspector: Inspector) -> None:
    """ClickHouse's own pieces, put together, are the stored column, and the head tells its size."""
    lookup = inspector.read(EXAMPLES["big text"])
    text: HeavyText = inspector.heavy_text(lookup, "attrs_markdown")
    stored = await inspector.heavy(lookup, "attrs_markdown")
    head = await text.head()
    assert head
    assert stored
    pieces = [piece async for piece in text.pieces()]

    assert b"".join(pieces).decode() == stored
    assert (head.size, len(pieces)) == (len(stored.encode()), 5)
    assert head.crawled is not None
    assert head.crawled < datetime(2026, 12, 1, 12, tzinfo=UTC)


async def test_the_json_of_split_characters_is_whole(profile: IndexProfile) -> None:
    """A character on the edge of two pieces is one character in the JSON."""
    text = "x" * (PIECE - 1) + "日" + '"\\\n\0'
    async with served(HeavyStore(text.encode()), profile) as client:
        found = json.loads(await (await client.get(heavy_address() + ".json")).text())

    assert found["text"] == text


async def test_rendering_keeps_to_its_limit(profile: IndexProfile) -> None:
    """The largest text that is rendered, and one byte more."""
    for size, is_rendered in ((LARGEST, True), (LARGEST + 1, False)):
        async with served(HeavyStore(b"word " * (size // 5) + b"x" * (size % 5)), profile) as client:
            page = await page_of(client, heavy_address())
        assert bool(page.select(".rendered")) is is_rendered


@pytest.mark.parametrize("twin", ["", ".txt", ".json"])
async def test_head_requests_have_no_body(profile: IndexProfile, twin: str) -> None:
    """A preview that only looks gets headers."""
    async with served(HeavyStore(b"hello"), profile) as client:
        answer = await client.head(heavy_address() + twin)

        assert (answer.status, await answer.read()) == (200, b"")
        assert (await client.get("/healthz")).status == 200


async def test_a_reader_who_leaves_ends_the_reading(profile: IndexProfile) -> None:
    """Closing the connection in the middle of a download stops asking the index for pieces."""
    store = HeavyStore(b"x" * 50_000_000)
    async with served(store, profile) as client:
        answer = await client.get(heavy_address() + ".txt")
        await answer.content.readany()
        answer.close()
        await asyncio.sleep(0.5)
        asked = store.asked
        await asyncio.sleep(0.2)

    assert store.asked == asked
    assert asked < 48
