"""`crawler-inspector load`: a file into a table of the embedded crawl. ClickHouse reads and converts it, not we.

The rows go into a table beside the target first and are looked at there: a file is loaded whole, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError

from bot.errors import BadInput, BadSetting, QueryRefused
from bot.index.ddl import statements
from bot.index.profile import load_profiles
from bot.settings import load_settings
from bot.store.embedded import drop_interrupted, first_line, make_folder, open_engine

FORMATS = {".jsonl": "JSONEachRow", ".ndjson": "JSONEachRow", ".json": "JSONEachRow", ".parquet": "Parquet"}
READ = "file({file:String}, {format:String})"
# Pages spread over 100 partitions; a file may hold all of them in one block.
ALL_PARTITIONS = "SETTINGS max_partitions_per_insert_block = 0"
PAGE_KEY = ["src_root_hash", "src_unparsed"]


def run(file: Path, table: str | None) -> None:
    """Load `file`, and say how many rows the table has then. Raises BadInput, BadSetting, QueryRefused."""
    settings = load_settings()
    if settings.clickhouse_host:
        raise BadSetting("load writes to the embedded crawl; to a cluster, load with clickhouse-client, on each shard.")
    profile = load_profiles(settings.profiles)[0]
    target = table or profile.tables[0]
    if target not in profile.tables:
        raise BadInput(f"The profile has no table {target!r}; it has {', '.join(profile.tables)}.")
    if file.suffix not in FORMATS:
        raise BadInput(f"Read {file.name!r}; a file to load ends in {', '.join(FORMATS)}.")
    if not file.is_file():
        raise BadInput(f"There is no file {str(file)!r}.")
    folder = make_folder(settings.data_dir / "crawl")
    client = open_engine(folder)
    try:
        for statement in statements(profile):
            client.command(statement)
        drop_interrupted(client, folder)
        loaded = _load(client, file, target)
        rows = client.query(f"SELECT count() FROM {target}").result_rows[0][0]
    except ClickHouseError as error:
        raise QueryRefused(f"ClickHouse did not take {file.name}: {first_line(error)}") from error
    finally:
        client.close()
    print(f"Loaded {loaded:,} rows; {target} has {rows:,} rows.")


def _load(client: Client, file: Path, target: str) -> int:
    """How many rows of the file are in the target now: all of them. Raises BadInput where one cannot be used."""
    with _plainly_named(file) as path, _beside(client, target) as incoming:
        reading = {"file": str(path), "format": FORMATS[file.suffix]}
        _check_columns(client, file, target, reading)
        client.command(
            f"INSERT INTO {incoming} SELECT * FROM {READ} SETTINGS input_format_skip_unknown_fields = 0",
            parameters=reading,
        )
        loaded = _checked_rows(client, file, target, incoming)
        client.command(f"INSERT INTO {target} SELECT * FROM {incoming} {ALL_PARTITIONS}")
    return loaded


@contextmanager
def _plainly_named(file: Path) -> Iterator[Path]:
    """The same file under a name without `*`, `?`, `[` and `{`, which ClickHouse reads as a pattern."""
    with TemporaryDirectory() as folder:
        link = Path(folder) / f"rows{file.suffix}"
        link.symlink_to(file.resolve())
        yield link


@contextmanager
def _beside(client: Client, target: str) -> Iterator[str]:
    """An empty table of the target's columns, dropped at the end."""
    incoming = f"{target}_incoming"
    client.command(f"DROP TABLE IF EXISTS {incoming}")
    client.command(f"CREATE TABLE {incoming} AS {target} ENGINE = MergeTree ORDER BY tuple()")
    try:
        yield incoming
    finally:
        client.command(f"DROP TABLE IF EXISTS {incoming}")


def _check_columns(client: Client, file: Path, target: str, reading: dict[str, str]) -> None:
    """Parquet names its columns, and ClickHouse passes over those it does not know; JSON is checked as it is read."""
    if reading["format"] != "Parquet":
        return
    known = _names(client.query(f"DESCRIBE TABLE {target}").result_rows)
    unknown = [
        n for n in _names(client.query(f"DESCRIBE TABLE {READ}", parameters=reading).result_rows) if n not in known
    ]
    if unknown:
        raise BadInput(f"{file.name} has columns that {target} has not: {', '.join(unknown)[:200]}.")


def _names(rows: Sequence[Sequence[object]]) -> list[str]:
    return [str(row[0]) for row in rows]


def _checked_rows(client: Client, file: Path, target: str, incoming: str) -> int:
    """How many rows came in. Raises BadInput where there are none, or one that no lookup would find."""
    key = _key_columns(client, target)
    lacking = " OR ".join(f"toString({name}) IN ('', '0')" for name in key)
    strange = "src_root_hash != getAhrefsRootHashFromUnparsed(src_unparsed)" if key == PAGE_KEY else "0"
    query = f"SELECT count(), countIf({lacking}), countIf({strange}) FROM {incoming}"
    rows, without_key, elsewhere = map(int, client.query(query).result_rows[0])
    if not rows:
        raise BadInput(f"{file.name} has no rows.")
    if without_key:
        raise BadInput(f"{file.name} has {without_key:,} rows without a key: each needs {' and '.join(key)}.")
    if elsewhere:
        raise BadInput(
            f"{file.name} has {elsewhere:,} rows whose src_root_hash is not that of their src_unparsed; "
            "`crawler-inspector key URL` prints both."
        )
    return rows


def _key_columns(client: Client, target: str) -> list[str]:
    """The columns that a table is sorted by."""
    query = (
        "SELECT name FROM system.columns WHERE concat(database, '.', table) = {target:String} AND is_in_sorting_key "
        "ORDER BY position"
    )
    return _names(client.query(query, parameters={"target": target}).result_rows)
