"""Reports and Slack payloads in a terminal."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO
from typing import Any

import pytest
from rich.console import Console, RenderableType

from bot.render.blocks import compact_message, error_message, many_message, summary_message
from bot.render.raw import raw_blocks, text_view
from bot.render.terminal import inspection_view, message_view
from bot.report.build import build_report
from bot.report.links import NoLinks
from bot.report.model import Report
from tests.report import inspections as made
from tests.report.inspections import PROFILE

MARKUP = "[red]x[/red] [/] [link=https://evil.example]y \x1b[31m\x07\u202e"


def drawn(view: RenderableType) -> str:
    """What a wide terminal without colours shows."""
    console = Console(file=StringIO(), width=250, color_system=None)
    console.print(view)
    assert isinstance(console.file, StringIO)
    return "\n".join(" ".join(line.split()) for line in console.file.getvalue().splitlines())


def report_of(name: str) -> Report:
    """A report without links."""
    inspections = {
        "github": made.github(),
        "canonical": made.failing("canonical"),
        "near": made.not_crawled(near=2),
        "unanswered": made.unanswered(),
        "markup": made.hostile(MARKUP),
    }
    return build_report(inspections[name], PROFILE, NoLinks())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("github", "✅ Indexable https://murphypei.github.io/blog/2020/09/pytorch-distributed"),
        ("github", "✅ INDEXABLE ✅ CRAWLED 1 month ago ✅ ROBOTS ALLOWED"),
        ("github", "HTTP status ✅ PASS download_http_code = 200 HTTP 200"),
        ("github", "Last Crawled 2026-05-03 03:24:51 (1 month ago)"),
        ("github", "Host ID 143 (laksa143)"),
        ("github", "Download Size (bytes) 12,013"),
        ("github", "Robots Allowed. No rule matches."),
        ("github", "ℹ️ Skipped - page is already crawled"),
        ("canonical", "Canonical ❌ FAIL"),
        ("near", "http://example.com/1 http instead of https Indexable"),
        ("unanswered", "Crawled Status Check failed laksa143 did not answer within 5 s."),
    ],
)
def test_the_whole_report_in_a_terminal(name: str, expected: str) -> None:
    """Badges, filters, groups, checks, near matches and steps."""
    assert expected in drawn(inspection_view(report_of(name), raw=True))


def test_queries_are_shown_only_when_asked_for() -> None:
    """`--raw` adds what ran."""
    plain, raw = (drawn(inspection_view(report_of("github"), raw=raw)) for raw in (False, True))

    assert ("FORMAT JSONEachRow" in plain, "FORMAT JSONEachRow" in raw) == (False, True)


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (summary_message(report_of("github")), "[Page text] [Raw queries] [Recheck]"),
        (summary_message(report_of("github")), "Last Crawled: 2026-05-03 03:24:51 UTC (1 month ago)"),
        (summary_message(report_of("canonical")), "Canonical ❌ FAIL"),
        (summary_message(report_of("near")), "• http://example.com/0 — http instead of https; indexable"),
        (compact_message(report_of("canonical")), "[Filter table]"),
        (many_message([report_of("github")] * 200), "101 URLs left out: the table is full."),
        (error_message("No URL in <that>."), "⚠️ No URL in <that>."),
        (text_view("Text", "https://example.com/", "body of the page"), "body of the page"),
        ({"blocks": raw_blocks(report_of("github"))}, "SELECT 1"),
        ({"text": "only text"}, "only text"),
        ({"blocks": [{"type": "divider"}]}, "─────"),
        ({"blocks": [{"type": "carousel"}]}, "[carousel block]"),
    ],
)
def test_every_block_that_we_send_is_drawn(payload: dict[str, Any], expected: str) -> None:
    """The demo shows in a terminal what Slack would show."""
    assert expected in drawn(message_view(payload))


@pytest.mark.parametrize(
    "view", [inspection_view(report_of("markup"), raw=True), message_view(summary_message(report_of("markup")))]
)
def test_text_of_a_page_is_no_terminal_code(view: RenderableType) -> None:
    """Neither rich's mark-up nor an escape sequence of a page is obeyed."""
    shown = drawn(view)

    assert "[red]x[/red]" in shown
    assert not set("\x1b\x07\u202e") & set(shown)


def test_rich_is_not_imported_before_something_is_drawn() -> None:
    """Importing the renderers leaves `rich` out; the command line starts faster."""
    code = "import sys, bot.render.terminal, bot.render.blocks, bot.render.json; print('rich' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "False"
