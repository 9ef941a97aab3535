"""Hedged attempts: where the first server is slow or fails, the next is asked too, and the first answer counts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from bot import metrics
from bot.errors import StoreUnavailable

Answer = TypeVar("Answer")


async def first_answer(attempts: Sequence[Callable[[], Awaitable[Answer]]], delay: float) -> Answer:
    """The first answer of `attempts` (one or more), each started `delay` seconds after the one before it.

    An attempt that raises StoreUnavailable starts the next at once; any other error is an answer, and is raised. Where
    all fail, the first one's error is raised. What still runs at the end is cancelled and awaited.
    """
    waiting = list(attempts)
    running: list[asyncio.Future[Answer]] = []
    failures: list[StoreUnavailable] = []
    try:
        while waiting or running:
            if waiting:
                if running or failures:
                    metrics.hedged("slow" if running else "failed")
                running.append(asyncio.ensure_future(waiting.pop(0)()))
            done, _ = await asyncio.wait(
                running, timeout=delay if waiting else None, return_when=asyncio.FIRST_COMPLETED
            )
            for attempt in done:
                running.remove(attempt)
                error = attempt.exception()
                if not isinstance(error, StoreUnavailable):
                    return attempt.result()
                failures.append(error)
        raise failures[0]
    finally:
        for attempt in running:
            attempt.cancel()
        await asyncio.gather(*running, return_exceptions=True)
