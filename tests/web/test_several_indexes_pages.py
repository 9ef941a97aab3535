"""Links into several indexes: each page is made by the index that its link names."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bot.index.profile import load_profile
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.links import Action, Grant, Links
from bot.report.subject import Subject
from bot.web.site import Site
from tests.conftest import LOADED_AT
from tests.inspection.scripted_store import ScriptedStore
from tests.report.site_reports import site_report
from tests.web.conftest import Client, path

DEFAULT, NEWS = "crawler3", "news"
KEY, HASH = "example,docs!,/guide s443", 1
OTHER_KEY = "example,docs!,/other s443"


def index(name: str) -> Inspector:
    """An index that says of every page that it holds it under its own name."""
    store = ScriptedStore(
        lengthUTF8=[{"size": 0}],
        startsWith=[{"part": 15, "pattern": 0, "pages": 5, "listed": [KEY]}],
        page_info_local=[{"key": KEY, "f_meta_title": f"held by {name}"}, {"key": OTHER_KEY, "f_meta_title": "other"}],
    )
    return Inspector(store, load_profile().model_copy(update={"name": name}), clock=lambda: LOADED_AT)


@pytest.fixture
async def indexes() -> Indexes:
    """Two of them."""
    return Indexes(index(DEFAULT), index(NEWS))


OF_A_PAGE = [action for action in Action if action not in (Action.LIST, Action.SITE)]  # these are of no one page


@pytest.fixture
async def pages(indexes: Indexes, links: Links) -> AsyncIterator[Client]:
    """A client of the site over both."""
    application = web.Application()
    Site(indexes, links).install(application)
    async with TestClient(TestServer(application)) as running:
        yield running


def asked(indexes: Indexes) -> list[str]:
    """The indexes that were asked anything."""
    return [one.profile.name for one in indexes if one.store.asked]  # type: ignore[attr-defined]  # scripts


@pytest.mark.parametrize(("named", "answers"), [("", DEFAULT), (DEFAULT, DEFAULT), (NEWS, NEWS)])
@pytest.mark.parametrize("action", OF_A_PAGE, ids=str)
async def test_a_link_opens_the_index_that_it_names(
    indexes: Indexes, pages: Client, links: Links, action: Action, named: str, answers: str
) -> None:
    """A link of an older release names none: the default one."""
    grant = Grant(Subject(KEY, HASH, index=named), "attrs_markdown" if action is Action.HEAVY else None)
    response = await pages.get(path(links.url(action, grant)))
    await response.text()

    assert (response.status, asked(indexes)) == (200, [answers])


@pytest.mark.parametrize("action", OF_A_PAGE, ids=str)
async def test_a_link_into_an_index_that_is_gone_is_told_of(
    indexes: Indexes, pages: Client, links: Links, action: Action
) -> None:
    """No other index is asked in its place."""
    response = await pages.get(path(links.url(action, Grant(Subject(KEY, HASH, index="old"), "attrs_markdown"))))
    text = await response.text()

    assert (response.status, asked(indexes)) == (410, [])
    assert "The index “old” is not served here any more; there is crawler3, news." in text


@pytest.mark.parametrize(("named", "status", "answers"), [(NEWS, 200, [NEWS]), ("old", 410, [])])
async def test_a_site_is_counted_in_the_index_that_its_link_names(
    indexes: Indexes, pages: Client, links: Links, named: str, status: int, answers: list[str]
) -> None:
    """Which is named on the page; one that is gone is told of."""
    lookup = replace(indexes.default.read(KEY), text="docs.example", index=named)
    report = site_report()
    response = await pages.get(path(links.site(replace(report, target=replace(report.target, lookup=lookup)))))
    text = await response.text()

    assert (response.status, asked(indexes)) == (status, answers)
    assert ("<dt>Index</dt><dd>news</dd>" in text) is (status == 200)


async def test_a_report_links_to_pages_of_its_own_index(indexes: Indexes, links: Links) -> None:
    """The report itself, and the comparison."""
    inspection = await [*indexes][1].inspect(indexes.of(NEWS).read(KEY))
    token = path(links.report(inspection)).rpartition("/")[2]

    assert links.open(Action.REPORT, token).subject.index == NEWS


async def test_a_comparison_of_two_pages_shows_both(pages: Client, links: Links) -> None:
    """The left one and the right one that the link names."""
    left = Subject(KEY, HASH, index=NEWS)
    url = links.compare(left, replace(left, unparsed=OTHER_KEY))
    sides = await (await pages.get(path(url) + ".json")).json()

    assert [sides[side]["lookup"]["unparsed"] for side in ("left", "right")] == [KEY, OTHER_KEY]


async def test_readiness_tells_the_shards_of_every_index(pages: Client) -> None:
    """Each under the name of its index."""
    state = await (await pages.get("/readyz")).json()

    assert (state["ready"], state["shards"]["asked"]) == (True, 400)
