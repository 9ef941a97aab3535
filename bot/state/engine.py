"""Connections to the bot's own database. Work on them is a plain function of a connection, the same for both kinds.

SQLite's runs in threads, one hand-over for a whole transaction: a driver that hands over each call of it waits some
fifteen times for its turn on a busy machine. Postgres's runs in the loop, on a driver that waits for a network.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, TypeVar

from sqlalchemy import URL, Connection, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import create_async_engine

from bot.errors import BadSetting
from bot.state.failures import EXAMPLES, VARIABLE

Result = TypeVar("Result")
Work = Callable[[Connection], Result]

PATIENCE = 5.0  # seconds that a statement, a lock or a free connection may take
CONNECTIONS = 5  # kept open, a process
DRIVERS = {
    "sqlite": "sqlite+pysqlite",
    "sqlite+pysqlite": "sqlite+pysqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}
# What may stand behind `?`, by libpq's name, and what the driver calls it.
QUERY: Mapping[str, Mapping[str, str]] = {
    "sqlite": {},
    "postgresql": {"sslmode": "ssl", "ssl": "ssl", "host": "host", "port": "port"},
}

# WAL lets readers read beside the one writer. NORMAL: a commit survives the end of the process; the very last ones
# may be lost with the machine's power, the file stays whole. https://sqlite.org/pragma.html#pragma_synchronous
PRAGMAS = (
    f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
)


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
    return "file" if on_sqlite(url) else "database"


def on_sqlite(url: URL) -> bool:
    """Is it a file of ours, and no server?"""
    return url.get_backend_name() == "sqlite"


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
    if on_sqlite(url) and url.database:
        path = Path(url.database)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_CREAT | os.O_RDONLY, 0o600))


class Engine(Protocol):
    """Where work finds a connection. Raises what the driver raises."""

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""

    @property
    def writers(self) -> int:
        """How many may write at one moment."""

    async def read(self, work: Work[Result]) -> Result:
        """What `work` returns, which reads with one statement."""

    async def write(self, work: Work[Result]) -> Result:
        """The same in a transaction: committed at its end, rolled back on an exception."""

    async def close(self) -> None:
        """Close every connection; work at hand in threads is waited for."""


def engine_at(url: URL, patience: float | None = PATIENCE) -> Engine:
    """An engine, not yet connected. `patience` bounds one statement on Postgres, in seconds."""
    return SqliteEngine(url) if on_sqlite(url) else PostgresEngine(url, patience)


class SqliteEngine:
    """Implements Engine on a file. Work that is cancelled is left to its thread, which ends it."""

    dialect = "sqlite"
    writers = 1

    def __init__(self, url: URL) -> None:
        self._engine = create_engine(url, connect_args={"isolation_level": None}, **_pool())
        event.listen(self._engine, "connect", _set_pragmas)
        self._threads = _threads()

    async def read(self, work: Work[Result]) -> Result:
        """A statement outside of a transaction is one of its own."""
        return await self._in_thread(self._read, work)

    async def write(self, work: Work[Result]) -> Result:
        """A writer takes the lock at once: one that first reads and then asks for it is refused without waiting."""
        return await self._in_thread(self._write, work)

    async def close(self) -> None:
        """Waits for work in threads."""
        threads, self._threads = self._threads, _threads()  # as with the pool: who asks afterwards finds new ones
        await asyncio.to_thread(threads.shutdown)
        self._engine.dispose()

    async def _in_thread(self, run: Callable[[Work[Result]], Result], work: Work[Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, run, work)

    def _read(self, work: Work[Result]) -> Result:
        with self._engine.connect() as connection:
            return work(connection)

    def _write(self, work: Work[Result]) -> Result:
        with self._engine.begin() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            return work(connection)


def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="sqlite")


class PostgresEngine:
    """Implements Engine on a server."""

    dialect = "postgresql"
    writers = CONNECTIONS

    def __init__(self, url: URL, patience: float | None) -> None:
        waiting = {"timeout": PATIENCE, "command_timeout": patience}
        # A server may have been restarted since a connection was last used.
        self._engine = create_async_engine(url, pool_pre_ping=True, connect_args=waiting, **_pool())

    async def read(self, work: Work[Result]) -> Result:
        """It reads what is committed."""
        async with self._engine.connect() as connection:
            return await connection.run_sync(work)

    async def write(self, work: Work[Result]) -> Result:
        """In the isolation that Postgres has by default, READ COMMITTED."""
        async with self._engine.begin() as connection:
            return await connection.run_sync(work)

    async def close(self) -> None:
        """Waits for nothing: its work is tasks of ours."""
        await self._engine.dispose()


def _pool() -> dict[str, Any]:
    return {
        "hide_parameters": True,  # errors and logs show statements, never what was bound to them
        "pool_size": CONNECTIONS,
        "max_overflow": 0,
        "pool_timeout": PATIENCE,
    }


def _set_pragmas(connection: DBAPIConnection, _: object) -> None:
    cursor = connection.cursor()
    for pragma in PRAGMAS:
        cursor.execute(pragma)
    cursor.close()
