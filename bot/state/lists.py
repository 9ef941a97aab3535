"""Lists of many URLs: who asked for one that runs, on whichever replica; then what came of it, for its page."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, select, update

from bot.report.kept_list import KeptList, from_payload, to_payload
from bot.state.conversations import Clock
from bot.state.database import Database
from bot.state.records import Cancelling
from bot.state.tables import lists

RUNS_FOR = timedelta(seconds=60)  # since the replica that runs it was last heard of
RUN_KEPT = timedelta(days=1)  # of a list that never came to an end


class Lists:
    """list id → its asker and mark while it runs, its rows afterwards."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def start(self, list_id: str, team: str, user: str) -> None:
        """This list runs from now on."""
        now = self._clock()
        values = {
            "id": list_id,
            "team": team,
            "user_id": user,
            "runs_until": now + RUNS_FOR,
            "expires_at": now + RUN_KEPT,
        }
        await self._database.put(lists, values)

    async def cancel(self, list_id: str, team: str, user: str) -> Cancelling:
        """Mark the list as cancelled, where it runs and is the user's."""
        now = self._clock()
        running = (lists.c.id == list_id) & (lists.c.team == team) & (lists.c.runs_until > now)

        def marking(connection: Connection) -> Cancelling:
            asker = connection.execute(select(lists.c.user_id).where(running)).scalar_one_or_none()
            if asker is None:
                return Cancelling.NOT_RUNNING
            if asker != user:
                return Cancelling.NOT_YOURS
            connection.execute(update(lists).where(running).values(cancelled_at=now))
            return Cancelling.MARKED

        return await self._database.write(marking)

    async def is_cancelled(self, list_id: str) -> bool:
        """Is the list marked? Asked by the replica that runs it, which is heard of so."""
        beat = update(lists).where(lists.c.id == list_id).values(runs_until=self._clock() + RUNS_FOR)
        marking = beat.returning(lists.c.cancelled_at)
        marked = await self._database.write(lambda connection: connection.execute(marking).scalar_one_or_none())
        return marked is not None

    async def finish(self, list_id: str, kept: KeptList | None, keep: timedelta) -> None:
        """The list runs no more. What came of it is kept so long."""
        values = {
            "answer": None if kept is None else to_payload(kept),
            "runs_until": None,
            "expires_at": self._clock() + keep,
        }
        await self._database.change(update(lists).where(lists.c.id == list_id).values(**values))

    async def find(self, list_id: str) -> KeptList | None:
        """What came of a list; None where it is not kept, or still runs."""
        this = (lists.c.id == list_id) & (lists.c.expires_at > self._clock())
        answer = await self._database.value(select(lists.c.answer).where(this))
        return None if answer is None else from_payload(answer)

    async def sweep(self, now: datetime) -> int:
        """Delete lists whose time has run out; how many."""
        return await self._database.change(delete(lists).where(lists.c.expires_at <= now))
