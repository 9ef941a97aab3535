"""One id leads from a request of Slack's to ClickHouse and back to the answer."""

from __future__ import annotations

import re
from typing import Any

from bot import metrics
from bot.index.profile import load_profile
from bot.inspection.pipeline import Inspector
from bot.inspection.query_id import next_query_id
from bot.inspection.store import Query, Rows
from tests.conftest import Story
from tests.inspection.scripted_store import Reply, ScriptedStore
from tests.slack.running import NOW, PAGE, URL, running


class NamingStore(ScriptedStore):
    """Names each query as the cluster store does."""

    def __init__(self, **tables: Reply) -> None:
        super().__init__(**tables)
        self.names: list[str] = []

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        self.names.append(next_query_id())
        return await super().fetch(query, shard)


def id_of(name: str) -> str:
    """The request's part of a query's name."""
    found = re.fullmatch(r"crawler-inspector-([0-9a-f]+)-\w+-\d+", name)
    assert found
    return found[1]


def told(lines: list[dict[str, Any]], request: str) -> list[str]:
    """What one grep by the id finds: each line in two words."""
    words = ("kind", "step", "method")
    return [
        " ".join([line["message"], *(line[word] for word in words if word in line)])
        for line in lines
        if line["request"] == request
    ]


async def test_one_id_tells_the_story_of_a_request(story: Story) -> None:
    """A signed /inspect: taken, its queries, its calls of Slack; queries are named by the id; no line holds the URL."""
    store = NamingStore(page_info_local=[PAGE])
    inspector = Inspector(store, load_profile(), clock=lambda: NOW)
    async with running(inspector=inspector) as bot:
        await bot.ws.slash("/inspect", URL)
        await bot.settled()
    [request] = {id_of(name) for name in store.names}

    assert (told(story(), request)[0], told(story(), request)[-1]) == ("taken command", "done")
    assert sorted(told(story(), request)[1:-1]) == [
        "query crawled",
        "query robots",
        "query spam",
        "slack chat.postMessage",
    ]
    assert len(store.names) == 3
    assert "docs.example" not in str(story())


async def test_the_id_that_a_user_reports_is_the_requests(story: Story) -> None:
    """The sentence of a failure names it, and its line has the traceback."""
    store = NamingStore(page_info_local=ZeroDivisionError("a secret detail"))
    async with running(inspector=Inspector(store, load_profile())) as bot:
        await bot.ws.slash("/inspect", URL)
        [reply] = await bot.settled()
    reported = reply.words.rpartition("report error ")[2].rstrip(".")
    [failed] = [line for line in story() if line.get("error")]

    assert reported == failed["error"] == failed["request"] == id_of(store.names[0])
    assert "ZeroDivisionError" in failed["exception"]


async def test_an_acknowledgement_is_timed() -> None:
    """Once for each request that Slack signed, and not for one that it did not."""
    before = acknowledged()
    async with running() as bot:
        await bot.ws.slash("/inspect", URL)
        async with bot.session.post(bot.url, json={}) as refused:
            assert refused.status == 401
        await bot.settled()

    assert acknowledged() == before + 1


def acknowledged() -> float:
    """How many were counted."""
    return metrics.REGISTRY.get_sample_value("crawler_inspector_ack_seconds_count") or 0
