"""What the bot remembers of a conversation: what a thread is about, and how a channel wants to be answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, delete, select, update

from bot.state.database import Database
from bot.state.records import ChannelSettings, PasteMode, Thread, Visibility
from bot.state.tables import channels, threads

Clock = Callable[[], datetime]

THREADS_KEPT = timedelta(days=90)  # since a thread was last used
TOUCHED_EVERY = timedelta(hours=1)


class Threads:
    """(team, channel, thread_ts) → what the thread is about."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def remember(self, team: str, channel: str, thread_ts: str, subject: Mapping[str, Any]) -> None:
        """The thread is about `subject`, a JSON object, from now on."""
        now = self._clock()
        values = {
            "team": team,
            "channel": channel,
            "thread_ts": thread_ts,
            "subject": dict(subject),
            "created_at": now,
            "used_at": now,
        }
        await self._database.put(threads, values, keep=("created_at",))

    async def find(self, team: str, channel: str, thread_ts: str) -> Thread | None:
        """What the thread is about; None where the bot does not know it. Counts as a use."""
        this = (threads.c.team == team) & (threads.c.channel == channel) & (threads.c.thread_ts == thread_ts)
        columns = select(threads.c.subject, threads.c.created_at, threads.c.used_at)
        row = await self._database.row(columns.where(this))
        if row is None:
            return None
        now = self._clock()
        if now - row.used_at < TOUCHED_EVERY:
            return Thread(row.subject, row.created_at, row.used_at)
        await self._database.change(update(threads).where(this).values(used_at=now))
        return Thread(row.subject, row.created_at, now)

    async def forget(self, team: str, channel: str, thread_ts: str) -> None:
        """The thread is gone."""
        this = (threads.c.team == team) & (threads.c.channel == channel) & (threads.c.thread_ts == thread_ts)
        await self._database.change(delete(threads).where(this))

    async def sweep(self, now: datetime) -> int:
        """Delete threads that nobody has used for `THREADS_KEPT`; how many."""
        return await self._database.change(delete(threads).where(threads.c.used_at < now - THREADS_KEPT))


# Every request asks this, and to build a statement takes longer than to run it.
_SETTINGS = select(channels).where(channels.c.team == bindparam("team"), channels.c.channel == bindparam("channel"))


class Channels:
    """(team, channel) → how the bot behaves there. Kept until changed."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, team: str, channel: str) -> ChannelSettings:
        """The channel's settings, the defaults where nobody set any."""
        row = await self._database.row(_SETTINGS, {"team": team, "channel": channel})
        if row is None:
            return ChannelSettings()
        paste, visibility = PasteMode(row.paste), Visibility(row.visibility)
        return ChannelSettings(paste, row.profile, visibility, row.updated_by, row.updated_at)

    async def put(
        self,
        team: str,
        channel: str,
        *,
        paste: PasteMode,
        profile: str | None,
        visibility: Visibility,
        updated_by: str,
    ) -> ChannelSettings:
        """Set the channel's settings; they as they now are."""
        settings = ChannelSettings(paste, profile, visibility, updated_by, self._clock())
        values = {
            "team": team,
            "channel": channel,
            "paste": settings.paste.value,
            "profile": settings.profile,
            "visibility": settings.visibility.value,
            "updated_by": settings.updated_by,
            "updated_at": settings.updated_at,
        }
        await self._database.put(channels, values)
        return settings
