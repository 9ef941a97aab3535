"""A web server over the sample crawl, and links into it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.links import Links
from bot.report.kept_list import KeptList
from bot.report.subject import Subject
from bot.web.site import Site
from tests.conftest import LOADED_AT

KEYS = ("planted-link-key-" + "k" * 40, "planted-old-key-" + "o" * 40)
Client = TestClient[web.Request, web.Application]
PathOf = Callable[..., str]


class OneList:
    """Keeps one list."""

    def __init__(self) -> None:
        self.kept: KeptList | None = None

    async def find(self, list_id: str) -> KeptList | None:
        """It, under its own id."""
        return self.kept if list_id == "one" else None


def site_links(**chosen: Any) -> Links:
    """Links of a site at bot.example, as of the sample's day."""
    return Links(**{"public_url": "https://bot.example", "keys": KEYS, "clock": lambda: LOADED_AT, **chosen})


def path(url: str | None) -> str:
    """The path of one of our links."""
    assert url
    return url.removeprefix("https://bot.example")


@pytest.fixture
def links() -> Links:
    """The site's links."""
    return site_links()


@pytest.fixture
async def client(inspector: Inspector, links: Links) -> AsyncIterator[Client]:
    """A client of the site alone, without Slack."""
    application = web.Application()
    Site(Indexes(inspector), links).install(application)
    async with TestClient(TestServer(application)) as running:
        yield running


def subject_for(inspector: Inspector, text: str, as_of: datetime | None = None) -> Subject:
    """What a link about `text` is about."""
    lookup = inspector.read(text)
    return Subject(lookup.unparsed, lookup.root_hash, lookup.shard, as_of)


@pytest.fixture
def report_path(inspector: Inspector, links: Links) -> PathOf:
    """The path of the report about a lookup."""
    return lambda text, as_of=None: path(links.of_subject(subject_for(inspector, text, as_of)))
