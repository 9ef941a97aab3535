"""Many URLs and whole sites, measured against what they cannot do without. Run: python -m tests.bench.bench_many

(a) 10,000 URLs, against clickhouse-connect alone asked for the same rows in one query;
(b) 10,000 URLs, against one inspection after another (extrapolated from some of them, which must say the same);
(c) 100,000 URLs streamed: the peak of memory over an idle process, of ours and of the embedded engine's together;
(d) a site of 1,000,000 pages, against the bare count() with the same WHERE, FINAL in both.

Medians of one run, the rivals taken in turn; the ratios are the figures to look at. `--small`: a tenth of everything.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from clickhouse_connect.driver.client import Client

from bot.index.profile import IndexProfile, load_profile
from bot.inspection import queries
from bot.inspection.bulk import inspect_many
from bot.inspection.model import Inspection, Lookup
from bot.inspection.pipeline import Inspector, utc_now
from bot.store.embedded import EmbeddedStore, open_engine, prepare

ROUNDS = 5
ALONE = 200  # inspections one after another
COPIES = 21  # of the sample: some 100,000 pages

Work = Callable[[], Awaitable[object]]


async def medians(works: Sequence[Work], rounds: int = ROUNDS) -> list[float]:
    """The median seconds of each, all of them taken in turn within each round."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, column in zip(works, times, strict=True):
            start = time.perf_counter()
            await work()
            column.append(time.perf_counter() - start)
    return [statistics.median(column) for column in times]


def show(name: str, ours: float, rival: float, ratio: float, aim: str) -> None:
    """One line of the printout."""
    print(f"{name:<62} {ours:8.2f} s {rival:8.2f} s  ratio {ratio:6.2f}  (aim: {aim})", flush=True)


def copied(client: Client, profile: IndexProfile, copies: int) -> None:
    """Pages as rich as the sample's, so many times as many: each copy has a parameter more in its address."""
    table = profile.tables[0]
    client.command(
        f"INSERT INTO {table} SELECT * EXCEPT copy REPLACE(replaceRegexpOne(src_unparsed, ' ([sh][0-9]+)$', concat("
        f"if(position(src_unparsed, '?') > 0, '&', '?'), 'copy=', toString(copy), ' \\\\1')) AS src_unparsed)"
        f" FROM {table} FINAL CROSS JOIN (SELECT number AS copy FROM numbers({copies})) AS copies"
        " SETTINGS max_partitions_per_insert_block = 0"
    )


def keys(client: Client, profile: IndexProfile, count: int) -> list[str]:
    """The keys of so many pages, spread over the sites."""
    sql = f"SELECT {profile.key} FROM {profile.source} ORDER BY sipHash64({profile.key}) LIMIT {count}"
    return [str(row[0]) for row in client.query(sql).result_rows]


async def drained(inspector: Inspector, lookups: Sequence[Lookup]) -> int:
    """All of them, handed out and let go."""
    return sum([1 async for item in inspect_many(inspector, lookups) if isinstance(item, Inspection) and item.crawled])


def ideal(client: Client, inspector: Inspector, lookups: Sequence[Lookup]) -> Work:
    """One query for the rows of all pages, and one each for their hosts' rows, read by the driver."""
    profile, pairs = inspector.profile, [(lookup.root_hash, lookup.unparsed or "") for lookup in lookups]
    hosts = sorted({(lookup.root_hash, (lookup.url or "").split("/")[2]) for lookup in lookups})
    asked = (
        queries.page_query(profile, pairs, utc_now()),
        queries.hosts_query(profile.robots, hosts),
        queries.hosts_query(profile.bans, hosts),
    )

    def read() -> None:
        for query in asked:
            client.query(query.sql.removesuffix("FORMAT JSONEachRow"), parameters=dict(query.parameters)).result_rows

    return lambda: asyncio.to_thread(read)


async def bench_rows(client: Client, inspector: Inspector, lookups: Sequence[Lookup]) -> None:
    """(a)"""
    ours, rival = await medians([lambda: drained(inspector, lookups), ideal(client, inspector, lookups)])
    show(f"(a) {len(lookups):,} URLs, against the driver alone in one query", ours, rival, ours / rival, "≤ 2")


async def main() -> None:
    """Print every ratio."""
    profile = load_profile()
    small = "--small" in sys.argv
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, profile, lambda *_: None, utc_now())
        client = open_engine(folder)
        copied(client, profile, 2 if small else COPIES)
        store = EmbeddedStore(folder, timeout=30)
        inspector = Inspector(store, profile, step_timeout=30)
        lookups = [inspector.read(key) for key in keys(client, profile, 1_000 if small else 10_000)]
        print(f"{'':<62} {'ours':>10} {'rival':>10}")
        await bench_rows(client, inspector, lookups)
        if "--profile" in sys.argv:
            import cProfile, pstats
            pr = cProfile.Profile(); pr.enable()
            await drained(inspector, lookups)
            pr.disable(); pstats.Stats(pr).sort_stats("tottime").print_stats(28)
        await store.close()
        client.close()


if __name__ == "__main__":
    asyncio.run(main())
