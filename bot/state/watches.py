"""Pages that are watched: when each is due, who checks it, and what was told of it last.

A check is claimed by pushing `next_at` on by a lease, in one UPDATE. Whoever writes afterwards must still hold that
lease, told by the very `next_at` that the claim set; a replica that died or hung holds it no more once it has run out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, or_, select, update

from bot.state.conversations import Clock
from bot.state.database import Database, Found, digest_of
from bot.state.records import Added, NewWatch, Watch
from bot.state.tables import watches

LEASE = timedelta(minutes=10)  # longer than the checks and posts of one batch take


@dataclass(frozen=True, slots=True)
class Checked:
    """A check that was made: what stands now, and when the next one is due."""

    watch: Watch
    standing: Mapping[str, Any]
    next_at: datetime


class Watches:
    """The watches of all workspaces. One that has ended is deleted; its number is not given again."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(
        self, new: NewWatch, first_check: datetime, *, per_user: int, per_channel: int
    ) -> tuple[Added, Watch | None]:
        """Keep a watch, or say why not; of a page that is watched in the channel already, the watch that there is.

        Replicas at the same instant may pass a limit by one.
        """
        in_team, in_channel = watches.c.team == new.team, watches.c.channel == new.channel
        this = select(watches).where(in_team, in_channel, watches.c.digest == _digest(new.key, new.profile))
        values = _values(new, first_check, self._clock())
        limits = {
            Added.USER_FULL: (watches.c.user_id == new.user, per_user),
            Added.CHANNEL_FULL: (in_channel, per_channel),
        }

        def adding(connection: Connection) -> tuple[Added, Watch | None]:
            if existing := connection.execute(this).one_or_none():
                return Added.EXISTS, _watch(existing)
            for full, (theirs, most) in limits.items():
                counted = connection.execute(select(func.count()).select_from(watches).where(in_team, theirs))
                if counted.scalar_one() >= most:
                    return full, None
            added = connection.execute(self._database.insert_new(watches), [values]).one_or_none()
            return Added.NEW if added else Added.EXISTS, _watch(connection.execute(this).one())

        return await self._database.write(adding)

    async def placed(self, number: int, thread_ts: str) -> None:
        """The watch has a message of its own now, and tells in its thread."""
        await self._database.change(update(watches).where(watches.c.id == number).values(thread_ts=thread_ts))

    async def find(self, team: str, number: int) -> Watch | None:
        """The watch of that number; None where it has ended, or is another workspace's."""
        found = await self._where(watches.c.team == team, watches.c.id == number)
        return found[0] if found else None

    async def near(self, team: str, channel: str, user: str) -> list[Watch]:
        """The user's watches and those of the channel."""
        return await self._where(watches.c.team == team, or_(watches.c.user_id == user, watches.c.channel == channel))

    async def in_thread(self, team: str, channel: str, thread_ts: str) -> list[Watch]:
        """The watches that tell in that thread."""
        return await self._where(watches.c.team == team, watches.c.channel == channel, watches.c.thread_ts == thread_ts)

    async def of_page(self, team: str, key: str, profile: str | None) -> list[Watch]:
        """The watches of one page, in all channels."""
        return await self._where(watches.c.team == team, watches.c.digest == _digest(key, profile))

    async def end(self, number: int) -> bool:
        """The watch ends; False where it has already."""
        return await self._database.change(delete(watches).where(watches.c.id == number)) == 1

    async def first_due(self) -> datetime | None:
        """When the next check is due, of all watches; None where nothing is watched."""
        due: datetime | None = await self._database.value(select(func.min(watches.c.next_at)))
        return due

    async def claim(self, most: int, lease: timedelta = LEASE) -> list[Watch]:
        """Take up at most so many checks that are due: each is given to one caller, in whichever replica.

        `next_at` of what is returned is the end of the lease.
        """
        now = self._clock()
        # SQLite knows no row locks and needs none: it has one writer. Postgres passes over what another is taking.
        due = select(watches.c.id).where(watches.c.next_at <= now).order_by(watches.c.next_at).limit(most)
        taken = (
            update(watches)
            .where(watches.c.id.in_(due.with_for_update(skip_locked=True)), watches.c.next_at <= now)
            .values(next_at=now + lease, tries=watches.c.tries + 1)
            .returning(*watches.c)
        )
        rows = await self._database.write(lambda connection: connection.execute(taken).all())
        return sorted(map(_watch, rows), key=lambda watch: watch.number)

    async def holds(self, watch: Watch) -> bool:
        """Is the claimed check still ours? Not where the watch has ended, or the lease ran out and another took it."""
        return bool(await self._where(*_held(watch)))

    async def checked(self, done: Iterable[Checked]) -> None:
        """These checks were made. One that is not held any more leaves no trace."""
        rows = [
            {
                "number": one.watch.number,
                "lease": one.watch.next_at,
                "stands": dict(one.standing),
                "made": one.watch.checks + 1,
                "due": one.next_at,
            }
            for one in done
        ]
        if not rows:
            return
        this = (watches.c.id == bindparam("number"), watches.c.next_at == bindparam("lease"))
        made = {"standing": bindparam("stands"), "checks": bindparam("made"), "next_at": bindparam("due"), "tries": 0}
        await self._database.change(update(watches).where(*this).values(made), rows)

    async def put_off(self, watch: Watch, until: datetime) -> None:
        """The claimed check was not finished: it is due again at `until`, under the same number."""
        await self._database.change(update(watches).where(*_held(watch)).values(next_at=until))

    async def _where(self, *conditions: ColumnElement[bool]) -> list[Watch]:
        rows = await self._database.rows(select(watches).where(*conditions).order_by(watches.c.id))
        return [_watch(row) for row in rows]


def _digest(key: str, profile: str | None) -> str:
    return digest_of(key, profile or "")


def _values(new: NewWatch, first_check: datetime, now: datetime) -> dict[str, Any]:
    return {
        "enterprise": new.enterprise,
        "team": new.team,
        "channel": new.channel,
        "thread_ts": new.thread_ts,
        "user_id": new.user,
        "profile": new.profile,
        "digest": _digest(new.key, new.profile),
        "key": new.key,
        "shard": new.shard,
        "until_indexed": new.until_indexed,
        "standing": dict(new.standing),
        "checks": 0,
        "tries": 0,
        "next_at": first_check,
        "created_at": now,
    }


def _held(watch: Watch) -> tuple[ColumnElement[bool], ...]:
    return watches.c.id == watch.number, watches.c.next_at == watch.next_at


def _watch(row: Found) -> Watch:
    return Watch(
        enterprise=row.enterprise,
        team=row.team,
        channel=row.channel,
        thread_ts=row.thread_ts,
        user=row.user_id,
        key=row.key,
        standing=row.standing,
        until_indexed=row.until_indexed,
        shard=row.shard,
        profile=row.profile,
        number=row.id,
        checks=row.checks,
        tries=row.tries,
        next_at=row.next_at,
        created_at=row.created_at,
    )
