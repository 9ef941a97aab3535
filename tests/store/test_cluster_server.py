"""The test cluster speaks as ClickHouse does: with clickhouse-connect and over bare HTTP."""

from __future__ import annotations

import gzip
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
import clickhouse_connect
import pytest
from clickhouse_connect.driver.exceptions import DatabaseError

from bot.index.ddl import statements
from bot.index.profile import load_profile
from bot.index.sample import SAMPLE_TABLES, load_sample
from bot.inspection.pipeline import Inspector
from bot.store.cluster import ClusterStore
from tests.cluster.cluster import Cluster, running_cluster
from tests.cluster.server import MAX_FIELD, USERS
from tests.store.opening import cluster_settings

HOST_TABLES = ("crawler3.robots_txt_local", "crawler3.host_bans_local")
READER = {"Authorization": aiohttp.encode_basic_auth("reader", USERS["reader"].password)}


@pytest.fixture
async def http(cluster: Cluster) -> AsyncIterator[aiohttp.ClientSession]:
    """A bare HTTP client of the first server."""
    base = f"http://127.0.0.1:{cluster.nodes[0].port}"
    async with aiohttp.ClientSession(base, auto_decompress=False) as session:
        yield session


@pytest.mark.parametrize(
    ("fields", "sql", "status", "code", "said"),
    [
        ({}, "SELECT 1 FROM nowhere", 404, "60", "Unknown table"),
        ({}, "SELECT nope", 404, "47", "Unknown expression identifier"),
        ({}, "SELECT nope()", 404, "46", "does not exist"),
        ({}, "SELEC 1", 400, "62", "Syntax error"),
        ({}, "SELECT throwIf(1, 'stop')", 500, "395", "stop"),
        ({"database": "nowhere"}, "SELECT 1", 404, "81", "nowhere"),
        ({"max_threads": "1"}, "SELECT 1", 403, "164", "Cannot modify 'max_threads' setting in readonly mode"),
        ({"readonly": "0"}, "SELECT 1", 403, "164", "readonly"),
        ({"no_such_setting": "1"}, "SELECT 1", 404, "115", "no_such_setting"),
        ({}, "CREATE TABLE t (a UInt8) ENGINE = Memory", 403, "164", "Cannot execute query in readonly mode"),
        ({"param_a": "x"}, "SELECT {a:UInt8}", 400, "457", "query parameter"),
        ({}, "SELECT {a:UInt8}", 400, "456", "a"),
        ({"param_a": "x" * (MAX_FIELD + 2)}, "SELECT 1", 400, "1000", "Field value too long"),
    ],
)
async def test_exceptions(
    http: aiohttp.ClientSession, fields: dict[str, str], sql: str, status: int, code: str, said: str
) -> None:
    """Status, code and words are ClickHouse's; the read-only user may choose nothing."""
    async with http.post("/", params=fields, data=sql, headers=READER) as response:
        body = await response.text()

        assert (response.status, response.headers["X-ClickHouse-Exception-Code"]) == (status, code), body
        assert said in body
        assert "(version " in body


@pytest.mark.parametrize(
    "say",
    [
        lambda secret: ({"Authorization": aiohttp.encode_basic_auth("chooser", secret)}, {}),
        lambda secret: ({"X-ClickHouse-User": "chooser", "X-ClickHouse-Key": secret}, {}),
        lambda secret: ({}, {"user": "chooser", "password": secret}),
    ],
    ids=["basic", "headers", "fields"],
)
async def test_ways_to_say_who_asks(
    http: aiohttp.ClientSession, say: Callable[[str], tuple[dict[str, str], dict[str, str]]]
) -> None:
    """All ways of ClickHouse; a wrong password is refused in each."""
    answers = []
    for secret in (USERS["chooser"].password, "wrong"):
        headers, fields = say(secret)
        async with http.post("/", params=fields, data="SELECT 1", headers=headers) as response:
            answers.append((response.status, response.headers.get("X-ClickHouse-Exception-Code")))

    assert answers == [(200, None), (403, "516")]


async def test_query_in_the_address_and_form_and_body(http: aiohttp.ClientSession) -> None:
    """The query and its parameters may come in any of them; GET only reads."""
    form = aiohttp.FormData({"query": "SELECT {a:String}", "param_a": "in a form"})
    form.add_field("param_b", "x", content_type="text/plain")
    async with http.post("/", data=form) as response:
        assert await response.text() == "in a form\n"
    async with http.get("/", params={"query": "SELECT {a:String}", "param_a": "here"}) as response:
        assert await response.text() == "here\n"
    async with http.get("/", params={"query": "CREATE TABLE t (a UInt8) ENGINE = Memory"}) as response:
        assert response.headers["X-ClickHouse-Exception-Code"] == "164"
    async with http.post("/", params={"query": "SELECT"}, data="7 FORMAT JSONEachRow") as response:
        assert await response.text() == '{"7":7}\n'
        assert response.headers["X-ClickHouse-Format"] == "JSONEachRow"
    async with http.get("/ping") as response:
        assert await response.text() == "Ok.\n"


async def test_compression_is_given_to_those_who_ask(http: aiohttp.ClientSession) -> None:
    """By Accept-Encoding together with enable_http_compression, and not by one alone."""
    accept = {"Accept-Encoding": "gzip"}
    async with http.post("/?enable_http_compression=1", data="SELECT 1", headers=accept) as response:
        assert response.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(await response.read()) == b"1\n"
    async with http.post("/", data="SELECT 1", headers=accept) as response:
        assert await response.read() == b"1\n"


def test_the_driver_is_at_home(cluster: Cluster) -> None:
    """clickhouse-connect reads and writes Native through it, compressed, and understands its exceptions."""
    with clickhouse_connect.get_client(host="127.0.0.1", port=cluster.nodes[1].port, username="default") as client:
        client.command("CREATE TABLE native (a UInt64, b Nullable(String)) ENGINE = Memory")
        client.insert("native", [[2**64 - 1, "é"], [0, None]], column_names=["a", "b"])
        rows = client.query("SELECT a, b FROM native ORDER BY a", parameters={}).result_rows
        with pytest.raises(DatabaseError) as refused:
            client.query("SELECT nope FROM native")
        client.command("DROP TABLE native")

    assert rows == [(0, None), (2**64 - 1, "é")]
    assert refused.value.code == 47


async def test_eight_servers_hold_the_sample_by_shard(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Eight engines start side by side, each holds its own domains only, and every shard answers an inspection."""
    now = datetime(2026, 12, 1, 12, tzinfo=UTC)
    start = time.monotonic()
    with running_cluster(tmp_path, 8) as eight:
        profile = eight.profile(load_profile())
        eight.run(statements(profile))
        load_sample(eight, now, lambda *_: None)
        ready = time.monotonic() - start
        for shard, node in enumerate(eight.nodes):
            for table in SAMPLE_TABLES:
                column = "root_hash" if table in HOST_TABLES else "src_root_hash"
                assert node.run(f"SELECT count() FROM {table} WHERE {column} % 8 != {shard}") == "0\n"
        store = ClusterStore(cluster_settings(eight.hosts), profile)
        inspector = Inspector(store, profile, step_timeout=10, clock=lambda: now)
        found = [await inspector.inspect(inspector.read(key)) for key in one_key_a_shard(eight)]
        await store.close()
        with capsys.disabled():
            memory = max(node.resident_mb for node in eight.nodes)
            print(f"\n8 engines with the sample: ready in {ready:.1f} s, at most {memory:.0f} MB each")

    assert [inspection.lookup.shard for inspection in found] == list(range(8))
    assert all(inspection.crawled for inspection in found)


def one_key_a_shard(cluster: Cluster) -> list[str]:
    """The first key of each shard's pages."""
    return [
        node.run("SELECT min(src_unparsed) FROM crawler3.page_info_local FORMAT TSVRaw").strip()
        for node in cluster.nodes
    ]
