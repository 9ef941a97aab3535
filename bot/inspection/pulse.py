"""The state of the index as a whole: which shards answer, and how old what they hold is. Cheap, and in bounded time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.errors import StoreError
from bot.index.profile import IndexProfile
from bot.inspection.pipeline import Inspector
from bot.inspection.store import Query

ONE = Query("SELECT 1 AS one FORMAT JSONEachRow")
STAMP = "download_stamp"  # the field that every profile names so
SAMPLE_ROWS = 50_000  # of a shard, read for its newest page: a whole column would take a big shard minutes
SAMPLE_SHARDS = 4
AT_ONCE = 16  # shards that are asked together
SECONDS = 2.0  # that one shard may take
FRESH_SECONDS = 30.0  # how long a pulse is shown again


@dataclass(frozen=True, slots=True)
class Pulse:
    """How many shards were asked and which failed, and when the newest page of a sample was crawled, in UTC."""

    asked: int
    failing: tuple[str, ...]
    newest: datetime | None

    @property
    def answering(self) -> int:
        """The shards that answer."""
        return self.asked - len(self.failing)


class IndexPulse:
    """Feels the pulse, once for all who ask within half a minute."""

    def __init__(
        self, inspector: Inspector, *, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._inspector = inspector
        self._seconds = seconds
        self._clock = clock
        self._lock = asyncio.Lock()
        self._known: tuple[float, Pulse] | None = None

    async def feel(self) -> Pulse:
        """Never raises: a shard that fails is one that does not answer."""
        async with self._lock:
            if self._known is None or self._clock() - self._known[0] > FRESH_SECONDS:
                self._known = self._clock(), await self._felt()
            return self._known[1]

    async def _felt(self) -> Pulse:
        profile, store = self._inspector.profile, self._inspector.store
        embedded = store.curl(ONE, 0) is None
        shards: list[int | None] = [None] if embedded else list(range(profile.shards.count))
        answers, newest = await asyncio.gather(self._asked(ONE, shards), self._newest(shards))
        failing = tuple(_name(shard, profile) for shard, row in answers.items() if row is None)
        return Pulse(len(shards), failing, newest)

    async def _newest(self, shards: list[int | None]) -> datetime | None:
        query = newest_query(self._inspector.profile, self._inspector.now())
        if query is None:
            return None
        sample = shards[:: max(1, len(shards) // SAMPLE_SHARDS)][:SAMPLE_SHARDS]
        answers = await self._asked(query, sample)
        stamps = [int(str(row["newest"])) for row in answers.values() if row and row.get("newest")]
        return datetime.fromtimestamp(max(stamps), UTC) if stamps else None

    async def _asked(self, query: Query, shards: list[int | None]) -> dict[int | None, Mapping[str, object] | None]:
        """The first row of each shard; None where it fails, an empty row where it has none."""
        places = asyncio.Semaphore(AT_ONCE)

        async def one(shard: int | None) -> Mapping[str, object] | None:
            async with places:
                try:
                    async with asyncio.timeout(self._seconds):
                        rows = (await self._inspector.store.fetch(query, shard)).rows
                except (StoreError, TimeoutError):
                    return None
                return rows[0] if rows else {}

        return dict(zip(shards, await asyncio.gather(*map(one, shards)), strict=True))


def newest_query(profile: IndexProfile, now: datetime) -> Query | None:
    """When the newest of some pages of a shard was crawled, in unix seconds; None where the profile does not say.

    A crawl holds broken clocks too: what lies in the future is no age.
    """
    field = profile.field(STAMP)
    if field is None:
        return None
    some = f"SELECT {field.sql} AS stamp FROM {profile.tables[0]} LIMIT {SAMPLE_ROWS}"
    newest = "maxIf(toUInt64(ifNull(stamp, 0)), ifNull(stamp, 0) <= {now:UInt64})"
    return Query(f"SELECT {newest} AS newest FROM ({some}) FORMAT JSONEachRow", {"now": int(now.timestamp())})


def _name(shard: int | None, profile: IndexProfile) -> str:
    return "embedded" if shard is None else profile.host_of(shard)
