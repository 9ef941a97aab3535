"""Answers that need more than the page's own row: a heavy column, another page, two pages side by side. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from bot.index.profile import FieldSpec, IndexProfile
from bot.inspection.model import Inspection
from bot.render import limits
from bot.render.actions import ACTION_TEXT
from bot.render.blocks import as_of
from bot.render.elements import (
    Element,
    actions,
    button,
    cell,
    context,
    fair_share,
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
from bot.report.compare import ComparedRow, compared
from bot.report.model import SYMBOLS, Cell, CellKind, FilterRow, Report
from bot.report.subject import encode
from bot.report.words import NULL_CHAT, number, plural, readable
from bot.slack.followups.answers import link_button

PART = 2_900  # characters of a text that an answer shows; the modal has all of it
PART_BYTES = 4 * PART  # that hold at least so many characters
ADDRESS, FACT = 1_000, 400
FIELD = "field"  # beside the subject in a button's value: which heavy column it opens
DIFFERENT, SAME = "≠", "="
COLUMNS = 3
SHORTEST = 12  # characters of a cell, before rows that do not differ are left out

# Which heavy column a word means: profiles name theirs by these words.
HEAVY: Mapping[str, Callable[[str], bool]] = {
    "text": lambda field_id: "markdown" not in field_id,
    "markdown": lambda field_id: "markdown" in field_id and "readable" not in field_id,
    "readable": lambda field_id: "readable" in field_id,
}
# Where a page points to: the profile's field, and what is said where it points nowhere.
TARGETS: Mapping[str, tuple[str, str]] = {
    "canonical": ("meta_canonical", "names no canonical page"),
    "redirect": ("download_redirect_target", "redirects nowhere"),
}


def heavy_field(profile: IndexProfile, name: str) -> FieldSpec | None:
    """The heavy column that `text`, `markdown` or `readable` means; None where the profile has none."""
    return next((field for field in profile.heavy_fields if HEAVY[name](field.id)), None)


def heavy_answer(report: Report, field: FieldSpec, content: str, size: int, url: str | None) -> dict[str, Any]:
    """The first part of a text; a button opens all of it, and a link where there is one. `size` is in bytes."""
    shown = readable(content, lines=True)[:PART]
    whole = len(shown) == len(readable(content, lines=True)) and len(content.encode("utf-8", "replace")) >= size
    extent = plural(size, "byte") if whole else f"the first {number(len(shown))} characters of {plural(size, 'byte')}"
    value = json.dumps({**json.loads(encode(report.subject)), FIELD: field.id}, separators=(",", ":"))
    fits = [button(ACTION_TEXT, value=value)] if len(value) <= limits.BUTTON_VALUE else []
    blocks = [
        rich(section([text(f"{field.title} of ", FACT, bold=True), link(report.url, report.title, ADDRESS)])),
        context(extent),
        {"type": "section", "text": plain(shown if shown.strip() else limits.EMPTY, PART)},
        *actions([*fits, *link_button(url, "Open in the browser")]),
    ]
    return message(spoken(f"{field.title} of {cut(report.title, FACT)}\n{shown}"), blocks)


def field_of(value: str) -> str | None:
    """The heavy column that a button's value names; None where it names none."""
    try:
        named = json.loads(value).get(FIELD)
    except (ValueError, AttributeError, RecursionError):
        return None
    return None if named is None else str(named)


def target_of(inspection: Inspection, name: str) -> str | None:
    """The page that `canonical` or `redirect` leads to; None where it leads nowhere."""
    value = (inspection.page or {}).get(TARGETS[name][0])
    return str(value) if value else None


def no_target_sentence(inspection: Inspection, name: str) -> str:
    """Why there is nothing to inspect."""
    if inspection.page is None:
        return "The page is not in the table, so nothing is known of where it leads."
    return f"This page {TARGETS[name][1]}."


def compare_answer(left: Report, right: Report, url: str | None = None) -> dict[str, Any]:
    """Two pages, a column each; "≠" marks what differs. Where a table cannot hold all, what differs stays."""
    rows = [row for group in compared(left, right) for row in group.rows if _is_known(row)]
    different = [row for row in rows if row.differs]
    shown = rows if _fits(rows) else different[: limits.TABLE_ROWS - 2]
    sentence = f"{len(different)} of {plural(len(rows), 'value')} differ."
    blocks = [rich(section([text(sentence, FACT, bold=True), *as_of(left)])), _table(left, right, shown)]
    if len(shown) < len(rows):
        blocks.append(context(f"{plural(len(rows) - len(shown), 'row')} left out: the table is full."))
    blocks += actions(link_button(url, "Side by side in the browser"))
    named = ", ".join(cut(row.title, 60) for row in different)
    words = f"{cut(left.title, FACT)} and {cut(right.title, FACT)}: {sentence} {named}"
    return message(spoken(words), blocks)


def _is_known(row: ComparedRow) -> bool:
    """Is there anything to compare?"""
    sides = [side for side in (row.left, row.right) if side is not None]
    return any(isinstance(side, FilterRow) or side.value is not None for side in sides)


def _fits(rows: list[ComparedRow]) -> bool:
    return len(rows) <= limits.TABLE_ROWS - 2 and len(rows) * COLUMNS * SHORTEST < limits.TABLE_TOTAL


def _table(left: Report, right: Report, rows: list[ComparedRow]) -> Element:
    """The header, the verdicts, and a row for each value."""
    words = [_words(row) for row in rows]
    verdicts = ("Verdict", *(f"{SYMBOLS[report.tone]} {report.verdict_words}" for report in (left, right)))
    titles = ("", left.title, right.title)
    everything = [titles, verdicts, *words]
    most = fair_share((len(part) + 2 for row in everything for part in row), limits.TABLE_TOTAL - 2 * len(everything))
    differs = [left.verdict is not right.verdict, *(row.differs for row in rows)]
    body = [_row(row, differ, most) for row, differ in zip([verdicts, *words], differs, strict=True)]
    return {
        "type": "table",
        "rows": [[raw(cut(title, most)) for title in titles], *body],
        "column_settings": [None, {"is_wrapped": True}, {"is_wrapped": True}],
    }


def _row(words: tuple[str, ...], differs: bool, most: int) -> list[Element]:
    name, *values = (cut(word, most) for word in words)
    if not differs:
        return [raw(f"{SAME} {name}"), *map(raw, values)]
    return [_bold(f"{DIFFERENT} {name}"), *map(_bold, values)]


def _bold(words: str) -> Element:
    # Only the length of what is seen counts in a table, so nothing is cut here once more.
    return cell({"type": "text", "text": words if words.strip() else limits.EMPTY, "style": {"bold": True}})


def _words(row: ComparedRow) -> tuple[str, str, str]:
    return row.title, _side(row.left), _side(row.right)


def _side(side: FilterRow | Cell | None) -> str:
    if side is None:
        return NULL_CHAT
    if isinstance(side, FilterRow):
        return f"{SYMBOLS[side.tone]} {side.details}"
    return NULL_CHAT if side.kind is CellKind.HEAVY else readable(side.text(NULL_CHAT))
