"""What has been taken up already, by any replica: Slack's retries and doubles are told by it."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete

from bot.state.conversations import Clock
from bot.state.database import Database, digest_of
from bot.state.tables import seen_events


class SeenEvents:
    """Keys that were seen, each until its time runs out: "event:Ev0123", "message:C0123:1700000000.000100"."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def first_time(self, key: str, ttl: timedelta) -> bool:
        """True for exactly one caller, in whichever replica, until `ttl` has passed; False for all others."""
        now = self._clock()
        values = {"digest": digest_of(key), "expires_at": now + ttl}
        claim = self._database.claim(seen_events, values, free=seen_events.c.expires_at <= now)
        async with self._database.write() as connection:
            return (await connection.execute(claim)).one_or_none() is not None

    async def forget(self, key: str) -> None:
        """The work was not done after all: the next who asks is the first again."""
        async with self._database.write() as connection:
            await connection.execute(delete(seen_events).where(seen_events.c.digest == digest_of(key)))

    async def sweep(self, now: datetime) -> int:
        """Delete keys whose time has run out; how many."""
        async with self._database.write() as connection:
            return (await connection.execute(delete(seen_events).where(seen_events.c.expires_at <= now))).rowcount
