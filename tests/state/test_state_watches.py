"""Watches: kept once, claimed by one, taken up by another where one is gone."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.state.records import Added, NewWatch, Watch
from bot.state.state import State
from bot.state.watches import LEASE, Checked
from tests.state.conftest import Clock

HOUR = timedelta(hours=1)
NEW = NewWatch("", "T0EXAMPLE", "C0ONE", "17.1", "U0ANN", "example,docs!,/é\u0000 s443", {"told": {"a": "\u0000"}})


async def added(state: State, clock: Clock, new: NewWatch = NEW, **limits: int) -> tuple[Added, Watch | None]:
    return await state.watches.add(new, clock.now + HOUR, **{"per_user": 20, "per_channel": 50, **limits})


async def kept(state: State, clock: Clock, new: NewWatch = NEW) -> Watch:
    outcome, watch = await added(state, clock, new)
    assert (outcome, watch is None) == (Added.NEW, False)
    assert watch is not None
    return watch


async def test_a_watch_comes_back_as_it_was_kept(state: State, clock: Clock) -> None:
    """With its standing, and no NUL in its key: Postgres takes none."""
    watch = await kept(state, clock, replace(NEW, until_indexed=True, shard=149, profile="news"))
    found = await state.watches.find("T0EXAMPLE", watch.number)

    assert found == watch
    assert (watch.key, watch.standing) == ("example,docs!,/é\ufffd s443", NEW.standing)
    assert (watch.until_indexed, watch.shard, watch.profile) == (True, 149, "news")
    assert (watch.checks, watch.tries, watch.next_at, watch.created_at) == (0, 0, clock.now + HOUR, clock.now)


@pytest.mark.parametrize(
    ("changed", "outcome"),
    [
        ({}, Added.EXISTS),
        ({"user": "U0BEN", "thread_ts": "18.1", "until_indexed": True}, Added.EXISTS),
        ({"channel": "C0TWO"}, Added.NEW),
        ({"team": "T0OTHER"}, Added.NEW),
        ({"profile": "news"}, Added.NEW),
        ({"key": "example,docs!,/other s443"}, Added.NEW),
    ],
    ids=str,
)
async def test_a_page_is_watched_once_in_a_channel(
    state: State, clock: Clock, changed: dict[str, str], outcome: Added
) -> None:
    """Whoever asks; who asks again is given the one that exists."""
    first = await kept(state, clock)
    got, watch = await added(state, clock, replace(NEW, **changed))  # type: ignore[arg-type]  # a row of the table

    assert got is outcome
    assert (watch == first) is (outcome is Added.EXISTS)


async def test_a_page_is_watched_once_however_many_ask_at_once(state: State, clock: Clock) -> None:
    """A retry that reaches another replica at the same moment."""
    outcomes = await asyncio.gather(*(added(state, clock) for _ in range(5)))

    assert sorted(outcome for outcome, _ in outcomes) == [Added.EXISTS] * 4 + [Added.NEW]
    assert len({watch.number for _, watch in outcomes if watch}) == 1


@pytest.mark.parametrize(
    ("limits", "changed", "outcome"),
    [
        ({"per_user": 1}, {"channel": "C0TWO"}, Added.USER_FULL),
        ({"per_user": 1}, {"user": "U0BEN"}, Added.NEW),
        ({"per_user": 1}, {"team": "T0OTHER"}, Added.NEW),
        ({"per_channel": 1}, {"user": "U0BEN"}, Added.CHANNEL_FULL),
        ({"per_channel": 1}, {"channel": "C0TWO"}, Added.NEW),
        ({"per_channel": 1}, {"team": "T0OTHER"}, Added.NEW),
    ],
    ids=str,
)
async def test_a_person_and_a_channel_have_a_limit(
    state: State, clock: Clock, limits: dict[str, int], changed: dict[str, str], outcome: Added
) -> None:
    """Each workspace for itself."""
    await kept(state, clock)
    other = replace(NEW, **{"key": "example,docs!,/other s443", **changed})  # type: ignore[arg-type]  # a row

    assert (await added(state, clock, other, **limits))[0] is outcome


async def test_a_watch_that_has_ended_is_gone_and_its_number_with_it(state: State, clock: Clock) -> None:
    """An old button must not stop a new watch."""
    first = await kept(state, clock)
    ended = [await state.watches.end(first.number), await state.watches.end(first.number)]
    second = await kept(state, clock)

    assert ended == [True, False]
    assert second.number != first.number
    assert await state.watches.find("T0EXAMPLE", first.number) is None


async def test_watches_are_found_by_number_person_channel_thread_and_page(state: State, clock: Clock) -> None:
    """Never those of another workspace."""
    mine = await kept(state, clock)
    theirs = await kept(state, clock, replace(NEW, channel="C0TWO", user="U0BEN"))
    foreign = await kept(state, clock, replace(NEW, team="T0OTHER"))
    watches = state.watches

    assert await watches.near("T0EXAMPLE", "C0TWO", "U0ANN") == [mine, theirs]
    assert await watches.near("T0EXAMPLE", "C0ONE", "U0ANN") == [mine]
    assert await watches.in_thread("T0EXAMPLE", "C0ONE", "17.1") == [mine]
    assert await watches.of_page("T0EXAMPLE", NEW.key, None) == [mine, theirs]
    assert await watches.of_page("T0EXAMPLE", NEW.key, "news") == []
    assert await watches.find("T0EXAMPLE", foreign.number) is None


async def test_what_is_due_is_claimed_once(state: State, clock: Clock) -> None:
    """By many at the same moment, as replicas are."""
    watches = [await kept(state, clock, replace(NEW, channel=f"C0{number}")) for number in range(12)]
    before = await state.watches.claim(100)
    clock.pass_by(HOUR)
    claims = await asyncio.gather(*(state.watches.claim(4) for _ in range(5)))
    claimed = [watch for claim in claims for watch in claim]

    assert before == []
    assert sorted(watch.number for watch in claimed) == [watch.number for watch in watches]
    assert {(watch.tries, watch.next_at) for watch in claimed} == {(1, clock.now + LEASE)}


async def test_what_is_due_longest_is_claimed_first(state: State, clock: Clock) -> None:
    """Where there is more than one batch."""
    late = await kept(state, clock)
    clock.pass_by(timedelta(minutes=1))
    await kept(state, clock, replace(NEW, channel="C0TWO"))
    due = await state.watches.first_due()
    clock.pass_by(HOUR)
    [first] = await state.watches.claim(1)

    assert (due, first.number) == (late.next_at, late.number)


async def test_a_check_that_was_made_is_counted_and_due_again(state: State, clock: Clock) -> None:
    """All of a batch in one transaction."""
    watches = [await kept(state, clock, replace(NEW, channel=f"C0{number}")) for number in range(3)]
    clock.pass_by(HOUR)
    claimed = await state.watches.claim(3)
    await state.watches.checked(Checked(watch, {"n": watch.number}, clock.now + HOUR) for watch in claimed)
    found = [await state.watches.find("T0EXAMPLE", watch.number) for watch in watches]

    assert [(watch.checks, watch.tries, watch.standing) for watch in found if watch] == [
        (1, 0, {"n": watch.number}) for watch in watches
    ]
    assert await state.watches.first_due() == clock.now + HOUR


async def test_the_check_of_a_replica_that_is_gone_is_taken_up_and_cannot_be_written_by_it(
    state: State, clock: Clock
) -> None:
    """After its lease, under the same number; the one that hung and comes back changes nothing."""
    await kept(state, clock)
    clock.pass_by(HOUR)
    [hung] = await state.watches.claim(1)
    clock.pass_by(LEASE - timedelta(seconds=1))
    too_early = await state.watches.claim(1)
    clock.pass_by(timedelta(seconds=1))
    [taken] = await state.watches.claim(1)
    held = [await state.watches.holds(hung), await state.watches.holds(taken)]
    await state.watches.checked([Checked(hung, {"of": "hung"}, clock.now)])
    await state.watches.put_off(hung, clock.now)
    await state.watches.checked([Checked(taken, {"of": "taken"}, clock.now + HOUR)])
    found = await state.watches.find("T0EXAMPLE", hung.number)

    assert too_early == []
    assert (taken.checks, taken.tries, held) == (0, 2, [False, True])
    assert found is not None
    assert (found.checks, found.standing) == (1, {"of": "taken"})


async def test_a_check_that_was_put_off_keeps_its_number(state: State, clock: Clock) -> None:
    """It may have been half done, which its tries tell."""
    await kept(state, clock)
    clock.pass_by(HOUR)
    [claimed] = await state.watches.claim(1)
    await state.watches.put_off(claimed, clock.now + HOUR)
    clock.pass_by(HOUR)
    [again] = await state.watches.claim(1)

    assert (again.number, again.checks, again.tries) == (claimed.number, 0, 2)


async def test_a_watch_that_was_ended_while_it_was_checked_stays_ended(state: State, clock: Clock) -> None:
    """Somebody pressed stop meanwhile."""
    await kept(state, clock)
    clock.pass_by(HOUR)
    [claimed] = await state.watches.claim(1)
    await state.watches.end(claimed.number)
    await state.watches.checked([Checked(claimed, {}, clock.now)])

    assert await state.watches.holds(claimed) is False
    assert await state.watches.first_due() is None


async def test_a_watch_gets_its_thread_once_it_has_a_message(state: State, clock: Clock) -> None:
    """By slash command the thread begins with the watch's own message."""
    watch = await kept(state, clock, replace(NEW, thread_ts=""))
    await state.watches.placed(watch.number, "19.1")

    assert await state.watches.in_thread("T0EXAMPLE", "C0ONE", "19.1") == [replace(watch, thread_ts="19.1")]
