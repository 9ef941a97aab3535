"""Site reports for tests of what is shown: one with everything, one unanswered, one that is as long as can be."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from bot.index.profile import BreakdownKind, load_profile
from bot.inspection.model import RobotsResult, RobotsVerdict, Step, StepOutcome, Verdict
from bot.inspection.site import BreakdownCount, Counted, FilterCount, HostRobots, SiteReport
from bot.inspection.site_target import read_site

AS_OF = datetime(2026, 12, 1, 12, tzinfo=UTC)
PROFILE = load_profile()


def url(name: str) -> str:
    return f"https://www.example.com/{name}"


def site_report() -> SiteReport:
    """1,000 crawled pages, 250 more known; 600 indexable, 390 not, 10 unknown."""
    filters = tuple(
        FilterCount(rule.id, rule.title, rule.condition, rule.meaning, 100 + n, 78, 50 - n, n, (url(f"{rule.id}/1"),))
        for n, rule in enumerate(PROFILE.filters)
    )
    return SiteReport(
        target=read_site("example.com", PROFILE),
        as_of=AS_OF,
        crawled=1_000,
        seen_only=250,
        verdicts={Verdict.INDEXABLE: 600, Verdict.NOT_INDEXABLE: 390, Verdict.UNKNOWN: 10},
        examples={Verdict.UNKNOWN: (url("unknown"),)},
        filters=filters,
        breakdowns=(
            breakdown("status-codes", {"200": 900, "404": 90, None: 10}),
            breakdown("crawl-age", {"0": 400, "3": 500, None: 100}, BreakdownKind.HISTOGRAM),
            replace(breakdown("languages", {"en": 700, "de": 200}), rest=100),
        ),
        robots=(
            HostRobots("www.example.com", RobotsResult(RobotsVerdict.ALLOWED)),
            HostRobots("dev.example.com", RobotsResult(RobotsVerdict.DISALLOWED, 2, "Disallow: /")),
        ),
        more_robots=False,
        banned=("spam.example.com",),
        more_banned=False,
        steps=(Step("pages", "Pages", StepOutcome.DONE),),
    )


def breakdown(name: str, counts: dict[str | None, int], kind: BreakdownKind = BreakdownKind.RANKED) -> BreakdownCount:
    listed = tuple(Counted(value, pages, (url(f"{value}"),)) for value, pages in counts.items())
    return BreakdownCount(name, name.capitalize(), kind, "none", listed, 0)


def unanswered() -> SiteReport:
    """Nothing answered."""
    failed = Step("pages", "Pages", StepOutcome.FAILED, note="laksa7 did not answer within 5 s.")
    return replace(
        site_report(),
        crawled=None,
        seen_only=None,
        verdicts={},
        examples={},
        filters=(),
        breakdowns=(),
        robots=None,
        banned=None,
        steps=(failed, failed),
    )


def hostile(text: str, count: int = 22) -> SiteReport:
    """`text` wherever the crawl can put one, and many of everything."""
    rule = replace(site_report().filters[0], title=text, condition=text, examples=(text,) * 3)
    counted = tuple(Counted(text, 10**12, (text,)) for _ in range(count))
    return replace(
        site_report(),
        target=replace(site_report().target, name=text),
        filters=(rule,) * count,
        breakdowns=(replace(site_report().breakdowns[0], title=text, absent=text, counts=counted),) * count,
        robots=(HostRobots(text, RobotsResult(RobotsVerdict.DISALLOWED)),) * count,
        banned=(text,) * count,
        steps=(Step("pages", text, StepOutcome.FAILED, note=text),) * count,
    )
