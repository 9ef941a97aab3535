"""A whole site: what keeps its pages out of the index, as counts, charts and examples.

/site/<token>                 counts its pages anew, within the inspector's deadline
/site/<token>.json            the same counts
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from aiohttp import web
from markupsafe import Markup

from bot.inspection.indexes import Indexes
from bot.inspection.site import inspect_site
from bot.links import Links
from bot.render.chart import CHARTS_SHOWN, NARROW, to_svg
from bot.render.site_terminal import site_json
from bot.report.site import CauseRow, Chart, Example, SiteView, build_site
from bot.web.answers import TWIN, html_answer, json_answer, split_token
from bot.web.report_page import relative
from bot.web.templating import page

BARS = 15  # of a chart; the page has to stay light
CAUSES = 20
FAILURES = 6
LINKS = 12_000  # bytes of links to reports: an address may be long, and the later examples then stand without


class SitePage:
    """`/site/<token>`."""

    def __init__(self, indexes: Indexes, links: Links) -> None:
        self._indexes = indexes
        self._links = links

    async def show(self, request: web.Request) -> web.StreamResponse:
        """Count, and show it as a page or as JSON."""
        token, twin = split_token(request)
        grant = self._links.open_site(token)
        inspector = self._indexes.of(grant.index)
        report = await inspect_site(inspector, grant.text, grant.as_of)
        if twin:
            return json_answer(site_json(report))
        view = build_site(report, self._links.issued(grant.issued))
        values = _values(view, index=inspector.profile.name if len(self._indexes.names) > 1 else "")
        return html_answer(page("site.html", json_url=token + TWIN, now=inspector.now(), **values))


def _values(view: SiteView, index: str) -> dict[str, Any]:
    drawn = [chart for chart in view.charts if any(bar.pages for bar in chart.bars)]
    return {
        "view": view,
        "index": index,
        "failures_shown": FAILURES,
        "causes": list(_linked(view.causes[:CAUSES])),
        "charts": [(short, _drawn(short)) for short in (chart.shortened(BARS) for chart in drawn[:CHARTS_SHOWN])],
    }


def _linked(causes: Sequence[CauseRow]) -> Iterator[tuple[CauseRow, list[tuple[Example, str | None]]]]:
    """Every cause with its examples, each with the way to its report while there is room for it."""
    room = LINKS
    for row in causes:
        examples = []
        for example in row.examples:
            url = relative(example.report)
            room -= len(url or "")
            examples.append((example, url if room >= 0 else None))
        yield row, examples


def _drawn(chart: Chart) -> Markup:
    return Markup(to_svg([chart], NARROW))  # noqa: S704 - its words are escaped where it is drawn
