"""Who asks for much does not hold up who asks for one thing."""

from __future__ import annotations

import asyncio

import pytest

from bot.slack.places import Places

Asker = tuple[str, str]
ANN, BEN, EVE = ("ann", "general"), ("ben", "general"), ("eve", "random")


@pytest.mark.parametrize(
    ("asked", "order"),
    [
        ([ANN] * 4, [ANN] * 4),
        ([ANN, ANN, ANN, ANN, EVE], [ANN, ANN, EVE, ANN, ANN]),  # two places are taken when she comes
        ([ANN, ANN, ANN, BEN, EVE], [ANN, ANN, EVE, ANN, BEN]),  # the other channel, then who has waited longest
        ([ANN, ANN, BEN, ANN, EVE, BEN], [ANN, ANN, EVE, BEN, ANN, BEN]),
        ([ANN, BEN, EVE], [ANN, BEN, EVE]),
    ],
)
async def test_a_free_place_goes_to_who_holds_the_fewest(asked: list[Asker], order: list[Asker]) -> None:
    """Of two places; among equals, to who has waited longest."""
    places, begun, may_end = Places(2), [], [asyncio.Event() for _ in asked]

    async def work(asker: Asker) -> None:
        async with places.place(*asker):
            begun.append(asker)
            assert places.taken
            await may_end[len(begun) - 1].wait()

    tasks = [asyncio.create_task(work(asker)) for asker in asked]
    for event in may_end:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        event.set()
    await asyncio.gather(*tasks)

    assert (begun, places.free, places.waiting) == (order, 2, 0)


@pytest.mark.parametrize("after", [0, 1, 2], ids=["before its turn", "while others begin", "at work"])
async def test_a_cancelled_piece_keeps_no_place(after: int) -> None:
    """Wherever it is cancelled."""
    places = Places(1)

    async def work() -> None:
        async with places.place():
            await asyncio.sleep(0.01)

    tasks = [asyncio.create_task(work()) for _ in range(3)]
    for _ in range(after):
        await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

    assert (places.free, places.waiting, places.taken) == (1, 0, False)
