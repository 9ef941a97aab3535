"""The inspection core: one lookup in, one Inspection out; the steps run concurrently and none can end it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from bot.address.key import parse_key
from bot.address.variants import Variant, near_urls
from bot.errors import StoreUnavailable
from bot.index.profile import IndexProfile
from bot.inspection import queries, steps
from bot.inspection.heavy import HeavyText
from bot.inspection.lookup import read_lookup, with_root_hash
from bot.inspection.model import (
    BanResult,
    FilterResult,
    Inspection,
    Lookup,
    NearMatch,
    RobotsResult,
    RobotsVerdict,
    SeenResult,
    Step,
    Verdict,
)
from bot.inspection.rows import decode_page, integer, judge, verdict_of
from bot.inspection.steps import Answer
from bot.inspection.store import Query, Row, Store

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
        clock: Callable[[], datetime] = utc_now,
        observer: Callable[[Inspection], None] | None = None,
    ) -> None:
        self.store = store
        self.profile = profile
        self._timeout = step_timeout
        self._clock = clock
        self._observer = observer

    def read(self, text: str, shard: int | None = None) -> Lookup:
        """What `text` asks for. Raises BadUrl, BadKey."""
        return read_lookup(text, self.profile, shard)

    async def inspect(self, lookup: Lookup, as_of: datetime | None = None) -> Inspection:
        """Everything about one lookup, as of now or of an instant of the past. Never raises for a step's failure."""
        found = replace(await self._inspect(lookup, as_of or self._clock()), replayed=as_of is not None)
        if self._observer:
            self._observer(found)
        return found

    async def _inspect(self, lookup: Lookup, now: datetime) -> Inspection:
        lookup, shard_step = await self._place(lookup)
        if lookup.unparsed is None:
            return await self._inspect_root(lookup, now, shard_step)
        return await self._inspect_page(lookup, now, shard_step)

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
        return HeavyText(self.store, self.profile, lookup, field_id, self._timeout)

    def now(self) -> datetime:
        """The instant that an inspection without another one is as of."""
        return self._clock()

    async def _place(self, lookup: Lookup) -> tuple[Lookup, Step]:
        """The shard step. The server is asked for the hash where the profile names one that is not computed here."""
        if self.profile.hash_function == FINGERPRINT or lookup.root is None:
            return lookup, steps.shard_step(lookup, None, 0.0)
        answer = await self._ask(queries.root_hash_query(self.profile, lookup.root), lookup)
        if answer.first:
            lookup = with_root_hash(lookup, integer(answer.first["root_hash"]) or 0, self.profile)
        return lookup, steps.shard_step(lookup, answer, answer.elapsed_ms)

    async def _inspect_page(self, lookup: Lookup, now: datetime, shard_step: Step) -> Inspection:
        key = parse_key(lookup.unparsed or "")
        host = [(lookup.root_hash, key.hostname)]
        crawled, robots_answer, ban_answer = await asyncio.gather(
            self._ask(queries.page_query(self.profile, [(lookup.root_hash, key.unparsed)], now), lookup),
            self._ask(queries.hosts_query(self.profile.robots, host), lookup),
            self._ask(queries.hosts_query(self.profile.bans, host), lookup),
        )
        robots, robots_step = steps.read_robots(robots_answer, key.url, key.hostname, self.profile)
        ban, ban_step = steps.read_bans(ban_answer, key.hostname)
        if crawled.first:
            seen, seen_step = SeenResult(None), steps.skipped("seen", steps.SKIPPED_CRAWLED)
            near: tuple[NearMatch, ...] = ()
        else:
            (seen, seen_step), near = await asyncio.gather(self._seen(lookup), self._near(lookup, now, crawled))
        crawled_step = crawled.step(
            "crawled", "Crawled." if crawled.first else f"{lookup.host} has no row for this key."
        )
        all_steps = (shard_step, crawled_step, robots_step, ban_step, seen_step)
        return self._conclude(lookup, now, crawled, robots, ban, seen, all_steps, near)

    def _conclude(
        self,
        lookup: Lookup,
        now: datetime,
        crawled: Answer,
        robots: RobotsResult,
        ban: BanResult,
        seen: SeenResult,
        all_steps: tuple[Step, ...],
        near: tuple[NearMatch, ...],
    ) -> Inspection:
        row = crawled.first
        filters: tuple[FilterResult, ...] = judge(row, self.profile) if row else ()
        if row:
            verdict, cause = verdict_of(filters)
        else:
            verdict, cause = (Verdict.UNKNOWN if crawled.error else Verdict.NOT_CRAWLED), None
        return Inspection(
            lookup=lookup,
            as_of=now,
            verdict=verdict,
            cause=cause,
            crawled=None if crawled.error else row is not None,
            filters=filters,
            page=decode_page(row, self.profile.light_fields) if row else None,
            robots=robots,
            ban=ban,
            seen=seen,
            steps=all_steps,
            near_matches=near,
        )

    async def _seen(self, lookup: Lookup) -> tuple[SeenResult, Step]:
        query = queries.keys_query(self.profile.seen, [(lookup.root_hash, lookup.unparsed or "")])
        return steps.read_seen(await self._ask(query, lookup))

    async def _near(self, lookup: Lookup, now: datetime, crawled: Answer) -> tuple[NearMatch, ...]:
        """Pages whose address differs a little. Not looked for where the table itself did not answer."""
        if crawled.error or lookup.url is None:
            return ()
        variants = {variant.unparsed: variant for variant in near_urls(lookup.url)}
        own_hash = parse_key(lookup.unparsed or "").root_hash
        keys = [
            (lookup.root_hash if variant.root_hash == own_hash else variant.root_hash, unparsed)
            for unparsed, variant in variants.items()
        ]
        answer = await self._ask(queries.page_query(self.profile, keys, now, fields=()), lookup)
        return _near_matches(answer.rows.rows if answer.rows else (), variants, self.profile)

    async def _inspect_root(self, lookup: Lookup, now: datetime, shard_step: Step) -> Inspection:
        """A bare root hash: its only page if it has one, otherwise its first pages, to choose from."""
        answer = await self._ask(queries.site_sample_query(self.profile, lookup.root_hash, now), lookup)
        rows = answer.rows.rows if answer.rows else ()
        if len(rows) == 1:
            only = self.read(str(rows[0][queries.KEY]))
            return await self._inspect(_same_place(only, lookup), now)
        crawled_step = answer.step("crawled", _root_note(len(rows)))
        rest = tuple(steps.skipped(step_id, steps.SKIPPED_NO_PAGE) for step_id in ("robots", "spam", "seen"))
        pages = tuple(
            NearMatch(
                parse_key(str(row[queries.KEY])).url,
                str(row[queries.KEY]),
                "same root hash",
                _verdict(row, self.profile),
            )
            for row in rows[: queries.SITE_SAMPLE - 1]
        )
        return Inspection(
            lookup=lookup,
            as_of=now,
            verdict=Verdict.NOT_CRAWLED if not rows and not answer.error else Verdict.UNKNOWN,
            cause=None,
            crawled=False if not rows and not answer.error else None,
            filters=(),
            page=None,
            robots=RobotsResult(RobotsVerdict.UNKNOWN, note=steps.SKIPPED_NO_PAGE),
            ban=BanResult(None),
            seen=SeenResult(None),
            steps=(shard_step, crawled_step, *rest),
            near_matches=pages,
        )

    async def _ask(self, query: Query, lookup: Lookup) -> Answer:
        return await steps.ask(self.store, query, lookup.shard, lookup.host, self._timeout)


def _verdict(row: Row, profile: IndexProfile) -> Verdict:
    return verdict_of(judge(row, profile))[0]


def _same_root(row: Row, profile: IndexProfile) -> NearMatch:
    unparsed = str(row[queries.KEY])
    return NearMatch(parse_key(unparsed).url, unparsed, "same root hash", _verdict(row, profile))


def _near_matches(rows: Sequence[Row], variants: Mapping[str, Variant], profile: IndexProfile) -> tuple[NearMatch, ...]:
    """The rows that were found, in the order of the variants: the smallest difference first."""
    found: dict[str, Any] = {str(row[queries.KEY]): row for row in rows}
    return tuple(
        NearMatch(variant.url, unparsed, variant.difference, _verdict(found[unparsed], profile))
        for unparsed, variant in variants.items()
        if unparsed in found
    )


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
    )


def _root_note(count: int) -> str:
    if not count:
        return "No page has this root hash."
    more = "more than " if count == queries.SITE_SAMPLE else ""
    shown = min(count, queries.SITE_SAMPLE - 1)
    return f"A root hash names a site: {more}{shown} pages have it. Inspect one of them by its URL or key."
