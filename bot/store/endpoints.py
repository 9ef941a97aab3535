"""Which servers hold a shard, read from one line of text. Pure.

laksa{shard}.int.example                     a template: every shard by its number
a{shard}.example,b{shard}.example:8125       the same with a replica; a port of its own where it differs
10.0.0.1:8123,10.0.0.2:8123;10.0.0.3:8123    a list: shards separated by `;`, replicas by `,`
crawl.example.cloud:8443                     one endpoint for all: a Distributed table, ClickHouse Cloud
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.errors import BadSetting

VARIABLE = "CRAWLER_INSPECTOR_CLICKHOUSE_HOST"
ANYWHERE = 3  # how many shards a query without a shard may try
_HOST = re.compile(r"^(?P<host>\[[0-9A-Fa-f:.]+\]|(?:\{shard\}|[^\s:/@\[\]{}])+)(?::(?P<port>\d{1,5}))?$")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One ClickHouse server's HTTP interface."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The servers of every shard. `shards` holds one entry for all shards, or one for each."""

    shards: tuple[tuple[Endpoint, ...], ...]
    count: int

    def of(self, shard: int | None) -> tuple[Endpoint, ...]:
        """The shard's servers, the preferred one first; for no shard, a few that may answer for any."""
        if shard is None:
            return tuple(dict.fromkeys(self.of(number)[0] for number in range(min(ANYWHERE, self.count))))
        if len(self.shards) > 1:
            return self.shards[shard % self.count]
        numbered = (Endpoint(e.host.replace("{shard}", str(shard)), e.port) for e in self.shards[0])
        return tuple(dict.fromkeys(numbered))

    def place(self, endpoint: Endpoint) -> tuple[str, int]:
        """Which shard a server holds, "all" where it holds several; and its place among that shard's servers."""
        held = [
            (str(shard), servers.index(endpoint))
            for shard in range(self.count)
            if endpoint in (servers := self.of(shard))
        ]
        return held[0] if len(held) == 1 else ("all", held[0][1] if held else 0)


def read_endpoints(text: str, port: int, count: int) -> Endpoints:
    """The servers that `text` names for `count` shards. Raises BadSetting where it names none, or too few."""
    shards = tuple(
        tuple(_endpoint(part.strip(), port) for part in shard.split(",") if part.strip())
        for shard in text.split(";")
        if shard.strip()
    )
    if not shards or not all(shards):
        raise BadSetting(f"{VARIABLE} names no server in {text!r}; an example: laksa{{shard}}.int.example")
    if len(shards) not in (1, count):
        raise BadSetting(
            f"{VARIABLE} lists {len(shards)} shards, and the profile has {count}: "
            "give one template with {shard}, or as many entries as there are shards, separated by `;`."
        )
    return Endpoints(shards, count)


def _endpoint(text: str, port: int) -> Endpoint:
    match = _HOST.match(text)
    if match is None or int(match["port"] or port) > 65535:
        raise BadSetting(
            f"{VARIABLE}: {text!r} is not a host or host:port; an example: laksa{{shard}}.int.example:8124"
        )
    return Endpoint(match["host"].strip("[]"), int(match["port"] or port))
