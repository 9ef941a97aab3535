"""A query as a shell command that runs as displayed. The password is named, never shown."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from bot.inspection.store import Query
from bot.store.binding import bound
from bot.store.endpoints import Endpoint

MARK = "SQL"  # ends the here-document that holds the query


@dataclass(frozen=True, slots=True)
class Access:
    """How the servers are reached, as a command line says it. With `token`, a bearer token is used for a password."""

    database: str
    user: str
    token: bool = False
    secure: bool = False
    verify: bool = True
    ca: str | None = None


def curl_command(query: Query, endpoint: Endpoint, access: Access) -> str:
    """A command for sh that sends `query` to `endpoint` as the store does, parameters bound by the server."""
    parts = ["curl -sS", *_credentials(access), *_tls(access), shlex.quote(_url(query, endpoint, access))]
    mark = MARK
    while mark in query.sql.split("\n"):
        mark += "_"
    return f"{' '.join(parts)} --data-binary @- <<'{mark}'\n{query.sql}\n{mark}"


def _credentials(access: Access) -> list[str]:
    if access.token:
        return ['-H "Authorization: Bearer $CLICKHOUSE_TOKEN"']
    return [f'-u {shlex.quote(access.user + ":")}"$CLICKHOUSE_PASSWORD"']


def _tls(access: Access) -> list[str]:
    if not access.secure:
        return []
    if not access.verify:
        return ["-k"]
    return [f"--cacert {shlex.quote(access.ca)}"] if access.ca else []


def _url(query: Query, endpoint: Endpoint, access: Access) -> str:
    scheme = "https" if access.secure else "http"
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    fields = {"database": access.database, **bound(query.parameters)}
    return f"{scheme}://{host}:{endpoint.port}/?{urlencode(fields, quote_via=quote, safe=',')}"
