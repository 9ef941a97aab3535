"""Clients of many servers: opened when first asked for, kept alive, at most so many open at once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from bot.store.endpoints import Endpoint


class Closable(Protocol):
    """What can be kept here."""

    async def close(self) -> None:
        """Let go of every connection."""


Client = TypeVar("Client", bound=Closable)


@dataclass(eq=False, slots=True)
class _Slot(Generic[Client]):
    opening: asyncio.Task[Client]
    users: int = 0


class Connections(Generic[Client]):
    """One client a server, shared by all who ask; beyond `limit` the one that has been idle longest is closed."""

    def __init__(self, opener: Callable[[Endpoint], Awaitable[Client]], limit: int) -> None:
        self._opener = opener
        self._limit = limit
        self._slots: OrderedDict[Endpoint, _Slot[Client]] = OrderedDict()
        self._closing: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        return len(self._slots)

    @asynccontextmanager
    async def borrowed(self, endpoint: Endpoint) -> AsyncIterator[Client]:
        """The client of a server, not closed while it is in use. Raises what opening it raised.

        Opening is shared: one who gives up waiting does not end it for the others, and the last one does.
        """
        slot = self._slots.get(endpoint) or self._open(endpoint)
        self._slots.move_to_end(endpoint)
        slot.users += 1
        try:
            yield await asyncio.shield(slot.opening)
        finally:
            slot.users -= 1
            self._give_up(endpoint, slot)
            self._evict()

    async def close(self) -> None:
        """Close every client, those still opening included."""
        slots = list(self._slots.values())
        self._slots.clear()
        for slot in slots:
            slot.opening.cancel()
        await asyncio.gather(*(slot.opening for slot in slots), return_exceptions=True)
        for slot in slots:
            self._retire(slot)
        while self._closing:
            await asyncio.gather(*self._closing, return_exceptions=True)

    def _open(self, endpoint: Endpoint) -> _Slot[Client]:
        slot = _Slot(asyncio.ensure_future(_run(self._opener(endpoint))))
        self._slots[endpoint] = slot
        slot.opening.add_done_callback(lambda opening: self._forget_failed(endpoint, opening))
        return slot

    def _forget_failed(self, endpoint: Endpoint, opening: asyncio.Task[Client]) -> None:
        failed = opening.cancelled() or opening.exception() is not None
        slot = self._slots.get(endpoint)
        if failed and slot is not None and slot.opening is opening:
            del self._slots[endpoint]

    def _give_up(self, endpoint: Endpoint, slot: _Slot[Client]) -> None:
        """End an opening that nobody waits for: the next who asks begins anew."""
        if slot.users or slot.opening.done():
            return
        slot.opening.cancel()
        if self._slots.get(endpoint) is slot:
            del self._slots[endpoint]
        self._watch(slot.opening)

    def _watch(self, task: asyncio.Task[Any]) -> None:
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def _evict(self) -> None:
        idle = [endpoint for endpoint, slot in self._slots.items() if not slot.users and slot.opening.done()]
        for endpoint in idle[: max(0, len(self._slots) - self._limit)]:
            self._retire(self._slots.pop(endpoint))

    def _retire(self, slot: _Slot[Client]) -> None:
        if slot.opening.cancelled() or slot.opening.exception() is not None:
            return
        self._watch(asyncio.ensure_future(_run(slot.opening.result().close())))


Result = TypeVar("Result")


async def _run(work: Awaitable[Result]) -> Result:
    return await work
