"""The schema: made by the revisions, once, and the same as the tables that the code describes."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from bot.errors import BadSetting, StoreUnavailable
from bot.state.engine import engine_at, parse_address
from bot.state.migrate import known_revisions
from bot.state.state import State
from bot.state.tables import VERSION_TABLE, metadata
from tests.state.postgres_server import PASSWORD, PostgresServer
from tests.state.sql import execute

PROJECT = Path(__file__).parents[2]
OPEN = """
import asyncio, sys
from bot.state.state import State
async def main():
    state = await State.open(sys.argv[1])
    print(await state.revision())
    await state.close()
asyncio.run(main())
"""


async def test_the_revisions_make_the_tables_of_the_code(state: State, url: str) -> None:
    """After all revisions nothing differs from `bot.state.tables`, not a type, an index or a nullable column."""
    engine = engine_at(parse_address(url))
    differences = await engine.read(_differences)
    await engine.close()

    assert differences == []


def _differences(connection: Connection) -> list[object]:
    options = {"version_table": VERSION_TABLE, "compare_type": True, "compare_server_default": True}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


async def test_the_newest_revision_is_reached(state: State) -> None:
    """An opened state is at the newest revision of the code."""
    assert await state.revision() == known_revisions()[0]


async def test_many_tasks_open_at_once(url: str) -> None:
    """Eight that open an empty database at the same moment all find it ready."""
    states = await asyncio.gather(*(State.open(url) for _ in range(8)))
    revisions = [await state.revision() for state in states]
    for state in states:
        await state.close()

    assert revisions == [known_revisions()[0]] * 8


async def test_replicas_open_at_once(url: str) -> None:
    """Three processes that start on an empty database at the same moment all serve."""
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-W", "error", "-c", OPEN, url, cwd=PROJECT, stdout=-1, stderr=-1
        )
        for _ in range(3)
    ]
    outputs = await asyncio.gather(*(process.communicate() for process in processes))

    assert [(out.decode().strip(), err.decode()) for out, err in outputs] == [(known_revisions()[0], "")] * 3


async def test_what_was_kept_is_there_after_a_restart(url: str) -> None:
    """A second opening runs no revision and finds what the first one kept."""
    first = await State.open(url)
    await first.threads.remember("T0EXAMPLE", "C0EXAMPLE", "1.0", {"hash": "1"})
    await first.close()

    second = await State.open(url)
    thread = await second.threads.find("T0EXAMPLE", "C0EXAMPLE", "1.0")
    await second.close()

    assert thread is not None
    assert thread.subject == {"hash": "1"}


async def test_a_newer_schema_is_left_alone(state: State, url: str) -> None:
    """A database that a newer version has migrated is refused with both revisions, and stays as it is."""
    await execute(url, f"UPDATE {VERSION_TABLE} SET version_num = '9999'")

    with pytest.raises(BadSetting, match="revision 9999, which is newer than this version's 0"):
        await State.open(url)

    assert await state.revision() == "9999"


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("not an address", "is not a database address"),
        ("mysql://inspector:planted@db.example/inspector", "names 'mysql'; SQLite and Postgres are known"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("postgresql://inspector:planted@db.example", "names no database"),
        ("postgresql://inspector:planted@db.example/x?sslroot=a", "option 'sslroot', which is not known"),
        ("postgresql://inspector:planted@db.example:port/x", "is not a database address"),
        ("postgresql://inspector:planted@127.0.0.1:1/x", r"the database postgresql://inspector:\*\*\*@127.0.0.1:1/x"),
        ("postgresql://inspector:planted@127.0.0.1:1/x", "the connection was refused"),
        ("sqlite:///{tmp}", "it is a folder, not a file"),
        ("sqlite:///{tmp}/text", "the file is not a SQLite database"),
        ("sqlite:///{tmp}/text/state.db", "a folder of its path is a file"),
        ("sqlite:////proc/nowhere/state.db", "the file cannot be made"),
    ],
)
async def test_an_address_that_cannot_be_used(address: str, sentence: str, tmp_path: Path) -> None:
    """Each wrong address ends in one sentence that names the setting, gives an example and keeps the password."""
    (tmp_path / "text").write_text("This is a text of some length, and not a database of any kind. " * 20)

    with pytest.raises(BadSetting, match=sentence) as caught:
        await State.open(address.replace("{tmp}", str(tmp_path)))

    said = str(caught.value)
    assert said.startswith("CRAWLER_INSPECTOR_DATABASE_URL")
    assert "Example: sqlite:///" in said
    assert "planted" not in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("database", "user", "password", "sentence"),
    [
        ("postgres", "inspector", "planted-wrong", "the user or the password is wrong"),
        ("postgres", "nobody_here", "planted-wrong", "the user or the password is wrong"),
        ("no_such_database", "inspector", PASSWORD, "there is no database of that name"),
    ],
)
async def test_a_postgres_that_refuses(
    postgres: PostgresServer, database: str, user: str, password: str, sentence: str
) -> None:
    """What the server refuses is told in words, without the password."""
    with pytest.raises(BadSetting, match=sentence) as caught:
        await State.open(postgres.url(database, password, user))

    assert "planted" not in str(caught.value)


@pytest.mark.parametrize(
    ("role", "right"),
    [("looker", "GRANT USAGE ON SCHEMA public TO looker"), ("stranger", "REVOKE ALL ON SCHEMA public FROM stranger")],
)
async def test_a_postgres_user_that_may_not_create(postgres: PostgresServer, role: str, right: str) -> None:
    """A user who may only look into the schema, or not even that, is told so. Postgres 15 lets its owner create."""
    await execute(postgres.url("postgres"), f"CREATE DATABASE of_{role}")
    await execute(postgres.url("postgres"), f"CREATE ROLE {role} LOGIN PASSWORD 'planted'")
    await execute(postgres.url(f"of_{role}"), "REVOKE ALL ON SCHEMA public FROM PUBLIC")
    await execute(postgres.url(f"of_{role}"), right)

    with pytest.raises(BadSetting, match="the user may not create tables there"):
        await State.open(postgres.url(f"of_{role}", "planted", role))


async def test_a_file_that_another_keeps_locked(tmp_path: Path) -> None:
    """A writer that does not let go: opening and writing give up after a while, with the reason."""
    url = f"sqlite:///{tmp_path / 'state.db'}"
    state = await State.open(url)
    with closing(sqlite3.connect(tmp_path / "state.db", isolation_level=None)) as another:
        another.execute("BEGIN IMMEDIATE")
        opening = asyncio.create_task(State.open(url))
        with pytest.raises(StoreUnavailable, match="another process keeps it locked"):
            await state.threads.forget("T0EXAMPLE", "C0EXAMPLE", "1.0")
        with pytest.raises(BadSetting, match="another process keeps it locked"):
            await opening
        assert await state.threads.find("T0EXAMPLE", "C0EXAMPLE", "1.0") is None  # reading goes on
    await state.threads.forget("T0EXAMPLE", "C0EXAMPLE", "1.0")  # and so does writing, afterwards
    await state.close()


async def test_a_lost_table_is_a_fault(state: State, url: str) -> None:
    """A table that is missing under a running bot is not told as "try again": it is a fault, and stays one."""
    await execute(url, "DROP TABLE bot_threads")

    with pytest.raises(DBAPIError, match="bot_threads"):
        await state.threads.find("T0EXAMPLE", "C0EXAMPLE", "1.0")


async def test_a_lost_connection_is_made_anew(postgres: PostgresServer) -> None:
    """After the server has closed every connection, as a restart does, the next call is answered."""
    await execute(postgres.url("postgres"), "CREATE DATABASE restarted")
    state = await State.open(postgres.url("restarted"))
    await execute(
        postgres.url("postgres"), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'restarted'"
    )

    thread = await state.threads.find("T0EXAMPLE", "C0EXAMPLE", "1.0")
    await state.close()

    assert thread is None


async def test_errors_do_not_show_what_was_bound(state: State, url: str) -> None:
    """An error of the database shows the statement and no value of it, since values are what people typed."""
    await execute(url, "DROP TABLE bot_threads")

    with pytest.raises(DBAPIError) as caught:
        await state.threads.find("T0EXAMPLE", "C0PLANTED", "1.0")

    assert "C0PLANTED" not in str(caught.value)


def test_commands_without_a_database_do_not_load_one() -> None:
    """The command line starts, and the records are at hand, without SQLAlchemy, Alembic or a driver."""
    heavy = ("sqlalchemy", "alembic", "sqlite3", "asyncpg", "cryptography")
    code = f"import sys, bot.__main__, bot.state.records; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=False)

    assert (done.stdout.strip(), done.stderr) == ("[]", "")
