"""Places at work, given fairly: who asks for much does not hold up who asks for one thing."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    asker: tuple[str, str]  # user, channel
    given: asyncio.Future[None]


class Places:
    """`count` pieces of work at once. A free place goes to whose user and channel hold the fewest."""

    def __init__(self, count: int) -> None:
        self._count = self._free = count
        self._waiting: list[_Waiting] = []
        self._held: Counter[str] = Counter()  # by user, and by channel

    @property
    def waiting(self) -> int:
        """How many pieces wait for a place."""
        return len(self._waiting)

    @property
    def taken(self) -> bool:
        """Is anyone at work?"""
        return self._free < self._count

    @property
    def free(self) -> int:
        """How many pieces could begin at once."""
        return self._free

    @asynccontextmanager
    async def place(self, user: str = "", channel: str = "") -> AsyncIterator[None]:
        """Hold a place while inside."""
        asker = (f"user {user}", f"channel {channel}")
        await self._taken(asker)
        try:
            yield
        finally:
            self._held.subtract(asker)
            self._free += 1
            self._give()

    async def _taken(self, asker: tuple[str, str]) -> None:
        waiting = _Waiting(asker, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._give()
        try:
            await waiting.given
        except asyncio.CancelledError:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            else:  # given and cancelled in the same moment
                self._held.subtract(asker)
                self._free += 1
                self._give()
            raise

    def _give(self) -> None:
        while self._free and self._waiting:
            # Of equals `min` takes the first, which has waited longest.
            next_one = min(self._waiting, key=lambda waiting: sum(self._held[who] for who in waiting.asker))
            self._waiting.remove(next_one)
            self._held.update(next_one.asker)
            self._free -= 1
            next_one.given.set_result(None)
        self._held += Counter()  # forgets who holds nothing
