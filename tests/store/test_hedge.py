"""Hedged attempts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from bot.errors import QueryRefused, StoreUnavailable
from bot.store.hedge import first_answer


class Attempts:
    """Scripted servers: each answers its name after its seconds, or raises; what was started and cancelled is kept."""

    def __init__(self, *script: tuple[str, float, type[Exception] | None]) -> None:
        self.started: list[str] = []
        self.cancelled: list[str] = []
        self.all: list[Callable[[], Awaitable[str]]] = [self._scripted(*line) for line in script]

    def _scripted(self, name: str, seconds: float, error: type[Exception] | None) -> Callable[[], Awaitable[str]]:
        async def attempt() -> str:
            self.started.append(name)
            try:
                await asyncio.sleep(seconds)
            except asyncio.CancelledError:
                self.cancelled.append(name)
                raise
            if error is not None:
                raise error(name)
            return name

        return attempt


@pytest.mark.parametrize(
    ("script", "answer", "started", "cancelled"),
    [
        ([("a", 0, None), ("b", 0, None)], "a", "a", ""),
        ([("a", 9, None), ("b", 0, None)], "b", "ab", "a"),
        ([("a", 0.15, None), ("b", 9, None)], "a", "ab", "b"),
        ([("a", 0, StoreUnavailable), ("b", 0, None)], "b", "ab", ""),
        ([("a", 9, None), ("b", 9, None), ("c", 0, None)], "c", "abc", "ab"),
        ([("a", 9, None), ("b", 0, StoreUnavailable), ("c", 0, None)], "c", "abc", "a"),
    ],
    ids=["first is quick", "first hangs", "first is slow", "first fails", "two hang", "hang and fail"],
)
async def test_the_first_answer_counts(
    script: list[tuple[str, float, type[Exception] | None]], answer: str, started: str, cancelled: str
) -> None:
    """The next server is asked after the delay, or at once where the one before failed; the rest is cancelled."""
    attempts = Attempts(*script)

    assert await first_answer(attempts.all, 0.1) == answer
    assert ("".join(attempts.started), "".join(sorted(attempts.cancelled))) == (started, cancelled)


async def test_a_refusal_is_an_answer() -> None:
    """A query that one server refuses is not tried on another."""
    attempts = Attempts(("a", 0, QueryRefused), ("b", 0, None))

    with pytest.raises(QueryRefused):
        await first_answer(attempts.all, 0.1)
    assert attempts.started == ["a"]


async def test_where_all_fail_the_first_reason_stands() -> None:
    """The preferred server's failure is what is told."""
    attempts = Attempts(("a", 0.15, StoreUnavailable), ("b", 0.2, StoreUnavailable))
    start = time.monotonic()

    with pytest.raises(StoreUnavailable, match="a"):
        await first_answer(attempts.all, 0.1)
    assert time.monotonic() - start < 1


async def test_giving_up_ends_every_attempt() -> None:
    """Who cancels the whole leaves nothing running."""
    attempts = Attempts(("a", 9, None), ("b", 9, None))

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(first_answer(attempts.all, 0.05), 0.3)
    assert sorted(attempts.cancelled) == ["a", "b"]
