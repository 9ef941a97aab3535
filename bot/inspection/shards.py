"""One query to many shards at once: who answers, and what. Readiness and the state of the index both ask so."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from bot.errors import StoreError
from bot.inspection.pipeline import Inspector
from bot.inspection.store import Query, Rows

ONE = Query("SELECT 1 AS one FORMAT JSONEachRow")
AT_ONCE = 16  # shards that are asked together

Shard = int | None  # None: the embedded engine, which is one
ShardAnswer = Rows | StoreError | TimeoutError


def every_shard(inspector: Inspector) -> list[Shard]:
    """Every shard where there are servers; the embedded engine is one."""
    embedded = inspector.store.curl(ONE, 0) is None
    return [None] if embedded else list(range(inspector.profile.shards.count))


async def ask_shards(
    inspector: Inspector, query: Query, shards: Sequence[Shard], seconds: float
) -> Mapping[Shard, ShardAnswer]:
    """What each shard says within `seconds`: its rows, or why there are none. Never raises for a shard's failure."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(shard: Shard) -> ShardAnswer:
        async with places:
            try:
                async with asyncio.timeout(seconds):
                    return await inspector.store.fetch(query, shard)
            except (StoreError, TimeoutError) as failure:
                return failure

    return dict(zip(shards, await asyncio.gather(*map(one, shards)), strict=True))
