"""The cluster store: users, settings, query ids, killing, connections."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from bot.errors import BadSetting, QueryRefused, StoreUnavailable
from bot.index.profile import IndexProfile
from bot.inspection.pipeline import Inspector
from bot.inspection.query_id import query_names
from bot.inspection.store import Query
from bot.store.cluster import ClusterStore
from bot.store.connections import Connections
from bot.store.endpoints import Endpoint
from tests.cluster.cluster import Cluster
from tests.cluster.proxy import Fault, proxied
from tests.store.opening import OpenStore, cluster_settings

ONE = Query("SELECT 1 AS one FORMAT JSONEachRow")
LIMIT = Query("SELECT getSetting('max_execution_time') AS seconds FORMAT JSONEachRow")
SLOW = Query("SELECT sum(sipHash64(number)) AS s FROM numbers(100000000000) FORMAT JSONEachRow")  # minutes
RUNNING = "SELECT count() AS n FROM system.processes WHERE query LIKE '/* {name} */%' FORMAT JSONEachRow"


@pytest.mark.parametrize(
    ("user", "seconds"),
    [("reader", 0), ("chooser", 9), ("default", 9)],
    ids=["readonly = 1", "readonly = 2", "no limits"],
)
async def test_a_limit_is_sent_to_those_who_may_choose_one(open_store: OpenStore, user: str, seconds: int) -> None:
    """A `readonly = 1` user is sent no setting at all, as it would refuse; the others get the deadline as a limit."""
    rows = await open_store(user=user, step_timeout=10.0).fetch(LIMIT, 0)

    assert rows.rows == ({"seconds": seconds},)


@pytest.mark.parametrize("user", ["reader", "default"])
async def test_compressed_responses_read_the_same(open_store: OpenStore, user: str) -> None:
    """Compression is asked for where the user may; the answer is the same."""
    store = open_store(user=user, clickhouse_compression=True)
    rows = await store.fetch(Query("SELECT repeat('é', 9000) AS text FORMAT JSONEachRow"), 0)

    assert rows.rows == ({"text": "é" * 9000},)


async def test_long_lists_of_keys_do_not_lengthen_the_address(open_store: OpenStore, cluster: Cluster) -> None:
    """Servers between refuse request lines of more than some 8 kB: what is bound travels in the body."""
    keys = [(number, f"example,a!,/{number}/{'x' * 60} s443") for number in range(1_000)]
    query = Query("SELECT length({keys:Array(Tuple(UInt64, String))}) AS n FORMAT JSONEachRow", {"keys": keys})
    async with proxied(cluster.nodes[0].port, Fault(longest_line=8_000)) as proxy, aiohttp.ClientSession() as bare:
        rows = await open_store(f"127.0.0.1:{proxy.port};127.0.0.1:1").fetch(query, 0)
        async with bare.post(f"http://127.0.0.1:{proxy.port}/", params={"param_keys": "x" * 8_000}) as refused:
            status = refused.status

    assert rows.rows == ({"n": 1_000},)
    assert status == 414


async def test_a_token_is_enough(open_store: OpenStore) -> None:
    """With a token, no user and no password are sent."""
    store = open_store(CLICKHOUSE_TOKEN="token-of-the-reader")

    assert (await store.fetch(ONE, 0)).rows == ({"one": 1},)


@pytest.mark.parametrize(
    "wrong", [{"CLICKHOUSE_PASSWORD": "hunter2"}, {"CLICKHOUSE_TOKEN": "hunter2"}], ids=["password", "token"]
)
async def test_a_wrong_credential_says_what_to_set(open_store: OpenStore, wrong: dict[str, str]) -> None:
    """The sentence names the variables and never the value."""
    with pytest.raises(QueryRefused, match=r"node0 refused the user .*CLICKHOUSE_PASSWORD") as refused:
        await open_store(**wrong).fetch(ONE, 0)

    assert "hunter2" not in str(refused.value)


def test_no_host_anywhere(cluster_profile: IndexProfile) -> None:
    """Neither the settings nor the profile name a server: one sentence with the variable."""
    nameless = cluster_profile.model_copy(
        update={"shards": cluster_profile.shards.model_copy(update={"address": None})}
    )
    with pytest.raises(BadSetting, match="CRAWLER_INSPECTOR_CLICKHOUSE_HOST"):
        ClusterStore(cluster_settings(""), nameless)


async def test_queries_carry_our_ids(open_store: OpenStore) -> None:
    """The server sees crawler-inspector-<request>-<step>-<number>, and never the same twice."""
    own = Query("SELECT query FROM system.processes WHERE query LIKE '%system.processes%' FORMAT JSONEachRow")
    store = open_store()
    with query_names(request="Ev07/x", step="robots"):
        seen = [(await store.fetch(own, 0)).rows[0]["query"].split()[1] for _ in range(2)]

    assert all(name.startswith("crawler-inspector-Ev07_x-robots-") for name in seen)
    assert seen[0] != seen[1]


def test_names_end_with_their_block() -> None:
    """Outside, queries are named as before; a step keeps the request of the block around it."""
    from bot.inspection.query_id import next_query_id

    with query_names(request="r1"):
        with query_names(step="seen"):
            inner = next_query_id()
        outer = next_query_id()

    assert inner.startswith("crawler-inspector-r1-seen-")
    assert outer.startswith("crawler-inspector-r1-query-")
    assert not next_query_id().startswith("crawler-inspector-r1-")


@pytest.mark.parametrize("user", ["reader", "default"], ids=["readonly = 1", "no limits"])
async def test_a_query_that_is_given_up_is_killed(open_store: OpenStore, user: str) -> None:
    """Cancelled by who asked, the query ends on the server too."""
    store = open_store(user=user)
    with query_names(request=f"kill_{user}", step="slow"):
        asking = asyncio.ensure_future(store.fetch(SLOW, 0))
    await until(lambda: running(store, f"crawler-inspector-kill_{user}-slow-%"), 1)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)

    assert asking.cancelled()
    await until(lambda: running(store, f"crawler-inspector-kill_{user}-slow-%"), 0)


async def test_a_query_past_its_deadline_is_killed(open_store: OpenStore) -> None:
    """The deadline ends the query on the server as well."""
    store = open_store(step_timeout=0.8)
    with query_names(request="late", step="slow"), pytest.raises(StoreUnavailable, match=r"node0 .* within 0.72 s"):
        await store.fetch(SLOW, 0)

    await until(lambda: running(open_store(), "crawler-inspector-late-slow-%"), 0)


async def running(store: ClusterStore, pattern: str) -> int:
    """How many queries of that name run on shard 0."""
    return int((await store.fetch(Query(RUNNING.replace("{name}", pattern)), 0)).rows[0]["n"])


async def until(count: Callable[[], Any], expected: int) -> None:
    """Wait until `count` says `expected`; not longer than five seconds."""
    async with asyncio.timeout(5):
        while await count() != expected:  # noqa: ASYNC110 (the event is on the server)
            await asyncio.sleep(0.05)


async def test_connections_are_kept_and_shared(open_store: OpenStore, cluster: Cluster) -> None:
    """One query after the other goes over one connection."""
    async with proxied(cluster.nodes[0].port) as proxy:
        store = open_store(f"127.0.0.1:{proxy.port};127.0.0.1:{cluster.nodes[1].port}")
        for _ in range(5):
            await store.fetch(ONE, 0)

        assert proxy.connections == 1


async def test_one_endpoint_serves_every_shard(open_store: OpenStore, cluster: Cluster) -> None:
    """Over a Distributed table all shards are asked through one server, which one client serves."""
    async with proxied(cluster.nodes[0].port) as proxy:
        store = open_store(f"127.0.0.1:{proxy.port}")
        for shard in (0, 1, None):
            assert (await store.fetch(ONE, shard)).rows == ({"one": 1},)

        assert proxy.connections == 1


async def test_a_step_of_an_inspection_fails_alone(
    open_store: OpenStore, cluster: Cluster, cluster_profile: IndexProfile
) -> None:
    """With the page's shard down, the inspection is UNKNOWN and its steps name the server."""
    lookup = Inspector(open_store(), cluster_profile).read("https://example.com/")
    ports = [node.port for node in cluster.nodes]
    async with proxied(ports[lookup.shard], Fault(refuse=True)) as proxy:
        ports[lookup.shard] = proxy.port
        store = open_store(";".join(f"127.0.0.1:{port}" for port in ports))
        inspection = await Inspector(store, cluster_profile).inspect(lookup)

    failed = {step.id: step.note for step in inspection.steps if step.outcome == "failed"}
    assert inspection.index_badge == "UNKNOWN"
    assert set(failed) == {"crawled", "robots", "spam", "seen"}
    assert all(note.startswith(f"{lookup.host} did not answer: ") for note in failed.values()), json.dumps(failed)


class Opened:
    """A client that only counts."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.closed = False

    async def close(self) -> None:
        self.closed = True


class Opener:
    """Opens clients, and keeps them for the test to look at."""

    def __init__(self, seconds: float = 0) -> None:
        self.opened: list[Opened] = []
        self.begun = 0
        self._seconds = seconds

    async def __call__(self, endpoint: Endpoint) -> Opened:
        self.begun += 1
        await asyncio.sleep(self._seconds)
        self.opened.append(Opened(endpoint))
        return self.opened[-1]

    def alive(self) -> str:
        return "".join(client.endpoint.host for client in self.opened if not client.closed)


@pytest.mark.parametrize(
    ("asked", "alive", "begun"),
    [("a", "a", 1), ("aaa", "a", 1), ("abc", "bc", 3), ("abac", "ac", 3), ("abca", "ca", 4)],
)
async def test_the_longest_idle_client_is_closed(asked: str, alive: str, begun: int) -> None:
    """At most two are open; one that is asked again is kept."""
    opener = Opener()
    connections = Connections(opener, limit=2)
    for host in asked:
        async with connections.borrowed(Endpoint(host, 1)):
            pass
    await asyncio.sleep(0.01)

    assert (opener.alive(), opener.begun) == (alive, begun)
    await connections.close()
    assert opener.alive() == ""


async def test_a_client_in_use_is_not_closed() -> None:
    """Beyond the limit an idle one is closed, though another has been open for longer."""
    opener = Opener()
    connections = Connections(opener, limit=1)
    async with connections.borrowed(Endpoint("a", 1)):
        async with connections.borrowed(Endpoint("b", 1)):
            assert opener.alive() == "ab"
        await asyncio.sleep(0.01)

        assert opener.alive() == "a"
    await connections.close()


async def test_opening_is_shared_and_ends_with_the_last_who_waits() -> None:
    """Two wait for one opening; when both give up it is given up, and the next begins anew."""
    opener = Opener(seconds=0.3)
    connections = Connections(opener, limit=2)

    async def ask(patience: float) -> None:
        async with asyncio.timeout(patience), connections.borrowed(Endpoint("a", 1)):
            pass

    both = await asyncio.gather(ask(0.05), ask(0.1), return_exceptions=True)
    await ask(2)

    assert [type(outcome) for outcome in both] == [TimeoutError, TimeoutError]
    assert (opener.begun, len(opener.opened)) == (2, 1)
    await connections.close()
