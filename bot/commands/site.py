"""`crawler-inspector site`: a whole site, counted by what keeps its pages out."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from rich.console import Console

from bot.app import opened_inspector
from bot.commands.one_profile import settings_for
from bot.commands.progress import loading_progress
from bot.errors import BadInput
from bot.inspection.lookup import read_time
from bot.inspection.site import SiteReport, inspect_site
from bot.inspection.site_target import read_site
from bot.render.chart import to_png, to_svg
from bot.render.site_terminal import site_json, site_view
from bot.report.site import SiteView, build_site


def run(site: str, as_json: bool, chart: Path | None, as_of: str | None, profile: str | None) -> None:
    """Print the report of a site, and write its chart where one is wanted. Raises BadInput."""
    if chart and chart.suffix.lower() not in (".svg", ".png"):
        raise BadInput(f"The chart is written as SVG or PNG, by the end of its name; read {chart.name!r}: chart.svg")
    report = asyncio.run(_report(site, as_of, profile))
    view = build_site(report)
    if chart:
        _write_chart(chart, view)
    if as_json:
        print(json.dumps(site_json(report), ensure_ascii=False))
    else:
        Console().print(site_view(view))


def _write_chart(chart: Path, view: SiteView) -> None:
    try:
        if chart.suffix.lower() == ".svg":
            chart.write_text(to_svg(view.charts), encoding="utf-8")
        else:
            chart.write_bytes(to_png(view.charts))
    except OSError as error:
        raise BadInput(f"The chart cannot be written to {str(chart)!r}: {error.strerror}.") from error


async def _report(site: str, as_of: str | None, profile: str | None) -> SiteReport:
    at = None if as_of is None else read_time(as_of)
    async with opened_inspector(settings_for(profile), loading_progress()) as inspector:
        return await inspect_site(inspector, read_site(site, inspector.profile), at)
