"""Between the doors and Bolt: what is acknowledged is on record first, and what is on record is answered once.

A request is recorded, then given to Bolt, and closed when all work that it began has ended. A delivery of what is on
record already is acknowledged and goes no further. What a replica leaves behind, because it was killed, stopped, or
because Slack did not take the answer, is given to Bolt again by whichever replica finds it first, and the gateway then
looks for the answer before it posts one.

Where the database does not answer, requests are answered without a record: an answer matters more.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from bot import logs, metrics
from bot.errors import StoreUnavailable
from bot.slack import wording
from bot.slack.once import Once
from bot.slack.requests import job_of
from bot.slack.runs import SLACKS_CLOCK, Outcome, Run, current_run, entered
from bot.slack.tasks import Tasks
from bot.state.records import Backlog, Job, JobState

if TYPE_CHECKING:
    from bot.state.jobs import Jobs

log = logging.getLogger(__name__)

POLL_SECONDS = 1.0  # between two looks for work that somebody left
RECORD_SECONDS = 1.0  # that a record may take
AGAIN_SECONDS = 1.0  # until a write that failed is tried again
RENEWALS = 3  # of one lease
BACKLOG_MOST = 10_000  # jobs on record and not done: past it, Slack is asked to bring events again
WAITS = (5, 15, 45, 120, 300)  # seconds before the second try, the third …; Slack's troubles pass in minutes
STATES = {Outcome.ANSWERED: JobState.ANSWERED, Outcome.FAILED: JobState.FAILED, Outcome.LOST: JobState.LOST}
# A command's asker waits and is told; a form must be answered now; everything else can wait on record.
TOLD, NOW = "command", "view_submission"

Dispatch = Callable[[AsyncBoltRequest], Awaitable[BoltResponse]]


class Inbox:
    """One for the process."""

    def __init__(self, dispatch: Dispatch, tasks: Tasks, jobs: Jobs | None) -> None:
        """Without `jobs`, doubles are told while the process lives, and nothing survives it."""
        self._dispatch = dispatch
        self._tasks = tasks
        self._jobs = jobs
        self._met = Once()
        self._background: set[asyncio.Task[object]] = set()
        self._keeping: asyncio.Task[None] | None = None
        self._renewed = time.monotonic()
        self._backlog = Backlog(0, None)
        self._stopped = False

    async def take(self, payload: Mapping[str, Any], request: AsyncBoltRequest) -> BoltResponse:
        """One delivery; what Slack is answered."""
        job = job_of(payload)
        if job is None:
            return await self._dispatch(request)
        if self._tasks.full and not job.kind.startswith(NOW):
            return await self._busy(job)
        recorded = await self._recorded(job)
        if not (self._met.first(job.id) if recorded is None else recorded):
            metrics.job("duplicate")
            return _ok()
        metrics.job("taken")
        run = self._run(job, recorded=bool(recorded))
        with entered(run):
            logs.request_taken(job.kind, job.team, job.channel, job.user)
        return await self._begin(run, request)

    def open(self) -> None:
        """Begin to look for work that was left, here or by another replica."""
        if self._jobs:
            self._keeping = asyncio.create_task(self._keep(self._jobs))
            metrics.watch_jobs(lambda: self._backlog.open, self._oldest_seconds)

    def stop(self) -> None:
        """Take up nothing more that was left; what runs goes on."""
        self._stopped = True

    async def close(self) -> None:
        """Write down how everything ended, and leave to others what did not end."""
        while self._background:
            await asyncio.wait(self._background)
        if self._keeping:
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)
        if self._jobs:
            try:
                await self._jobs.hand_over()
            except StoreUnavailable as error:
                log.warning("unfinished requests are taken up once their lease has run out: %s", error)

    async def _recorded(self, job: Job) -> bool | None:
        """Is it new? None where the database does not say in time: Slack waits 3 seconds for all of it."""
        if self._jobs is None:
            return None
        start, recording = time.perf_counter(), asyncio.create_task(self._jobs.record(job))
        try:
            new = await asyncio.wait_for(asyncio.shield(recording), RECORD_SECONDS)
            metrics.recorded(time.perf_counter() - start)
            return new
        except TimeoutError:
            log.warning("a request is answered without a record: the database is slow")
            self._in_background(self._recorded_too_late(self._jobs, job, recording))
        except StoreUnavailable as error:
            log.warning("a request is answered without a record: %s", error)
        return None

    async def _recorded_too_late(self, jobs: Jobs, job: Job, recording: asyncio.Task[bool]) -> None:
        """It was begun without; so nobody is to begin it again."""
        try:
            if await recording:
                await jobs.finish(job.id, JobState.ANSWERED)
        except StoreUnavailable as error:
            log.warning("a request was not recorded: %s", error)

    async def _busy(self, job: Job) -> BoltResponse:
        """More is asked than can be answered soon: say so, or put it by until there is time."""
        metrics.job("busy")
        if job.kind == TOLD:
            return _told(wording.BUSY)
        if self._jobs is None or self._backlog.open > BACKLOG_MOST:
            return BoltResponse(status=503, body="")
        try:
            await self._jobs.record(job, later=True)
        except StoreUnavailable:
            return BoltResponse(status=503, body="")
        return _ok()

    def _run(self, job: Job, *, recorded: bool = True) -> Run:
        asker, ended = (job.user, job.channel), partial(self._ended, job)
        since = job.taken_at.timestamp() - SLACKS_CLOCK if job.taken_at else None
        doubtful = self._is_doubtful
        return Run(job.id, job.attempts, ended, asker=asker, recorded=recorded, since=since, doubtful=doubtful)

    async def _begin(self, run: Run, request: AsyncBoltRequest) -> BoltResponse:
        try:
            with entered(run):
                return await self._dispatch(request)
        finally:
            if not run.heard:
                run.release()

    def _oldest_seconds(self) -> float:
        oldest = self._backlog.oldest
        return 0.0 if oldest is None else max(0.0, time.time() - oldest.timestamp())

    def _is_doubtful(self) -> bool:
        """Has this process slept so long that another replica may have taken its work over?"""
        return self._jobs is not None and time.monotonic() - self._renewed > self._jobs.lease.total_seconds()

    def _ended(self, job: Job, run: Run) -> None:
        _tell_end(job, run)
        if run.recorded and self._jobs:
            self._in_background(self._close_job(self._jobs, job, run))
        elif run.outcome is Outcome.NOTHING:  # the same message may still come as a mention
            self._met.forget(job.id)

    async def _close_job(self, jobs: Jobs, job: Job, run: Run) -> None:
        """Write down how it ended, as often as it takes: what is not closed is answered again."""
        while True:
            try:
                await self._write_end(jobs, job, run)
                return
            except StoreUnavailable as error:
                log.warning("a request could not be closed: %s", error)
            if self._stopped:
                return
            await asyncio.sleep(AGAIN_SECONDS)

    async def _write_end(self, jobs: Jobs, job: Job, run: Run) -> None:
        if run.outcome is Outcome.NOTHING:
            await jobs.discard(job.id)
        elif run.outcome is Outcome.LATER:
            await jobs.put_off(job.id, timedelta(seconds=WAITS[min(run.attempt, len(WAITS)) - 1]))
        elif run.outcome is Outcome.CUT:
            await jobs.put_off(job.id, timedelta())
        else:
            await jobs.finish(job.id, STATES[run.outcome])

    async def _keep(self, jobs: Jobs) -> None:
        """Renew the lease, and take up what was left."""
        while True:
            try:
                if time.monotonic() - self._renewed > jobs.lease.total_seconds() / RENEWALS:
                    await jobs.renew()
                    self._renewed = time.monotonic()
                    self._backlog = await jobs.backlog()
                room = 0 if self._stopped else self._tasks.room
                for job in await jobs.take_over(room) if room else ():
                    self._again(job)
            except StoreUnavailable as error:
                log.warning("no work was taken over: %s", error)
            await asyncio.sleep(min(POLL_SECONDS, jobs.lease.total_seconds() / RENEWALS))

    def _again(self, job: Job) -> None:
        """Give a recorded request to Bolt, whose acknowledgement nobody waits for."""
        if not job.payload and self._jobs:
            log.warning("a request cannot be read any more, as the app's secret has changed")
            self._in_background(self._jobs.finish(job.id, JobState.LOST))
            return
        request, run = AsyncBoltRequest(mode="socket_mode", body=dict(job.payload)), self._run(job)
        metrics.job("recovered")
        with entered(run):
            log.info("taken up, try %d", job.attempts)
        self._in_background(self._begin(run, request))

    def _in_background(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


async def hear(next: Callable[[], Awaitable[None]]) -> None:
    """Bolt's middleware, the last one: from here on a listener has the request, and lets it go."""
    if run := current_run():
        run.heard = True
    await next()


def _tell_end(job: Job, run: Run) -> None:
    if run.outcome is Outcome.NOTHING:
        return
    name, seconds = run.outcome.name.lower(), time.perf_counter() - run.started
    with entered(run):
        logs.request_done(name, seconds)
    if name in metrics.JOB_OUTCOMES:
        metrics.job(name)
    if run.outcome is Outcome.ANSWERED:
        metrics.replied(job.kind.partition(":")[0], seconds)


def _ok() -> BoltResponse:
    return BoltResponse(status=200, body="")


def _told(sentence: str) -> BoltResponse:
    """The acknowledgement of a command that says something to its asker."""
    body = json.dumps({"response_type": "ephemeral", "text": sentence})
    return BoltResponse(status=200, body=body, headers={"content-type": "application/json"})
