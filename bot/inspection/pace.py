"""How much a run over many lookups takes of what others use too: the event loop, and each server."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager

TURN = 0.002  # seconds of work between two breaths: an answer goes through the event loop some forty times
REST = 0.005  # seconds of a breath while others are at work
QUERIES_PER_SERVER = 3  # at once, so that a silent server does not keep the others waiting
QUERIES = 32  # at once over all servers


class Pace:
    """Of one run, or of several that share it. `others` tells whether somebody is at work who goes first."""

    def __init__(
        self, *, queries_per_server: int = QUERIES_PER_SERVER, others: Callable[[], bool] = lambda: False
    ) -> None:
        self._others = others
        self._all = asyncio.Semaphore(QUERIES)
        self._each: defaultdict[Hashable, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(queries_per_server)
        )
        self._breathing = asyncio.Lock()  # one after another: between two of them there is one turn of work, not each's
        self._turn_ends = 0.0

    async def breathe(self) -> None:
        """To be called after every small piece of work: when a turn is over, lets whatever else there is go first."""
        if time.perf_counter() < self._turn_ends:
            return
        async with self._breathing:
            await asyncio.sleep(REST if self._others() else 0)
            self._turn_ends = time.perf_counter() + TURN

    @asynccontextmanager
    async def query(self, server: Hashable) -> AsyncIterator[None]:
        """Ask a server inside."""
        async with self._each[server], self._all:
            yield
