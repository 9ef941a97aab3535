from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from bot.errors import StoreUnavailable
from bot.index.profile import load_profile
from bot.inspection.pipeline import Inspector
from bot.inspection.pulse import FRESH_SECONDS, SAMPLE_SHARDS, IndexPulse, Pulse, newest_query
from bot.inspection.shards import every_shard
from bot.inspection.store import Query, Rows
from tests.inspection.scripted_store import Reply, ScriptedStore
from tests.store.both import on_both_stores

PROFILE = load_profile()
STAMP = 1_796_000_000
NEWEST = datetime.fromtimestamp(STAMP, UTC)


class OneShardFails(ScriptedStore):
    """Shard 7 answers nothing, and shard 8 not in time."""

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        if shard == 7:
            raise StoreUnavailable("no")
        if shard == 8:
            await asyncio.sleep(10)
        return await super().fetch(query, shard)


@on_both_stores
async def test_the_sample_crawl_answers_as_one_and_tells_how_old_it_is(inspector: Inspector) -> None:
    """The query is one that ClickHouse takes, and a broken clock of the year 2106 is passed over."""
    pulse = await IndexPulse(inspector).feel()
    servers = len(every_shard(inspector))

    assert (pulse.asked, pulse.answering, pulse.failing) == (servers, servers, ())
    assert pulse.newest is not None
    assert datetime(2026, 11, 1, tzinfo=UTC) < pulse.newest <= inspector.now()


@pytest.mark.parametrize(
    ("newest", "seen"),
    [([{"newest": str(STAMP)}], NEWEST), ([{"newest": 0}], None), ([], None), (StoreUnavailable("no"), None)],
    ids=str,
)
async def test_the_age_is_that_of_the_newest_page_of_some_shards(newest: Reply, seen: datetime | None) -> None:
    """An empty table has none."""
    store = ScriptedStore(newest=newest, **{"SELECT 1": [{"one": 1}]})
    pulse = await IndexPulse(Inspector(store, PROFILE)).feel()

    assert pulse == Pulse(PROFILE.shards.count, (), seen)
    assert len({shard for query, shard in store.asked if "newest" in query.sql}) == SAMPLE_SHARDS


async def test_a_shard_that_fails_or_is_late_is_one_that_does_not_answer() -> None:
    """By its host's name, and without waiting for it."""
    store = OneShardFails(newest=[{"newest": STAMP}], **{"SELECT 1": [{"one": 1}]})
    pulse = await IndexPulse(Inspector(store, PROFILE), seconds=0.1).feel()

    assert pulse == Pulse(PROFILE.shards.count, ("laksa7", "laksa8"), NEWEST)


async def test_who_asks_soon_after_is_told_the_same() -> None:
    """Opening Home is no load on the index."""
    now = [0.0]
    store = ScriptedStore(**{"SELECT 1": [{"one": 1}]})
    pulse = IndexPulse(Inspector(store, PROFILE), clock=lambda: now[0])
    await asyncio.gather(pulse.feel(), pulse.feel())
    once = len(store.asked)
    now[0] = FRESH_SECONDS + 1
    await pulse.feel()

    assert len(store.asked) == 2 * once


def test_a_profile_without_the_time_of_a_crawl_has_no_age() -> None:
    """Another company's table."""
    bare = PROFILE.model_copy(update={"fields": ()})

    assert newest_query(bare, NEWEST) is None
