"""The cluster store, measured. Run: python -m tests.bench.bench_cluster

Eight servers of the test cluster, each a ClickHouse engine behind HTTP in a process of its own:

(a) 10,000 URLs, against the old way: for each the queries that an inspection asks, one curl after another. The old
    way is measured over some of them and extrapolated;
(b) 10,000 URLs, against clickhouse-connect alone asked for the same rows in as few queries as their keys fit in: the
    pages with all their light columns and the filters' outcomes, the robots.txt files and the bans of their hosts.
    The driver's clients, one a server, read the Native format to Python rows, all servers side by side. Ours are
    inspections with verdict, cause and robots.txt judged, their rows decoded from JSON; what else an inspection holds
    is made when it is read, and a second line says what reading every field and filter of every page costs;
(c) a signed /inspect in → the reply posted at the stand-in, against the slowest of its queries;
(d) memory while 100,000 URLs stream through, over the idle bot, in a process of its own.

Medians of one run, the rivals taken in turn; the ratios are the figures to look at.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType

import clickhouse_connect
import uvloop
from aiohttp import web
from clickhouse_connect.driver.asyncclient import AsyncClient
from pydantic import SecretStr

from bot.app import built
from bot.garbage import collect_seldom
from bot.index.ddl import statements
from bot.index.profile import IndexProfile, load_profile
from bot.index.sample import EXAMPLES, load_sample
from bot.inspection import queries
from bot.inspection.bulk import inspect_many
from bot.inspection.chunks import cut
from bot.inspection.conclude import host_pair, page_pair
from bot.inspection.indexes import Indexes
from bot.inspection.model import Inspection, Lookup
from bot.inspection.pipeline import Inspector, utc_now
from bot.inspection.queries import Pair
from bot.inspection.store import Query
from bot.settings import Settings
from bot.store.cluster import ClusterStore
from tests.bench.slack_end import slack_end
from tests.cluster.cluster import Cluster, running_cluster
from tests.cluster.server import USERS
from tests.slack.running import SECRET, TOKEN
from tests.store.opening import READER, cluster_settings

SLASHES = 60
SECONDS = 30.0  # that a query may take: what is measured is not cut short
Work = Callable[[], Awaitable[object]]


def options() -> argparse.Namespace:
    """What the command line chooses."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", type=int, default=8)
    parser.add_argument("--urls", type=int, default=10_000, help="of (a) and (b)")
    parser.add_argument("--stream", type=int, default=100_000, help="URLs of (d), as many as the tables hold")
    parser.add_argument("--curls", type=int, default=100, help="URLs that are asked with curl in (a)")
    parser.add_argument("--rounds", type=int, default=7)
    return parser.parse_args()


async def medians(works: Sequence[Work], rounds: int) -> list[float]:
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
    print(f"{name:<80} {ours:8.3f} s {rival:8.3f} s  ratio {ratio:7.2f}  (aim: {aim})", flush=True)


def filled(cluster: Cluster, profile: IndexProfile, pages: int) -> int:
    """The sample crawl, and copies of its pages with a parameter more in their addresses. Returns how many pages."""
    cluster.run(statements(profile))
    load_sample(cluster, utc_now(), lambda *_: None)
    table, count = profile.tables[0], _counted(cluster, profile)
    copies = max(0, -(-(pages - count) // count))
    cluster.run(
        [
            f"INSERT INTO {table} SELECT * EXCEPT copy REPLACE(replaceRegexpOne(src_unparsed, ' ([sh][0-9]+)$',"
            " concat(if(position(src_unparsed, '?') > 0, '&', '?'), 'copy=', toString(copy), ' \\\\1'))"
            f" AS src_unparsed) FROM {table} FINAL CROSS JOIN (SELECT number AS copy FROM numbers({copies})) AS copies"
            " SETTINGS max_partitions_per_insert_block = 0"
        ]
    )
    return _counted(cluster, profile)


def _counted(cluster: Cluster, profile: IndexProfile) -> int:
    return sum(int(node.run(f"SELECT count() FROM {profile.source}")) for node in cluster.nodes)


def keys(cluster: Cluster, profile: IndexProfile, count: int) -> list[str]:
    """The keys of so many pages, those of all servers mixed."""
    sql = (
        f"SELECT sipHash64({profile.key}) AS place, {profile.key} FROM {profile.source}"
        f" ORDER BY place LIMIT {count} FORMAT TSVRaw"
    )
    lines = (line.split("\t", 1) for node in cluster.nodes for line in node.run(sql).splitlines())
    return [key for _, key in islice(sorted((int(place), key) for place, key in lines), count)]


def judged(inspection: Inspection) -> bool:
    """Was everything said that is counted of a page?"""
    return bool(inspection.crawled and inspection.verdict and inspection.robots.verdict)


def read(inspection: Inspection) -> bool:
    """Was the page itself read, to its last field and filter?"""
    return judged(inspection) and len(dict(inspection.page or {})) > len([rule.details for rule in inspection.filters])


async def drained(inspector: Inspector, lookups: Sequence[Lookup], look: Callable[[Inspection], bool]) -> None:
    """All of them, handed out, looked at and let go."""
    found = sum([1 async for item in inspect_many(inspector, lookups) if isinstance(item, Inspection) and look(item)])
    if found != len(lookups):
        raise SystemExit(f"{found} of {len(lookups)} pages were found, so there is nothing to measure")


def by_shard(lookups: Sequence[Lookup], pair_of: Callable[[Lookup], Pair]) -> dict[int, list[Pair]]:
    """What each server is asked for, once and in the order of its tables."""
    placed = sorted({(lookup.shard, pair_of(lookup)) for lookup in lookups})
    return {shard: [pair for place, pair in placed if place == shard] for shard in dict(placed)}


def fewest_queries(profile: IndexProfile, lookups: Sequence[Lookup]) -> Iterator[tuple[int, Query]]:
    """The queries for the rows of all of these, by shard."""
    for shard, pairs in by_shard(lookups, page_pair).items():
        packs = cut(pairs, lambda pair: [pair], most=len(pairs))
        yield from ((shard, queries.page_query(profile, pack, utc_now())) for pack in packs)
    for shard, hosts in by_shard(lookups, host_pair).items():
        yield shard, queries.robots_query(profile, hosts)
        yield shard, queries.bans_query(profile, hosts)


@asynccontextmanager
async def drivers(cluster: Cluster) -> AsyncIterator[list[AsyncClient]]:
    """A client of clickhouse-connect for each server."""
    async with AsyncExitStack() as stack:
        opened = []
        for node in cluster.nodes:
            client = await clickhouse_connect.get_async_client(
                host="127.0.0.1",
                port=node.port,
                username=READER,
                password=USERS[READER].password,
                compress=False,
                autogenerate_session_id=False,
            )
            stack.push_async_callback(client.close)
            opened.append(client)
        yield opened


def ideal(clients: Sequence[AsyncClient], profile: IndexProfile, lookups: Sequence[Lookup]) -> Work:
    """The driver alone."""
    asked = list(fewest_queries(profile, lookups))

    async def rows(shard: int, query: Query) -> int:
        sql = query.sql.removesuffix("FORMAT JSONEachRow")
        return len((await clients[shard].query(sql, parameters=dict(query.parameters))).result_rows)

    async def run() -> None:
        counts = await asyncio.gather(*(rows(shard, query) for shard, query in asked))
        if sum(counts) < len(lookups):
            raise SystemExit(f"the driver found {sum(counts)} rows for {len(lookups)} pages")

    return run


async def bench_driver(cluster: Cluster, inspector: Inspector, lookups: Sequence[Lookup], rounds: int) -> float:
    """(b); returns our seconds."""
    async with drivers(cluster) as clients:
        works: list[Work] = [
            ideal(clients, inspector.profile, lookups),
            partial(drained, inspector, lookups, judged),
            partial(drained, inspector, lookups, read),
        ]
        rival, ours, whole = await medians(works, rounds)
    show(f"(b) {len(lookups):,} URLs, against the driver alone", ours, rival, ours / rival, "≤ 2")
    show("    the same, and every field and filter of each page read", whole, rival, whole / rival, "none")
    return ours


async def bench_curl(inspector: Inspector, lookups: Sequence[Lookup], ours: float, curls: int) -> None:
    """(a)"""
    asked = lookups[:: max(1, len(lookups) // curls)]
    start = time.perf_counter()
    for lookup in asked:
        await curled(inspector, lookup)
    rival = (time.perf_counter() - start) / len(asked) * len(lookups)
    name = f"(a) {len(lookups):,} URLs, against one curl after another ({len(asked)} measured, extrapolated)"
    show(name, ours, rival, rival / ours, "≥ 50")


async def curled(inspector: Inspector, lookup: Lookup) -> None:
    """One page the old way."""
    profile, page, host = inspector.profile, [page_pair(lookup)], [host_pair(lookup)]
    asked = (
        queries.page_query(profile, page, utc_now()),
        queries.robots_query(profile, host),
        queries.bans_query(profile, host),
    )
    for query in asked:
        command = inspector.store.curl(query, lookup.shard)
        shell = await asyncio.create_subprocess_shell(
            command or "false",
            stdout=asyncio.subprocess.PIPE,
            env={"CLICKHOUSE_PASSWORD": USERS[READER].password},
        )
        said, _ = await shell.communicate()
        if shell.returncode or (query is asked[0] and b"f_url" not in said):
            raise SystemExit(f"curl did not find {lookup.unparsed}: {said!r}")


async def bench_slash(inspector: Inspector, folder: Path) -> None:
    """(c)"""
    slowest: list[float] = []
    async with slack_end() as end:
        chosen = {
            "slack_signing_secret": SecretStr(SECRET),
            "slack_bot_token": SecretStr(TOKEN),
            "slack_api_url": end.api_url,
            "data_dir": folder,
        }
        async with built(Settings().model_copy(update=chosen), Indexes(inspector)) as application:
            inspector.observer = lambda found: slowest.append(max(step.elapsed_ms for step in found.steps) / 1000)
            runner = web.AppRunner(application, access_log=None)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            door = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
            asked = [await end.answered(door, EXAMPLES["indexable"], number) for number in range(SLASHES)]
            await runner.cleanup()
    inspector.observer = None
    times = [one.reply_ms / 1000 for one in asked]
    ratio = statistics.median(whole / query for whole, query in zip(times, slowest, strict=True))
    ours, rival = statistics.median(times), statistics.median(slowest)
    show("(c) signed /inspect → reply, against the slowest of its queries", ours, rival, ratio, "≤ 1.5")


def resident() -> float:
    """Memory of this process in MB, from /proc."""
    return int(Path("/proc/self/status").read_text(encoding="utf-8").split("VmRSS:")[1].split()[0]) / 1024


class Sampled:
    """The most memory that this process holds over what it held at the start, seen every 20 ms."""

    def __init__(self) -> None:
        self.peaks: list[float] = []

    async def __aenter__(self) -> Sampled:
        gc.collect()
        self._start, self._task = resident(), asyncio.create_task(self._watch())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._task.cancel()

    async def _watch(self) -> None:
        while True:
            self.peaks.append(resident() - self._start)
            await asyncio.sleep(0.02)

    def tenths(self) -> list[float]:
        """The peak of each tenth of the time."""
        size = max(1, len(self.peaks) // 10)
        return [max(self.peaks[start : start + size]) for start in range(0, len(self.peaks), size)]


@asynccontextmanager
async def inspecting(hosts: str, profile: IndexProfile) -> AsyncIterator[Inspector]:
    """An inspector of the cluster."""
    store = ClusterStore(cluster_settings(hosts, step_timeout=SECONDS), profile)
    try:
        yield Inspector(store, profile, step_timeout=SECONDS)
    finally:
        await store.close()


def bench_memory(hosts: str, profile: IndexProfile, listed: Path) -> None:
    """(d)"""
    collect_seldom()
    asyncio.run(_stream(hosts, profile, listed))


async def _stream(hosts: str, profile: IndexProfile, listed: Path) -> None:
    """The keys come from a file, line by line, as they do from standard input."""
    async with inspecting(hosts, profile) as inspector:
        await inspector.inspect(inspector.read(EXAMPLES["indexable"]))
        await _sampled(inspector, listed)


async def _sampled(inspector: Inspector, listed: Path) -> None:
    done, start = 0, time.perf_counter()
    with listed.open(encoding="utf-8") as lines:
        async with Sampled() as sampled:
            async for _ in inspect_many(inspector, (inspector.read(line.rstrip("\n")) for line in lines)):
                done += 1
    tenths = " ".join(f"{peak:.0f}" for peak in sampled.tenths())
    print(
        f"(d) {done:,} URLs streamed in {time.perf_counter() - start:.1f} s: {max(sampled.peaks):.0f} MB over the idle"
        f" bot at most, by tenths {tenths}  (aim: flat, ≤ 150)",
        flush=True,
    )


async def bench_speed(cluster: Cluster, folder: Path, listed: Path, chosen: argparse.Namespace) -> None:
    """(a), (b) and (c)"""
    async with inspecting(cluster.hosts, cluster.profile(load_profile())) as inspector:
        with listed.open(encoding="utf-8") as lines:
            lookups = [inspector.read(line.rstrip("\n")) for line in islice(lines, chosen.urls)]
        print(f"{'':<80} {'ours':>10} {'rival':>10}")
        ours = await bench_driver(cluster, inspector, lookups, chosen.rounds)
        await bench_curl(inspector, lookups, ours, chosen.curls)
        await bench_slash(inspector, folder)


def main() -> None:
    """Print every ratio."""
    chosen = options()
    collect_seldom()  # as the bot itself does
    with tempfile.TemporaryDirectory() as name, running_cluster(Path(name) / "servers", chosen.servers) as cluster:
        profile, listed = cluster.profile(load_profile()), Path(name) / "keys.txt"
        pages = filled(cluster, profile, max(chosen.urls, chosen.stream))
        listed.write_text("\n".join(keys(cluster, profile, chosen.stream)), encoding="utf-8")
        print(f"{pages:,} pages on {len(cluster.nodes)} servers", flush=True)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # that of `serve`
            runner.run(bench_speed(cluster, Path(name), listed, chosen))
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
            fresh.submit(bench_memory, cluster.hosts, profile, listed).result()


if __name__ == "__main__":
    main()
