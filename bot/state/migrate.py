"""Brings the database to the schema of this code, once, however many replicas start at the same moment."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, text

from bot.errors import BadSetting
from bot.state.engine import engine_at, on_sqlite, shown
from bot.state.failures import VARIABLE, opening
from bot.state.tables import VERSION_TABLE

FOLDER = Path(__file__).parent / "migrations"
LOCK = 0x696E7370  # of Postgres's advisory locks: "insp"
LOCK_WAIT = "60s"  # how long the other replica's migration may take


async def upgrade_to_head(url: URL) -> None:
    """Run the missing revisions in one transaction. Raises BadSetting where the schema is newer than this code."""
    engine = engine_at(url, patience=None)  # building an index may take its time
    try:
        await engine.write(_upgrade)
    finally:
        await engine.close()


async def stored_revision(url: URL) -> str | None:
    """The revision that a database is at, which is not changed; None for a new one. Raises BadSetting."""
    if _is_new(url):
        return None
    engine = engine_at(url)
    try:
        with opening(shown(url)):
            return await engine.read(current_revision)
    finally:
        await engine.close()


def _is_new(url: URL) -> bool:
    return on_sqlite(url) and not Path(str(url.database)).exists()


def current_revision(connection: Connection) -> str | None:
    """The revision that the database is at; None where no revision has run."""
    return MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()


def known_revisions() -> tuple[str, ...]:
    """Every revision of this code, newest first."""
    scripts = ScriptDirectory.from_config(_config())
    return tuple(script.revision for script in scripts.walk_revisions())


def _upgrade(connection: Connection) -> None:
    """On SQLite the transaction itself is the lock, since it began as a writer's."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_WAIT}'"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    revision, known = current_revision(connection), known_revisions()
    if revision is not None and revision not in known:
        raise BadSetting(
            f"{VARIABLE}: the database is at revision {revision}, which is newer than this version's {known[0]}; "
            "run the newer version, or name another database."
        )
    if revision != known[0]:
        command.upgrade(_config(connection), "head")


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))  # `%` is ConfigParser's own sign
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
