"""Who answers the links of a message: two events ask for it, in any order, and each may reach another replica."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, delete, select

from bot.state.conversations import Clock
from bot.state.database import Database
from bot.state.records import Answerer
from bot.state.tables import claims

CLAIMS_KEPT = timedelta(days=1)  # Slack delivers an event again for an hour or two


class Claims:
    """(team, channel, message ts) → the answerer that said so first."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def claim(self, team: str, channel: str, message_ts: str, by: Answerer) -> Answerer:
        """Whose the message is: `by`, unless the other was here before. The same answer however often it is asked."""
        values = {"team": team, "channel": channel, "message_ts": message_ts, "by": by.value, "at": self._clock()}
        first = select(claims.c.by).where(_this(team, channel, message_ts))

        def claiming(connection: Connection) -> Answerer:
            connection.execute(self._database.insert_new(claims), [values])
            return Answerer(connection.execute(first).scalar_one())

        return await self._database.write(claiming)

    async def find(self, team: str, channel: str, message_ts: str) -> Answerer | None:
        """Whose the message is; None where nobody has said so yet."""
        by = await self._database.value(select(claims.c.by).where(_this(team, channel, message_ts)))
        return None if by is None else Answerer(by)

    async def sweep(self, now: datetime) -> int:
        """Delete claims of messages that no event comes of any more; how many."""
        return await self._database.change(delete(claims).where(claims.c.at < now - CLAIMS_KEPT))


def _this(team: str, channel: str, message_ts: str) -> ColumnElement[bool]:
    return (claims.c.team == team) & (claims.c.channel == channel) & (claims.c.message_ts == message_ts)
