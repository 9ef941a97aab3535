"""What machines ask: alive, ready and counted."""

from __future__ import annotations

import re
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bot import metrics
from bot.errors import BadSetting, StoreUnavailable
from bot.index.profile import IndexProfile
from bot.index.sample import EXAMPLES
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.inspection.store import Query, Rows, Store
from bot.web.probes import FRESH_SECONDS, Probes, count
from tests.inspection.scripted_store import ScriptedStore
from tests.web.conftest import Client, PathOf


class Shards(ScriptedStore):
    """Servers of which some do not answer."""

    def __init__(self, *silent: int) -> None:
        super().__init__()
        self.silent = silent

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        self.asked.append((query, shard))
        if shard in self.silent:
            raise StoreUnavailable(f"laksa{shard} did not answer.")
        return Rows(({"one": 1},), "", 0.1)


async def ready(store: Store, profile: IndexProfile, **chosen: Any) -> tuple[int, dict[str, Any]]:
    application = web.Application()
    application.add_routes(Probes(Indexes(Inspector(store, profile)), **chosen).routes())
    async with TestClient(TestServer(application)) as client:
        answer = await client.get("/readyz")
        return answer.status, await answer.json()


async def test_alive(client: Client) -> None:
    """The process answers."""
    answer = await client.get("/healthz")

    assert (answer.status, await answer.text()) == (200, "ok\n")


async def test_the_embedded_engine_is_one_shard(store: Store, profile: IndexProfile) -> None:
    """It is asked once, and not two hundred times."""
    status, state = await ready(store, profile)

    assert (status, state) == (
        200,
        {"ready": True, "shards": {"asked": 1, "ok": 1, "failing": {}}, "dependencies": {}},
    )


@pytest.mark.parametrize(
    ("silent", "status"), [((), 200), ((7, 149), 200), (tuple(range(200)), 503)], ids=["none", "two", "all"]
)
async def test_each_shard_is_told(profile: IndexProfile, silent: tuple[int, ...], status: int) -> None:
    """Every shard is asked; those that fail are named; ready while any answers."""
    got, state = await ready(Shards(*silent), profile)

    assert got == status
    assert state["shards"]["asked"] == 200
    assert state["shards"]["failing"] == {str(shard): "StoreUnavailable" for shard in silent}


async def test_dependencies_are_told_without_their_words(profile: IndexProfile) -> None:
    """What we depend on is named with the kind of its failure; its words may hold hosts and stay away."""

    async def broken() -> None:
        raise BadSetting("Slack at https://secret.example cannot be reached")

    async def works() -> str:
        return "fine"

    _, state = await ready(Shards(), profile, dependencies={"slack": broken, "state": works})

    assert state["dependencies"] == {"slack": "BadSetting", "state": "ok"}


async def test_probes_are_no_load(profile: IndexProfile) -> None:
    """An answer is given again for a while."""
    now = [0.0]
    store = Shards()
    application = web.Application()
    application.add_routes(Probes(Indexes(Inspector(store, profile)), clock=lambda: now[0]).routes())
    asked = []
    async with TestClient(TestServer(application)) as client:
        for seconds in (0.0, FRESH_SECONDS, FRESH_SECONDS + 1):
            now[0] = seconds
            await client.get("/readyz")
            asked.append(len(store.asked))

    assert asked == [200, 200, 400]


async def test_inspections_are_counted(inspector: Inspector, client: Client, report_path: PathOf) -> None:
    """Queries by outcome, verdicts and pages are there; no address, key or text is in any label."""
    inspector.observer = count
    await client.get(report_path(EXAMPLES["canonical elsewhere"]))
    text = await (await client.get("/metrics")).text()

    assert 'crawler_inspector_query_seconds_count{outcome="ok",step="crawled"}' in text
    assert 'crawler_inspector_verdicts_total{verdict="not_indexable"}' in text
    assert 'crawler_inspector_page_seconds_count{page="report",status="200"}' in text
    labels = set(re.findall(r'="([^"]*)"', text))
    assert not [label for label in labels if re.search(r"[/!,]|example", label)]


async def test_shard_errors_are_counted(profile: IndexProfile) -> None:
    """A query that got no answer counts for its shard."""
    silent = StoreUnavailable("no answer")
    inspector = Inspector(ScriptedStore(page_info_local=silent, robots_txt_local=silent), profile, observer=count)
    lookup = inspector.read("https://cases.example/")
    name, labels = "crawler_inspector_shard_errors_total", {"shard": str(lookup.shard)}
    before = metrics.REGISTRY.get_sample_value(name, labels) or 0
    await inspector.inspect(lookup)

    assert metrics.REGISTRY.get_sample_value(name, labels) == before + 2


def test_slack_is_counted_by_method_and_result() -> None:
    """What the gateway tells, and the depth of its queue."""
    calls, labels = (
        "crawler_inspector_slack_calls_total",
        {"method": "chat.postMessage", "result": "channel_not_found"},
    )
    before = metrics.REGISTRY.get_sample_value(calls, labels) or 0
    metrics.slack_call("chat.postMessage", "channel_not_found", 0.2)
    metrics.slack_retry("rate_limited")
    metrics.watch_queue(lambda: 7)
    text = metrics.exposition().decode()

    assert metrics.REGISTRY.get_sample_value(calls, labels) == before + 1
    assert 'crawler_inspector_slack_retries_total{reason="rate_limited"}' in text
    assert "crawler_inspector_queue_depth 7.0" in text
