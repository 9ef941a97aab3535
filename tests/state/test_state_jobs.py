"""Requests on record, in the bot's own database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from bot.state.jobs import LEASE, LONGEST_WAIT
from bot.state.records import Backlog, Job, JobState
from bot.state.state import State
from tests.state.conftest import Clock

HOUR = timedelta(hours=1)
LITTLE = timedelta(seconds=1)


def job(name: str, asked: str = "https://docs.example/guide") -> Job:
    """A request."""
    return Job(name, "T0EXAMPLE", "C0GENERAL", "U0ANN", "message", asked, {"event": {"text": asked}})


@pytest.fixture
async def other(url: str, clock: Clock, state: State) -> AsyncIterator[State]:
    """Another replica."""
    opened = await State.open(url, clock=clock)
    yield opened
    await opened.close()


async def test_a_request_is_first_once_of_all_deliveries_and_replicas(state: State, other: State) -> None:
    """However many come at one moment, the same one twice in one batch among them."""
    jobs = [job(f"{number}") for number in range(20)] * 3
    first = await asyncio.gather(*(one.jobs.record(each) for each in jobs for one in (state, other)))

    assert sum(first) == 20


async def test_what_is_recorded_is_its_owners_until_the_lease_runs_out(
    state: State, other: State, clock: Clock
) -> None:
    """And then it goes to whoever asks first, whole, as a second try."""
    await state.jobs.record(job("a"))
    early = await other.jobs.take_over(10)
    clock.pass_by(LEASE + LITTLE)
    took, again = await other.jobs.take_over(10), await state.jobs.take_over(10)

    assert (early, again) == ([], [])
    assert [(each.id, each.attempts, each.payload) for each in took] == [("a", 2, job("a").payload)]


async def test_a_lease_is_renewed_while_its_owner_lives(state: State, other: State, clock: Clock) -> None:
    """However long the work takes."""
    await state.jobs.record(job("a"))
    for _ in range(5):
        clock.pass_by(LEASE - LITTLE)
        await state.jobs.renew()

    assert await other.jobs.take_over(10) == []


async def test_a_clock_that_steps_back_delays_nothing_for_an_hour(state: State, other: State, clock: Clock) -> None:
    """What is due later than anything can be was written before the step."""
    await state.jobs.record(job("a"))
    clock.pass_by(-HOUR)
    await other.jobs.renew()
    clock.pass_by(LEASE + LITTLE)

    assert [each.id for each in await other.jobs.take_over(10)] == ["a"]


@pytest.mark.parametrize(
    ("wait", "due_after"),
    [(timedelta(), timedelta()), (timedelta(seconds=5), timedelta(seconds=5)), (HOUR, LONGEST_WAIT)],
)
async def test_what_is_put_off_is_nobodys_until_then(
    state: State, other: State, clock: Clock, wait: timedelta, due_after: timedelta
) -> None:
    """Its old owner does not renew it."""
    await state.jobs.record(job("a"))
    await state.jobs.put_off("a", wait)
    clock.pass_by(due_after - LITTLE)
    await state.jobs.renew()
    early = await other.jobs.take_over(10)
    clock.pass_by(LITTLE)

    assert (early, [each.attempts for each in await other.jobs.take_over(10)]) == ([], [2])


async def test_a_stopping_replica_hands_its_work_over(state: State, other: State) -> None:
    """At once, without waiting for a lease."""
    for name in "abc":
        await state.jobs.record(job(name))
    await state.jobs.finish("b", JobState.ANSWERED)
    handed = await state.jobs.hand_over()

    assert (handed, sorted(each.id for each in await other.jobs.take_over(10))) == (2, ["a", "c"])


async def test_what_waits_on_record_is_a_first_try_when_its_turn_comes(state: State, other: State) -> None:
    """Oldest first, as many as there is room for."""
    for name in "abc":
        await state.jobs.record(job(name), later=True)
    took = await other.jobs.take_over(2)

    assert [each.attempts for each in took] == [1, 1]
    assert len(await state.jobs.take_over(2)) == 1


async def test_who_lost_a_job_does_not_close_it(state: State, other: State, clock: Clock) -> None:
    """It is another replica's now."""
    await state.jobs.record(job("a"))
    clock.pass_by(LEASE)
    await other.jobs.take_over(1)
    await state.jobs.finish("a", JobState.ANSWERED)
    open_still = await state.jobs.backlog()
    await other.jobs.finish("a", JobState.FAILED)

    assert (open_still.open, (await state.jobs.backlog()).open) == (1, 0)
    assert [entry.state async for entry in state.jobs.trail(clock() - HOUR)] == [JobState.FAILED]


async def test_the_trail_says_who_asked_what_and_what_became_of_it(state: State, clock: Clock) -> None:
    """What was nothing to us leaves no trace; what Slack sent goes once it is answered; old records are swept."""
    started = clock()
    await state.jobs.record(job("a", asked="why\0 \ud800"))
    await state.jobs.record(job("chat"))
    await state.jobs.discard("chat")
    assert await state.jobs.backlog() == Backlog(1, started)
    clock.pass_by(LITTLE)
    await state.jobs.finish("a", JobState.ANSWERED)
    trail = [entry async for entry in state.jobs.trail(started)]

    assert [(one.user, one.channel, one.kind, one.asked, one.state, one.done_at) for one in trail] == [
        ("U0ANN", "C0GENERAL", "message", "why\ufffd \ufffd", JobState.ANSWERED, started + LITTLE)
    ]
    assert await state.jobs.record(job("a")) is False  # still the same request
    assert (await state.sweep(started + 89 * 24 * HOUR))["jobs"] == 0
    assert (await state.sweep(started + 91 * 24 * HOUR))["jobs"] == 1


async def test_a_long_trail_is_read_page_by_page(state: State, clock: Clock) -> None:
    """Every entry once, oldest first."""
    await asyncio.gather(*(state.jobs.record(job(f"{number:04}")) for number in range(1_100)))
    clock.pass_by(LITTLE)
    await state.jobs.record(job("last"))
    names = [entry.id async for entry in state.jobs.trail(clock() - HOUR)]

    assert names == [*(f"{number:04}" for number in range(1_100)), "last"]
