"""One inspection, measured against what it cannot do without. Run: python -m tests.bench.bench_inspect

(a) a signed /inspect in → the reply posted at the stand-in, against the single point query that fetches the row;
(b) an inspection, against the old way: the seeds' query with its heavy columns, then robots, spam and seen in turn;
(d) an inspection in a table of 3,000,000 pages, against one of 100,000.

Medians of one run, the rivals taken in turn; the ratios are the figures to look at. `--small`: small tables for (d).
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from aiohttp import web
from clickhouse_connect.driver.client import Client
from pydantic import SecretStr

from bot.app import built
from bot.index.profile import IndexProfile, load_profile
from bot.index.sample import EXAMPLES
from bot.inspection import queries
from bot.inspection.indexes import Indexes
from bot.inspection.model import Verdict
from bot.inspection.pipeline import Inspector, utc_now
from bot.inspection.store import Query
from bot.settings import Settings
from bot.store.embedded import EmbeddedStore, open_engine, prepare
from bot.workspace import Workspace

ROUNDS = 200
SECRET, TOKEN = "bench-signing-secret", "xoxb-bench"
OLD_COLUMNS = (
    "getAhrefsURLFromUnparsed(src_unparsed) AS found_url, download_stamp, props_url_first_seen, download_http_code, "
    "history_drop_reason, meta_title, meta_descriptions, attrs_boilerpipe_text, attrs_markdown, "
    "attrs_readable_markdown, meta_canonical"
)
Work = Callable[[], Awaitable[object]]


async def medians(works: Sequence[Work], rounds: int = ROUNDS) -> list[float]:
    """The median milliseconds of each, all of them taken in turn within each round."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, column in zip(works, times, strict=True):
            start = time.perf_counter()
            await work()
            column.append((time.perf_counter() - start) * 1000)
    return [statistics.median(column) for column in times]


def show(name: str, ours: float, rival: float, aim: str) -> None:
    """One line of the printout."""
    print(f"{name:<62} {ours:7.1f} ms  {rival:7.1f} ms  ratio {ours / rival:5.2f}  (aim: {aim})", flush=True)


def point_query(inspector: Inspector, url: str) -> Work:
    """The one query that fetches the judged row."""
    lookup = inspector.read(url)
    query = queries.page_query(inspector.profile, [(lookup.root_hash, lookup.unparsed or "")], utc_now())
    return lambda: inspector.store.fetch(query, lookup.shard)


def old_way(inspector: Inspector, url: str) -> Work:
    """What the web page before this bot did: everything of the row, heavy columns included, then one step at a time."""
    profile, lookup = inspector.profile, inspector.read(url)
    keys = [(lookup.root_hash, lookup.unparsed or "")]
    hosts = [(lookup.root_hash, url.split("/")[2])]
    row = Query(
        f"SELECT {OLD_COLUMNS} FROM {profile.source} PREWHERE {profile.prewhere} FORMAT JSONEachRow", {"keys": keys}
    )
    one_by_one = (
        row,
        queries.robots_query(profile, hosts),
        queries.bans_query(profile, hosts),
        queries.seen_query(profile, keys),
    )

    async def run() -> None:
        for query in one_by_one:
            await inspector.store.fetch(query, lookup.shard)

    return run


async def bench_slack(inspector: Inspector, url: str, folder: Path) -> None:
    """(a), with a state of its own: what an earlier run asked is not asked again."""
    async with Workspace(signing_secret=SECRET, bot_token=TOKEN) as workspace:
        settings = Settings().model_copy(
            update={
                "slack_signing_secret": SecretStr(SECRET),
                "slack_bot_token": SecretStr(TOKEN),
                "slack_api_url": workspace.api_url,
                "data_dir": folder,
            }
        )
        async with built(settings, Indexes(inspector)) as application:
            runner = web.AppRunner(application, access_log=None)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            workspace.connect(f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events")

            async def slash() -> None:
                before = len(workspace.messages("C0GENERAL"))
                await workspace.slash("/inspect", url, channel="C0GENERAL")
                await workspace.wait_for(lambda _: len(workspace.messages("C0GENERAL")) > before, timeout=10)

            ours, rival = await medians([slash, point_query(inspector, url)], rounds=60)
            await runner.cleanup()
    show("(a) signed /inspect → reply, against the point query", ours, rival, "≤ 3")


async def bench_old_way(inspector: Inspector, url: str) -> None:
    """(b)"""
    lookup = inspector.read(url)
    ours, rival = await medians([lambda: inspector.inspect(lookup), old_way(inspector, url)])
    show("(b) one inspection, against the old way", ours, rival, "≤ 0.7")


def fill(client: Client, profile: IndexProfile, pages: int) -> None:
    """A table of so many pages of 2,000 sites, filled by the engine itself."""
    client.command(
        f"INSERT INTO {profile.tables[0]} (src_root_hash, src_unparsed, download_stamp, download_http_code,"
        f" fh_dont_index, ml_spam_score, meta_title, attrs_markdown) SELECT farmFingerprint64(site || '!'),"
        f" site || '!,/page/' || toString(number) || ' s443', now() - number % 1000000, 200, 0, 0,"
        f" 'Page ' || toString(number), repeat('text ', 20) FROM (SELECT number, 'example,s' || toString(number % 2000)"
        f" AS site FROM numbers({pages})) SETTINGS max_partitions_per_insert_block = 0"
    )
    client.command(f"OPTIMIZE TABLE {profile.tables[0]} FINAL")


def renamed(profile: IndexProfile, database: str) -> IndexProfile:
    """The same profile over another database."""
    text = profile.model_dump_json().replace(f"{profile.database}.", f"{database}.")
    return IndexProfile.model_validate_json(text).model_copy(update={"database": database})


async def bench_sizes(folder: Path, profile: IndexProfile, sizes: Sequence[int]) -> None:
    """(d)"""
    works: list[Work] = []
    store = EmbeddedStore(folder)
    client = open_engine(folder)
    for size in sizes:
        sized = renamed(profile, f"pages_{size}")
        client.command(f"CREATE DATABASE IF NOT EXISTS {sized.database}")
        for table in profile.tables:
            client.command(f"CREATE TABLE IF NOT EXISTS {sized.database}.{table.split('.')[1]} AS {table}")
        fill(client, sized, size)
        inspector = Inspector(store, sized)
        works.append(checked(inspector, f"https://s{size // 2 % 2000}.example/page/{size // 2}"))
    client.close()
    small, large = await medians(works)
    await store.close()
    show(f"(d) an inspection among {sizes[1]:,} pages, against {sizes[0]:,}", large, small, "≤ 1.6")


def checked(inspector: Inspector, url: str) -> Work:
    """An inspection that must find its page: a fast miss is no measurement."""
    lookup = inspector.read(url)

    async def run() -> None:
        inspection = await inspector.inspect(lookup)
        if inspection.verdict is not Verdict.INDEXABLE:
            raise SystemExit(f"{url} is {inspection.verdict}, so there is nothing to measure")

    return run


async def main() -> None:
    """Print every ratio."""
    profile = load_profile()
    sizes = (10_000, 50_000) if "--small" in sys.argv else (100_000, 3_000_000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, profile, lambda *_: None, utc_now())
        store = EmbeddedStore(folder)
        inspector = Inspector(store, profile)
        url = EXAMPLES["indexable"]
        print(f"{'':<62} {'ours':>10}  {'rival':>10}")
        await bench_slack(inspector, url, folder)
        await bench_old_way(inspector, url)
        await store.close()
        await bench_sizes(folder, profile, sizes)


if __name__ == "__main__":
    asyncio.run(main())
