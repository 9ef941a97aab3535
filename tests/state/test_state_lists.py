"""Lists of many URLs: cancelled from anywhere while they run, kept for as long as their link works."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.inspection.model import Verdict
from bot.report.kept_list import KeptList, ListRow
from bot.state.lists import RUN_KEPT, RUNS_FOR
from bot.state.records import Cancelling
from bot.state.state import State
from tests.state.conftest import Clock

TEAM, ANN, BEN = "T0EXAMPLE", "U0ANN", "U0BEN"
WEEK = timedelta(days=7)
AT = datetime(2026, 12, 1, 12, tzinfo=UTC)
ROWS = (
    ListRow("com,example!,/é\0\ud800 s443", Verdict.NOT_INDEXABLE, "Canonical", AT, ""),
    ListRow("hash:18446744073709551615", Verdict.UNKNOWN, None, None, "node1 did not answer."),
)
KEPT = KeptList(3, AT, True, ROWS)


async def test_its_asker_cancels_a_list_from_any_replica(state: State) -> None:
    """The mark is for the replica that runs the list, and nobody else can set it."""
    await state.lists.start("one", TEAM, ANN)
    before = await state.lists.is_cancelled("one")
    told = [await state.lists.cancel("one", *asker) for asker in ((TEAM, BEN), ("T0OTHER", ANN), (TEAM, ANN))]

    assert told == [Cancelling.NOT_YOURS, Cancelling.NOT_RUNNING, Cancelling.MARKED]
    assert (before, await state.lists.is_cancelled("one")) == (False, True)
    assert not await state.lists.is_cancelled("two")


async def test_a_list_runs_while_its_replica_is_heard_of(state: State, clock: Clock) -> None:
    """Each look for the mark is a sign of life; without any the list is told to run no more."""
    await state.lists.start("one", TEAM, ANN)
    for _ in range(3):
        clock.pass_by(RUNS_FOR / 2)
        await state.lists.is_cancelled("one")
    clock.pass_by(RUNS_FOR - timedelta(seconds=1))
    alive = await state.lists.cancel("one", TEAM, ANN)
    clock.pass_by(timedelta(seconds=1))

    assert (alive, await state.lists.cancel("one", TEAM, ANN)) == (Cancelling.MARKED, Cancelling.NOT_RUNNING)


@pytest.mark.parametrize("kept", [KEPT, None])
async def test_a_list_that_is_done_cannot_be_cancelled_and_has_its_rows(state: State, kept: KeptList | None) -> None:
    """Every row as it was, whatever letters a key has; nothing where nothing was to be kept."""
    await state.lists.start("one", TEAM, ANN)
    running = await state.lists.find("one")
    await state.lists.finish("one", kept, WEEK)

    assert running is None
    assert await state.lists.find("one") == kept
    assert await state.lists.cancel("one", TEAM, ANN) is Cancelling.NOT_RUNNING
    assert await state.lists.find("two") is None


async def test_lists_are_kept_as_long_as_was_said(state: State, clock: Clock) -> None:
    """To the second; one that never came to an end, for a day."""
    await state.lists.start("done", TEAM, ANN)
    await state.lists.start("lost", TEAM, ANN)
    await state.lists.finish("done", KEPT, WEEK)
    after_a_day = await state.lists.sweep(clock.now + RUN_KEPT)
    clock.pass_by(WEEK - timedelta(seconds=1))
    last = await state.lists.find("done")
    clock.pass_by(timedelta(seconds=1))

    assert (after_a_day, last) == (1, KEPT)
    assert await state.lists.find("done") is None
    assert (await state.sweep(clock.now))["lists"] == 1


async def test_ten_thousand_rows_are_kept(state: State) -> None:
    """The largest list there is, with long keys."""
    rows = tuple(ListRow(f"com,example!,/{n}/{'x' * 200} s443", Verdict.INDEXABLE, None, AT, "") for n in range(10_000))
    await state.lists.start("one", TEAM, ANN)
    await state.lists.finish("one", KeptList(10_000, AT, False, rows), WEEK)

    assert await state.lists.find("one") == KeptList(10_000, AT, False, rows)
