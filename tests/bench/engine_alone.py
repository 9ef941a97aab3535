"""The queries of inspections, and nothing else: what `tests.bench.load` measures the bot against.

    python -m tests.bench.engine_alone FOLDER --at-once 16 --seconds 5

opens the embedded crawl in FOLDER, asks what inspections of the pages would ask, and prints how many pages a second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from bot.index.profile import load_profile
from bot.index.sample import EXAMPLES
from bot.inspection.pipeline import Inspector
from bot.inspection.store import Query, Rows, Store
from bot.store.embedded import EmbeddedStore
from tests.bench.slack_end import saturating

SHOWN = ("indexable", "not found", "redirected", "too old", "dropped", "spam", "canonical elsewhere", "recrawled")
PAGES: Sequence[str] = tuple(EXAMPLES[name] for name in SHOWN)


class Overheard:
    """Implements the store port; keeps what is asked of another."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.asked: list[tuple[Query, int | None]] = []

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        """What the other says."""
        self.asked.append((query, shard))
        return await self._store.fetch(query, shard)

    def curl(self, query: Query, shard: int | None) -> str | None:
        """Nobody asks for it here."""
        return None

    async def close(self) -> None:
        """The other is closed by the one who opened it."""


async def queries_of(store: Store, page: str) -> list[tuple[Query, int | None]]:
    """What an inspection of a page asks."""
    overheard = Overheard(store)
    inspector = Inspector(overheard, load_profile())
    await inspector.inspect(inspector.read(page))
    return overheard.asked


async def pages_a_second(folder: Path, at_once: int, seconds: float) -> float:
    """The queries of one page run at once, as the bot runs them."""
    store = EmbeddedStore(folder)
    asked = [await queries_of(store, page) for page in PAGES]

    async def one(number: int) -> bool:
        await asyncio.gather(*(store.fetch(query, shard) for query, shard in asked[number % len(asked)]))
        return True

    try:
        await saturating(one, at_once, 1.0)  # what is asked first is slow
        return await saturating(one, at_once, seconds)
    finally:
        await store.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--at-once", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=5.0)
    chosen = parser.parse_args()
    print(json.dumps(asyncio.run(pages_a_second(chosen.folder, chosen.at_once, chosen.seconds))))
