"""Report, or a Slack payload, → what `rich` prints in a terminal. `rich` is imported when first drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bot.inspection.model import StepOutcome
from bot.report.model import SYMBOLS, Group, Report, StepView, Tone
from bot.report.sentences import VERDICT_WORDS
from bot.report.words import NULL_CHAT, readable, utc_time

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

COLOURS = {Tone.GOOD: "green", Tone.BAD: "red", Tone.UNSURE: "yellow"}
STEP_MARKS = {StepOutcome.DONE: "✅", StepOutcome.SKIPPED: "ℹ️", StepOutcome.FAILED: "⚠️"}


def inspection_view(report: Report, *, raw: bool = False) -> RenderableType:
    """The whole report; `raw` adds every step's query, command and response."""
    from rich.console import Group as Stack

    parts: list[RenderableType] = [_head(report)]
    if report.filters:
        parts.append(_filters(report))
    parts += [_properties(group) for group in report.groups]
    parts.append(_notes(report))
    if report.near_matches:
        parts.append(_near(report))
    if raw:
        parts += [part for step in report.steps for part in _step(step)]
    return Stack(*parts)


def _text(words: str, style: str = "") -> Text:
    """Words as they are: nothing in them is mark-up, and no control character reaches the terminal."""
    from rich.text import Text

    return Text(readable(words, lines=True), style=style)


def _table(*columns: str, title: str | None = None, header: bool = True) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(
        title=None if title is None else _text(title, "bold"), title_justify="left", box=box.SIMPLE, show_header=header
    )
    for column in columns:
        table.add_column(_text(column), overflow="fold")
    return table


def _head(report: Report) -> Text:
    head = _text(f"{SYMBOLS[report.tone]} {report.verdict_words}  ", f"bold {COLOURS[report.tone]}")
    head.append_text(_text(report.title, "bold")).append("\n")
    for badge in report.badges:
        head.append_text(_text(f"{SYMBOLS[badge.tone]} {badge.label}", COLOURS[badge.tone]))
        head.append_text(_text(f" {badge.detail}   " if badge.detail else "   "))
    return head.append("\n").append_text(_text(report.summary))


def _filters(report: Report) -> Table:
    table = _table("Filter", "Status", "Condition", "Details", title="Page Info Filters")
    for row in report.filters:
        status = _text(f"{SYMBOLS[row.tone]} {row.outcome.upper()}", COLOURS[row.tone])
        table.add_row(_text(row.title), status, _text(row.condition, "cyan"), _text(row.details))
    return table


def _properties(group: Group) -> Table:
    table = _table("Property", "Value", title=group.title, header=False)
    for line in group.lines:
        shown = line.cell.text() + (f": {line.cell.link}" if line.cell.link else "")
        table.add_row(_text(line.title, "dim"), _text(shown))
    return table


def _notes(report: Report) -> Table:
    table = _table("Property", "Value", title="Checks", header=False)
    notes = (
        ("Robots", report.robots),
        ("Host", report.ban),
        ("Frontier", report.seen),
        ("As of", f"{utc_time(report.as_of)} UTC"),
        *((f"{step.title} failed", step.note) for step in report.failures),
    )
    for title, words in notes:
        table.add_row(_text(title, "dim"), _text(words))
    return table


def _near(report: Report) -> Table:
    table = _table("URL", "Difference", "Verdict", title=report.near_heading)
    for near in report.near_matches:
        table.add_row(_text(near.url), _text(near.difference), _text(VERDICT_WORDS[near.verdict]))
    return table


def _step(step: StepView) -> Iterable[RenderableType]:
    from rich.padding import Padding
    from rich.rule import Rule

    yield Rule(_text(f"{step.number}. {step.title} ({step.elapsed})"), align="left")
    if step.note:
        yield _text(f"{STEP_MARKS[step.outcome]} {step.note}")
    bodies = (("Query", step.query), ("Parameters", step.parameters), ("curl", step.curl), ("Response", step.response))
    for name, body in bodies:
        if body is not None:
            yield _text(f"{name}:", "dim")
            yield Padding(_text(body or NULL_CHAT, "cyan"), (0, 0, 0, 2))


def message_view(payload: Mapping[str, Any]) -> RenderableType:
    """A Slack message or view in a terminal: every kind of block that this bot sends; without blocks, its `text`."""
    from rich.console import Group as Stack

    blocks = payload.get("blocks")
    if not blocks:
        return _text(str(payload.get("text", "")))
    return Stack(*(_block(block) for block in blocks))


def _block(block: Mapping[str, Any]) -> RenderableType:
    draw = _BLOCKS.get(str(block.get("type")))
    return draw(block) if draw else _text(f"[{block.get('type')} block]", "dim")


def _heading(block: Mapping[str, Any]) -> RenderableType:
    return _text(block["text"]["text"], "bold")


def _divider(block: Mapping[str, Any]) -> RenderableType:
    from rich.rule import Rule

    return Rule(style="dim")


def _paragraph(block: Mapping[str, Any]) -> RenderableType:
    texts = [block["text"]] if "text" in block else []
    return _text("\n".join(part["text"] for part in (*texts, *block.get("fields", ()))))


def _small(block: Mapping[str, Any]) -> RenderableType:
    return _text(" ".join(part.get("text", part.get("alt_text", "")) for part in block["elements"]), "dim")


def _buttons(block: Mapping[str, Any]) -> RenderableType:
    return _text("  ".join(f"[{part['text']['text']}]" for part in block["elements"]), "bold blue")


def _rich(block: Mapping[str, Any]) -> Text:
    from rich.text import Text

    return Text("\n").join(part for element in block["elements"] for part in _rich_parts(element))


def _rich_parts(element: Mapping[str, Any]) -> Iterable[Text]:
    if element["type"] == "rich_text_list":
        for item in element["elements"]:
            yield _text("  • ").append_text(_run(item))
    else:
        yield _run(element, "cyan" if element["type"] == "rich_text_preformatted" else "")


def _run(element: Mapping[str, Any], style: str = "") -> Text:
    run = _text("", style)
    for leaf in element["elements"]:
        run.append_text(_leaf(leaf))
    return run


_STYLES = {"bold": "bold", "italic": "italic", "strike": "strike", "code": "cyan"}


def _leaf(leaf: Mapping[str, Any]) -> Text:
    style = " ".join(_STYLES[name] for name, on in leaf.get("style", {}).items() if on and name in _STYLES)
    match leaf["type"]:
        case "link":
            return _text(leaf.get("text", leaf["url"]), f"{style} blue underline".strip())
        case "date":
            return _text(leaf.get("fallback", ""), style)
        case "emoji":
            return _text(f":{leaf['name']}:", style)
        case _:
            return _text(leaf.get("text", ""), style)


def _grid(block: Mapping[str, Any]) -> RenderableType:
    head, *rows = block["rows"]
    table = _table(*(_cell(part).plain for part in head))
    for row in rows:
        table.add_row(*map(_cell, row))
    return table


def _cell(part: Mapping[str, Any]) -> Text:
    return _rich(part) if part["type"] == "rich_text" else _text(part["text"])


_BLOCKS: Mapping[str, Callable[[Mapping[str, Any]], RenderableType]] = {
    "header": _heading,
    "divider": _divider,
    "section": _paragraph,
    "context": _small,
    "actions": _buttons,
    "rich_text": _rich,
    "table": _grid,
}
