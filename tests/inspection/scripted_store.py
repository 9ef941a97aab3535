"""A store that answers from a script: what each table says, fails with, or how long it takes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from bot.inspection.store import Query, Rows

Reply = Sequence[Mapping[str, Any]] | Exception | float  # rows, a failure, or seconds of silence


class ScriptedStore:
    """Implements the store port. A table that the script leaves out has no rows. `asked` keeps every query."""

    def __init__(self, **tables: Reply) -> None:
        self._tables = tables
        self.asked: list[tuple[Query, int | None]] = []

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        """What the script has for the table that the query reads."""
        self.asked.append((query, shard))
        reply = next((reply for table, reply in self._tables.items() if table in query.sql), [])
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, float):
            await asyncio.sleep(reply)
            return Rows((), "", reply * 1000)
        return Rows(tuple(reply), "\n".join(json.dumps(dict(row)) for row in reply), 0.1)

    def curl(self, query: Query, shard: int | None) -> str | None:
        """A recognisable command."""
        return f"curl shard-{shard}"

    async def close(self) -> None:
        """Nothing is open."""
