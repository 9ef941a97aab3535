"""What the driver raised, as a sentence that names the shard and never a credential."""

from __future__ import annotations

import re

import aiohttp

from bot.errors import QueryRefused, StoreError, StoreUnavailable
from bot.store.response import shown

# Codes of a server that is unwell rather than of a query that is wrong: a replica may well answer.
# https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
UNWELL = frozenset(
    {
        159,  # TIMEOUT_EXCEEDED
        202,  # TOO_MANY_SIMULTANEOUS_QUERIES
        209,  # SOCKET_TIMEOUT
        210,  # NETWORK_ERROR
        241,  # MEMORY_LIMIT_EXCEEDED
        279,  # ALL_CONNECTION_TRIES_FAILED
        394,  # QUERY_WAS_CANCELLED
        439,  # CANNOT_SCHEDULE_TASK
    }
)
# REQUIRED_PASSWORD, UNKNOWN_USER, WRONG_PASSWORD, AUTHENTICATION_FAILED
NO_ENTRY = frozenset({192, 193, 194, 516})
ENTRY_ADVICE = (
    "check CRAWLER_INSPECTOR_CLICKHOUSE_USER with CLICKHOUSE_PASSWORD, or CLICKHOUSE_TOKEN, for example user reader"
)

# The first row that fits is the reason: narrower classes stand above wider ones.
REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (aiohttp.ClientConnectorDNSError, "its name is not known"),
    (aiohttp.ClientConnectorCertificateError, "its TLS certificate is not trusted"),
    (aiohttp.ClientSSLError, "it does not speak TLS as asked"),
    (aiohttp.ClientConnectorError, "the connection was refused"),
    (aiohttp.ServerTimeoutError, "it took too long"),
    (aiohttp.ServerDisconnectedError, "it closed the connection"),
    (aiohttp.ClientPayloadError, "its response breaks off"),
    (aiohttp.ClientResponseError, "its response is not HTTP"),
    (ConnectionResetError, "it reset the connection"),
    (aiohttp.ClientOSError, "it reset the connection"),
    (TimeoutError, "it took too long"),
)

_TOLD = re.compile(r"Code: \d+\..*", re.DOTALL)
_TRAILER = re.compile(r"\s*\((?:version \d|for url ).*", re.DOTALL)
_STATUS = re.compile(r"HTTP status (\d{3})")


def failure(error: Exception, host: str) -> StoreError:
    """The error to raise for what the driver raised while it asked `host`: QueryRefused or StoreUnavailable."""
    code = getattr(error, "code", None)
    if code in NO_ENTRY:
        return QueryRefused(f"{host} refused the user (code {code}): {ENTRY_ADVICE}.")
    if code is not None:
        told = _TOLD.search(str(error))
        sentence = shown(_TRAILER.sub("", told[0])) if told else f"code {code}"
        if code in UNWELL:
            return StoreUnavailable(f"{host} did not answer: {sentence}")
        return QueryRefused(f"{host} refused the query: {sentence}")
    return StoreUnavailable(f"{host} did not answer: {_reason(error)}.")


def _reason(error: BaseException) -> str:
    """Why, in words: by the class of the error or of one that it came from."""
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or link.__context__
    for kind, words in REASONS:
        if any(isinstance(item, kind) for item in chain):
            return words
    status = _STATUS.search(str(error))
    return f"HTTP status {status[1]}" if status else "it does not speak as ClickHouse does"
