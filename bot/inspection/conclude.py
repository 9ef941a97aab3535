"""Answers → Inspection. Pure: one page and ten thousand are concluded by the same functions, so they cannot differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.address.key import parse_key
from bot.address.variants import Variant, near_urls
from bot.index.profile import IndexProfile
from bot.inspection import queries, steps
from bot.inspection.lookup import with_root_hash
from bot.inspection.model import (
    BanResult,
    Deferred,
    Inspection,
    Lookup,
    NearMatch,
    RobotsResult,
    RobotsVerdict,
    SeenResult,
    Step,
    Verdict,
)
from bot.inspection.queries import Pair
from bot.inspection.rows import Page, integer, judge, verdict_of
from bot.inspection.steps import Answer, Answered, JudgeUrl
from bot.inspection.store import Row

NEAR_UNKNOWN = "Near addresses are not known"


@dataclass(frozen=True, slots=True)
class PageAnswers:
    """What was answered about one page.

    `placed` is None where no server had to be asked for the hash of its root, `seen` where the frontier had no need to
    be asked.
    """

    placed: Answered | None
    crawled: Answered
    robots: Answered
    robots_result: RobotsResult
    bans: Answered
    seen: Answered | None = None
    near: tuple[NearMatch, ...] = ()
    near_error: str | None = None  # why they are not known

    @property
    def all_answered(self) -> bool:
        """Did every server that was asked answer?"""
        asked = (self.placed, self.crawled, self.robots, self.bans, self.seen)
        return not (self.near_error or any(answer and answer.error for answer in asked))


def conclude_page(
    lookup: Lookup, now: datetime, answers: PageAnswers, profile: IndexProfile, *, replayed: bool = False
) -> Inspection:
    """The inspection of a lookup that names a page."""
    row, ban = answers.crawled.first, steps.read_bans(answers.bans)
    page = Page(row, profile.light_by_id, lookup.url) if row else None
    verdict, cause = _verdict_and_cause(answers.crawled, profile)
    return Inspection(
        lookup=lookup,
        as_of=now,
        verdict=verdict,
        cause=cause,
        crawled=None if answers.crawled.error else row is not None,
        filters=Deferred(lambda: judge(row, page, profile, now)) if row and page else (),
        page=page,
        robots=answers.robots_result,
        ban=ban,
        seen=steps.read_seen(answers.seen),
        steps=Deferred(lambda: _steps(lookup, answers, page, ban)),
        near_matches=answers.near,
        replayed=replayed,
        near_error=answers.near_error,
        all_answered=answers.all_answered,
    )


def conclude_robots(lookup: Lookup, answer: Answered, profile: IndexProfile) -> JudgeUrl:
    """What the robots.txt of a page's host says of the host's pages."""
    return steps.read_robots(answer, host_pair(lookup)[1], profile)


def _steps(lookup: Lookup, answers: PageAnswers, page: Page | None, ban: BanResult) -> tuple[Step, ...]:
    """In the order of the report."""
    if page is None:
        crawled = f"{lookup.host} has no row for this key."
    else:
        crawled = " ".join(filter(None, ("Crawled.", page.unreadable)))
    if answers.near_error:
        crawled += f" {NEAR_UNKNOWN}: {answers.near_error}"
    return (
        steps.shard_step(lookup, answers.placed),
        answers.crawled.step("crawled", crawled),
        answers.robots.step("robots", answers.robots_result.note),
        answers.bans.step("spam", steps.ban_sentence(answers.bans, ban, host_pair(lookup)[1])),
        steps.seen_step(answers.seen),
    )


def _verdict_and_cause(crawled: Answered, profile: IndexProfile) -> tuple[Verdict, str | None]:
    if crawled.first:
        return verdict_of(crawled.first, profile)
    return (Verdict.UNKNOWN if crawled.error else Verdict.NOT_CRAWLED), None


def conclude_site_sample(
    lookup: Lookup, now: datetime, placed: Answered | None, answer: Answer, profile: IndexProfile
) -> Inspection:
    """The inspection of a bare root hash that names no page or several: the first of them, to choose from."""
    rows = answer.rows.rows if answer.rows else ()
    none = not rows and not answer.error
    rest = tuple(steps.skipped(step_id, steps.SKIPPED_NO_PAGE) for step_id in ("robots", "spam", "seen"))
    return Inspection(
        lookup=lookup,
        as_of=now,
        verdict=Verdict.NOT_CRAWLED if none else Verdict.UNKNOWN,
        cause=None,
        crawled=False if none else None,
        filters=(),
        page=None,
        robots=RobotsResult(RobotsVerdict.UNKNOWN, note=steps.SKIPPED_NO_PAGE),
        ban=BanResult(None),
        seen=SeenResult(None),
        steps=(steps.shard_step(lookup, placed), answer.step("crawled", _root_note(len(rows))), *rest),
        near_matches=tuple(_same_root(row, profile) for row in rows[: queries.SITE_SAMPLE - 1]),
    )


def page_pair(lookup: Lookup) -> Pair:
    """What a page's row is asked for by."""
    return lookup.root_hash, lookup.unparsed or ""


def host_pair(lookup: Lookup) -> Pair:
    """What the rows of a page's host are asked for by; the host as it stands in the page's canonical URL."""
    place = (lookup.url or "").split("/", 3)[2]
    host, _, port = place.rpartition(":")
    return lookup.root_hash, host if host and port.isdigit() else place


def root_pair(lookup: Lookup) -> Pair:
    """What the hash of a page's root is asked of a server by."""
    return lookup.root_hash, lookup.root or ""


def placed_by(answer: Answered, lookup: Lookup, profile: IndexProfile) -> Lookup:
    """Where a page lives by the hash that a server computed."""
    if answer.first is None:
        return lookup
    return with_root_hash(lookup, integer(answer.first["root_hash"]) or 0, profile)


def near_variants(lookup: Lookup) -> dict[Pair, Variant]:
    """The addresses near a page's own, by the key to ask for; each lies where the page itself would."""
    if lookup.url is None or lookup.unparsed is None:
        return {}
    own_hash = parse_key(lookup.unparsed).root_hash
    return {
        (lookup.root_hash if variant.root_hash == own_hash else variant.root_hash, variant.unparsed): variant
        for variant in near_urls(lookup.url)
    }


def near_matches(found: Mapping[str, Row], variants: Iterable[Variant], profile: IndexProfile) -> tuple[NearMatch, ...]:
    """The variants that have a row in `found` (by key), in their order: the smallest difference first."""
    return tuple(
        NearMatch(variant.url, variant.unparsed, variant.difference, verdict_of(found[variant.unparsed], profile)[0])
        for variant in variants
        if variant.unparsed in found
    )


def rows_by_key(rows: Iterable[Row]) -> dict[str, Row]:
    """Rows by what they are about: an unparsed key, or a host."""
    return {str(row[queries.KEY]): row for row in rows}


def _same_root(row: Row, profile: IndexProfile) -> NearMatch:
    unparsed = str(row[queries.KEY])
    return NearMatch(parse_key(unparsed).url, unparsed, "same root hash", verdict_of(row, profile)[0])


def _root_note(count: int) -> str:
    if not count:
        return "No page has this root hash."
    more = "more than " if count == queries.SITE_SAMPLE else ""
    shown = min(count, queries.SITE_SAMPLE - 1)
    return f"A root hash names a site: {more}{shown} pages have it. Inspect one of them by its URL or key."
