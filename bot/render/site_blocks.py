"""SiteView → a Slack message: what it comes to, a table of causes with examples, the chart as an uploaded picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.render import limits
from bot.render.actions import ACTION_EXAMPLE, ACTION_REPORT
from bot.render.elements import (
    BREAK,
    Block,
    Element,
    actions,
    bullets,
    button,
    cell,
    context,
    header,
    lines,
    link,
    message,
    plain,
    raw,
    rich,
    section,
    text,
)
from bot.render.limits import cut
from bot.render.text import spoken
from bot.report.model import SYMBOLS
from bot.report.site import CauseRow, Chart, Example, SiteView
from bot.report.subject import MAX_ENCODED, encode
from bot.report.words import NULL_CHAT, number, utc_time

COLUMNS = ("Cause", "First", "Alone", "All", "Examples")
FACT = 300
EXAMPLE = 120  # characters of an address in the table
CAUSES_SHOWN = 20
INSPECT = "Inspect"
WORDS_OF_ROW = 125  # characters of a row beside its examples
BUTTONS_SHOWN = 6  # of examples that a click inspects, where no link does
CHARTS_IN_WORDS, BARS_IN_WORDS, BAR = 6, 5, 60
FAILURES_SHOWN = 4
SENTENCE = 500


def site_message(view: SiteView, chart_file: str | None = None) -> dict[str, Any]:
    """The report of a site; `chart_file` is the id of the uploaded PNG (`bot.render.chart.to_png`), where there is one.

    Without the picture the breakdowns are told in words.
    """
    blocks = [
        header(cut(f"Site {view.title}", limits.HEADER_TEXT)),
        rich(lines([[text(view.headline, SENTENCE, bold=True)], *map(_fact, view.facts)])),
        *_causes(view.causes),
        *_buttons(view.causes),
        *(_picture(chart_file, view) if chart_file else _in_words(view.charts)),
        *_failures(view.failures),
        context(f"As of {utc_time(view.as_of)} UTC. First: the first rule that fails. Alone: no other rule fails."),
    ]
    if view.link:
        blocks += actions([button(ACTION_REPORT, url=view.link, primary=True)])
    return message(spoken(f"Site {view.title}: {view.headline}"), blocks)


def _fact(fact: tuple[str, str]) -> list[Element]:
    title, words = fact
    return [text(f"{title}: ", FACT, bold=True), text(words, FACT)]


def _causes(causes: Sequence[CauseRow]) -> list[Block]:
    shown = causes[:CAUSES_SHOWN]
    rows = [[raw(column) for column in COLUMNS], *(_cause(row, _room(shown)) for row in shown)]
    wrapped = [{"is_wrapped": True}, *({"align": "right"} for _ in range(3)), {"is_wrapped": True}]
    return [{"type": "table", "rows": rows, "column_settings": wrapped}] if causes else []


def _room(causes: Sequence[CauseRow]) -> int:
    """How long the link to a report may be, so that each has room in what Slack takes over all cells of a table."""
    examples = [example for row in causes for example in row.examples]
    words = sum(min(len(example.url), EXAMPLE) + len(INSPECT) + 2 for example in examples)  # a space and a break
    return (limits.TABLE_TOTAL - WORDS_OF_ROW * (len(causes) + 1) - words) // max(1, len(examples))


def _cause(row: CauseRow, room: int) -> list[Element]:
    counts = (NULL_CHAT if count is None else number(count) for count in (row.first, row.alone, row.failing))
    return [raw(cut(f"{SYMBOLS[row.tone]} {row.title}", BAR)), *map(raw, counts), _examples(row, room)]


def _examples(row: CauseRow, room: int) -> Element:
    shown: list[Element] = []
    for example in row.examples:
        shown += [BREAK] if shown else []
        shown.append(link(example.link, example.url, EXAMPLE))
        if example.report and len(example.report) <= room:
            shown += [{"type": "text", "text": " "}, {"type": "link", "url": example.report, "text": INSPECT}]
    return cell(*shown) if shown else raw(NULL_CHAT)


def _buttons(causes: Sequence[CauseRow]) -> list[Block]:
    """Without links: the first example of each cause, with the button that inspects it."""
    first = [(row, row.examples[0]) for row in causes if row.examples]
    found = [_button(row, example) for row, example in first if not example.report]
    return [block for block in found if block][:BUTTONS_SHOWN]


def _button(row: CauseRow, example: Example) -> Block | None:
    value = encode(example.subject) if example.subject else ""
    if not value or len(value) > MAX_ENCODED:
        return None
    words = f"{cut(row.title, BAR)}: {cut(example.url, EXAMPLE)}"
    return {"type": "section", "text": plain(words, FACT), "accessory": button(ACTION_EXAMPLE, value=value)}


def _picture(chart_file: str, view: SiteView) -> list[Block]:
    """https://docs.slack.dev/reference/block-kit/blocks/image-block, over a file that the bot uploaded."""
    told = cut("; ".join(_told(chart) for chart in view.charts), limits.IMAGE_ALT_TEXT)
    return [{"type": "image", "slack_file": {"id": chart_file}, "alt_text": told}]


def _in_words(charts: Sequence[Chart]) -> list[Block]:
    items = [[text(_told(chart), SENTENCE)] for chart in charts[1 : CHARTS_IN_WORDS + 1] if chart.bars]
    return [rich(bullets(items))] if items else []


def _told(chart: Chart) -> str:
    bars = [f"{cut(bar.label, BAR)} {number(bar.pages)}" for bar in chart.bars[:BARS_IN_WORDS]]
    more = len(chart.bars) - len(bars)
    return f"{chart.title}: {', '.join(bars)}" + (f" and {number(more)} more" if more > 0 else "")


def _failures(failures: Sequence[str]) -> list[Block]:
    if not failures:
        return []
    items = [[text(sentence, FACT)] for sentence in failures[:FAILURES_SHOWN]]
    return [rich(section([text("⚠️ Not everything answered", FACT, bold=True)]), bullets(items))]
