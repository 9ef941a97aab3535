"""Report → Slack messages. Everything is cut to fit and never refused; Slack's numbers are in `limits`.

How many characters of a message each part may take is in the constants below; with every part full, a message stays
under `limits.BLOCKS_TOTAL`, and a table under its own total.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from bot.inspection.model import Verdict
from bot.render import limits
from bot.render.actions import (
    ACTION_FILTERS,
    ACTION_RAW,
    ACTION_RECHECK,
    ACTION_REPORT,
    ACTION_SHARE,
    ACTION_TEXT,
)
from bot.render.elements import (
    Block,
    Element,
    actions,
    bullets,
    button,
    cell,
    context,
    date,
    fair_share,
    header,
    lines,
    link,
    message,
    raw,
    rich,
    section,
    text,
)
from bot.render.limits import cut
from bot.render.text import badge_words, spoken, summary_text
from bot.report.model import KEY_FACTS, LAST_CRAWLED, SYMBOLS, CellKind, Line, Report
from bot.report.sentences import VERDICT_WORDS
from bot.report.subject import encode
from bot.report.words import NULL_CHAT, number, plural, readable

SENTENCE = 2_500  # characters of the verdict's sentence
FACT = 400  # of one key fact
NEAR_SHOWN, NEAR_URL = 8, 300
FAILURES_SHOWN = 6
UNANSWERED = "⚠️ Not everything answered"

FILTER_COLUMNS = ("Filter", "Status", "Condition", "Details")
MANY_COLUMNS = ("URL", "Verdict", "Cause", "Last crawled")
ROW_URL = 300  # of an address in a table of many


def summary_message(report: Report, *, share: bool = False) -> dict[str, Any]:
    """The whole answer about one lookup; `share` adds a button for answers that only one person sees."""
    blocks = [
        header(f"{SYMBOLS[report.tone]} {report.verdict_words}"),
        _about(report),
        *filter_table(report),
        _facts(report),
        *_near_matches(report),
        *_failures(report),
        *actions(_buttons(report, share=share)),
    ]
    return message(summary_text(report), blocks, report.subject)


def compact_message(report: Report) -> dict[str, Any]:
    """The short answer to a plain paste: verdict and cause, badges, every filter in one line, two buttons."""
    rows = [
        [text(f"{SYMBOLS[report.tone]} {report.verdict_words}: ", FACT, bold=True), link(report.url, report.title)],
        [text(report.summary, SENTENCE)],
        [text(badge_words(report.badges), FACT)],
    ]
    if report.filters:
        rows.append([text(filter_line(report), FACT)])
    ask = [button(ACTION_FILTERS, value=encode(report.subject))] if report.filters else []
    blocks = [rich(lines(rows)), *_failures(report), *actions([*report_button(report), *ask])]
    return message(summary_text(report), blocks, report.subject)


def filters_message(report: Report) -> dict[str, Any]:
    """The filter table alone, under the address that it judges."""
    blocks = [rich(section([link(report.url, report.title), *as_of(report)])), *filter_table(report)]
    return message(summary_text(report), blocks, report.subject)


def as_of(report: Report) -> list[Element]:
    """The instant that a verdict is of, where its asker fixed one: the past is never told as the present."""
    return [text(", as of ", FACT), date(report.as_of)] if report.replayed else []


def many_message(
    reports: Sequence[Report],
    counts: Mapping[Verdict, int] | None = None,
    problems: Counter[str] | None = None,
) -> dict[str, Any]:
    """Several lookups, a row each while a table holds them, and what got no answer.

    `counts` by verdict and `problems` by their sentence are given where the lookups are more than `reports`.
    """
    totals = counts or Counter(report.verdict for report in reports)
    rows = _rows_that_fit(reports)
    asked = max(sum(totals.values()), len(reports))
    sentence = f"{plural(asked, 'URL')}: " + ", ".join(
        f"{number(totals[verdict])} {VERDICT_WORDS[verdict].lower()}" for verdict in Verdict if totals.get(verdict)
    )
    blocks = [rich(section([text(sentence, FACT, bold=True), *(as_of(reports[0]) if reports else ())]))]
    if rows:
        blocks.append(_table(MANY_COLUMNS, rows, wrapped=0))
    if asked > len(rows):
        blocks.append(context(f"{plural(asked - len(rows), 'URL')} left out: the table is full."))
    unanswered = Counter(sentence for report in reports for sentence in report.problems)
    blocks += _unanswered(unanswered if problems is None else problems)
    shown = "\n".join(f"{report.verdict_words}: {report.title}" for report in reports[: len(rows)])
    return message(spoken(f"{sentence}\n{shown}"), blocks)


def error_message(sentence: str) -> dict[str, Any]:
    """One sentence about what went wrong."""
    shown = readable(sentence, lines=True)
    return message(spoken(f"⚠️ {shown}"), [rich(section([text(f"⚠️ {shown}", SENTENCE)]))])


def filter_line(report: Report) -> str:
    """Every filter's outcome on one line."""
    return " · ".join(f"{SYMBOLS[row.tone]} {row.title}" for row in report.filters)


def filter_table(report: Report) -> list[Block]:
    """The filters as one table; nothing where none was judged."""
    shown = report.filters[: limits.TABLE_ROWS - 1]
    words = [(row.title, f"{SYMBOLS[row.tone]} {row.outcome.upper()}", row.condition, row.details) for row in shown]
    used = sum(map(len, FILTER_COLUMNS))
    most = fair_share((len(part) for row in words for part in row), limits.TABLE_TOTAL - used)
    rows = [
        (raw(cut(title, most)), cell(text(status, most, bold=True)), _code(condition, most), raw(cut(details, most)))
        for title, status, condition, details in words
    ]
    return [_table(FILTER_COLUMNS, rows, wrapped=2)] if rows else []


def _code(condition: str, most: int) -> Element:
    # Only the length of what is seen counts in a table, so the cut is by plain length, as in the cells beside it.
    return cell({"type": "text", "text": cut(condition, most), "style": {"code": True}})


def _table(columns: Sequence[str], rows: Sequence[Sequence[Element]], *, wrapped: int) -> Block:
    """A table with its header row; columns from `wrapped` on break their lines."""
    settings = [{"is_wrapped": True} if index >= wrapped else None for index in range(len(columns))]
    return {
        "type": "table",
        "rows": [[raw(column) for column in columns], *(list(row) for row in rows)],
        "column_settings": settings,
    }


def _about(report: Report) -> Block:
    rows = [[link(report.url, report.title)], [text(badge_words(report.badges), FACT)]]
    if report.verdict is not Verdict.INDEXABLE:
        rows.append([text(report.summary, SENTENCE)])
    return rich(lines(rows))


def _facts(report: Report) -> Block:
    facts = [(line.title, fact_value(line)) for line in map(report.line, KEY_FACTS) if line]
    facts += [("Robots", [text(report.robots, FACT)]), ("Host", [text(report.ban, FACT)])]
    if report.line(LAST_CRAWLED) is None:
        facts.append(("Frontier", [text(report.seen, FACT)]))
    if report.replayed:
        facts.append(("As of", [date(report.as_of)]))
    if report.subject.note:
        facts.append(("Note", [text(report.subject.note, FACT)]))
    return rich(lines([text(f"{title}: ", FACT, bold=True), *value] for title, value in facts))


def fact_value(line: Line) -> list[Element]:
    """A property's value in the space of a fact: a moment in the reader's time zone, with its age."""
    value = line.cell
    if value.kind is CellKind.TIME and value.value is not None and not isinstance(value.value, str | int | Mapping):
        return [date(value.value), text(f" ({value.detail})", FACT)]
    return [text(readable(value.text(NULL_CHAT)), FACT)]


def _near_matches(report: Report) -> list[Block]:
    if not report.near_matches:
        return []
    items = [
        [link(near.link, near.url, NEAR_URL), text(f" — {near.difference}; {VERDICT_WORDS[near.verdict].lower()}", 100)]
        for near in report.near_matches[:NEAR_SHOWN]
    ]
    more = len(report.near_matches) - len(items)
    if more > 0:
        items.append([text(f"and {number(more)} more", FACT)])
    return [rich(section([text(report.near_heading, FACT, bold=True)]), bullets(items))]


def _failures(report: Report) -> list[Block]:
    if not report.failures:
        return []
    items = [[text(f"{step.title} failed: {step.note}", FACT)] for step in report.failures[:FAILURES_SHOWN]]
    return [rich(section([text(UNANSWERED, FACT, bold=True)]), bullets(items))]


def _unanswered(problems: Counter[str]) -> list[Block]:
    """What got no answer for many lookups: each reason once, the commonest first."""
    if not problems:
        return []
    told = [[text(f"{sentence} ({plural(urls, 'URL')})", FACT)] for sentence, urls in problems.most_common()]
    items = told[:FAILURES_SHOWN]
    if len(told) > len(items):
        items.append([text(f"and {number(len(told) - len(items))} more", FACT)])
    return [rich(section([text(UNANSWERED, FACT, bold=True)]), bullets(items))]


def report_button(report: Report) -> list[Element]:
    """The link to the full report, where there is one that a button can hold."""
    if report.link is None or len(report.link) > limits.URL:
        return []
    return [button(ACTION_REPORT, url=report.link, primary=True)]


def _buttons(report: Report, *, share: bool) -> list[Element]:
    crawled = report.line(LAST_CRAWLED) is not None
    offered = (
        (ACTION_TEXT, crawled),
        (ACTION_RAW, True),
        (ACTION_RECHECK, True),
        (ACTION_SHARE, share),
    )
    value = encode(report.subject)
    return report_button(report) + [button(action, value=value) for action, on in offered if on]


def _rows_that_fit(reports: Sequence[Report]) -> list[tuple[Element, ...]]:
    """Rows for as many reports as Slack takes: rows, and characters over all cells."""
    rows: list[tuple[Element, ...]] = []
    left = limits.TABLE_TOTAL - sum(map(len, MANY_COLUMNS))
    for report in reports[: limits.TABLE_ROWS - 1]:
        address = link(report.url, report.title, ROW_URL)
        words = (f"{SYMBOLS[report.tone]} {report.verdict_words}", cut(report.cause or NULL_CHAT, 50), _crawled(report))
        left -= len(address.get("url", "")) + len(address.get("text", "")) + sum(map(len, words))
        if left < 0:
            break
        rows.append((cell(address), *map(raw, words)))
    return rows


def _crawled(report: Report) -> str:
    line = report.line(LAST_CRAWLED)
    value = line.cell.value if line else None
    return NULL_CHAT if line is None or value is None else line.cell.detail
