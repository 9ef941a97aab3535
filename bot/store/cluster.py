"""The cluster store: a ClickHouse server or several for every shard, asked over HTTP.

A server that hangs, refuses, resets or talks nonsense costs its own shard's pages only, and no longer than the
deadline: a replica is asked too where the first is slow (`hedge`), and one that failed several times in a row is left
alone for a while (`breaker`). A user with `readonly = 1` suffices: nothing is sent that such a user refuses.

Queries carry our ids (`bot.inspection.query_id`). A query that is given up is killed by its id, which every user may do
to their own queries; the setting cancel_http_readonly_queries_on_client_close of the server's profile does it too.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bot import metrics
from bot.errors import BadSetting, QueryRefused, StoreUnavailable
from bot.index.profile import IndexProfile
from bot.inspection.query_id import next_query_id
from bot.inspection.store import Query, Rows
from bot.settings import Settings
from bot.store.binding import prepared
from bot.store.breaker import Breaker
from bot.store.connections import Connections
from bot.store.curl import Access, curl_command
from bot.store.endpoints import Endpoint, read_endpoints
from bot.store.failures import failure
from bot.store.hedge import first_answer
from bot.store.response import checked_rows

if TYPE_CHECKING:
    from clickhouse_connect.driver.asyncclient import AsyncClient

logger = logging.getLogger(__name__)

SHARE_OF_STEP = 0.9  # of the step's time, so that the store's own sentence comes before the step's
KILL_SECONDS = 2.0
CLIENT_NAME = "crawler-inspector"
INDEX = "{index}"  # in the hosts of a cluster: the name of the profile


@dataclass(slots=True)
class _Race:
    """One fetch, which may be tried on several servers."""

    deadline: float
    answered: bool = False


class ClusterStore:
    """Implements the store port on a cluster. `clock` is what the breakers tell time by."""

    def __init__(
        self, settings: Settings, profile: IndexProfile, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        hosts = settings.clickhouse_host or profile.shards.address
        if not hosts:
            raise BadSetting("CRAWLER_INSPECTOR_CLICKHOUSE_HOST is not set, for example laksa{shard}.int.example")
        hosts = hosts.replace(INDEX, profile.name)
        self._settings = settings
        self._profile = profile
        self._clock = clock
        self._seconds = settings.step_timeout * SHARE_OF_STEP
        self._endpoints = read_endpoints(hosts, settings.clickhouse_port or profile.shards.port, profile.shards.count)
        self._access = _access(settings, profile)
        self._connections: Connections[AsyncClient] = Connections(self._open, settings.clickhouse_connections)
        self._breakers: dict[Endpoint, Breaker] = {}
        self._kills: set[asyncio.Task[None]] = set()
        self._closed = False

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        """Run `query` on the shard's servers within the deadline. Raises StoreUnavailable, QueryRefused."""
        if self._closed:
            raise StoreUnavailable("The cluster store is closed.")
        host = self._name(shard)
        race = _Race(asyncio.get_running_loop().time() + self._seconds)
        attempts = [partial(self._attempt, query, endpoint, host, race) for endpoint in self._endpoints.of(shard)]
        return await first_answer(attempts, self._settings.clickhouse_hedge_delay)

    def curl(self, query: Query, shard: int | None) -> str | None:
        """A shell command that asks the shard's first server."""
        return curl_command(query, self._endpoints.of(shard)[0], self._access)

    async def close(self) -> None:
        """Close every connection, after the queries that were given up have been killed."""
        self._closed = True
        await asyncio.gather(*self._kills, return_exceptions=True)
        await self._connections.close()

    def breaker(self, endpoint: Endpoint) -> Breaker:
        """The breaker of one server."""
        if endpoint not in self._breakers:
            made = self._breakers[endpoint] = Breaker(
                failures=self._settings.clickhouse_breaker_failures,
                cooldown=self._settings.clickhouse_breaker_seconds,
                clock=self._clock,
            )
            metrics.watch_breaker(*self._endpoints.place(endpoint), lambda: made.state)
        return self._breakers[endpoint]

    def _name(self, shard: int | None) -> str:
        return "the cluster" if shard is None else self._profile.host_of(shard)

    async def _attempt(self, query: Query, endpoint: Endpoint, host: str, race: _Race) -> Rows:
        """Ask one server, and tell its breaker how it went."""
        breaker = self.breaker(endpoint)
        if not breaker.admit():
            raise StoreUnavailable(_left_alone(host, breaker))
        started = time.monotonic()
        report = breaker.abandoned
        try:
            rows = await self._ask(query, endpoint, host, race)
            report, race.answered = breaker.succeeded, True
            return rows
        except QueryRefused:
            report, race.answered = breaker.succeeded, True
            raise
        except StoreUnavailable:
            report = breaker.failed
            raise
        except asyncio.CancelledError:
            # Overtaken by a replica that started later: as good as no answer.
            if race.answered and time.monotonic() - started >= self._settings.clickhouse_hedge_delay:
                report = breaker.failed
            raise
        finally:
            report()

    async def _ask(self, query: Query, endpoint: Endpoint, host: str, race: _Race) -> Rows:
        query_id = next_query_id()
        started = time.perf_counter()
        try:
            async with asyncio.timeout_at(race.deadline):
                raw = await self._send(query, endpoint, query_id, host)
        except TimeoutError as error:
            raise StoreUnavailable(f"{host} did not answer within {self._seconds:.3g} s.") from error
        return checked_rows(raw, (time.perf_counter() - started) * 1000, host)

    async def _send(self, query: Query, endpoint: Endpoint, query_id: str, host: str) -> bytes:
        # What the driver raises for a server that talks nonsense is any exception at all: each is the server's failure.
        try:
            async with self._connections.borrowed(endpoint) as client:
                return await self._query(client, query, endpoint, query_id)
        except Exception as error:
            logger.info("%s at %s, query %s: %r", host, endpoint, query_id, error)
            raise failure(error, host) from error

    async def _query(self, client: AsyncClient, query: Query, endpoint: Endpoint, query_id: str) -> bytes:
        try:
            return await client.raw_query(
                query.sql,
                parameters=prepared(query.parameters),
                settings={"query_id": query_id, **self._limits(client)},
                transport_settings=self._transport(),
            )
        except asyncio.CancelledError:  # by the deadline, by a replica's answer, or by who asked
            self._kill_later(endpoint, query_id)
            raise

    def _limits(self, client: AsyncClient) -> dict[str, Any]:
        """The settings that this server lets us choose; a `readonly = 1` user may choose none."""
        wished = {"max_execution_time": math.ceil(self._seconds)}
        if self._settings.clickhouse_compression:
            wished["enable_http_compression"] = 1
        free = (name for name in wished if (known := client.server_settings.get(name)) and not known.readonly)
        # A limit that the server has already is the DBA's choice, and may be guarded by a constraint.
        return {name: wished[name] for name in free if client.server_settings[name].value == "0"}

    def _transport(self) -> dict[str, str] | None:
        return {"Accept-Encoding": "lz4, zstd, gzip"} if self._settings.clickhouse_compression else None

    async def _open(self, endpoint: Endpoint) -> AsyncClient:
        from clickhouse_connect import get_async_client

        settings = self._settings
        token = settings.clickhouse_token.get_secret_value()
        async with asyncio.timeout(self._seconds):
            return await get_async_client(
                host=endpoint.host,
                port=endpoint.port,
                username=None if token else settings.clickhouse_user,
                password="" if token else settings.clickhouse_password.get_secret_value(),
                access_token=token or None,
                database=self._profile.database,
                interface="https" if settings.clickhouse_secure else "http",
                verify=settings.clickhouse_verify,
                ca_cert=str(settings.clickhouse_ca_file) if settings.clickhouse_ca_file else None,
                connect_timeout=min(settings.clickhouse_connect_timeout, self._seconds),
                send_receive_timeout=self._seconds,
                query_retries=0,
                compress=False,
                client_name=CLIENT_NAME,
                autogenerate_session_id=False,
                connector_limit_per_host=settings.clickhouse_queries_per_server,
                keepalive_timeout=settings.clickhouse_keepalive,
            )

    def _kill_later(self, endpoint: Endpoint, query_id: str) -> None:
        if self._closed:
            return
        task = asyncio.ensure_future(self._kill(endpoint, query_id))
        self._kills.add(task)
        task.add_done_callback(self._kills.discard)

    async def _kill(self, endpoint: Endpoint, query_id: str) -> None:
        """Best effort: the server may be the reason why the query was given up."""
        try:
            async with (
                asyncio.timeout(min(KILL_SECONDS, self._seconds)),
                self._connections.borrowed(endpoint) as client,
            ):
                await client.command("KILL QUERY WHERE query_id = {id:String} ASYNC", parameters={"id": query_id})
        except Exception as error:
            logger.info("Query %s on %s was not killed: %s", query_id, endpoint, type(error).__name__)


def _access(settings: Settings, profile: IndexProfile) -> Access:
    return Access(
        database=profile.database,
        user=settings.clickhouse_user,
        token=bool(settings.clickhouse_token.get_secret_value()),
        secure=settings.clickhouse_secure,
        verify=settings.clickhouse_verify,
        ca=str(settings.clickhouse_ca_file) if settings.clickhouse_ca_file else None,
    )


def _left_alone(host: str, breaker: Breaker) -> str:
    wait = max(breaker.seconds_left, 0)
    return f"{host} failed several times in a row and is left alone; it is asked again in {wait:.0f} s."
