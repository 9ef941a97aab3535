from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.errors import BadInput, StoreUnavailable
from bot.index.profile import IndexProfile
from bot.index.sample.load import sample_pages
from bot.inspection import chunks
from bot.inspection.bulk import inspect_many
from bot.inspection.lookup import read_lookup
from bot.inspection.model import Inspection, Lookup, RobotsVerdict, StepOutcome, Verdict
from bot.inspection.pipeline import Inspector
from bot.inspection.store import Query, Rows
from tests.inspection.scripted_store import ScriptedStore
from tests.store.both import on_both_stores

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def timeless(inspection: Inspection) -> Inspection:
    """The inspection without what differs from run to run."""
    steps = (replace(step, elapsed_ms=0, response=step.response and step.response.strip()) for step in inspection.steps)
    return replace(inspection, steps=tuple(steps))


def neighbours(url: str) -> Iterable[str]:
    """Addresses that are mostly not in the table, near one that is."""
    yield f"{url}{'&' if '?' in url else '?'}utm_source=chat"
    yield url.replace("https://", "http://", 1)
    yield f"{url}/nothing/here"


async def one_by_one(inspector: Inspector, lookups: Iterable[Lookup]) -> list[Inspection]:
    gate = asyncio.Semaphore(4)

    async def inspect(lookup: Lookup) -> Inspection:
        async with gate:
            return await inspector.inspect(lookup)

    return await asyncio.gather(*map(inspect, lookups))


async def together(inspector: Inspector, lookups: Iterable[Lookup | BadInput], **named: Any) -> list[Inspection]:
    return [item async for item in inspect_many(inspector, lookups, **named) if isinstance(item, Inspection)]


@on_both_stores
async def test_many_are_found_as_one_by_one(inspector: Inspector) -> None:
    """Every page of the sample, and addresses that are not there: verdicts, pages, near matches, every step's query and
    response are those of a single inspection."""
    pages = [spec.url for spec in sample_pages()][::18]
    texts = pages + [text for url in pages[::40] for text in neighbours(url)]
    lookups = [inspector.read(text) for text in texts]
    many = await together(inspector, lookups, window=1_000, commands=True)
    single = await one_by_one(inspector, lookups)

    assert len(many) == len(single) == len(texts)
    for found, expected in zip(many, single, strict=True):
        assert timeless(found) == timeless(expected)


PASSING: dict[str, Any] = {
    f"pass_{rule}": 1 for rule in ("http_status", "age_cutoff", "history_drop", "spam_ban", "canonical")
}


class CountingStore:
    """Holds every page that is asked for, except those below /missing/; some shards fail, some never answer."""

    def __init__(self, *, failing: Iterable[int] = (), silent: Iterable[int] = ()) -> None:
        self.asked: list[tuple[str, int | None, int]] = []  # table, shard, pairs
        self.cancelled = 0
        self._failing, self._silent = set(failing), set(silent)

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        pairs = query.parameters.get("keys") or query.parameters.get("hosts") or []
        table = next(name for name in ("page_info", "robots_txt", "host_bans", "seen_urls") if name in query.sql)
        self.asked.append((table, shard, len(pairs)))
        if shard in self._failing:
            raise StoreUnavailable(f"laksa{shard} refused.")
        if shard in self._silent:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        await asyncio.sleep(0)
        found = [{"key": key, **PASSING} for _, key in pairs if table == "page_info" and "/missing/" not in key]
        return Rows(tuple(found), "\n".join(json.dumps(row) for row in found), 1.0)

    def curl(self, query: Query, shard: int | None) -> str | None:
        return f"curl shard-{shard}"

    async def close(self) -> None:
        """Nothing is open."""


def inspector_of(store: CountingStore, profile: IndexProfile, seconds: float = 1.0) -> Inspector:
    return Inspector(store, profile, step_timeout=seconds, clock=lambda: NOW)


def lookups_of(profile: IndexProfile, count: int, path: str = "page") -> list[Lookup]:
    return [read_lookup(f"https://www.site{n % 40}.example/{path}/{n}", profile) for n in range(count)]


async def test_keys_go_in_one_query_for_each_server_and_chunk(profile: IndexProfile) -> None:
    """3,000 pages on a few servers: one query for each server's keys, one for its hosts; nothing singly."""
    store = CountingStore()
    lookups = lookups_of(profile, 3_000)
    found = await together(inspector_of(store, profile), lookups, window=3_000)

    shards = {lookup.shard for lookup in lookups}
    assert [item.lookup for item in found] == lookups
    assert Counter(table for table, _, _ in store.asked) == dict.fromkeys(
        ("page_info", "robots_txt", "host_bans"), len(shards)
    )
    assert sum(pairs for table, _, pairs in store.asked if table == "page_info") == 3_000


async def test_a_chunk_keeps_to_what_a_server_reads(profile: IndexProfile) -> None:
    """Two thousand keys, or fewer where they are long: ClickHouse refuses a bound array of 128 KiB."""
    short = [read_lookup(f"https://one.example/{n}", profile) for n in range(4_500)]
    long = [read_lookup(f"https://one.example/{n}/{'x' * 2_000}", profile) for n in range(200)]
    store = CountingStore()
    await together(inspector_of(store, profile), short)
    sizes = sorted(pairs for table, _, pairs in store.asked if table == "page_info")
    store.asked.clear()
    await together(inspector_of(store, profile), long)

    assert sizes == [500, 2_000, 2_000]
    assert max(pairs for table, _, pairs in store.asked if table == "page_info") * 2_000 < chunks.CHUNK_CHARACTERS


async def test_near_matches_and_the_frontier_are_asked_for_the_missing_alone(profile: IndexProfile) -> None:
    """All variants of many missing pages go together."""
    store = CountingStore()
    here, gone = lookups_of(profile, 400), lookups_of(profile, 40, "missing")
    found = await together(inspector_of(store, profile), [*here, *gone])

    assert Counter(item.verdict for item in found) == {Verdict.INDEXABLE: 400, Verdict.NOT_CRAWLED: 40}
    assert sum(pairs for table, _, pairs in store.asked if table == "seen_urls") == 40
    assert len(store.asked) <= 5 * len({lookup.shard for lookup in here})


async def test_what_is_named_twice_is_asked_once(profile: IndexProfile) -> None:
    """Each keeps its place, and the words it was named by."""
    store = CountingStore()
    texts = ["https://a.example/x", "HTTPS://A.example/x", "https://a.example:443/x"]
    found = await together(inspector_of(store, profile), [read_lookup(text, profile) for text in texts])

    assert [item.lookup.text for item in found] == texts
    assert [pairs for table, _, pairs in store.asked if table == "page_info"] == [1]


@pytest.mark.parametrize("broken", ["failing", "silent"])
async def test_a_server_that_fails_costs_its_own_pages_only(profile: IndexProfile, broken: str) -> None:
    """They are UNKNOWN, with the server's name; all others are answered."""
    lookups = lookups_of(profile, 400)
    shard = lookups[0].shard
    store = CountingStore(**{broken: [shard]})
    found = await together(inspector_of(store, profile, 0.2), lookups)

    assert {item.verdict for item in found if item.lookup.shard == shard} == {Verdict.UNKNOWN}
    assert {item.verdict for item in found if item.lookup.shard != shard} == {Verdict.INDEXABLE}
    failed = [step for item in found for step in item.steps if step.outcome is StepOutcome.FAILED]
    assert all(f"laksa{shard} " in step.note for step in failed)
    assert found[0].robots.verdict is RobotsVerdict.UNKNOWN


async def test_what_cannot_be_read_keeps_its_place(profile: IndexProfile) -> None:
    """The stream goes on after a bad line."""
    bad = BadInput("no URL")
    page = read_lookup("https://a.example/", profile)
    inspector = inspector_of(CountingStore(), profile)
    found = [item async for item in inspect_many(inspector, [page, bad, page], window=2)]

    assert [item if item is bad else "page" for item in found] == ["page", bad, "page"]


async def test_closing_the_stream_gives_up_what_is_asked(profile: IndexProfile) -> None:
    """No query outlives its reader."""
    quick = [lookup for lookup in lookups_of(profile, 40) if lookup.shard != lookups_of(profile, 1)[0].shard]
    store = CountingStore(silent=[lookups_of(profile, 1)[0].shard])
    async with aclosing(
        inspect_many(inspector_of(store, profile, 50), [*quick, *lookups_of(profile, 1)], window=len(quick))
    ) as stream:
        reader = asyncio.create_task(anext(stream))
        await asyncio.sleep(0.1)
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)

    assert store.cancelled == sum(shard in store._silent for _, shard, _ in store.asked) > 0


async def test_lookups_are_taken_as_they_are_needed(profile: IndexProfile) -> None:
    """A stream without an end is read two windows ahead, not to its end; progress is told along the way."""
    taken, told = 0, []

    async def endless() -> AsyncIterator[Lookup]:
        nonlocal taken
        while True:
            taken += 1
            yield read_lookup(f"https://a.example/{taken}", profile)

    stream = inspect_many(
        inspector_of(CountingStore(), profile), endless(), window=10, progress=lambda *done: told.append(done)
    )
    async with aclosing(stream):
        async for item in stream:
            assert isinstance(item, Inspection)
            if item.lookup.url == "https://a.example/15":
                break

    assert taken <= 40
    assert told[:2] == [(1, None), (2, None)]


@on_both_stores
async def test_bare_root_hashes_stand_among_pages(inspector: Inspector) -> None:
    """What a list names by hash alone is inspected for itself, once, and as of the same instant."""
    lookups = [inspector.read(text) for text in ("hash:892221456919234349", "https://docs.example/", "hash:5")]
    many = await together(inspector, lookups, as_of=NOW, commands=True)
    single = [await inspector.inspect(lookup, NOW) for lookup in lookups]

    assert list(map(timeless, many)) == list(map(timeless, single))
    assert {item.replayed for item in many} == {True}


async def test_hashes_of_the_server_are_asked_together(profile: IndexProfile) -> None:
    """Where the index was built with another hash function, roots go in chunks as keys do."""
    other = profile.model_copy(update={"hash_function": "farmHash64"})
    rows = [{"key": "example,a!", "root_hash": "1234567890123456789"}]
    store = ScriptedStore(farmHash64=rows)
    inspector = Inspector(store, other, clock=lambda: NOW)
    lookups = [inspector.read(f"https://a.example/{n}") for n in range(3)]
    many = await together(inspector, lookups, commands=True)
    asked = len([query for query, _ in store.asked if "farmHash64" in query.sql])
    single = [await inspector.inspect(lookup) for lookup in lookups]

    assert asked == 1
    assert [item.lookup.shard for item in many] == [1234567890123456789 % 200] * 3
    assert list(map(timeless, many)) == list(map(timeless, single))
