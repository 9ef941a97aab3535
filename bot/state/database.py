"""Connections to the bot's own database, and the two statements that differ between SQLite and Postgres."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Table, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.sql.dml import ReturningInsert

from bot.errors import BadSetting
from bot.state.failures import EXAMPLES, VARIABLE, answering
from bot.state.gathered import Gathered

PATIENCE = 5.0  # seconds that a statement, a lock or a free connection may take
CONNECTIONS = 5  # kept open, a process
DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}
# What may stand behind `?`, by libpq's name, and what the driver calls it.
QUERY: Mapping[str, Mapping[str, str]] = {
    "sqlite": {},
    "postgresql": {"sslmode": "ssl", "ssl": "ssl", "host": "host", "port": "port"},
}
# Both spell INSERT … ON CONFLICT the same way, in two classes that know nothing of one another.
Insert = sqlite.Insert | postgresql.Insert
INSERT: Mapping[str, Callable[[Table], Insert]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}

# WAL lets readers read beside the one writer. NORMAL: a commit survives the end of the process; the very last ones
# may be lost with the machine's power, the file stays whole. https://sqlite.org/pragma.html#pragma_synchronous
PRAGMAS = (
    f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
)


def digest_of(*parts: str) -> str:
    """SHA-256, in hex, of text of any length and any characters."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def parse_address(text: str) -> URL:
    """The address with the driver that we use. Raises BadSetting, which never repeats a password."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise BadSetting(f"{VARIABLE} is not a database address. Example: {EXAMPLES}.") from error
    if url.drivername not in DRIVERS:
        raise BadSetting(f"{VARIABLE} names {url.drivername!r}; SQLite and Postgres are known. Example: {EXAMPLES}.")
    url = url.set(drivername=DRIVERS[url.drivername])
    if url.database in (None, "", ":memory:"):
        raise BadSetting(f"{VARIABLE} names no {_thing(url)}. Example: {EXAMPLES}.")
    return url.set(query=_query(url))


def _thing(url: URL) -> str:
    return "file" if url.get_backend_name() == "sqlite" else "database"


def _query(url: URL) -> dict[str, Any]:
    known = QUERY[url.get_backend_name()]
    for name in url.query:
        if name not in known:
            raise BadSetting(f"{VARIABLE} holds the option {name!r}, which is not known. Example: {EXAMPLES}.")
    return {known[name]: value for name, value in url.query.items()}


def shown(url: URL) -> str:
    """The address as people write it, stars for the password."""
    return url.set(drivername=url.get_backend_name()).render_as_string(hide_password=True)


def create_file(url: URL) -> None:
    """For SQLite: the file and its folders, for their owner only, since tokens are kept there. Raises OSError."""
    if url.get_backend_name() == "sqlite" and url.database:
        path = Path(url.database)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_CREAT | os.O_RDONLY, 0o600))


def create_engine(url: URL, patience: float | None = PATIENCE) -> AsyncEngine:
    """An engine, not yet connected. `patience` bounds one statement on Postgres, in seconds."""
    on_sqlite = url.get_backend_name() == "sqlite"
    engine = create_async_engine(
        url,
        hide_parameters=True,  # errors and logs show statements, never what was bound to them
        pool_size=CONNECTIONS,
        max_overflow=0,
        pool_timeout=PATIENCE,
        pool_pre_ping=not on_sqlite,  # a server may have been restarted since
        connect_args={"isolation_level": None} if on_sqlite else {"timeout": PATIENCE, "command_timeout": patience},
    )
    if on_sqlite:
        event.listen(engine.sync_engine, "connect", _set_pragmas)
        event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _set_pragmas(connection: DBAPIConnection, _: object) -> None:
    cursor = connection.cursor()
    for pragma in PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _begin(connection: Connection) -> None:
    """A writer takes the lock at once: one that first reads and then asks for it is refused without waiting.

    Who reads asks once, and one statement is a transaction of its own.
    """
    if not connection.get_execution_options().get("reading"):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


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
    """Transactions over one engine. Raises StoreUnavailable where the database is locked, full, slow or away.

    SQLite has one writer: tasks of this process queue for it in order, instead of polling its lock.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._reading = engine.execution_options(reading=True)
        self._turns = asyncio.Semaphore(1 if engine.dialect.name == "sqlite" else CONNECTIONS)
        self._putting: Gathered[_Put, None] = Gathered(self._put)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection for one statement that reads."""
        with answering():
            async with self._reading.connect() as connection:
                yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that writes; commits at its end, or rolls back on an exception."""
        with answering():
            async with asyncio.timeout(PATIENCE):
                await self._turns.acquire()
            try:
                async with self._engine.begin() as connection:
                    yield connection
            finally:
                self._turns.release()

    async def put(self, table: Table, values: Mapping[str, Any], keep: Iterable[str] = ()) -> None:
        """Insert a row, or overwrite the one of the same primary key except for its columns in `keep`.

        What is put at one moment is one transaction.
        """
        await self._putting.do(_Put(table, tuple(values), frozenset(keep), values))

    async def _put(self, batch: Sequence[_Put]) -> list[None]:
        rows: defaultdict[Insert, list[Mapping[str, Any]]] = defaultdict(list)
        for each in sorted(batch, key=_Put.place):  # in one order: two replicas with the same rows do not deadlock
            statement = _upsert(self._engine.dialect.name, each.table, each.columns, each.keep)
            rows[statement].append(each.values)
        async with self.write() as connection:
            for statement, values in rows.items():
                await connection.execute(statement, values)
        return [None] * len(batch)

    def insert_new(self, table: Table) -> ReturningInsert[Any]:
        """The statement that inserts those rows that break no unique index, and returns their keys."""
        return _insert_new(self._engine.dialect.name, table)

    async def close(self) -> None:
        """Close every connection."""
        await self._engine.dispose()
