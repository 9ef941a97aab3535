"""Statements to the bot's own database, and the two that differ between SQLite and Postgres."""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from sqlalchemy import Connection, Row, Select, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningInsert, UpdateBase

from bot.state.engine import PATIENCE, Engine, Result, Work
from bot.state.failures import answering
from bot.state.gathered import Gathered

# Both spell INSERT … ON CONFLICT the same way, in two classes that know nothing of one another.
Insert = sqlite.Insert | postgresql.Insert
INSERT: Mapping[str, Callable[[Table], Insert]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
Query = Select[*tuple[Any, ...]]
Found = Row[*tuple[Any, ...]]


def digest_of(*parts: str) -> str:
    """SHA-256, in hex, of text of any length and any characters."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class _Put:
    """A row for `Database.put`."""

    table: Table
    columns: tuple[str, ...]
    keep: frozenset[str]
    values: Mapping[str, Any]

    def place(self) -> tuple[str, ...]:
        """Where the row stands."""
        return self.table.name, *(str(self.values[column.name]) for column in self.table.primary_key)


@cache  # to build one takes longer than to run it
def _upsert(dialect: str, table: Table, columns: tuple[str, ...], keep: frozenset[str]) -> Insert:
    """The statement that puts a row of those columns."""
    insert = INSERT[dialect](table)
    key = [column.name for column in table.primary_key]
    changed = {name: insert.excluded[name] for name in columns if name not in (*key, *keep)}
    return insert.on_conflict_do_update(index_elements=key, set_=changed)


@cache
def _insert_new(dialect: str, table: Table) -> ReturningInsert[Any]:
    return INSERT[dialect](table).on_conflict_do_nothing().returning(*table.primary_key)


class Database:
    """What repositories ask. Raises StoreUnavailable where the database is locked, full, slow or away.

    SQLite has one writer: tasks of this process queue for it in order, instead of polling its lock.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._turns = asyncio.Semaphore(engine.writers)
        self._putting: Gathered[_Put, None] = Gathered(self._put)

    async def read(self, work: Work[Result]) -> Result:
        """What `work` returns, which reads with one statement."""
        with answering():
            return await self._engine.read(work)

    async def write(self, work: Work[Result]) -> Result:
        """What `work` returns: a transaction, committed at its end, rolled back on an exception."""
        with answering():
            async with asyncio.timeout(PATIENCE):
                await self._turns.acquire()
            try:
                return await self._engine.write(work)
            finally:
                self._turns.release()

    async def rows(self, query: Query, values: Mapping[str, Any] | None = None) -> Sequence[Found]:
        """What the query finds."""
        return await self.read(lambda connection: connection.execute(query, values).all())

    async def row(self, query: Query, values: Mapping[str, Any] | None = None) -> Found | None:
        """The one row that the query finds; None where it finds none."""
        return await self.read(lambda connection: connection.execute(query, values).one_or_none())

    async def value(self, query: Query) -> Any:
        """The one value that the query finds; None where it finds none."""
        return await self.read(lambda connection: connection.execute(query).scalar_one_or_none())

    async def change(self, statement: UpdateBase, values: Sequence[Mapping[str, Any]] | None = None) -> int:
        """Run one INSERT, UPDATE or DELETE, once for each of `values` where there are any; how many rows it changed."""
        return await self.write(lambda connection: connection.execute(statement, values).rowcount)

    async def put(self, table: Table, values: Mapping[str, Any], keep: Iterable[str] = ()) -> None:
        """Insert a row, or overwrite the one of the same primary key except for its columns in `keep`.

        What is put at one moment is one transaction.
        """
        await self._putting.do(_Put(table, tuple(values), frozenset(keep), values))

    async def _put(self, batch: Sequence[_Put]) -> list[None]:
        rows: defaultdict[Insert, list[Mapping[str, Any]]] = defaultdict(list)
        for each in sorted(batch, key=_Put.place):  # in one order: two replicas with the same rows do not deadlock
            statement = _upsert(self._engine.dialect, each.table, each.columns, each.keep)
            rows[statement].append(each.values)
        await self.write(partial(_execute_each, rows))
        return [None] * len(batch)

    def insert_new(self, table: Table) -> ReturningInsert[Any]:
        """The statement that inserts those rows that break no unique index, and returns their keys."""
        return _insert_new(self._engine.dialect, table)

    async def close(self) -> None:
        """Close every connection."""
        await self._engine.close()


def _execute_each(rows: Mapping[Insert, list[Mapping[str, Any]]], connection: Connection) -> None:
    for statement, values in rows.items():
        connection.execute(statement, values)
