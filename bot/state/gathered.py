"""Many small writes at one moment, as one transaction: a commit costs the same for one row and for a hundred."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from bot.errors import StoreUnavailable

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST = 200  # items of one write


class Gathered(Generic[Item, Result]):
    """Writes an item at once where nothing is being written; those that come meanwhile are written together next."""

    def __init__(self, write: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]]) -> None:
        self._write = write
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def do(self, item: Item) -> Result:
        """Write it; what `write` returned for it. Raises what `write` raised."""
        done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())
        return await done

    async def _write_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            if not await self._written(batch):
                for one in batch:  # what no database takes costs itself only
                    await self._written([one])

    async def _written(self, batch: Sequence[tuple[Item, asyncio.Future[Result]]]) -> bool:
        """Write those and settle them; False where the mistake of one may have cost the others."""
        try:
            results = await self._write([item for item, _ in batch])
        except Exception as error:  # it is raised where each item waits
            if len(batch) > 1 and not isinstance(error, StoreUnavailable):
                return False
            for _, done in batch:
                if not done.done():
                    done.set_exception(error)
            return True
        for (_, done), result in zip(batch, results, strict=True):
            if not done.done():
                done.set_result(result)
        return True
