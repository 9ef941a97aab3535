from __future__ import annotations

from collections import Counter

from bot.index.profile import IndexProfile
from bot.index.sample.load import sample_pages
from bot.inspection.bulk import inspect_many
from bot.inspection.model import Inspection
from bot.inspection.pipeline import Inspector
from bot.render.blocks import compact_message, filters_message, many_message, summary_message
from bot.render.raw import raw_blocks
from bot.report.build import build_report
from bot.report.links import NoLinks
from bot.workspace.validator import check_blocks, check_message


async def test_slack_would_take_every_page_of_the_sample_crawl(inspector: Inspector, profile: IndexProfile) -> None:
    """Hostile titles, NULLs, long addresses and all: whole, compact, as a filter table, with raw queries, in a list."""
    lookups = [inspector.read(spec.url) for spec in sample_pages()]
    refused: Counter[str] = Counter()
    reports = []
    async for inspection in inspect_many(inspector, lookups):
        assert isinstance(inspection, Inspection)
        report = build_report(inspection, profile, NoLinks())
        reports.append(report)
        for message in (summary_message(report), compact_message(report), filters_message(report)):
            refused.update(map(str, check_message({"channel": "C1", **message})))
        refused.update(map(str, check_blocks(raw_blocks(report), "modal", "/blocks", 100)))
    refused.update(map(str, check_message({"channel": "C1", **many_message(reports)})))

    assert refused == Counter()
    assert len(reports) > 4_000
