"""The command that is shown, run by a shell."""

from __future__ import annotations

import asyncio
import os
import shutil
from datetime import UTC, datetime

import pytest

from bot.index.profile import IndexProfile
from bot.inspection.queries import page_query
from bot.inspection.store import Query
from bot.settings import Settings
from bot.store.cluster import ClusterStore
from bot.store.curl import Access, curl_command
from bot.store.endpoints import Endpoint
from tests.cluster.server import USERS
from tests.store.opening import READER, OpenStore

ECHO = "SELECT {text:String} AS text, {keys:Array(Tuple(UInt64, String))} AS keys FORMAT JSONEachRow"
TEXTS = ["plain", 'it\'s "quoted" $HOME `id` !! \\ \\n', "tab\tline\nreturn\rnul\0", "日本語 & 100% a+b=c; #?", "SQL\n"]


async def run(command: str) -> str:
    """What bash prints for a pasted command, the password in the environment."""
    environment = {"PATH": os.environ["PATH"], "CLICKHOUSE_PASSWORD": USERS[READER].password}
    process = await asyncio.create_subprocess_exec(
        "bash", "-c", command, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    return output.decode()


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("text", TEXTS)
async def test_it_prints_what_the_store_reads(open_store: OpenStore, text: str) -> None:
    """Pasted as displayed, it answers byte for byte as the store's own query; no secret stands in it."""
    store = open_store()
    query = Query(ECHO, {"text": text, "keys": [(2**64 - 1, text), (0, "")]})
    command = store.curl(query, 1) or ""

    assert await run(command) == (await store.fetch(query, 1)).response
    assert USERS[READER].password not in command
    assert "$CLICKHOUSE_PASSWORD" in command


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
async def test_the_page_query_runs_in_a_shell(open_store: OpenStore, cluster_profile: IndexProfile) -> None:
    """The longest query that is shown, with its filters, runs as it stands."""
    store = open_store()
    query = page_query(
        cluster_profile,
        [(892221456919234349, "com,aliyun!developer,/it's/1?a=b s443")],
        datetime(2026, 12, 1, tzinfo=UTC),
    )

    assert await run(store.curl(query, 0) or "") == (await store.fetch(query, 0)).response


@pytest.mark.parametrize(
    ("access", "expected"),
    [
        (Access("db", "api"), "curl -sS -u api:\"$CLICKHOUSE_PASSWORD\" 'http://h.example:1/?database=db'"),
        (Access("db", "o'x"), "curl -sS -u 'o'\"'\"'x:'\"$CLICKHOUSE_PASSWORD\" 'http://h.example:1/?database=db'"),
        (
            Access("db", "", token=True, secure=True, ca="/etc/ca of us.pem"),
            "curl -sS -H \"Authorization: Bearer $CLICKHOUSE_TOKEN\" --cacert '/etc/ca of us.pem' "
            "'https://h.example:1/?database=db'",
        ),
        (
            Access("db", "api", secure=True, verify=False),
            "curl -sS -u api:\"$CLICKHOUSE_PASSWORD\" -k 'https://h.example:1/?database=db'",
        ),
    ],
    ids=["password", "quote in the user", "token and authority", "unverified"],
)
def test_how_it_reaches_the_server(access: Access, expected: str) -> None:
    """User, token and TLS are those of the store."""
    command = curl_command(Query("SELECT 1"), Endpoint("h.example", 1), access)

    assert command == expected + " --data-binary @- <<'SQL'\nSELECT 1\nSQL"


def test_a_query_that_holds_the_mark_gets_another() -> None:
    """The here-document cannot be ended from inside."""
    command = curl_command(Query("SELECT '\nSQL\n'"), Endpoint("h.example", 1), Access("db", "api"))

    assert command.endswith("<<'SQL_'\nSELECT '\nSQL\n'\nSQL_")


def test_the_hosts_of_several_indexes_may_name_the_index(profile: IndexProfile) -> None:
    """`{index}` is the profile's name, `{shard}` the shard's number."""
    settings = Settings().model_copy(update={"clickhouse_host": "{index}-{shard}.int.example"})

    assert "crawler3-7.int.example:8124" in (ClusterStore(settings, profile).curl(Query("SELECT 1"), 7) or "")
