"""Whose the links of a message are: the first to claim them has them, on whatever replica."""

from __future__ import annotations

import asyncio

import pytest

from bot.state.claims import CLAIMS_KEPT
from bot.state.records import Answerer
from bot.state.state import State
from tests.state.conftest import Clock

PLACE = ("T0EXAMPLE", "C0GENERAL", "1796000000.000100")


@pytest.mark.parametrize(("first", "second"), [(Answerer.CARD, Answerer.THREAD), (Answerer.THREAD, Answerer.CARD)])
async def test_the_first_claim_stands(state: State, first: Answerer, second: Answerer) -> None:
    """For both, however often each asks: work that is begun again finds what it had."""
    unclaimed = await state.claims.find(*PLACE)
    told = [await state.claims.claim(*PLACE, by) for by in (first, second, first)]
    elsewhere = await state.claims.claim(*PLACE[:2], "1796000000.000200", second)

    assert unclaimed is None
    assert (told, elsewhere) == ([first] * 3, second)
    assert await state.claims.find(*PLACE) is first


async def test_of_claims_at_one_moment_one_stands(state: State) -> None:
    """All are told the same."""
    told = await asyncio.gather(*(state.claims.claim(*PLACE, by) for by in [*Answerer] * 4))

    assert len(set(told)) == 1


async def test_claims_go_when_no_event_comes_any_more(state: State, clock: Clock) -> None:
    """A day later."""
    await state.claims.claim(*PLACE, Answerer.CARD)
    early = await state.claims.sweep(clock.now + CLAIMS_KEPT)
    clock.pass_by(CLAIMS_KEPT * 1.01)

    assert (early, await state.claims.sweep(clock.now)) == (0, 1)
    assert await state.claims.find(*PLACE) is None
