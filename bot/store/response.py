"""What a server sent, as rows. An HTTP status of 200 proves nothing: ClickHouse writes an exception that comes late
into the response that it has begun (https://clickhouse.com/docs/interfaces/http)."""

from __future__ import annotations

import re

import orjson

from bot.errors import QueryRefused, StoreUnavailable
from bot.inspection.store import Row, Rows

# `Code: 241. DB::Exception: …` on a line of its own; since 25.11 inside __exception__ … __exception__ marks.
_LATE_EXCEPTION = re.compile(r"^(?:__exception__\s*$|Code: \d+[.,] .*Exception)", re.MULTILINE)
_CODE = re.compile(r"Code: \d+[.,] .*")
_SHOWN = 300  # characters of a server's sentence that are passed on


def read_rows(raw: bytes, elapsed_ms: float) -> Rows:
    """A JSONEachRow response as rows. Crawled text may hold bytes that are no UTF-8: they become U+FFFD."""
    response = raw.decode("utf-8", "replace")
    lines = [line for line in response.split("\n") if line]
    rows = orjson.loads(f"[{','.join(lines)}]")  # read together, the rows share the names of their columns
    if len(rows) != len(lines):
        raise ValueError("a line that holds no row, or several")
    return Rows(tuple(rows), response, elapsed_ms)


def checked_rows(raw: bytes, elapsed_ms: float, host: str) -> Rows:
    """The rows of a response that `host` sent.

    Raises QueryRefused where it holds an exception of the server, StoreUnavailable where it is not whole JSON lines.
    """
    try:
        rows = read_rows(raw, elapsed_ms)
    except ValueError as error:
        raise _refusal(raw, host) or StoreUnavailable(f"{host} sent a response that is not JSON lines.") from error
    if raw and not raw.endswith(b"\n"):
        raise StoreUnavailable(f"{host} sent a response that breaks off.")
    if not all(isinstance(row, dict) for row in rows.rows):
        raise StoreUnavailable(f"{host} sent a response that is not JSON lines.")
    if rows.rows and (told := _told_as_row(rows.rows[-1])):
        raise QueryRefused(f"{host} refused the query: {told}")
    return rows


def shown(message: str) -> str:
    """The first line of a server's sentence, without its stack and not too long."""
    return (message.strip().splitlines() or [""])[0][:_SHOWN]


def _refusal(raw: bytes, host: str) -> QueryRefused | None:
    response = raw.decode("utf-8", "replace")
    found = _LATE_EXCEPTION.search(response)
    if found is None:
        return None
    code = _CODE.search(response, found.start())
    return QueryRefused(f"{host} refused the query: {shown(code[0] if code else response[found.end() :])}")


def _told_as_row(row: Row) -> str | None:
    """Servers with http_write_exception_in_output_format close JSON lines with a row that holds the exception."""
    told = row.get("exception")
    return shown(told) if set(row) == {"exception"} and isinstance(told, str) and told.startswith("Code: ") else None
