"""Requests on record: work that nobody loses, and then the trail of who asked what.

A replica owns the jobs that it works on, for as long as its lease runs; it renews the lease while it lives. What a
dead replica owned is due once its lease has run out, and goes to whoever asks first.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Update, bindparam, delete, func, select, update

from bot.errors import BadSetting
from bot.state.conversations import Clock
from bot.state.database import Database, Found
from bot.state.gathered import Gathered
from bot.state.records import Backlog, Job, JobState, TrailEntry
from bot.state.seal import Seal
from bot.state.tables import jobs

NOBODY = ""
LEASE = timedelta(seconds=15)
KEPT = timedelta(days=90)
LONGEST_WAIT = timedelta(minutes=10)  # no job is put off for longer; what is due later still, a clock stepped back
PAGE = 1_000  # rows of the trail that are read at once


@dataclass(frozen=True, slots=True)
class _Outcome:
    id: str
    state: JobState | None  # None: nothing was asked, and nothing is kept


class Jobs:
    """The jobs of one replica. What many requests write at one moment is one transaction."""

    def __init__(self, database: Database, clock: Clock, seal: Seal, *, lease: timedelta, kept: timedelta) -> None:
        self._database = database
        self._clock = clock
        self._seal = seal
        self._owner = secrets.token_hex(8)
        self._kept = kept
        self.lease = lease
        self._recording: Gathered[tuple[Job, bool], bool] = Gathered(self._record)
        self._finishing: Gathered[_Outcome, None] = Gathered(self._finish)

    async def record(self, job: Job, *, later: bool = False) -> bool:
        """Put it on record, as ours or, `later`, for whoever has time first; False where it is on record already."""
        return await self._recording.do((job, later))

    async def finish(self, job_id: str, state: JobState) -> None:
        """Nothing is left to do. Does nothing where another replica has taken the job over."""
        await self._finishing.do(_Outcome(job_id, state))

    async def discard(self, job_id: str) -> None:
        """Nothing was asked of us: what was said is none of our business."""
        await self._finishing.do(_Outcome(job_id, None))

    async def put_off(self, job_id: str, wait: timedelta) -> None:
        """Let whoever is there try again after `wait`."""
        due_at = self._clock() + min(wait, LONGEST_WAIT)
        await self._database.change(self._mine(job_id).values(owner=NOBODY, due_at=due_at))

    async def hand_over(self) -> int:
        """Everything of ours is due now, for another replica or the next start; how many jobs."""
        return await self._database.change(self._mine().values(owner=NOBODY, due_at=self._clock()))

    async def renew(self) -> None:
        """We live, and go on working."""
        now = self._clock()
        stepped_back = jobs.c.due_at > now + LONGEST_WAIT
        await self._database.change(self._mine().values(due_at=now + self.lease))
        await self._database.change(update(jobs).where(stepped_back).values(due_at=now + self.lease))

    async def take_over(self, most: int) -> list[Job]:
        """Up to `most` jobs that are due are ours from now on, the longest due first."""
        now = self._clock()
        due = jobs.c.due_at <= now
        first = select(jobs.c.id).where(due).order_by(jobs.c.due_at).limit(most).scalar_subquery()
        taking = (
            update(jobs)
            .where(jobs.c.id.in_(first), due)  # Postgres looks at `due` again once it has the row's lock
            .values(owner=self._owner, due_at=now + self.lease, attempts=jobs.c.attempts + 1)
            .returning(jobs)
        )
        taken = await self._database.write(lambda connection: connection.execute(taking).all())
        return [self._job(row) for row in taken]

    async def backlog(self) -> Backlog:
        """What is not done."""
        counted = select(func.count(), func.min(jobs.c.taken_at)).where(jobs.c.due_at.is_not(None))
        [[count, oldest]] = await self._database.rows(counted)
        return Backlog(count, oldest)

    async def trail(self, since: datetime) -> AsyncIterator[TrailEntry]:
        """Every request since then, oldest first."""
        after = (since, "")
        columns = [column for column in jobs.c if column.name not in ("sealed", "owner", "due_at")]
        while True:
            later = (jobs.c.taken_at > after[0]) | ((jobs.c.taken_at == after[0]) & (jobs.c.id > after[1]))
            page = select(*columns).where(later).order_by(jobs.c.taken_at, jobs.c.id).limit(PAGE)
            rows = await self._database.rows(page)
            for row in rows:
                yield _entry(row)
            if len(rows) < PAGE:
                return
            after = (rows[-1].taken_at, rows[-1].id)

    async def sweep(self, now: datetime) -> int:
        """Delete what is done and has been kept for long enough; how many records."""
        old = jobs.c.due_at.is_(None) & (jobs.c.taken_at < now - self._kept)
        return await self._database.change(delete(jobs).where(old))

    def _mine(self, job_id: str | None = None) -> Update:
        ours = (jobs.c.owner == self._owner) & jobs.c.due_at.is_not(None)
        return update(jobs).where(ours if job_id is None else ours & (jobs.c.id == job_id))

    def _job(self, row: Found) -> Job:
        who = (row.id, row.team, row.channel, row.user_id, row.kind, row.asked)
        return Job(*who, self._opened(row.sealed), row.attempts, row.taken_at)

    def _opened(self, sealed: str | None) -> Mapping[str, Any]:
        """What Slack sent; nothing where the app's secret was changed since: it cannot be answered any more."""
        try:
            return self._seal.unseal(sealed or "")
        except BadSetting:
            return {}

    async def _record(self, batch: Sequence[tuple[Job, bool]]) -> list[bool]:
        now = self._clock()
        rows = {job.id: self._row(job, now, later=later) for job, later in batch}
        in_order = [rows[job_id] for job_id in sorted(rows)]  # two replicas with the same jobs do not lock each other
        insert = self._database.insert_new(jobs)
        new = set(await self._database.write(lambda connection: connection.execute(insert, in_order).scalars().all()))
        first = []
        for job, _later in batch:  # the same job may stand in one batch twice
            first.append(job.id in new)
            new.discard(job.id)
        return first

    def _row(self, job: Job, now: datetime, *, later: bool) -> dict[str, Any]:
        return {
            "id": job.id,
            "team": job.team,
            "channel": job.channel,
            "user_id": job.user,
            "kind": job.kind,
            "asked": job.asked,
            "sealed": self._seal.seal(job.payload),
            "state": JobState.OPEN,
            "attempts": 0 if later else 1,
            "owner": NOBODY if later else self._owner,
            "due_at": now if later else now + self.lease,
            "taken_at": now,
        }

    async def _finish(self, batch: Sequence[_Outcome]) -> list[None]:
        now = self._clock()
        ours = (jobs.c.id == bindparam("job")) & (jobs.c.owner == self._owner)
        done = update(jobs).where(ours).values(state=bindparam("outcome"), sealed=None, due_at=None, done_at=now)
        ends = [{"job": each.id, "outcome": each.state} for each in batch if each.state is not None]
        nothing = [{"job": each.id} for each in batch if each.state is None]

        def finishing(connection: Connection) -> None:
            if ends:
                connection.execute(done, ends)
            if nothing:
                connection.execute(delete(jobs).where(ours), nothing)

        await self._database.write(finishing)
        return [None] * len(batch)


def _entry(row: Found) -> TrailEntry:
    who = (row.id, row.team, row.channel, row.user_id, row.kind, row.asked)
    return TrailEntry(*who, JobState(row.state), row.attempts, row.taken_at, row.done_at)
