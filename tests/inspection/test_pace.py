"""A long run leaves the event loop and most of each server to others."""

from __future__ import annotations

import asyncio
import time

import pytest

from bot.inspection.pace import TURN, Pace


async def steps_of_another(pace: Pace, turns: int, *, workers: int) -> int:
    """How far somebody gets who goes once through the event loop for each step, while `workers` work so many turns."""
    steps, done = 0, False

    async def work() -> None:
        for _ in range(turns):
            end = time.perf_counter() + TURN
            while time.perf_counter() < end:
                pass
            await pace.breathe()

    async def another() -> None:
        nonlocal steps
        while not done:
            await asyncio.sleep(0)
            steps += 1

    other = asyncio.create_task(another())
    await asyncio.gather(*(work() for _ in range(workers)))
    done = True
    await other
    return steps


@pytest.mark.parametrize("workers", [1, 4])
async def test_everyone_else_has_a_step_between_two_turns(workers: int) -> None:
    """However many work at that pace."""
    assert await steps_of_another(Pace(), 10, workers=workers) >= 10 * workers


async def test_it_rests_while_others_are_at_work() -> None:
    """They have many steps between two turns, not one."""
    resting = await steps_of_another(Pace(others=lambda: True), 10, workers=1)

    assert resting > 3 * await steps_of_another(Pace(), 10, workers=1)


async def test_runs_that_share_a_pace_ask_a_server_together_what_one_may() -> None:
    """Of another server they may ask as much."""
    pace, most, now = Pace(queries_per_server=2), {"a": 0, "b": 0}, {"a": 0, "b": 0}

    async def ask(server: str) -> None:
        async with pace.query(server):
            now[server] += 1
            most[server] = max(most[server], now[server])
            await asyncio.sleep(0)
            now[server] -= 1

    await asyncio.gather(*(ask(server) for server in "ab" * 5))

    assert most == {"a": 2, "b": 2}
