"""The tables of the sample crawl, batch by batch, and their way into ClickHouse."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Protocol

from bot.address.key import url_key
from bot.index.sample.catalog import SEEN_ONLY, WRITTEN_BANS, WRITTEN_PAGES, WRITTEN_ROBOTS
from bot.index.sample.faults import DAY
from bot.index.sample.pages import SEED, drawn_pages, earlier_row, page_row
from bot.index.sample.robots import ROBOTS
from bot.index.sample.seeds import SEED_ROBOTS_FETCHED
from bot.index.sample.sites import SITES
from bot.index.sample.spec import Ban, PageSpec, Row

Progress = Callable[[str, int, int], None]

PAGES = "crawler3.page_info_local"
ROBOTS_TXT = "crawler3.robots_txt_local"
BANS = "crawler3.host_bans_local"
SEEN = "crawler3.seen_urls_local"
SAMPLE_TABLES = (PAGES, ROBOTS_TXT, BANS, SEEN)

BATCH = 400  # rows in one insert: few enough that progress moves, enough that parts stay few


class Inserter(Protocol):
    """The one method of clickhouse_connect's client that loading needs."""

    def raw_insert(self, table: str, *, insert_block: bytes, fmt: str) -> object:
        """Insert rows that are already in the format `fmt`."""


@dataclass(frozen=True, slots=True)
class SampleTable:
    """One table: its name in ClickHouse, its name for people, how many rows it gets, and the rows in batches."""

    name: str
    title: str
    total: int
    batches: Iterator[list[Row]]


def sample_tables(now: datetime) -> Iterator[SampleTable]:
    """Every table of the sample as of `now`, which must know its time zone."""
    specs = sample_pages()
    recrawled = [spec for spec in specs if spec.earlier is not None]
    yield SampleTable(PAGES, "pages", len(specs) + len(recrawled), _page_batches(specs, recrawled, now))
    for name, title, rows in (
        (ROBOTS_TXT, "robots.txt files", _robots_rows(now)),
        (BANS, "host standings", _ban_rows(now)),
        (SEEN, "seen URLs", _seen_rows(specs, now)),
    ):
        yield SampleTable(name, title, len(rows), _batched(rows))


def sample_pages() -> list[PageSpec]:
    """Every crawled page: the written ones, then those drawn site by site."""
    return [*WRITTEN_PAGES, *(spec for site in SITES for spec in drawn_pages(site))]


def load_sample(client: Inserter, now: datetime, progress: Progress) -> None:
    """Insert the sample into empty tables. `progress` hears the table's title, rows done and rows in all."""
    for table in sample_tables(now):
        done = 0
        progress(table.title, done, table.total)
        for rows in table.batches:
            client.raw_insert(table.name, insert_block=json_lines(rows), fmt="JSONEachRow")
            done += len(rows)
            progress(table.title, done, table.total)


def json_lines(rows: Iterable[Row]) -> bytes:
    """Rows as JSONEachRow. ClickHouse keeps bytes that are no UTF-8 as they are, so they are sent so."""
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return text.encode("utf-8", "surrogateescape")


def _page_batches(specs: list[PageSpec], recrawled: list[PageSpec], now: datetime) -> Iterator[list[Row]]:
    """The earlier crawls come last: the newest row wins by its version, not by its place."""
    yield from _batched(page_row(spec, now) for spec in specs)
    yield [earlier_row(spec, now) for spec in recrawled]


def _batched(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _robots_rows(now: datetime) -> list[Row]:
    files = WRITTEN_ROBOTS | {f"{origin}/": site.robots for site in SITES for origin in site.origins}
    return [_robots_row(url, kind, int(now.timestamp())) for url, kind in files.items()]


def _robots_row(url: str, kind: str, now: int) -> Row:
    http_code, body = ROBOTS[kind]
    host = _host(url)
    drawn = None if kind == "not_fetched" else now - _random(url).randint(0, 30 * DAY)
    return {**host, "fetched_at": SEED_ROBOTS_FETCHED.get(host["host"], drawn), "http_code": http_code, "body": body}


def _ban_rows(now: datetime) -> list[Row]:
    bans = WRITTEN_BANS | {f"{origin}/": site.ban for site in SITES if site.ban for origin in site.origins}
    return [_ban_row(url, ban, int(now.timestamp())) for url, ban in bans.items()]


def _ban_row(url: str, ban: Ban, now: int) -> Row:
    standing = {"dont_index": ban.dont_index, "spam_score": ban.spam_score, "reason": ban.reason}
    return {**_host(url), **standing, "updated_at": now - _random(url).randint(0, 400 * DAY)}


def _host(url: str) -> Row:
    key = url_key(url)
    return {"root_hash": key.root_hash, "host": key.hostname}


def _seen_rows(specs: list[PageSpec], now: datetime) -> list[Row]:
    """The frontier knows every crawled page, and for one in eight a URL that was never fetched."""
    crawled = [spec.url for spec in specs]
    met = [f"{url.rstrip('/')}/met" for url in crawled[::8]]
    return [_seen_row(url, int(now.timestamp())) for url in (*crawled, *SEEN_ONLY, *met)]


def _seen_row(url: str, now: int) -> Row:
    key, rng = url_key(url), _random(url)
    first = now - rng.randint(DAY, 2000 * DAY)
    row: Row = {
        "first_seen": first,
        "last_seen": rng.randint(first, now),
        "source": rng.choice(("link", "link", "sitemap", "feed", "redirect", "hreflang", "submitted")),
    }
    row.update({column: None for column in tuple(row) if rng.random() < 0.03})
    return {"src_root_hash": key.root_hash, "src_unparsed": key.unparsed, **row}


def _random(url: str) -> Random:
    return Random(f"{SEED} {url}")  # noqa: S311 - invented facts, not secrets
