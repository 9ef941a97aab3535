"""The embedded store: a ClickHouse engine in this process (chDB), its tables in a local folder.

chDB opens one folder a process, and one handle serialises its queries: a small pool of handles in threads gives
concurrency. Handles are read-only (`readonly = 2` on the handle: sent with each call instead, one refused statement
would leave the handle stuck).
"""

from __future__ import annotations

import asyncio
import os
import queue
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import clickhouse_connect
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError

from bot.errors import BadSetting, QueryRefused, StoreUnavailable
from bot.index.ddl import statements
from bot.index.profile import IndexProfile
from bot.index.sample import SAMPLE_TABLES, load_sample
from bot.inspection.store import Query, Rows
from bot.store.binding import prepared
from bot.store.response import read_rows

HANDLES = 4
LOADING = "loading"  # a file in the folder while the sample is loaded: found at start, the load was interrupted

Progress = Callable[[str, int, int], None]


def open_engine(folder: Path) -> Client:
    """A handle that may write. Raises BadSetting where the engine is not installed or the folder is taken."""
    try:
        return clickhouse_connect.get_client(interface="chdb", path=str(folder))
    except ImportError as error:
        raise BadSetting(
            "The embedded crawl needs the package chdb-core: pip install 'crawler-inspector[embedded]', "
            "or set CRAWLER_INSPECTOR_CLICKHOUSE_HOST to use a cluster."
        ) from error
    except (ClickHouseError, RuntimeError, OSError) as error:
        raise BadSetting(
            f"The embedded crawl in {folder} cannot be opened; is another process using it? "
            f"Set CRAWLER_INSPECTOR_DATA_DIR to another folder. The engine said: {first_line(error)}"
        ) from error


def make_folder(folder: Path) -> Path:
    """`folder`, made where it is missing. Raises BadSetting where it cannot be made or written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        reason = None if os.access(folder, os.W_OK | os.X_OK) else "it may not be written to"
    except OSError as error:
        reason = error.strerror
    if reason:
        raise BadSetting(
            f"The folder {str(folder)!r} cannot be used: {reason}. Set CRAWLER_INSPECTOR_DATA_DIR to another folder."
        )
    return folder


def prepare(folder: Path, profile: IndexProfile, progress: Progress, now: datetime) -> None:
    """Create the schema, and load the sample crawl once: into an empty folder, or after an interrupted load."""
    client = open_engine(make_folder(folder))
    try:
        for statement in statements(profile):
            client.command(statement)
        _load_once(client, folder / LOADING, progress, now)
    finally:
        client.close()


def _load_once(client: Client, marker: Path, progress: Progress, now: datetime) -> None:
    if not marker.exists() and any(_rows(client, table) for table in SAMPLE_TABLES):
        return
    marker.touch()
    _empty(client)
    load_sample(client, now, progress)
    marker.unlink()


def drop_interrupted(client: Client, folder: Path) -> None:
    """Empty the tables of a sample that was loaded in part, so that nothing loaded from now on goes with it."""
    marker = folder / LOADING
    if marker.exists():
        _empty(client)
        marker.unlink()


def _empty(client: Client) -> None:
    for table in SAMPLE_TABLES:
        client.command(f"TRUNCATE TABLE {table}")


def _rows(client: Client, table: str) -> int:
    return int(client.query(f"SELECT count() FROM {table}").result_rows[0][0])


class EmbeddedStore:
    """Implements the store port on an engine in this process. `folder` has been prepared."""

    def __init__(self, folder: Path, *, timeout: float = 5.0, handles: int = HANDLES) -> None:
        self._handles: queue.SimpleQueue[Client] = queue.SimpleQueue()
        self._all = [_reader(folder, timeout) for _ in range(handles)]
        for handle in self._all:
            self._handles.put(handle)
        self._threads = ThreadPoolExecutor(handles, thread_name_prefix="clickhouse")

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        """Every shard is in the one folder, so `shard` chooses nothing here."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, query)
        except ClickHouseError as error:
            raise QueryRefused(f"The embedded engine refused the query: {first_line(error)}") from error
        except RuntimeError as error:
            raise StoreUnavailable(f"The embedded engine is closed: {first_line(error)}") from error

    def curl(self, query: Query, shard: int | None) -> str | None:
        """None: there is no server to ask from a shell."""
        return None

    async def close(self) -> None:
        """Wait for running queries, then close every handle."""
        await asyncio.to_thread(self._threads.shutdown, wait=True, cancel_futures=True)
        for handle in self._all:
            handle.close()

    def _run(self, query: Query) -> Rows:
        handle = self._handles.get()
        try:
            start = time.perf_counter()
            raw: bytes = handle.raw_query(query.sql, parameters=prepared(query.parameters))
            elapsed_ms = (time.perf_counter() - start) * 1000
        finally:
            self._handles.put(handle)
        return read_rows(raw, elapsed_ms)


def _reader(folder: Path, timeout: float) -> Client:
    handle = open_engine(folder)
    handle.command(f"SET max_execution_time = {timeout}")
    handle.command("SET readonly = 2")
    return handle


def first_line(error: Exception) -> str:
    """What an exception of the engine says first; the rest is its stack."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
