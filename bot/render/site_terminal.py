"""SiteView → what `rich` prints in a terminal, and SiteReport → the JSON that `site --json` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.inspection.model import Verdict
from bot.inspection.site import BreakdownCount, FilterCount, SiteReport, robots_counts
from bot.render.limits import cut
from bot.report.model import SYMBOLS
from bot.report.site import Chart, SiteView
from bot.report.words import NULL_CHAT, iso_time, number, utc_time

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

BAR_CELLS = 40
SHOWN, LABEL = 300, 60  # characters
OF_CRAWLED = (Verdict.INDEXABLE, Verdict.NOT_INDEXABLE, Verdict.UNKNOWN)


def site_view(view: SiteView) -> RenderableType:
    """The whole report of a site."""
    from rich.console import Group
    from rich.text import Text

    head = Text(f"{cut(view.title, SHOWN)}: {view.headline}", style="bold")
    facts = _table("", "", header=False)
    for fact in (
        *view.facts,
        ("As of", f"{utc_time(view.as_of)} UTC"),
        *(("Failed", words) for words in view.failures),
    ):
        facts.add_row(*(Text(cut(words, SHOWN)) for words in fact))
    return Group(head, facts, _causes(view), *(_chart(chart) for chart in view.charts[1:] if chart.bars))


def _table(*columns: str, title: str | None = None, header: bool = True) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=None if title is None else Text(title), title_justify="left", box=box.SIMPLE, show_header=header
    )
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    return table


def _causes(view: SiteView) -> Table:
    from rich.text import Text

    table = _table("Cause", "First", "Alone", "All", "Unknown", "Examples", title="Why pages are not in the index")
    for row in view.causes:
        counts = (row.first, row.alone, row.failing, row.unknown)
        words = (NULL_CHAT if count is None else number(count) for count in counts)
        examples = "\n".join(cut(example.url, SHOWN) for example in row.examples)
        table.add_row(*map(Text, (f"{SYMBOLS[row.tone]} {cut(row.title, LABEL)}", *words, examples)))
    return table


def _chart(chart: Chart) -> Table:
    from rich.text import Text

    most = max(bar.pages for bar in chart.bars) or 1
    table = _table("Value", "Pages", "", title=cut(chart.title, LABEL), header=False)
    for bar in chart.bars:
        table.add_row(
            Text(cut(bar.label, LABEL)),
            Text(number(bar.pages)),
            Text("█" * round(BAR_CELLS * bar.pages / most), "blue"),
        )
    return table


def site_json(report: SiteReport) -> dict[str, Any]:
    """The report of a site as JSON values; null where something was not answered."""
    robots = report.robots
    return {
        "site": {"name": report.target.name, "host": report.target.host, "prefix": report.target.prefix},
        "index": report.target.lookup.index,
        "as_of": iso_time(report.as_of),
        "known": report.known,
        "crawled": report.crawled,
        "seen_only": report.seen_only,
        "verdicts": {verdict.value: report.verdicts.get(verdict, 0) for verdict in OF_CRAWLED},
        "examples": {verdict.value: list(urls) for verdict, urls in report.examples.items() if urls},
        "filters": [_filter(rule, report.counted(rule)) for rule in report.filters],
        "breakdowns": [_breakdown(item) for item in report.breakdowns],
        "robots": None if robots is None else {verdict.value: n for verdict, n in robots_counts(robots).items()},
        "banned": None if report.banned is None else list(report.banned),
        "failures": [{"id": step.id, "note": step.note} for step in report.failures],
    }


def _filter(rule: FilterCount, counted: bool) -> dict[str, Any]:
    return {
        "id": rule.id,
        "title": rule.title,
        "condition": rule.condition,
        "failing": rule.failing if counted else None,
        "first": rule.first if counted else None,
        "alone": rule.alone if counted else None,
        "unknown": rule.unknown if counted else None,
        "examples": list(rule.examples),
    }


def _breakdown(item: BreakdownCount) -> dict[str, Any]:
    counts = [{"value": count.value, "pages": count.pages, "examples": list(count.examples)} for count in item.counts]
    return {"id": item.id, "title": item.title, "counts": counts, "rest": item.rest}
