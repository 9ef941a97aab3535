"""`crawler-inspector load`: a file into a table of the embedded crawl. ClickHouse reads and converts it, not we."""

from __future__ import annotations

from pathlib import Path

from clickhouse_connect.driver.exceptions import ClickHouseError

from bot.errors import BadInput, BadSetting, QueryRefused
from bot.index.ddl import statements
from bot.index.profile import load_profile
from bot.settings import load_settings
from bot.store.embedded import first_line, open_engine

FORMATS = {".jsonl": "JSONEachRow", ".ndjson": "JSONEachRow", ".json": "JSONEachRow", ".parquet": "Parquet"}
# Pages spread over 100 partitions; a file may hold all of them in one block.
INSERT = "INSERT INTO {table} SELECT * FROM file({file}, {format}) SETTINGS max_partitions_per_insert_block = 0"


def run(file: Path, table: str | None) -> None:
    """Load `file`, and say how many rows the table has then. Raises BadInput, BadSetting, QueryRefused."""
    settings = load_settings()
    if settings.clickhouse_host:
        raise BadSetting("load writes to the embedded crawl; to a cluster, load with clickhouse-client, on each shard.")
    profile = load_profile(settings.profile)
    target = table or profile.tables[0]
    if target not in profile.tables:
        raise BadInput(f"The profile has no table {target!r}; it has {', '.join(profile.tables)}.")
    if file.suffix not in FORMATS:
        raise BadInput(f"Read {file.name!r}; a file to load ends in {', '.join(FORMATS)}.")
    if not file.is_file():
        raise BadInput(f"There is no file {str(file)!r}.")
    folder = settings.data_dir / "crawl"
    folder.mkdir(parents=True, exist_ok=True)
    client = open_engine(folder)
    try:
        for statement in statements(profile):
            client.command(statement)
        client.command(
            INSERT.format(table=target, file="{file:String}", format="{format:String}"),
            parameters={"file": str(file.resolve()), "format": FORMATS[file.suffix]},
        )
        rows = client.query(f"SELECT count() FROM {target}").result_rows[0][0]
    except ClickHouseError as error:
        raise QueryRefused(f"ClickHouse did not take {file.name}: {first_line(error)}") from error
    finally:
        client.close()
    print(f"{target} has {rows:,} rows.")
