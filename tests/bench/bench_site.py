"""A whole site, measured against counts that it cannot do without. Run: python -m tests.bench.bench_site

The report of a site of 1,000,000 pages, FINAL in all queries, in two states of the table: merged, and in 8 parts with a
tenth of the pages fetched anew in each; against

(a) count() of the site's pages with every filter in its WHERE: it reads the columns that the report judges;
(b) the bare count() of the site's pages: it reads the two key columns alone, and of a merged table reading what the
    filters judge takes three times as long as that already.

Medians of one run, the rivals taken in turn; the ratios are the figures to look at.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from clickhouse_connect.driver.client import Client

from bot.index.ddl import statements
from bot.index.profile import IndexProfile, load_profile
from bot.inspection.pipeline import Inspector, utc_now
from bot.inspection.site import inspect_site
from bot.inspection.site_queries import count_query, scope_of
from bot.inspection.store import Query
from bot.store.embedded import EmbeddedStore, open_engine

Work = Callable[[], Awaitable[object]]


def options() -> argparse.Namespace:
    """What the command line chooses."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
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


def show(name: str, ours: float, rival: float, aim: str) -> None:
    """One line of the printout."""
    print(f"{name:<78} {ours:8.2f} s {rival:8.2f} s  ratio {ours / rival:6.2f}  (aim: {aim})", flush=True)


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


def with_filters(query: Query, profile: IndexProfile) -> Query:
    """The count of a site's pages that pass every filter."""
    conditions = "".join(f" AND ({rule.condition})" for rule in profile.filters)
    return Query(query.sql.replace(" FORMAT", f"{conditions} FORMAT"), query.parameters)


async def bench_site(client: Client, inspector: Inspector, chosen: argparse.Namespace) -> None:
    """Once as a merged table holds it, once as a table is found while it is crawled into."""
    profile = inspector.profile
    client.command(f"SYSTEM STOP MERGES {profile.tables[0]}")
    for parts, found in ((1, "merged"), (8, "in 8 parts")):
        root_hash = filled_site(client, profile, chosen.pages, parts)
        bare = count_query(profile, scope_of(root_hash, f"example,big{parts}!", utc_now()))
        report = await inspect_site(inspector, f"big{parts}.example")
        if report.crawled != chosen.pages or report.failures:
            raise SystemExit(f"{report.crawled} pages of {chosen.pages} were counted: {report.failures}")
        works: list[Work] = [
            partial(inspect_site, inspector, f"big{parts}.example"),
            partial(inspector.store.fetch, with_filters(bare, profile), None),
            partial(inspector.store.fetch, bare, None),
        ]
        ours, filtered, count = await medians(works, chosen.rounds)
        name = f"a site of {chosen.pages:,} pages, {found}, against"
        show(f"(a) {name} count() with the filters", ours, filtered, "≤ 3")
        show(f"(b) {name} the bare count()", ours, count, "≤ 3")


async def main(chosen: argparse.Namespace) -> None:
    """Print every ratio."""
    profile = load_profile()
    with tempfile.TemporaryDirectory() as name:
        client = open_engine(Path(name))
        for statement in statements(profile):
            client.command(statement)
        store = EmbeddedStore(Path(name), timeout=30)
        print(f"{'':<78} {'ours':>10} {'rival':>10}")
        await bench_site(client, Inspector(store, profile, step_timeout=30), chosen)
        await store.close()
        client.close()


if __name__ == "__main__":
    asyncio.run(main(options()))
