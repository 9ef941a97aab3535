from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from bot.state.database import Database
from bot.state.engine import engine_at, parse_address


async def opened(url: str) -> Database:
    """One with an empty table of numbers."""
    database = Database(engine_at(parse_address(url)))
    await database.write(lambda connection: connection.execute(text("CREATE TABLE numbers (number integer)")))
    return database


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    """One that holds no numbers yet."""
    database = await opened(url)
    yield database
    await database.close()


def add(connection: Connection, number: int) -> None:
    """Work, part of a transaction."""
    connection.execute(text("INSERT INTO numbers VALUES (:number)"), {"number": number})


async def numbers(database: Database) -> list[int]:
    """What is committed."""
    query = text("SELECT number FROM numbers ORDER BY number")
    return list(await database.read(lambda connection: connection.execute(query).scalars().all()))


async def test_a_mistake_takes_back_the_whole_transaction(database: Database) -> None:
    """What went before it too; and it stays what it is."""

    def mistaken(connection: Connection) -> None:
        add(connection, 1)
        raise KeyError("a mistake")

    with pytest.raises(KeyError, match="a mistake"):
        await database.write(mistaken)
    await database.write(lambda connection: add(connection, 2))

    assert await numbers(database) == [2]


async def test_a_closed_database_opens_again(database: Database) -> None:
    """Late work of a bot that stops finds a connection."""
    await database.write(lambda connection: add(connection, 1))
    await database.close()

    assert await numbers(database) == [1]


async def test_who_is_cancelled_does_not_keep_the_others_waiting(tmp_path: Path) -> None:
    """SQLite's work goes on in its thread to its end, whole; the next writer waits for it."""
    database = await opened(f"sqlite:///{tmp_path / 'state.db'}")
    begun, go_on = threading.Event(), threading.Event()

    def slow(connection: Connection) -> None:
        add(connection, 1)
        begun.set()
        go_on.wait()

    cancelled = asyncio.create_task(database.write(slow))
    await asyncio.to_thread(begun.wait)
    cancelled.cancel()
    following = asyncio.create_task(database.write(lambda connection: add(connection, 2)))
    await asyncio.wait([cancelled])
    go_on.set()
    await following
    found = await numbers(database)
    await database.close()

    assert (cancelled.cancelled(), found) == (True, [1, 2])
