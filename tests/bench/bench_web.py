"""The web pages, measured. Run: python -m tests.bench.bench_web

(a) the report page, from request to last byte on loopback, against the slowest query under it;
(b) the first byte and the whole first part of a heavy column of 50 MB, against one of 50 KB;
(c) bytes that ClickHouse reads for the light report of a page with 50 MB of text, against its heavy query;
(d) the weight of the report page with its stylesheet, script and icon, before compression;
(e) the most that Python holds while 50 MB are downloaded, server and client together. The embedded engine holds the
    whole column besides, as it lives in this process; a cluster's servers do that elsewhere.

Medians of one run, the rivals taken in turn; the ratios are the figures to look at.
"""

from __future__ import annotations

import asyncio
import json
import socket
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import aiohttp
from aiohttp import web
from clickhouse_connect.driver.client import Client

from bot.index.profile import IndexProfile, load_profile
from bot.index.sample import EXAMPLES
from bot.inspection import queries
from bot.inspection.indexes import Indexes
from bot.inspection.model import Inspection
from bot.inspection.pipeline import Inspector, utc_now
from bot.inspection.store import Query
from bot.links import Links
from bot.report.subject import Subject
from bot.store.embedded import EmbeddedStore, open_engine, prepare
from bot.web.site import Site
from bot.web.templating import STATIC, static_file

ROUNDS = 100
LARGE, SMALL = "https://heavy.example/50-megabytes", "https://heavy.example/50-kilobytes"
SIZES = {LARGE: 50_000_000, SMALL: 50_000}


def show(name: str, ours: float, rival: float, unit: str, aim: str) -> None:
    """One line of the printout."""
    print(
        f"{name:<66} {ours:12,.1f} {unit}  {rival:12,.1f} {unit}  ratio {ours / rival:7.2f}  (aim: {aim})", flush=True
    )


def fill(client: Client, inspector: Inspector) -> None:
    """Two pages that differ in the size of their Markdown only."""
    for url, size in SIZES.items():
        lookup = inspector.read(url)
        client.command(
            f"INSERT INTO {inspector.profile.tables[0]} (src_root_hash, src_unparsed, download_stamp, "
            "download_http_code, fh_dont_index, ml_spam_score, meta_title, attrs_markdown) VALUES "
            f"({lookup.root_hash}, '{lookup.unparsed}', now(), 200, 0, 0, 'Heavy', randomPrintableASCII({size}))"
        )


class Bench:
    """A running site over the sample crawl."""

    def __init__(self, inspector: Inspector, links: Links, session: aiohttp.ClientSession) -> None:
        self.inspector = inspector
        self.links = links
        self.session = session
        self.slowest: list[float] = []
        inspector.observer = self._observe

    def _observe(self, inspection: Inspection) -> None:
        self.slowest.append(max(step.elapsed_ms for step in inspection.steps))

    def report(self, url: str) -> str:
        """The address of a report."""
        lookup = self.inspector.read(url)
        return self.links.of_subject(Subject(lookup.unparsed, lookup.root_hash, lookup.shard)) or ""

    async def heavy(self, url: str) -> str:
        """The address of a heavy column."""
        return self.links.heavy(await self.inspector.inspect(self.inspector.read(url)), "attrs_markdown") or ""

    async def get(self, address: str) -> tuple[float, float, int]:
        """Milliseconds to the first byte and to the last, and how many bytes."""
        start = time.perf_counter()
        async with self.session.get(address) as answer:
            size = len(await answer.content.readany())
            first = (time.perf_counter() - start) * 1000
            async for piece in answer.content.iter_chunked(1 << 16):
                size += len(piece)
        return first, (time.perf_counter() - start) * 1000, size


async def bench_report(bench: Bench) -> None:
    """(a) and (d)"""
    address = bench.report(EXAMPLES["indexable"])
    await bench.get(address)
    bench.slowest.clear()
    times = [await bench.get(address) for _ in range(ROUNDS)]
    whole = statistics.median(last for _, last, _ in times)
    ratios = statistics.median(last / slow for (_, last, _), slow in zip(times, bench.slowest, strict=True))
    show(
        "(a) the report page, against the slowest query under it",
        whole,
        statistics.median(bench.slowest),
        "ms",
        "≤ 1.3",
    )
    print(f"{'    median of the ratios of each request':<66} {ratios:12.2f}")
    own = sum(len(static_file(name)) for name in STATIC)
    show("(d) weight of the page with its own files, against 60 KB", (times[0][2] + own) / 1024, 60, "KB", "≤ 1")


async def bench_heavy(bench: Bench) -> None:
    """(b) and (e)"""
    addresses = [await bench.heavy(url) for url in (LARGE, SMALL)]
    large, small = [], []
    for _ in range(ROUNDS // 4):
        large.append(await bench.get(f"{addresses[0]}?view=source"))
        small.append(await bench.get(f"{addresses[1]}?view=source"))
    for index, name in enumerate(("first byte", "first part")):
        ours, rival = (statistics.median(row[index] for row in rows) for rows in (large, small))
        show(f"(b) {name} of 50 MB, against 50 KB", ours, rival, "ms", "about 1" if index == 0 else "no aim")
    tracemalloc.start()
    _, last, size = await bench.get(f"{addresses[0]}.txt")
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    show(f"(e) Python's peak while {size:,} bytes are downloaded", peak, size / 2**20, "MB", "≪ 1")
    print(f"{'    in':<66} {last:12,.1f} ms")


def bytes_read(client: Client, query: Query) -> int:
    """What ClickHouse itself says that it read."""
    sql = query.sql.replace("FORMAT JSONEachRow", "FORMAT JSON")
    return int(json.loads(client.raw_query(sql, parameters=dict(query.parameters)))["statistics"]["bytes_read"])


def bench_bytes(client: Client, inspector: Inspector, profile: IndexProfile) -> None:
    """(c)"""
    lookup = inspector.read(LARGE)
    key = (lookup.root_hash, lookup.unparsed or "")
    spec = next(spec for spec in profile.heavy_fields if spec.id == "attrs_markdown")
    rivals: Sequence[Query] = (
        queries.page_query(profile, [key], utc_now()),
        queries.heavy_query(profile, spec, key),
    )
    light, heavy = (bytes_read(client, query) / 1024 for query in rivals)
    show("(c) bytes read by the light report, against the heavy query", light, heavy, "KB", "≪ 1")


async def main() -> None:
    """Print every ratio."""
    profile = load_profile()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, profile, lambda *_: None, utc_now())
        client = open_engine(folder)
        store = EmbeddedStore(folder)
        inspector = Inspector(store, profile)
        fill(client, inspector)
        runner = web.AppRunner(web.Application(), access_log=None)
        async with aiohttp.ClientSession() as session:
            links = await _serve(runner, inspector)
            bench = Bench(inspector, links, session)
            await bench_report(bench)
            await bench_heavy(bench)
            bench_bytes(client, inspector, profile)
        await runner.cleanup()
        client.close()
        await store.close()


async def _serve(runner: web.AppRunner, inspector: Inspector) -> Links:
    """Serve the site on a free port; links to it."""
    listening = socket.create_server(("127.0.0.1", 0))
    links = Links(f"http://127.0.0.1:{listening.getsockname()[1]}", ("k" * 40,))
    Site(Indexes(inspector), links).install(runner.app)
    await runner.setup()
    await web.SockSite(runner, listening).start()
    return links


if __name__ == "__main__":
    asyncio.run(main())
