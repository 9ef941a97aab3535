"""The store port: the whole seam between the inspection core and ClickHouse. `bot.store` implements it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Query:
    """SQL with ClickHouse placeholders (`{name:Type}`) and the values bound to them. Ends in `FORMAT JSONEachRow`."""

    sql: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    step: str = "query"  # what it is for; stands in the name that the server logs it under


@dataclass(frozen=True, slots=True)
class Rows:
    """What a query returned: the rows, the response as the server sent it, and how long it took in milliseconds."""

    rows: tuple[Row, ...]
    response: str
    elapsed_ms: float


class Store(Protocol):
    """A crawl in ClickHouse, on one machine or on hundreds."""

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        """Run `query` where `shard` lives (None: anywhere). Raises StoreUnavailable, QueryRefused."""

    def curl(self, query: Query, shard: int | None) -> str | None:
        """A shell command that asks the same server, password as $CLICKHOUSE_PASSWORD; None without a server."""

    async def close(self) -> None:
        """Close every connection. A closed store fetches nothing."""
