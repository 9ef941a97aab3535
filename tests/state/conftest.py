"""Every test of the bot's own database runs on SQLite and on Postgres."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from bot.state.state import State
from tests.state.postgres_server import PostgresServer, running_postgres
from tests.state.sql import execute

# A failed test may have left connections open, and locks with them.
OTHERS_OUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IS NOT NULL AND pid <> pg_backend_pid()"
)


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, span: timedelta) -> None:
        self.now += span


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """The server that all tests share; each finds it empty."""
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
async def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'state.db'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    await execute(server.url("postgres"), OTHERS_OUT)
    await execute(server.url("postgres"), "DROP SCHEMA public CASCADE")  # a database a test would be slow to make
    await execute(server.url("postgres"), "CREATE SCHEMA public")
    return server.url("postgres")


@pytest.fixture
def clock() -> Clock:
    """What the state takes for the time."""
    return Clock()


@pytest.fixture(scope="session")
def key() -> str:
    """A key that seals tokens."""
    return Fernet.generate_key().decode()


@pytest.fixture
async def state(url: str, key: str, clock: Clock) -> AsyncIterator[State]:
    """An open, empty state."""
    opened = await State.open(url, [key], clock)
    yield opened
    await opened.close()
