"""The inspection core: one lookup in, one Inspection out; the steps run concurrently and none can end it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from bot.errors import StoreUnavailable
from bot.index.profile import IndexProfile
from bot.inspection import queries, steps
from bot.inspection.conclude import (
    PageAnswers,
    conclude_page,
    conclude_robots,
    conclude_site_sample,
    host_pair,
    near_matches,
    near_variants,
    page_pair,
    placed_by,
    root_pair,
    rows_by_key,
)
from bot.inspection.deadline import within
from bot.inspection.heavy import HeavyText
from bot.inspection.lookup import read_lookup
from bot.inspection.model import Inspection, Lookup, NearMatch
from bot.inspection.query_id import one_request
from bot.inspection.steps import Answer
from bot.inspection.store import Query, Store

FINGERPRINT = "farmFingerprint64"  # the hash that this package computes itself


def utc_now() -> datetime:
    """This instant, in whole seconds as ClickHouse keeps them."""
    return datetime.now(UTC).replace(microsecond=0)


class Inspector:
    """Inspects lookups against one index. Holds no state of its own; safe to call concurrently."""

    def __init__(
        self,
        store: Store,
        profile: IndexProfile,
        *,
        step_timeout: float = 5.0,
        deadline: float = 10.0,
        clock: Callable[[], datetime] = utc_now,
        observer: Callable[[Inspection], None] | None = None,
    ) -> None:
        self.store = store
        self.profile = profile
        self.step_timeout = step_timeout
        self.deadline = deadline
        self._clock = clock
        self.observer = observer  # told of every finished inspection

    def read(self, text: str, shard: int | None = None) -> Lookup:
        """What `text` asks for. Raises BadUrl, BadKey."""
        return read_lookup(text, self.profile, shard)

    async def inspect(self, lookup: Lookup, as_of: datetime | None = None) -> Inspection:
        """Everything about one lookup, as of now or of an instant of the past. Never raises for a step's failure.

        What is not answered within `deadline` seconds from here is unknown, and the rest stands.
        """
        with one_request(), within(self.deadline):
            found = await self.found(lookup, as_of or self._clock())
        return self.observed(replace(found, replayed=as_of is not None))

    def observed(self, inspection: Inspection) -> Inspection:
        """The inspection itself, once the observer has seen it."""
        if self.observer:
            self.observer(inspection)
        return inspection

    async def found(self, lookup: Lookup, now: datetime) -> Inspection:
        """Everything about one lookup as of `now`, unseen by the observer."""
        lookup, placed = await self.placed(lookup)
        if lookup.unparsed is None:
            return await self._inspect_root(lookup, now, placed)
        return await self._inspect_page(lookup, now, placed)

    async def heavy(self, lookup: Lookup, field_id: str) -> str | None:
        """The text of a heavy field; None where the row holds NULL or is not there. Raises StoreError, KeyError."""
        spec = self.profile.field(field_id)
        if spec is None or not spec.heavy or lookup.unparsed is None:
            raise KeyError(field_id)
        query = queries.heavy_query(self.profile, spec, (lookup.root_hash, lookup.unparsed))
        answer = await self._ask(query, lookup)
        if answer.error:
            raise StoreUnavailable(answer.error)
        return None if answer.first is None else answer.first.get(spec.alias)

    def heavy_text(self, lookup: Lookup, field_id: str) -> HeavyText:
        """A heavy field, to be read piece by piece. Raises KeyError where there is no such field or no page."""
        return HeavyText(self.store, self.profile, lookup, field_id, self.step_timeout)

    def now(self) -> datetime:
        """The instant that an inspection without another one is as of."""
        return self._clock()

    async def placed(self, lookup: Lookup) -> tuple[Lookup, Answer | None]:
        """Where it lives. The server is asked for the hash where the profile names one that is not computed here."""
        if self.profile.hash_function == FINGERPRINT or lookup.root is None:
            return lookup, None
        answer = await self._ask(queries.root_hash_query(self.profile, [root_pair(lookup)]), lookup)
        return placed_by(answer, lookup, self.profile), answer

    async def _inspect_page(self, lookup: Lookup, now: datetime, placed: Answer | None) -> Inspection:
        page, host = [page_pair(lookup)], [host_pair(lookup)]
        crawled, robots, bans = await asyncio.gather(
            self._ask(queries.page_query(self.profile, page, now), lookup),
            self._ask(queries.robots_query(self.profile, host), lookup),
            self._ask(queries.bans_query(self.profile, host), lookup),
        )
        allowed = conclude_robots(lookup, robots, self.profile)(lookup.url or "")
        answers = PageAnswers(placed, crawled, robots, allowed, bans)
        if not crawled.first:
            seen, (near, near_error) = await asyncio.gather(
                self._ask(queries.seen_query(self.profile, page), lookup), self._near(lookup, now, crawled)
            )
            answers = replace(answers, seen=seen, near=near, near_error=near_error)
        return conclude_page(lookup, now, answers, self.profile)

    async def _near(self, lookup: Lookup, now: datetime, crawled: Answer) -> tuple[tuple[NearMatch, ...], str | None]:
        """Pages whose address differs a little, or why they are not known; where no row was looked for, neither."""
        variants = {} if crawled.error else near_variants(lookup)
        if not variants:
            return (), None
        answer = await self._ask(queries.page_query(self.profile, list(variants), now, fields=()), lookup)
        rows = rows_by_key(answer.rows.rows if answer.rows else ())
        return near_matches(rows, variants.values(), self.profile), answer.error

    async def _inspect_root(self, lookup: Lookup, now: datetime, placed: Answer | None) -> Inspection:
        """A bare root hash: its only page if it has one, otherwise its first pages, to choose from."""
        answer = await self._ask(queries.site_sample_query(self.profile, lookup.root_hash, now), lookup)
        rows = answer.rows.rows if answer.rows else ()
        if len(rows) == 1:
            only = self.read(str(rows[0][queries.KEY]))
            return await self.found(_same_place(only, lookup), now)
        return conclude_site_sample(lookup, now, placed, answer, self.profile)

    async def _ask(self, query: Query, lookup: Lookup) -> Answer:
        return await steps.ask(self.store, query, lookup.shard, lookup.host, self.step_timeout)


def _same_place(found: Lookup, asked: Lookup) -> Lookup:
    """`found`, as asked: the words, the hash and the shard of the one who asked stand."""
    return Lookup(
        text=asked.text,
        url=found.url,
        unparsed=found.unparsed,
        root=found.root,
        root_hash=asked.root_hash,
        shard=asked.shard,
        host=asked.host,
        index=asked.index,
    )
