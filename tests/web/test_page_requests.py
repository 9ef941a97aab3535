"""A page view is a request of its own."""

from __future__ import annotations

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bot.index.profile import IndexProfile
from bot.index.sample import EXAMPLES
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.links import Links
from bot.web.site import Site
from tests.conftest import Story
from tests.inspection.scripted_store import ScriptedStore
from tests.web.conftest import Client, PathOf


async def test_a_page_names_the_request_that_its_queries_carry(
    client: Client, report_path: PathOf, story: Story
) -> None:
    """X-Request-Id is the id of its log lines; each view has one of its own, and no line holds the link."""
    path = report_path(EXAMPLES["indexable"])
    ids = [(await client.get(path)).headers["X-Request-Id"] for _ in range(2)]
    told = [[line["message"] for line in story() if line["request"] == request] for request in ids]

    assert told == [["query", "query", "query", "page"]] * 2
    assert ids[0] != ids[1]
    assert path not in str(story())


@pytest.mark.parametrize(("path", "status"), [("/r/nonsense", 403), ("/h/nonsense", 403)])
async def test_a_refused_page_has_an_id_too(client: Client, story: Story, path: str, status: int) -> None:
    """Its line tells the status."""
    answer = await client.get(path)
    [line] = [line for line in story() if line["message"] == "page"]

    assert (answer.status, line["status"]) == (status, status)
    assert answer.headers["X-Request-Id"] == line["request"]


async def test_a_page_that_breaks_is_found_by_its_id(
    profile: IndexProfile, links: Links, report_path: PathOf, story: Story
) -> None:
    """The traceback stands under it, and the page counts as sent with 500."""
    application = web.Application()
    broken = ScriptedStore(page_info_local=ZeroDivisionError("by zero"))
    Site(Indexes(Inspector(broken, profile)), links).install(application)
    async with TestClient(TestServer(application)) as browser:
        answer = await browser.get(report_path(EXAMPLES["indexable"]))
    told = [line for line in story() if line["request"] == answer.headers["X-Request-Id"]]

    assert answer.status == 500
    assert [line["status"] for line in told if line["message"] == "page"] == [500]
    assert ["ZeroDivisionError: by zero" in line["exception"] for line in told if "exception" in line] == [True]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
async def test_a_probe_is_no_page_view(client: Client, story: Story, path: str) -> None:
    """It comes every few seconds, and nobody asks about it."""
    answer = await client.get(path)

    assert ("X-Request-Id" in answer.headers, story()) == (False, [])
