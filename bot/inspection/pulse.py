"""The state of the index as a whole: which shards answer, and how old what they hold is. Cheap, and in bounded time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.index.profile import IndexProfile
from bot.inspection.pipeline import Inspector
from bot.inspection.shards import ONE, Shard, ask_shards, every_shard
from bot.inspection.store import Query, Rows

STAMP = "download_stamp"  # the field that every profile names so
SAMPLE_ROWS = 50_000  # of a shard, read for its newest page: a whole column would take a big shard minutes
SAMPLE_SHARDS = 4
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
        profile, shards = self._inspector.profile, every_shard(self._inspector)
        answers, newest = await asyncio.gather(
            ask_shards(self._inspector, ONE, shards, self._seconds), self._newest(shards)
        )
        failing = tuple(_name(shard, profile) for shard, answer in answers.items() if not isinstance(answer, Rows))
        return Pulse(len(shards), failing, newest)

    async def _newest(self, shards: Sequence[Shard]) -> datetime | None:
        query = newest_query(self._inspector.profile, self._inspector.now())
        if query is None:
            return None
        sample = shards[:: max(1, len(shards) // SAMPLE_SHARDS)][:SAMPLE_SHARDS]
        answers = await ask_shards(self._inspector, query, sample, self._seconds)
        rows = [row for answer in answers.values() if isinstance(answer, Rows) for row in answer.rows[:1]]
        stamps = [int(str(row["newest"])) for row in rows if row.get("newest")]
        return datetime.fromtimestamp(max(stamps), UTC) if stamps else None


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


def _name(shard: Shard, profile: IndexProfile) -> str:
    return "embedded" if shard is None else profile.host_of(shard)
