"""Every fault of one server, before its first query and after: its own shard says so in time, the other one answers."""

from __future__ import annotations

import asyncio
import time

import pytest

from bot.errors import QueryRefused, StoreError, StoreUnavailable
from bot.inspection.store import Query, Rows
from tests.cluster.cluster import Cluster
from tests.cluster.proxy import Fault, closed_port, http, proxied
from tests.cluster.server import USERS
from tests.store.opening import READER, OpenStore

STEP = 1.5  # seconds of a step; the store gives up a tenth earlier
MARGIN = 1.0  # seconds that a busy machine may take more
MANY_ROWS = Query("SELECT number, repeat('x', 100) AS text FROM numbers(200) FORMAT JSONEachRow")  # 24 kB
TOLD = b"Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)\n"
ROW = b'{"number":1,"text":"x"}\n'
LATE = "X-ClickHouse-Format: JSONEachRow\r\n"

# name, fault, what is said where the server was well before, and where it was never well
FAULTS: tuple[tuple[str, Fault, str, str], ...] = (
    ("hangs", Fault(hang=True), "did not answer within 1.35 s", "did not answer within 1.35 s"),
    ("delays", Fault(delay=5), "did not answer within 1.35 s", "did not answer within 1.35 s"),
    ("throttles", Fault(rate=1000), "did not answer within 1.35 s", "did not answer within 1.35 s"),
    ("refuses", Fault(refuse=True), "it reset the connection|it closed the connection", "it reset the connection"),
    ("cuts at once", Fault(cut_after=0), "it closed the connection", "it closed the connection"),
    ("cuts in the head", Fault(cut_after=60), "it closed the connection", "it closed the connection"),
    ("cuts in the rows", Fault(cut_after=5000), "its response breaks off", "did not answer"),
    ("resets at once", Fault(cut_after=0, reset=True), "it reset the connection", "it reset the connection"),
    ("resets in the rows", Fault(cut_after=5000, reset=True), "its response breaks off|it reset", "did not answer"),
    ("garbage", Fault(replace=b"\x00\xff\x16\x03SSH-2.0-x\r\n\r\n"), "its response is not HTTP", "is not HTTP"),
    ("says nothing", Fault(replace=b""), "it closed the connection", "it closed the connection"),
    ("another server", Fault(replace=http(b"<html>It works!</html>\n")), "not JSON lines", "does not speak as"),
    ("half a line", Fault(replace=http(ROW + ROW[:9])), "not JSON lines", "does not speak as"),
    ("no last line feed", Fault(replace=http(ROW + ROW[:-1])), "breaks off", "does not speak as"),
    ("bad gateway", Fault(replace=http(b"no upstream", "502 Bad Gateway")), "HTTP status 502", "HTTP status 502"),
    ("late exception", Fault(replace=http(ROW + TOLD, headers=LATE)), "Memory limit exceeded", "does not speak as"),
)


@pytest.mark.parametrize("warm", [True, False], ids=["later", "from the start"])
@pytest.mark.parametrize(("name", "fault", "said_later", "said_first"), FAULTS, ids=[row[0] for row in FAULTS])
async def test_a_fault_costs_its_own_shard_only(
    open_store: OpenStore, cluster: Cluster, name: str, fault: Fault, said_later: str, said_first: str, warm: bool
) -> None:
    """The sick shard fails within the deadline with a sentence that names it; the well one gives every row."""
    async with proxied(cluster.nodes[0].port) as proxy:
        store = open_store(f"127.0.0.1:{proxy.port};127.0.0.1:{cluster.nodes[1].port}", step_timeout=STEP)
        await store.fetch(MANY_ROWS, 1)
        if warm:
            await store.fetch(MANY_ROWS, 0)
        proxy.fault = fault
        start = time.monotonic()
        sick, well = await asyncio.gather(store.fetch(MANY_ROWS, 0), store.fetch(MANY_ROWS, 1), return_exceptions=True)
        elapsed = time.monotonic() - start

        assert isinstance(well, Rows)
        assert len(well.rows) == 200
        assert isinstance(sick, QueryRefused if name == "late exception" and warm else StoreUnavailable), repr(sick)
        check_sentence(sick, said_later if warm else said_first)
        assert elapsed < STEP + MARGIN

        proxy.fault = Fault()
        assert len((await store.fetch(MANY_ROWS, 0)).rows) == 200  # well again: no trace is left


def check_sentence(error: StoreError, said: str) -> None:
    """One sentence: the shard's name, the reason, and no credential."""
    sentence = str(error)
    assert sentence.startswith("node0 ")
    assert any(part in sentence for part in said.split("|")), sentence
    assert "\n" not in sentence
    assert USERS[READER].password not in sentence


async def test_nobody_listens(open_store: OpenStore, cluster: Cluster) -> None:
    """A port that is closed is said to refuse."""
    store = open_store(f"127.0.0.1:{closed_port()};127.0.0.1:{cluster.nodes[1].port}", step_timeout=STEP)

    with pytest.raises(StoreUnavailable, match="node0 did not answer: the connection was refused"):
        await store.fetch(MANY_ROWS, 0)


async def test_a_name_that_is_not_known(open_store: OpenStore, cluster: Cluster) -> None:
    """A host that does not resolve is told apart from one that is down."""
    store = open_store("nowhere{shard}.invalid", step_timeout=5)

    with pytest.raises(StoreUnavailable, match="node0 did not answer"):
        await store.fetch(MANY_ROWS, 0)


class Clock:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_the_breaker_leaves_a_sick_server_alone(open_store: OpenStore, cluster: Cluster) -> None:
    """After three failures nothing is sent; later one query goes to see; when it is answered all is as before."""
    clock = Clock()
    async with proxied(cluster.nodes[0].port, Fault(refuse=True)) as proxy:
        store = open_store(
            f"127.0.0.1:{proxy.port};127.0.0.1:{cluster.nodes[1].port}",
            clock=clock,
            clickhouse_breaker_failures=3,
            clickhouse_breaker_seconds=20,
        )
        for _ in range(3):
            with pytest.raises(StoreUnavailable, match="did not answer"):
                await store.fetch(MANY_ROWS, 0)
        sent = proxy.connections
        with pytest.raises(StoreUnavailable, match=r"node0 failed several times in a row .* in 20 s"):
            await store.fetch(MANY_ROWS, 0)
        assert proxy.connections == sent
        assert len((await store.fetch(MANY_ROWS, 1)).rows) == 200

        clock.now += 20
        with pytest.raises(StoreUnavailable, match="did not answer"):
            await store.fetch(MANY_ROWS, 0)  # the probe
        with pytest.raises(StoreUnavailable, match="failed several times"):
            await store.fetch(MANY_ROWS, 0)

        clock.now += 20
        proxy.fault = Fault()
        assert len((await store.fetch(MANY_ROWS, 0)).rows) == 200
        assert len((await store.fetch(MANY_ROWS, 0)).rows) == 200


async def test_a_refused_query_is_no_failure_of_the_server(open_store: OpenStore) -> None:
    """Wrong queries do not open a breaker."""
    store = open_store(clickhouse_breaker_failures=1)
    for _ in range(3):
        with pytest.raises(QueryRefused):
            await store.fetch(Query("SELECT nope FORMAT JSONEachRow"), 0)

    assert (await store.fetch(Query("SELECT 1 AS one FORMAT JSONEachRow"), 0)).rows == ({"one": 1},)


@pytest.mark.parametrize(
    ("fault", "at_most"),
    [
        (Fault(hang=True), 2.0),
        (Fault(delay=5), 2.0),
        (Fault(refuse=True), 1.0),
        (Fault(cut_after=5000), 1.0),
        (Fault(replace=b"\x00\r\n\r\n"), 1.0),
    ],
    ids=["hangs", "delays", "refuses", "cuts", "garbage"],
)
async def test_a_replica_answers_for_a_sick_server(
    open_store: OpenStore, cluster: Cluster, fault: Fault, at_most: float
) -> None:
    """With a replica the shard answers: after the hedge delay where the first is slow, at once where it fails."""
    well = cluster.nodes[0].port
    async with proxied(well, fault) as proxy:
        store = open_store(
            f"127.0.0.1:{proxy.port},127.0.0.1:{well};127.0.0.1:{cluster.nodes[1].port}", clickhouse_hedge_delay=0.2
        )
        start = time.monotonic()
        rows = await store.fetch(MANY_ROWS, 0)

        assert len(rows.rows) == 200
        assert time.monotonic() - start < at_most


async def test_a_server_that_is_always_overtaken_is_left_alone(open_store: OpenStore, cluster: Cluster) -> None:
    """A hanging server costs the hedge delay a few times only: then the replica is asked at once."""
    well = cluster.nodes[0].port
    async with proxied(well, Fault(hang=True)) as proxy:
        store = open_store(
            f"127.0.0.1:{proxy.port},127.0.0.1:{well};127.0.0.1:{cluster.nodes[1].port}",
            clickhouse_hedge_delay=0.4,
            clickhouse_breaker_failures=2,
        )
        for _ in range(2):
            await store.fetch(MANY_ROWS, 0)
        start = time.monotonic()
        await store.fetch(MANY_ROWS, 0)

        assert time.monotonic() - start < 0.4
