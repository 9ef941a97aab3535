"""Many keys → few queries: grouped by server, cut into chunks, asked side by side, and handed back key by key."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from bot.inspection import queries, steps
from bot.inspection.model import Lookup, Step
from bot.inspection.pace import Pace
from bot.inspection.queries import Pair
from bot.inspection.steps import Answer
from bot.inspection.store import Query, Row, Rows, Store

CHUNK = 2_000  # keys in one query
# A bound array travels as one field, and ClickHouse refuses one of 128 KiB (http_max_field_value_size).
CHUNK_CHARACTERS = 100_000
PAIR_CHARACTERS = 26  # of a pair beside its text: the hash, quotes, brackets, commas
HOSTS_NAMED = 3

NOTHING: tuple[None, str] = (None, "")  # the row and the line of a pair that is not there

_ANY = Query("SELECT 1")

Item = TypeVar("Item")
Place = tuple[int, Pair]  # a shard, and what is asked for there
Curl = Callable[[Query, int], str | None]


class Wanted:
    """One pair, to be asked for where `lookup` lives; `place` tells it from everything else that is asked."""

    __slots__ = ("lookup", "pair", "place")

    def __init__(self, lookup: Lookup, pair: Pair) -> None:
        self.lookup = lookup
        self.pair = pair
        self.place: Place = lookup.shard, pair


@dataclass(frozen=True, slots=True)
class _Asked:
    """One query over many pairs, and how it went. It holds neither pairs nor rows: a page keeps it for its steps."""

    array: str  # the parameter that holds the pairs
    answer: Answer
    curl: Curl | None

    @classmethod
    def of(cls, array: str, answer: Answer, curl: Curl | None) -> _Asked:
        """What stays of an answer when its rows are placed by key."""
        query = replace(answer.query, parameters={**answer.query.parameters, array: []})
        return cls(array, replace(answer, query=query, rows=None), curl)

    def about(self, wanted: Wanted, line: str) -> Answer:
        """The answer as the same query over this pair alone would have brought it; `line` is what it would say."""
        query = replace(self.answer.query, parameters={**self.answer.query.parameters, self.array: [wanted.pair]})
        curl = self.curl(query, wanted.lookup.shard) if self.curl else None
        rows = None if self.answer.error else Rows((), line, self.answer.elapsed_ms)
        return replace(self.answer, query=query, curl=curl, rows=rows)


class Share:
    """One pair's share of a chunk: its row at once, its query and response when its step is read."""

    __slots__ = ("_asked", "_line", "_wanted", "first")

    def __init__(self, asked: _Asked, wanted: Wanted, row: Row | None, line: str) -> None:
        self.first = row
        self._asked = asked
        self._wanted = wanted
        self._line = line

    @property
    def error(self) -> str | None:
        """The reason why the chunk has no rows."""
        return self._asked.answer.error

    def step(self, step_id: str, note: str) -> Step:
        """The step that would have asked for this pair alone."""
        return self._asked.about(self._wanted, self._line and f"{self._line}\n").step(step_id, note)


@dataclass(frozen=True, slots=True)
class _Chunk:
    """What one query brought: rows by their key, each with its line of the response."""

    asked: _Asked
    found: Mapping[str, tuple[Row | None, str]]

    def without_rows(self) -> _Chunk:
        """The same without its rows."""
        return _Chunk(self.asked, {key: (None, line) for key, (_, line) in self.found.items()})


@dataclass(frozen=True, slots=True)
class Chunked:
    """Answers to what was wanted, by shard and pair."""

    chunks: Mapping[Place, _Chunk] = field(default_factory=dict)

    def about(self, wanted: Wanted) -> Share:
        """The answer about one of them."""
        chunk = self.chunks[wanted.place]
        return Share(chunk.asked, wanted, *chunk.found.get(wanted.pair[1], NOTHING))

    def without_rows(self) -> Chunked:
        """The same, once the rows have been read: what its steps show stays, and the rest is let go."""
        read = {id(chunk): chunk.without_rows() for chunk in self.chunks.values()}
        return Chunked({place: read[id(chunk)] for place, chunk in self.chunks.items()})

    def found(self, wanted: Wanted) -> bool:
        """Whether there is a row for it."""
        return wanted.pair[1] in self.chunks[wanted.place].found

    def failed(self, wanted: Wanted) -> bool:
        """Whether its server gave no answer."""
        return self.chunks[wanted.place].asked.answer.error is not None


class Asker:
    """Asks a store, at a pace."""

    def __init__(self, store: Store, seconds: float, pace: Pace, *, commands: bool = False) -> None:
        self.store = store
        self._seconds = seconds
        self._curl = store.curl if commands else None
        self._pace = pace
        self._servers: dict[int, Hashable] = {}

    async def ask(self, array: str, query_of: Callable[[Sequence[Pair]], Query], wanted: Iterable[Wanted]) -> Chunked:
        """Ask for every pair once. `array` is the parameter of the query that holds the pairs."""
        distinct = {each.place: each for each in wanted}
        # In the order of the table's sorting key, so that each chunk reads its own stretch of the table and no more.
        ordered = sorted(distinct.values(), key=lambda each: each.pair)
        groups = self.by_server(ordered, lambda each: each.lookup)
        packs = [pack for group in groups for pack in cut(group, lambda each: [each.pair])]
        answers = await asyncio.gather(
            *(self.fetch(query_of([each.pair for each in pack]), [each.lookup for each in pack]) for pack in packs)
        )
        chunks: dict[Place, _Chunk] = {}
        for pack, answer in zip(packs, answers, strict=True):
            chunk = _Chunk(_Asked.of(array, answer, self._curl), _lines_by_key(answer))
            chunks.update((each.place, chunk) for each in pack)
        return Chunked(chunks)

    async def fetch(self, query: Query, lookups: Sequence[Lookup]) -> Answer:
        """One query, on the server that all of `lookups` live on."""
        shard = lookups[0].shard
        async with self._pace.query(self._server(shard)):
            return await steps.fetch(self.store, query, shard, _hosts(lookups), self._seconds)

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


def cut(items: Iterable[Item], pairs_of: Callable[[Item], Iterable[Pair]], most: int = CHUNK) -> Iterator[list[Item]]:
    """Items in packs with as many pairs as one query takes, and at least one item; taken as they are needed."""
    pack: list[Item] = []
    count = characters = 0
    for item in items:
        sizes = [len(text) + PAIR_CHARACTERS for _, text in pairs_of(item)]
        if pack and (count + len(sizes) > most or characters + sum(sizes) > CHUNK_CHARACTERS):
            yield pack
            pack, count, characters = [], 0, 0
        pack.append(item)
        count, characters = count + len(sizes), characters + sum(sizes)
    if pack:
        yield pack


def _lines_by_key(answer: Answer) -> dict[str, tuple[Row | None, str]]:
    if answer.rows is None:
        return {}
    lines = (line for line in answer.rows.response.split("\n") if line)
    return {str(row[queries.KEY]): (row, line) for row, line in zip(answer.rows.rows, lines, strict=True)}


def _hosts(lookups: Iterable[Lookup]) -> str:
    """The names of the servers asked, as a sentence about them begins."""
    names = list(dict.fromkeys(lookup.host for lookup in lookups))
    more = len(names) - HOSTS_NAMED
    return ", ".join(names[:HOSTS_NAMED]) + (f" and {more} more" if more > 0 else "")
