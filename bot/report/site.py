"""SiteReport → SiteView: the order and the wording of a site's report, for every renderer alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.address.key import url_key
from bot.errors import BadUrl
from bot.index.profile import BreakdownKind
from bot.inspection.model import RobotsVerdict, Verdict
from bot.inspection.site import BreakdownCount, FilterCount, SiteReport, robots_counts
from bot.inspection.site_queries import HOSTS
from bot.report.links import Links, NoLinks
from bot.report.model import Tone
from bot.report.sentences import VERDICT_WORDS
from bot.report.subject import Subject
from bot.report.words import listed, number, opens, plural, readable

HOSTS_NAMED = 5
UNANSWERED = "not answered"


@dataclass(frozen=True, slots=True)
class Example:
    """A page to inspect: `report` is the page that does so, where links are on, and `subject` what it is about.

    `link` is its own address, where a reader may open it.
    """

    url: str
    link: str | None
    report: str | None
    subject: Subject | None


@dataclass(frozen=True, slots=True)
class CauseRow:
    """One reason why pages are not in the index. `id` is the filter's, or that of a verdict."""

    id: str
    title: str
    condition: str
    tone: Tone
    first: int | None
    alone: int | None
    failing: int | None
    unknown: int | None
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """One value and how many pages have it."""

    label: str
    pages: int


@dataclass(frozen=True, slots=True)
class Chart:
    """Counts side by side, in order."""

    id: str
    title: str
    bars: tuple[Bar, ...]

    def shortened(self, most: int) -> Chart:
        """The same in at most so many bars, the last of them for the rest."""
        if len(self.bars) <= most:
            return self
        shown, rest = self.bars[: most - 1], self.bars[most - 1 :]
        return replace(self, bars=(*shown, Bar("others", sum(bar.pages for bar in rest))))


@dataclass(frozen=True, slots=True)
class SiteView:
    """Everything that is shown about a site."""

    title: str
    headline: str
    facts: tuple[tuple[str, str], ...]
    causes: tuple[CauseRow, ...]
    charts: tuple[Chart, ...]
    failures: tuple[str, ...]
    as_of: datetime
    replayed: bool
    link: str | None


def build_site(report: SiteReport, links: Links | None = None) -> SiteView:
    """What is shown of a site's report. Without `links` there is nothing to link to."""
    links = links or NoLinks()
    return SiteView(
        title=readable(report.target.name),
        headline=_headline(report),
        facts=tuple((title, readable(words)) for title, words in _facts(report)),
        causes=tuple(_causes(report, _Examples(report, links))),
        charts=(_causes_chart(report), *map(_chart, report.breakdowns)),
        failures=tuple(readable(f"{step.title}: {step.note}") for step in report.failures),
        as_of=report.as_of,
        replayed=report.replayed,
        link=links.site(report),
    )


@dataclass(frozen=True, slots=True)
class _Examples:
    """Makes the examples of one report: they are inspected where and as of when the site was counted."""

    report: SiteReport
    links: Links

    def of(self, urls: Iterable[str]) -> tuple[Example, ...]:
        """Each with its report."""
        return tuple(map(self._example, urls))

    def _example(self, url: str) -> Example:
        subject = self._subject(url)
        report = self.links.of_subject(subject) if subject else None
        return Example(readable(url), url if opens(url) else None, report, subject)

    def _subject(self, url: str) -> Subject | None:
        """What an inspection of it is about; None where the index holds a key that is none."""
        try:
            key = url_key(url).unparsed
        except BadUrl:
            return None
        lookup, as_of = self.report.target.lookup, self.report.as_of if self.report.replayed else None
        return Subject(key, lookup.root_hash, lookup.shard, as_of, index=lookup.index)


def _headline(report: SiteReport) -> str:
    if report.crawled is None:
        return "Unknown: the pages were not counted."
    if not report.crawled:
        return "No page of it is crawled."
    indexable = report.verdicts.get(Verdict.INDEXABLE, 0)
    verb = "is" if indexable == 1 else "are"
    part = share(indexable, report.crawled)
    return f"{number(indexable)} of {plural(report.crawled, 'crawled page')} {verb} indexable ({part})."


def share(part: int, whole: int) -> str:
    """A part in percent, never rounded to all or nothing: "<1 %", "33 %", ">99 %"."""
    percent = 100 * part / whole if whole else 0
    if 0 < percent < 1:
        return "<1 %"
    return ">99 %" if 99 < percent < 100 else f"{percent:.0f} %"


def _facts(report: SiteReport) -> Iterable[tuple[str, str]]:
    yield "Known", _count(report.known)
    yield "Crawled", _count(report.crawled)
    yield "Only met by the frontier", _count(report.seen_only)
    for verdict in (Verdict.INDEXABLE, Verdict.NOT_INDEXABLE, Verdict.UNKNOWN):
        yield VERDICT_WORDS[verdict], _count(None if report.crawled is None else report.verdicts.get(verdict, 0))
    yield "Robots", _robots(report)
    yield "Banned hosts", _hosts(report.banned, report.more_banned)


def _count(count: int | None) -> str:
    return UNANSWERED if count is None else number(count)


def _hosts(hosts: Sequence[str] | None, more: bool) -> str:
    if hosts is None:
        return UNANSWERED
    named = listed(hosts[:HOSTS_NAMED])
    rest = len(hosts) - HOSTS_NAMED
    return (named or "none") + (f" and {number(rest)}{' or more' if more else ''} more" if rest > 0 else "")


def _robots(report: SiteReport) -> str:
    if report.robots is None:
        return UNANSWERED
    if not report.robots:
        return "no robots.txt is stored"
    counts = robots_counts(report.robots)
    words = [f"{plural(counts[verdict], 'host')} {verdict.value}" for verdict in RobotsVerdict if counts[verdict]]
    against = [item.host for item in report.robots if item.result.verdict is RobotsVerdict.DISALLOWED]
    named = f" (disallowed: {_hosts(against, False)})" if against else ""
    return listed(words) + named + (f"; the first {HOSTS} hosts only" if report.more_robots else "")


def _causes(report: SiteReport, examples: _Examples) -> Iterable[CauseRow]:
    for rule in report.filters:
        yield _cause(rule, examples.of(rule.examples)) if report.counted(rule) else _uncounted(rule)
    if unknown := report.verdicts.get(Verdict.UNKNOWN, 0):
        shown = examples.of(report.examples.get(Verdict.UNKNOWN, ()))
        yield CauseRow("unknown", "No answer: a value is NULL", "", Tone.UNSURE, unknown, None, None, None, shown)


def _cause(rule: FilterCount, examples: tuple[Example, ...]) -> CauseRow:
    tone = Tone.BAD if rule.failing else Tone.UNSURE if rule.unknown else Tone.GOOD
    return CauseRow(
        rule.id,
        readable(rule.title),
        readable(rule.condition),
        tone,
        rule.first,
        rule.alone,
        rule.failing,
        rule.unknown,
        examples,
    )


def _uncounted(rule: FilterCount) -> CauseRow:
    title = readable(f"{rule.title}: {UNANSWERED}")
    return CauseRow(rule.id, title, readable(rule.condition), Tone.UNSURE, None, None, None, None, ())


def _causes_chart(report: SiteReport) -> Chart:
    title = "Pages by verdict and first cause"
    if report.crawled is None:
        return Chart("causes", title, ())
    counts = {verdict: report.verdicts.get(verdict, 0) for verdict in (Verdict.INDEXABLE, Verdict.UNKNOWN)}
    bars = [
        Bar("indexable", counts[Verdict.INDEXABLE]),
        *(Bar(readable(rule.title), rule.first) for rule in report.filters if report.counted(rule)),
    ]
    return Chart("causes", title, (*bars, Bar("unknown", counts[Verdict.UNKNOWN])))


def _chart(item: BreakdownCount) -> Chart:
    bars = [Bar(readable(item.absent if count.value is None else count.value), count.pages) for count in item.counts]
    if item.kind is BreakdownKind.HISTOGRAM:
        bars = _filled(item, bars)
    return Chart(item.id, readable(item.title), (*bars, *([Bar("others", item.rest)] if item.rest else [])))


def _filled(item: BreakdownCount, bars: Sequence[Bar]) -> list[Bar]:
    """A histogram with its empty places between the values that occur."""
    pages = {int(count.value): count.pages for count in item.counts if count.value is not None}
    absent = [bar for bar, count in zip(bars, item.counts, strict=True) if count.value is None]
    places = range(min(pages, default=0), max(pages, default=-1) + 1)
    return [*(Bar(str(place), pages.get(place, 0)) for place in places), *absent]
