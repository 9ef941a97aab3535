"""Many lookups: never one by one, streamed in the order of asking, in bounded memory.

Lookups are taken window by window, and the next window is asked for while the one before is handed out. A window's keys
are grouped by server and cut into chunks, each asked with one query over a bound array: pages, robots and bans first,
then, for what is missing, the frontier and the near matches. What comes back is narrowed to one page at a time and
concluded by the functions that conclude a single inspection.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sequence, Sized
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby

from bot.address.variants import Variant
from bot.errors import BadInput
from bot.inspection import queries
from bot.inspection.chunks import Asker, Chunked, Place, Share, Wanted, cut
from bot.inspection.conclude import (
    PageAnswers,
    conclude_page,
    conclude_robots,
    host_pair,
    near_matches,
    near_variants,
    page_pair,
    placed_by,
    root_pair,
    rows_by_key,
)
from bot.inspection.deadline import within
from bot.inspection.model import Inspection, Lookup, NearMatch, RobotsResult
from bot.inspection.pace import Pace
from bot.inspection.pipeline import FINGERPRINT, Inspector
from bot.inspection.queries import Pair

HELD = 10_000  # lookups held at once: all of a list that is no longer, else two windows
DEADLINE_OF = 1_000  # lookups that together may take as long as one alone
WORKERS = 4  # of what is asked piece by piece: near matches, bare root hashes
NEAR_TOGETHER = 100  # pages whose near matches are asked for together: a thousand keys or so

Asked = Lookup | BadInput  # what cannot be looked up keeps its place in the stream
PageId = tuple[int, int, str]  # shard, root hash, key: what is asked once, however often it is named
Progress = Callable[[int, int | None], None]


async def inspect_many(
    inspector: Inspector,
    lookups: Iterable[Asked] | AsyncIterable[Asked],
    as_of: datetime | None = None,
    *,
    progress: Progress | None = None,
    commands: bool = False,
    window: int | None = None,
    pace: Pace | None = None,
) -> AsyncGenerator[Inspection | BadInput, None]:
    """An inspection for each lookup, in order, all as of one instant; a BadInput comes back in its place.

    `progress` hears how many are done, and of how many, where `lookups` has a length. To cancel, close the generator
    (`contextlib.aclosing`): what is still asked is given up. A server that fails makes its own pages UNKNOWN.
    `commands` adds the shell command to every step that is read, which costs more than all the rest of a page.
    `window` is how many are asked together; a larger one costs the servers less, and everyone else a longer wait.
    `pace` is shared by runs that together are to take no more than one; else each has its own.
    """
    total = len(lookups) if isinstance(lookups, Sized) else None
    pace = pace or Pace()
    bulk, done = _Bulk(inspector, as_of, pace, commands), 0
    size = window or (HELD if total is not None and total <= HELD else HELD // 2)
    async with aclosing(_one_ahead(bulk, _windows(lookups, size))) as fetched:
        async for answered in fetched:
            for item in answered.items:
                done += 1
                yield item if isinstance(item, BadInput) else bulk.conclude(item, answered)
                if progress:
                    progress(done, total)
                await pace.breathe()
            del answered  # before the next window is waited for, and the one after it asked


async def _windows(lookups: Iterable[Asked] | AsyncIterable[Asked], size: int) -> AsyncIterator[list[Asked]]:
    window: list[Asked] = []
    async for item in _each(lookups):
        window.append(item)
        if len(window) == size:
            yield window
            window = []
    if window:
        yield window


async def _each(lookups: Iterable[Asked] | AsyncIterable[Asked]) -> AsyncIterator[Asked]:
    if isinstance(lookups, AsyncIterable):
        async for item in lookups:
            yield item
    else:
        for item in lookups:
            yield item


async def _one_ahead(bulk: _Bulk, windows: AsyncIterator[list[Asked]]) -> AsyncGenerator[_Window, None]:
    """Each window with its answers; while one is handed out the next is fetched. Closed, it fetches nothing more."""
    tasks: deque[asyncio.Task[_Window]] = deque()
    try:
        async for items in windows:
            tasks.append(asyncio.create_task(bulk.fetch(items)))
            if len(tasks) > 1:
                yield await tasks.popleft()
        while tasks:
            yield await tasks.popleft()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class _Page:
    """One page of a window: where it lives, by the hash that the index was built with, and what is asked of it."""

    lookup: Lookup
    placed: Share | None  # what the server said of its root, where it was asked
    row: Wanted
    host: Wanted

    @classmethod
    def of(cls, lookup: Lookup, placed: Share | None) -> _Page:
        """A page that lives where `lookup` says."""
        return cls(lookup, placed, Wanted(lookup, page_pair(lookup)), Wanted(lookup, host_pair(lookup)))


@dataclass(frozen=True, slots=True)
class _Near:
    """The addresses near those of a missing page."""

    page_id: PageId
    lookup: Lookup
    variants: dict[Pair, Variant]


_NearFound = tuple[tuple[NearMatch, ...], str | None]  # or why they are not known


@dataclass(slots=True)
class _Window:
    """Lookups in order, with everything that was answered about them."""

    items: Sequence[Asked]
    pages: dict[PageId, _Page]
    crawled: Chunked = field(default_factory=Chunked)
    robots: Chunked = field(default_factory=Chunked)
    allowed: dict[PageId, RobotsResult] = field(default_factory=dict)
    bans: Chunked = field(default_factory=Chunked)
    seen: Chunked = field(default_factory=Chunked)
    near: dict[PageId, _NearFound] = field(default_factory=dict)
    roots: dict[tuple[int, int], Inspection] = field(default_factory=dict)


class _Bulk:
    """One run over many lookups."""

    def __init__(self, inspector: Inspector, as_of: datetime | None, pace: Pace, commands: bool) -> None:
        self._inspector = inspector
        self._profile = inspector.profile
        self._replayed = as_of is not None
        self._now = as_of or inspector.now()
        self._pace = pace
        self._asker = Asker(inspector.store, inspector.step_timeout, pace, commands=commands)

    async def fetch(self, items: Sequence[Asked]) -> _Window:
        """Ask everything about a window, within one deadline for each thousand lookups of it that are begun."""
        with within(self._inspector.deadline * -(-len(items) // DEADLINE_OF)):
            return await self._fetched(items)

    async def _fetched(self, items: Sequence[Asked]) -> _Window:
        lookups = [item for item in items if isinstance(item, Lookup)]
        distinct = {_page_id(lookup): lookup for lookup in lookups if lookup.unparsed is not None}
        window = _Window(items, await self._placed(distinct))
        rows = [page.row for page in window.pages.values()]
        hosts = [page.host for page in window.pages.values()]
        profile, now, ask = self._profile, self._now, self._asker.ask
        # Hosts first: they are few, and their robots.txt is judged while the servers look for the pages.
        (window.allowed, window.robots), window.bans, window.crawled, window.roots = await asyncio.gather(
            self._robots(window.pages),
            ask("hosts", lambda pairs: queries.bans_query(profile, pairs), hosts),
            ask("keys", lambda pairs: queries.page_query(profile, pairs, now), rows),
            self._root_hashes([lookup for lookup in lookups if lookup.unparsed is None]),
        )
        missing = {page_id: page for page_id, page in window.pages.items() if not window.crawled.found(page.row)}
        near = {page_id: page for page_id, page in missing.items() if not window.crawled.failed(page.row)}
        window.seen, window.near = await asyncio.gather(
            ask("keys", lambda pairs: queries.seen_query(profile, pairs), [page.row for page in missing.values()]),
            self._near(near),
        )
        return window

    def conclude(self, lookup: Lookup, window: _Window) -> Inspection:
        """The inspection of one lookup of a window."""
        if lookup.unparsed is None:
            found = replace(window.roots[lookup.shard, lookup.root_hash], replayed=self._replayed)
        else:
            page_id = _page_id(lookup)
            answers, placed = self._answers(page_id, window), window.pages[page_id].lookup
            found = conclude_page(placed, self._now, answers, self._profile, replayed=self._replayed)
        if found.lookup.text != lookup.text:  # the same page may be named in several ways
            found = replace(found, lookup=replace(found.lookup, text=lookup.text))
        return self._inspector.observed(found)

    def _answers(self, page_id: PageId, window: _Window) -> PageAnswers:
        page = window.pages[page_id]
        crawled = window.crawled.about(page.row)
        return PageAnswers(
            page.placed,
            crawled,
            window.robots.about(page.host),
            window.allowed[page_id],
            window.bans.about(page.host),
            None if crawled.first is not None else window.seen.about(page.row),
            *window.near.get(page_id, ()),
        )

    async def _placed(self, lookups: dict[PageId, Lookup]) -> dict[PageId, _Page]:
        """Where the pages live. The servers are asked for the hashes where the profile names one of their own."""
        if self._profile.hash_function == FINGERPRINT:
            return {page_id: _Page.of(lookup, None) for page_id, lookup in lookups.items()}
        wanted = {page_id: Wanted(lookup, root_pair(lookup)) for page_id, lookup in lookups.items()}
        hashes = await self._asker.ask(
            "roots", lambda pairs: queries.root_hash_query(self._profile, pairs), wanted.values()
        )
        shares = {page_id: hashes.about(each) for page_id, each in wanted.items()}
        return {
            page_id: _Page.of(placed_by(share, lookups[page_id], self._profile), share)
            for page_id, share in shares.items()
        }

    async def _root_hashes(self, lookups: Sequence[Lookup]) -> dict[tuple[int, int], Inspection]:
        """Bare root hashes, each inspected for itself: what they name is a site."""
        distinct = {(lookup.shard, lookup.root_hash): lookup for lookup in lookups}
        queue = iter(distinct.items())
        found: dict[tuple[int, int], Inspection] = {}

        async def work() -> None:
            for place, lookup in queue:
                found[place] = await self._inspector.found(lookup, self._now)

        await asyncio.gather(*(work() for _ in range(WORKERS)))
        return found

    async def _robots(self, pages: dict[PageId, _Page]) -> tuple[dict[PageId, RobotsResult], Chunked]:
        """What robots.txt says of each page, and the answers for its step.

        Host by host, so that each file is read once, and none stays in memory as it was read.
        """
        hosts = [page.host for page in pages.values()]
        robots = await self._asker.ask("hosts", lambda pairs: queries.robots_query(self._profile, pairs), hosts)
        found = {}
        for _, grouped in groupby(sorted(pages.items(), key=_host_of), key=_host_of):
            of_host = list(grouped)
            _, first = of_host[0]
            judge = conclude_robots(first.lookup, robots.about(first.host), self._profile)
            for page_id, page in of_host:
                found[page_id] = judge(page.lookup.url or "")
                await self._pace.breathe()
        return found, robots.without_rows()

    async def _near(self, missing: dict[PageId, _Page]) -> dict[PageId, _NearFound]:
        """The near matches of pages that are not there. Few pieces are in the works at once, as each is large."""
        pieces = self._near_pieces(missing)
        found: dict[PageId, _NearFound] = {}

        async def work() -> None:
            for piece in pieces:
                for pack in cut(await self._variants(piece), lambda near: near.variants):
                    found.update(await self._near_of(pack))

        await asyncio.gather(*(work() for _ in range(WORKERS)))
        return found

    def _near_pieces(self, missing: dict[PageId, _Page]) -> Iterator[Sequence[tuple[PageId, _Page]]]:
        for group in self._asker.by_server(missing.items(), lambda item: item[1].lookup):
            yield from (group[start : start + NEAR_TOGETHER] for start in range(0, len(group), NEAR_TOGETHER))

    async def _variants(self, pages: Iterable[tuple[PageId, _Page]]) -> list[_Near]:
        found = []
        for page_id, page in pages:
            found.append(_Near(page_id, page.lookup, near_variants(page.lookup)))
            await self._pace.breathe()
        return found

    async def _near_of(self, pack: Sequence[_Near]) -> dict[PageId, _NearFound]:
        pairs = list(dict.fromkeys(pair for near in pack for pair in near.variants))
        if not pairs:
            return {}
        query = queries.page_query(self._profile, pairs, self._now, fields=())
        answer = await self._asker.fetch(query, [near.lookup for near in pack])
        rows = rows_by_key(answer.rows.rows if answer.rows else ())
        return {
            near.page_id: (near_matches(rows, near.variants.values(), self._profile), answer.error) for near in pack
        }


def _host_of(item: tuple[PageId, _Page]) -> Place:
    return item[1].host.place


def _page_id(lookup: Lookup) -> PageId:
    return lookup.shard, lookup.root_hash, lookup.unparsed or ""
