"""One server of the test cluster: a real ClickHouse engine (chDB) behind the HTTP interface of ClickHouse.

    python -m tests.cluster.server FOLDER

prints `listening on PORT` and serves until it is ended. What it speaks is what https://clickhouse.com/docs/interfaces/http
says, as far as clickhouse-connect and curl use it: queries in the body, in `query=` or in a form; bound parameters;
settings; authentication; exceptions with their status and headers; compressed responses; INSERT with data after FORMAT.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import gzip
import json
import re
import tempfile
import uuid
import zlib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import parse_qsl

import chdb
import lz4.frame  # type: ignore[import-untyped]  # it ships none
from aiohttp import web
from chdb import ChdbError
from chdb.state.sqlitelike import Connection

from bot.store.response import shown

THREADS = 8
VERSION = "(version 26.9.2.1 (official build))"
MAX_FIELD = 128 * 1024  # http_max_field_value_size
MAX_URI = 1024 * 1024  # http_max_uri_size


@dataclass(frozen=True)
class User:
    """Who may ask, and how much: `readonly` as in a settings profile."""

    password: str
    readonly: int = 0


USERS = {
    "default": User("", readonly=0),
    "chooser": User("chooser's $password", readonly=2),
    "reader": User('it\'s a "secret" $(x)', readonly=1),
}
TOKENS = {"token-of-the-reader": "reader"}

# Parameters of the interface itself; all others are settings of the query.
INTERFACE = frozenset(
    {
        *("query", "query_id", "database", "default_format", "user", "password", "role", "quota_key"),
        *("session_id", "session_timeout", "session_check", "wait_end_of_query", "buffer_size"),
        *("compress", "decompress", "client_protocol_version", "stacktrace"),
    }
)

# ClickHouse: src/Server/HTTP/exceptionCodeToHTTPStatus.cpp; what is not listed is 500.
STATUS = {
    **dict.fromkeys((36, 43, 53, 62, 27, 70, 131, 456, 457), 400),
    **dict.fromkeys((192, 193, 194, 516, 164, 497), 403),
    **dict.fromkeys((46, 47, 50, 60, 81, 115), 404),
    1000: 400,
}
_CODE = re.compile(r"Code: (\d+)")
_FORMAT = re.compile(r"\bFORMAT\s+(\w+)\s*;?\s*$", re.IGNORECASE)
_INSERT = re.compile(rb"^\s*(INSERT\s+INTO\s.+?)\s+FORMAT\s+(\w+)[ \t]*\r?\n", re.IGNORECASE | re.DOTALL)


class RefusedError(Exception):
    """A request that ends in an exception of ClickHouse."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.code = int(found[1]) if (found := _CODE.search(message)) else 1000


@dataclass(frozen=True)
class Request:
    """What was asked, read off the URL, the headers and the body."""

    sql: bytes
    fields: Mapping[str, str]
    user: User
    read_only_method: bool

    @property
    def parameters(self) -> dict[str, str]:
        """The bound parameters, as they were written."""
        return {name[6:]: value for name, value in self.fields.items() if name.startswith("param_")}

    @property
    def settings(self) -> dict[str, str]:
        """The settings that came with the query."""
        return {
            name: value
            for name, value in self.fields.items()
            if name not in INTERFACE and not name.startswith("param_")
        }

    @property
    def readonly(self) -> int:
        """GET may only read: https://clickhouse.com/docs/operations/settings/permissions-for-queries"""
        return self.user.readonly or (2 if self.read_only_method else 0)


@dataclass(frozen=True)
class Result:
    """What the engine gave."""

    body: bytes
    format: str
    rows_read: int
    bytes_read: int
    seconds: float


class Engine:
    """The engine of one folder. Every request has a handle of its own, and so settings of its own (about 1 ms)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._first = chdb.connect(str(folder))  # keeps the engine open between requests

    def run(self, request: Request, query_id: str) -> Result:
        """Run one query. Raises RefusedError with the engine's words."""
        handle = chdb.connect(str(self._folder))
        try:
            for statement in _preparations(request):
                handle.query(statement)
            return _run(handle, request, query_id)
        except ChdbError as error:
            raise RefusedError(shown(str(error))) from error
        finally:
            handle.close()

    def kill(self, query_id: str) -> None:
        """End a query whose client went away."""
        handle = chdb.connect(str(self._folder))
        handle.query(_kill(f"KILL QUERY WHERE query_id = {_quoted(query_id)} ASYNC"))
        handle.close()


def _preparations(request: Request) -> list[str]:
    database = request.fields.get("database")
    statements = [f"USE `{database}`"] if database else []
    if request.readonly:
        statements.append(f"SET readonly = {request.readonly}")
    return statements + [f"SET {name} = {_quoted(value)}" for name, value in request.settings.items()]


def _run(handle: Connection, request: Request, query_id: str) -> Result:
    default = request.fields.get("default_format", "TabSeparated")
    if insert := _INSERT.match(request.sql):
        _insert(handle, insert, request.sql[insert.end() :])
        return Result(b"", default, 0, 0, 0.0)
    sql = request.sql.decode()
    if sql.lstrip()[:4].upper() == "KILL":
        sql = _kill(sql)
    # The embedded engine names queries itself; ours stands in front, where KILL QUERY finds it.
    found = handle.query(f"/* {query_id} */ {sql}", default, params=request.parameters)
    named = _FORMAT.search(sql)
    return Result(
        found.bytes() or b"",
        named[1] if named else default,
        found.rows_read(),
        found.bytes_read(),
        found.elapsed(),
    )


def _insert(handle: Connection, insert: re.Match[bytes], rows: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".rows") as file:
        file.write(rows)
        file.flush()
        handle.query(f"{insert[1].decode()} FROM INFILE {_quoted(file.name)} FORMAT {insert[2].decode()}")


def _kill(sql: str) -> str:
    """The engine's own KILL QUERY, where `query_id` reads the id that stands in front of a query."""
    return re.sub(r"\bquery_id\b", r"extract(query, '^/\\* (\\S+) \\*/')", sql, count=1)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


async def read_request(request: web.Request) -> Request:
    """The request in ClickHouse's terms. Raises RefusedError for a wrong user or a field that is too long."""
    fields = dict(parse_qsl(request.rel_url.raw_query_string, keep_blank_values=True))
    sql = b""
    if request.content_type == "multipart/form-data":
        form = await request.post()
        fields.update({name: str(value) for name, value in form.items()})
    else:
        sql = _decompressed(await request.read(), request.headers.get("Content-Encoding"))
    if any(len(value.encode()) > MAX_FIELD + 1 for value in fields.values()):
        raise RefusedError("Poco::Exception. Code: 1000, e.code() = 0, HTML Form Exception: Field value too long")
    sql = fields.pop("query", "").encode() + (b"\n" if sql and "query" in request.query else b"") + sql
    return Request(sql, fields, authenticate(request.headers, fields), request.method == "GET")


def authenticate(headers: Mapping[str, str], fields: Mapping[str, str]) -> User:
    """The user of a request: basic or bearer, ClickHouse's own headers, or fields. Raises RefusedError."""
    scheme, _, credential = headers.get("Authorization", "").partition(" ")
    name = headers.get("X-ClickHouse-User") or fields.get("user") or "default"
    password = headers.get("X-ClickHouse-Key") or fields.get("password") or ""
    if scheme == "Basic":
        name, _, password = base64.b64decode(credential).decode().partition(":")
    elif scheme == "Bearer":
        name = TOKENS.get(credential, "")
        password = USERS[name].password if name else ""
    user = USERS.get(name)
    if user is None or user.password != password:
        raise RefusedError(
            f"Code: 516. DB::Exception: {name}: Authentication failed: password is incorrect, or there is no user "
            "with such name. (AUTHENTICATION_FAILED)"
        )
    return user


def _decompressed(body: bytes, encoding: str | None) -> bytes:
    if encoding is None:
        return body
    decoders: dict[str, Callable[[bytes], bytes]] = {
        "gzip": gzip.decompress,
        "deflate": zlib.decompress,
        "lz4": lz4.frame.decompress,
    }
    return decoders[encoding](body)


def compressed(body: bytes, accepted: str, asked: bool) -> tuple[bytes, str | None]:
    """The body in the first encoding that the client accepts, where it asked for one by enable_http_compression."""
    encoders = {"gzip": gzip.compress, "deflate": zlib.compress, "lz4": lz4.frame.compress}
    names = [name.split(";")[0].strip() for name in accepted.split(",")]
    chosen = next((name for name in names if name in encoders), None)
    return (encoders[chosen](body), chosen) if asked and chosen else (body, None)


class Server:
    """The listeners."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._threads = ThreadPoolExecutor(THREADS)

    def application(self) -> web.Application:
        """The HTTP interface."""
        application = web.Application(client_max_size=1 << 30)
        application.router.add_get("/ping", self.ping)
        application.router.add_route("*", "/", self.query)
        return application

    async def ping(self, _request: web.Request) -> web.Response:
        """Alive."""
        return web.Response(text="Ok.\n")

    async def query(self, http: web.Request) -> web.Response:
        """One query."""
        query_id = http.query.get("query_id") or str(uuid.uuid4())
        try:
            request = await read_request(http)
            result = await self._run(request, query_id)
        except RefusedError as refusal:
            return _exception(refusal, query_id)
        return _response(result, query_id, http, request)

    async def _run(self, request: Request, query_id: str) -> Result:
        work = asyncio.get_running_loop().run_in_executor(self._threads, partial(self._engine.run, request, query_id))
        try:
            return await work
        except asyncio.CancelledError:
            if request.settings.get("cancel_http_readonly_queries_on_client_close") == "1":
                await asyncio.to_thread(self._engine.kill, query_id)
            raise


def _response(result: Result, query_id: str, http: web.Request, request: Request) -> web.Response:
    body, encoding = compressed(
        result.body,
        http.headers.get("Accept-Encoding", ""),
        request.settings.get("enable_http_compression") == "1",
    )
    summary = {
        "read_rows": str(result.rows_read),
        "read_bytes": str(result.bytes_read),
        "elapsed_ns": str(int(result.seconds * 1e9)),
    }
    headers = {
        "X-ClickHouse-Query-Id": query_id,
        "X-ClickHouse-Format": result.format,
        "X-ClickHouse-Timezone": "UTC",
        "X-ClickHouse-Server-Display-Name": "test",
        "X-ClickHouse-Summary": json.dumps(summary),
    }
    if encoding:
        headers["Content-Encoding"] = encoding
    return web.Response(body=body, headers=headers, content_type="text/plain")


def _exception(refusal: RefusedError, query_id: str) -> web.Response:
    headers = {"X-ClickHouse-Exception-Code": str(refusal.code), "X-ClickHouse-Query-Id": query_id}
    return web.Response(text=f"{refusal} {VERSION}\n", status=STATUS.get(refusal.code, 500), headers=headers)


async def serve(folder: Path) -> None:
    """Serve the engine of a folder on a free loopback port, and say which."""
    runner = web.AppRunner(
        Server(Engine(folder)).application(),
        handler_cancellation=True,
        max_line_size=MAX_URI,
        max_field_size=MAX_URI,
        access_log=None,
    )
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(f"listening on {runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    asyncio.run(serve(parser.parse_args().folder))
