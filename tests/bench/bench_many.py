"""Many URLs and whole sites, measured against what they cannot do without. Run: python -m tests.bench.bench_many

(a) 10,000 URLs, against clickhouse-connect alone asked for the same rows in one query;
(b) 10,000 URLs, against one inspection after another (extrapolated from some of them, which must say the same);
(c) 100,000 URLs streamed: the peak of memory over the idle process, the embedded engine's included;
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
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from clickhouse_connect.driver.client import Client

from bot.index.profile import IndexProfile, load_profile
from bot.inspection import queries
from bot.inspection.bulk import inspect_many
from bot.inspection.model import Inspection, Lookup
from bot.inspection.pipeline import Inspector, utc_now
from bot.inspection.site import inspect_site
from bot.inspection.site_queries import count_query, scope_of
from bot.store.embedded import EmbeddedStore, open_engine, prepare

ROUNDS = 5
ALONE = 200  # inspections one after another
COPIES = 21  # of the sample: some 100,000 pages
NOW = utc_now()

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
        queries.robots_query(profile, hosts),
        queries.bans_query(profile, hosts),
    )

    def read() -> list[object]:
        native = ((query.sql.removesuffix("FORMAT JSONEachRow"), dict(query.parameters)) for query in asked)
        return [client.query(sql, parameters=parameters).result_rows for sql, parameters in native]

    return lambda: asyncio.to_thread(read)


async def bench_rows(client: Client, inspector: Inspector, lookups: Sequence[Lookup]) -> None:
    """(a)"""
    ours, rival = await medians([lambda: drained(inspector, lookups), ideal(client, inspector, lookups)])
    show(f"(a) {len(lookups):,} URLs, against the driver alone in one query", ours, rival, ours / rival, "≤ 2")


async def bench_one_by_one(inspector: Inspector, lookups: Sequence[Lookup]) -> None:
    """(b) The few that are inspected alone must be found alike."""
    alone = lookups[:: len(lookups) // ALONE]
    start = time.perf_counter()
    single = [await inspector.inspect(lookup, NOW) for lookup in alone]
    rival = (time.perf_counter() - start) * len(lookups) / len(alone)
    start = time.perf_counter()
    found = [item async for item in inspect_many(inspector, lookups, NOW)]
    ours = time.perf_counter() - start
    by_key = {item.lookup.unparsed: timeless(item) for item in found if isinstance(item, Inspection)}
    if any(by_key[item.lookup.unparsed] != timeless(item) for item in single):
        raise SystemExit("many and one by one differ, so there is nothing to measure")
    show(f"(b) {len(lookups):,} URLs, against one after another", rival, ours, rival / ours, "as large as it gets")


def timeless(inspection: Inspection) -> Inspection:
    """The inspection without what differs from run to run."""
    return replace(inspection, steps=tuple(replace(step, elapsed_ms=0) for step in inspection.steps))


def resident() -> float:
    """Memory of this process in MB, from /proc."""
    return int(Path("/proc/self/status").read_text(encoding="utf-8").split("VmRSS:")[1].split()[0]) / 1024


async def bench_memory(inspector: Inspector, client: Client, count: int) -> None:
    """(c) The embedded engine works in this process, so its memory is in the figures."""
    taken = keys(client, inspector.profile, count)
    await inspector.inspect(inspector.read(taken[0]))
    gc.collect()
    before, done, peaks = resident(), 0, [0.0]
    async for _ in inspect_many(inspector, (inspector.read(key) for key in taken)):
        done += 1
        if done % 200 == 0:
            peaks[-1] = max(peaks[-1], resident() - before)
        if done % (count // 10) == 0:
            peaks.append(0.0)
    tenths = " ".join(f"{peak:.0f}" for peak in peaks if peak)
    print(
        f"(c) {done:,} URLs streamed: peak of each tenth, MB: {tenths}  (aim: flat, ≤ 150 without the engine)",
        flush=True,
    )


def filled_site(client: Client, profile: IndexProfile, pages: int, parts: int) -> int:
    """One site of so many pages, crawled in so many rounds; each round after the first fetches a tenth again."""
    table, root = profile.tables[0], f"example,big{parts}!"
    for number in range(parts):
        step = 1 if number == 0 else 10
        client.command(
            f"INSERT INTO {table} (src_root_hash, src_unparsed, download_stamp, download_http_code,"
            f" history_drop_reason, fh_dont_index, ml_spam_score, meta_canonical, attrs_language)"
            f" SELECT farmFingerprint64('{root}'), concat('{root},/page/', toString(number * {step}), ' s443'),"
            f" now() - number * 31 % 40000000 + {number}, if(number % 10 = 0, 404, 200),"
            " if(number % 17 = 0, 'duplicate', NULL), 0, number % 50 = 0,"
            f" if(number % 7 = 0, '{root},/ s443', NULL), ['en', 'de', 'fr'][number % 3 + 1]"
            f" FROM numbers({pages // step})"
        )
    return int(client.query(f"SELECT farmFingerprint64('{root}')").result_rows[0][0])


async def bench_site(client: Client, inspector: Inspector, pages: int) -> None:
    """(d) Once as a merged table holds it, once as a table is found while it is crawled into."""
    client.command(f"SYSTEM STOP MERGES {inspector.profile.tables[0]}")
    for parts, found in ((1, "merged"), (8, "in 8 parts, a tenth fetched anew in each")):
        root_hash = filled_site(client, inspector.profile, pages, parts)
        scope = scope_of(root_hash, f"example,big{parts}!", utc_now())
        report = await inspect_site(inspector, f"big{parts}.example")
        if report.crawled != pages or report.failures:
            raise SystemExit(f"{report.crawled} pages of {pages} were counted: {report.failures}")
        works: list[Work] = [
            partial(inspect_site, inspector, f"big{parts}.example"),
            partial(inspector.store.fetch, count_query(inspector.profile, scope), None),
        ]
        ours, rival = await medians(works)
        show(f"(d) a site of {pages:,} pages, {found}", ours, rival, ours / rival, "≤ 3")


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
        await bench_one_by_one(inspector, lookups)
        await bench_memory(inspector, client, 10_000 if small else 100_000)
        await bench_site(client, inspector, 100_000 if small else 1_000_000)
        await store.close()
        client.close()


if __name__ == "__main__":
    asyncio.run(main())
