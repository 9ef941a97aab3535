"""Many keys → few queries: grouped by server, cut into chunks, asked side by side, and handed back key by key."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from bot.inspection import queries, steps
from bot.inspection.model import Lookup
from bot.inspection.queries import Pair
from bot.inspection.steps import Answer
from bot.inspection.store import Query, Row, Rows, Store

CHUNK = 1_000  # keys in one query
# A bound array travels as one field, and ClickHouse refuses one of 128 KiB (http_max_field_value_size).
CHUNK_CHARACTERS = 100_000
PAIR_CHARACTERS = 26  # of a pair beside its text: the hash, quotes, brackets, commas
QUERIES_PER_SERVER = 3  # at once, so that a silent server does not keep the others waiting
QUERIES = 32  # at once over all servers
HOSTS_NAMED = 3

_ANY = Query("SELECT 1")

Item = TypeVar("Item")
Place = tuple[int, Pair]  # a shard, and what is asked for there


@dataclass(frozen=True, slots=True)
class Wanted:
    """One pair, to be asked for where `lookup` lives."""

    lookup: Lookup
    pair: Pair


@dataclass(frozen=True, slots=True)
class _Chunk:
    """What one query brought: rows by their key, each with its line of the response; or the error."""

    array: str  # the parameter that holds the pairs
    asked: Answer
    found: Mapping[str, tuple[Row, str]]

    def about(self, wanted: Wanted) -> Answer:
        """The answer as the same query over this pair alone would have brought it, without its shell command."""
        asked = self.asked
        query = Query(asked.query.sql, {**asked.query.parameters, self.array: [wanted.pair]})
        row, line = self.found.get(wanted.pair[1], (None, ""))
        rows = None if asked.error else Rows((row,) if row is not None else (), line, asked.elapsed_ms)
        return Answer(query, None, rows, asked.error, asked.elapsed_ms)


@dataclass(frozen=True, slots=True)
class Chunked:
    """Answers to what was wanted, by shard and pair."""

    chunks: Mapping[Place, _Chunk] = field(default_factory=dict)

    def about(self, wanted: Wanted) -> Answer:
        """The answer about one of them."""
        return self.chunks[wanted.lookup.shard, wanted.pair].about(wanted)

    def found(self, wanted: Wanted) -> bool:
        """Whether there is a row for it."""
        return wanted.pair[1] in self.chunks[wanted.lookup.shard, wanted.pair].found

    def failed(self, wanted: Wanted) -> bool:
        """Whether its server gave no answer."""
        return self.chunks[wanted.lookup.shard, wanted.pair].asked.error is not None


class Asker:
    """Asks a store, so many queries at once in all and of each server."""

    def __init__(self, store: Store, seconds: float) -> None:
        self.store = store
        self._seconds = seconds
        self._all = asyncio.Semaphore(QUERIES)
        self._servers: dict[int, Hashable] = {}
        self._each: defaultdict[Hashable, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(QUERIES_PER_SERVER)
        )

    async def ask(self, array: str, query_of: Callable[[Sequence[Pair]], Query], wanted: Iterable[Wanted]) -> Chunked:
        """Ask for every pair once. `array` is the parameter of the query that holds the pairs."""
        distinct = {(each.lookup.shard, each.pair): each for each in wanted}
        # In the order of the table's sorting key, so that each chunk reads its own stretch of the table and no more.
        ordered = sorted(distinct.values(), key=lambda each: each.pair)
        groups = self.by_server(ordered, lambda each: each.lookup)
        packs = [pack for group in groups for pack in cut(group, lambda each: [each.pair])]
        answers = await asyncio.gather(
            *(self.fetch(query_of([each.pair for each in pack]), [each.lookup for each in pack]) for pack in packs)
        )
        chunks: dict[Place, _Chunk] = {}
        for pack, answer in zip(packs, answers, strict=True):
            chunk = _Chunk(array, _without_rows(answer), _lines_by_key(answer))
            chunks.update(((each.lookup.shard, each.pair), chunk) for each in pack)
        return Chunked(chunks)

    async def fetch(self, query: Query, lookups: Sequence[Lookup]) -> Answer:
        """One query, on the server that all of `lookups` live on."""
        shard = lookups[0].shard
        async with self._each[self._server(shard)], self._all:
            return await steps.ask(self.store, query, shard, _hosts(lookups), self._seconds)

    def by_server(self, items: Iterable[Item], lookup_of: Callable[[Item], Lookup]) -> list[list[Item]]:
        """Items by the server that their lookups live on."""
        servers: defaultdict[Hashable, list[Item]] = defaultdict(list)
        for item in items:
            servers[self._server(lookup_of(item).shard)].append(item)
        return list(servers.values())

    def _server(self, shard: int) -> Hashable:
        """Which server answers for a shard: those of the same command are one, and so are all where there is none."""
        if shard not in self._servers:
            self._servers[shard] = self.store.curl(_ANY, shard)
        return self._servers[shard]


def cut(items: Iterable[Item], pairs_of: Callable[[Item], Iterable[Pair]]) -> Iterator[list[Item]]:
    """Items in packs with as many pairs as one query takes, and at least one item; taken as they are needed."""
    pack: list[Item] = []
    count = characters = 0
    for item in items:
        sizes = [len(text) + PAIR_CHARACTERS for _, text in pairs_of(item)]
        if pack and (count + len(sizes) > CHUNK or characters + sum(sizes) > CHUNK_CHARACTERS):
            yield pack
            pack, count, characters = [], 0, 0
        pack.append(item)
        count, characters = count + len(sizes), characters + sum(sizes)
    if pack:
        yield pack


def _lines_by_key(answer: Answer) -> dict[str, tuple[Row, str]]:
    if answer.rows is None:
        return {}
    lines = (line for line in answer.rows.response.split("\n") if line)
    return {str(row[queries.KEY]): (row, f"{line}\n") for row, line in zip(answer.rows.rows, lines, strict=True)}


def _without_rows(answer: Answer) -> Answer:
    """The rows stand in the chunk by key: the response as a whole need not stay in memory beside its lines."""
    return Answer(answer.query, None, None, answer.error, answer.elapsed_ms)


def _hosts(lookups: Iterable[Lookup]) -> str:
    """The names of the servers asked, as a sentence about them begins."""
    names = list(dict.fromkeys(lookup.host for lookup in lookups))
    more = len(names) - HOSTS_NAMED
    return ", ".join(names[:HOSTS_NAMED]) + (f" and {more} more" if more > 0 else "")
