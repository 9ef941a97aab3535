"""A whole site: its pages counted in one pass, by the very conditions that judge one page."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.index.profile import UNKNOWN, Breakdown, BreakdownKind, FilterSpec, IndexProfile
from bot.inspection import site_queries as sql
from bot.inspection import steps
from bot.inspection.deadline import within
from bot.inspection.model import Outcome, RobotsResult, RobotsVerdict, Step, StepOutcome, Verdict
from bot.inspection.pipeline import Inspector
from bot.inspection.queries import KEY
from bot.inspection.rows import url_of_key, verdict_of_outcomes
from bot.inspection.site_target import SiteTarget, read_site
from bot.inspection.steps import Answer
from bot.inspection.store import Query, Row

SHOWN_EXAMPLES = 3
BREAKDOWN_SHOWN = 20  # values of a ranked breakdown; the rest is counted together
TITLES = {"pages": "Pages", "frontier": "Frontier", "robots": "Robots.txt files", "bans": "Banned hosts"}


@dataclass(frozen=True, slots=True)
class FilterCount:
    """How many pages of a site one filter stops. `first`: as the first that fails; `alone`: as the only one."""

    id: str
    title: str
    condition: str
    meaning: str
    failing: int
    first: int
    alone: int
    unknown: int
    examples: tuple[str, ...]  # URLs of pages that it stops first


@dataclass(frozen=True, slots=True)
class Counted:
    """Pages of one value; `value` None is NULL."""

    value: str | None
    pages: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BreakdownCount:
    """Pages of a site by one property. `rest` counts the pages of the values that are left out."""

    id: str
    title: str
    kind: BreakdownKind
    absent: str
    counts: tuple[Counted, ...]
    rest: int


@dataclass(frozen=True, slots=True)
class HostRobots:
    """What the robots.txt of one host says of the site's first address there."""

    host: str
    result: RobotsResult


@dataclass(frozen=True, slots=True)
class SiteReport:
    """Everything about a site at one instant. What was not answered is None, and its step says why."""

    target: SiteTarget
    as_of: datetime
    crawled: int | None
    seen_only: int | None  # known to the frontier and not crawled
    verdicts: Mapping[Verdict, int]  # of the crawled pages
    examples: Mapping[Verdict, tuple[str, ...]]
    filters: tuple[FilterCount, ...]
    breakdowns: tuple[BreakdownCount, ...]
    robots: tuple[HostRobots, ...] | None
    more_robots: bool  # there are more hosts than were judged
    banned: tuple[str, ...] | None  # hosts
    more_banned: bool
    steps: tuple[Step, ...]
    replayed: bool = False  # the asker fixed `as_of`

    @property
    def known(self) -> int | None:
        """Pages crawled or met."""
        return None if self.crawled is None or self.seen_only is None else self.crawled + self.seen_only

    def counted(self, rule: FilterCount) -> bool:
        """Was the filter judged on any page? Not where nothing was counted, or its column is missing."""
        return self.crawled is not None and rule.condition != UNKNOWN

    @property
    def failures(self) -> tuple[Step, ...]:
        """The steps that got no answer."""
        return tuple(step for step in self.steps if step.outcome is StepOutcome.FAILED)


async def inspect_site(inspector: Inspector, target: SiteTarget | str, as_of: datetime | None = None) -> SiteReport:
    """The report of a site (`read_site` says what names one), as of now or of an instant. Raises BadUrl.

    What is not answered within the inspector's deadline is unknown, and the rest stands.
    """
    site = read_site(target, inspector.profile) if isinstance(target, str) else target
    with within(inspector.deadline):
        found = await _counted(inspector, site, as_of or inspector.now())
    return replace(found, replayed=as_of is not None)


async def _counted(inspector: Inspector, site: SiteTarget, now: datetime) -> SiteReport:
    profile = inspector.profile
    lookup, _ = await inspector.placed(site.lookup)
    scope = sql.scope_of(lookup.root_hash, site.prefix, now)
    asked = {
        "pages": sql.pages_query(profile, scope),
        "frontier": sql.seen_only_query(profile, scope),
        "robots": sql.hosts_query(profile.robots, lookup.root_hash, site.host),
        "bans": _bans_query(profile, lookup.root_hash, site.host),
    }

    async def ask(query: Query) -> Answer:
        return await steps.ask(inspector.store, query, lookup.shard, lookup.host, inspector.step_timeout)

    queries = {name: query for name, query in asked.items() if query is not None}
    answers = dict(zip(queries, await asyncio.gather(*map(ask, queries.values())), strict=True))
    return conclude_site(replace(site, lookup=lookup), now, answers, profile)


def _bans_query(profile: IndexProfile, root_hash: int, host: str | None) -> Query | None:
    """The banned hosts; None where the tables do not hold what bans a host."""
    banned = profile.bans.fields.get("banned")
    if banned is None or "banned" in profile.bans.lost:
        return None
    return sql.hosts_query(profile.bans, root_hash, host, f"({banned}) = 1")


def _lost(profile: IndexProfile) -> dict[str, str]:
    """What a report lacks because the tables do, by title, and why."""
    needed = (("robots", profile.robots, ("http_code", "body")), ("bans", profile.bans, ("banned",)))
    hosts = {
        TITLES[of]: relation.lost[name] for of, relation, names in needed for name in names if name in relation.lost
    }
    return {**hosts, **profile.site.lost}


def conclude_site(
    target: SiteTarget, now: datetime, answers: Mapping[str, Answer], profile: IndexProfile
) -> SiteReport:
    """Answers → report. Pure."""
    breakdowns = profile.site.breakdowns
    rows = _rows(answers["pages"])
    patterns = [_Pattern.of(row, profile.filters) for row in rows or () if sql.part_of(row, len(breakdowns)) is None]
    crawled = None if rows is None else sum(pattern.pages for pattern in patterns)
    robots, banned = _rows(answers.get("robots")), _rows(answers.get("bans"))
    seen_only = _rows(answers.get("frontier"))
    return SiteReport(
        target=target,
        as_of=now,
        crawled=crawled,
        seen_only=int(seen_only[0][sql.PAGES]) if seen_only else None,
        verdicts=_by_verdict(patterns),
        examples={verdict: _examples(p for p in patterns if p.verdict is verdict) for verdict in Verdict},
        filters=tuple(_filter_count(rule, patterns) for rule in profile.filters),
        breakdowns=tuple(
            _breakdown(number, item, rows or (), crawled or 0, profile) for number, item in enumerate(breakdowns)
        ),
        robots=None if robots is None else tuple(_host_robots(row, target, profile) for row in robots[: sql.HOSTS]),
        more_robots=len(robots or ()) > sql.HOSTS,
        banned=None if banned is None else tuple(str(row[KEY]) for row in banned[: sql.HOSTS]),
        more_banned=len(banned or ()) > sql.HOSTS,
        steps=(
            *(_step(name, answer) for name, answer in answers.items()),
            *(Step("lost", title, StepOutcome.FAILED, note=f"{why}.") for title, why in _lost(profile).items()),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Pattern:
    """The pages of which the filters say the same."""

    outcomes: Mapping[str, Outcome]
    verdict: Verdict
    cause: str | None
    pages: int
    listed: Sequence[str]

    @classmethod
    def of(cls, row: Row, filters: Sequence[FilterSpec]) -> _Pattern:
        """What one row of the answer says."""
        found = sql.outcomes_of(int(row[sql.PATTERN]), filters)
        outcomes = {rule.id: outcome for rule, outcome in zip(filters, found, strict=True)}
        return cls(outcomes, *verdict_of_outcomes(outcomes.items()), int(row[sql.PAGES]), row[sql.LISTED])

    @property
    def failing(self) -> list[str]:
        """The filters that fail."""
        return [rule_id for rule_id, outcome in self.outcomes.items() if outcome is Outcome.FAIL]


def _rows(answer: Answer | None) -> tuple[Row, ...] | None:
    return None if answer is None or answer.rows is None else answer.rows.rows


def _by_verdict(patterns: Iterable[_Pattern]) -> Counter[Verdict]:
    counts: Counter[Verdict] = Counter()
    for pattern in patterns:
        counts[pattern.verdict] += pattern.pages
    return counts


def _filter_count(rule: FilterSpec, patterns: Sequence[_Pattern]) -> FilterCount:
    def pages(chosen: Iterable[_Pattern]) -> int:
        return sum(pattern.pages for pattern in chosen)

    first = [pattern for pattern in patterns if pattern.cause == rule.id]
    return FilterCount(
        id=rule.id,
        title=rule.title,
        condition=rule.condition,
        meaning=rule.meaning,
        failing=pages(pattern for pattern in patterns if rule.id in pattern.failing),
        first=pages(first),
        alone=pages(pattern for pattern in patterns if pattern.failing == [rule.id]),
        unknown=pages(pattern for pattern in patterns if pattern.outcomes[rule.id] is Outcome.UNKNOWN),
        examples=_examples(first),
    )


def _examples(patterns: Iterable[_Pattern]) -> tuple[str, ...]:
    return _urls(key for pattern in patterns for key in pattern.listed)


def _urls(keys: Iterable[str]) -> tuple[str, ...]:
    """The first few by key, of those that ClickHouse chose to list."""
    return tuple(url_of_key(key) or key for key in sorted(keys)[:SHOWN_EXAMPLES])


def _breakdown(
    number: int, item: Breakdown, rows: Sequence[Row], crawled: int, profile: IndexProfile
) -> BreakdownCount:
    name, parts = sql.column(number), len(profile.site.breakdowns)
    own = [row for row in rows if sql.part_of(row, parts) == number]
    if item.kind is BreakdownKind.HISTOGRAM:
        own.sort(key=lambda row: (row[name] is None, int(row[name] or 0)))
    else:
        own = sorted(own, key=lambda row: (-int(row[sql.PAGES]), str(row[name])))[:BREAKDOWN_SHOWN]
    counts = tuple(
        Counted(None if row[name] is None else str(row[name]), int(row[sql.PAGES]), _urls(row[sql.LISTED]))
        for row in own
    )
    rest = crawled - sum(count.pages for count in counts)
    return BreakdownCount(item.id, item.title, item.kind, item.absent, counts, rest)


def _host_robots(row: Row, target: SiteTarget, profile: IndexProfile) -> HostRobots:
    path = "/" + (target.lookup.url or "").split("/", 3)[3] if target.host else "/"
    host = str(row[KEY])
    return HostRobots(host, steps.judge_robots(row, profile)(f"https://{host}{path}"))


def _step(name: str, answer: Answer) -> Step:
    return Step(
        id=name,
        title=TITLES[name],
        outcome=StepOutcome.FAILED if answer.error else StepOutcome.DONE,
        query=answer.query.sql,
        parameters=answer.query.parameters,
        curl=answer.curl,
        response=None if name == "robots" or answer.rows is None else answer.rows.response,  # whole files of 200 hosts
        note=answer.error or "",
        elapsed_ms=answer.elapsed_ms,
    )


def robots_counts(robots: Iterable[HostRobots]) -> Counter[RobotsVerdict]:
    """Hosts by what their robots.txt says."""
    return Counter(host.result.verdict for host in robots)
