"""Report → what ran: queries, commands, responses; and a long text in pages. What is cut names its whole length."""

from __future__ import annotations

from typing import Any

from bot.inspection.model import StepOutcome
from bot.render import limits
from bot.render.actions import ACTION_FILE, ACTION_NEXT, ACTION_PREVIOUS, VIEW_TEXT
from bot.render.elements import (
    Block,
    Element,
    actions,
    button,
    context,
    escaped_size,
    fair_share,
    plain,
    preformatted,
    rich,
    section,
    text,
)
from bot.report.model import Report, StepView
from bot.report.words import number, plural, readable

STEP_LINE = 400  # characters of a step's title and note together
LABEL = 60  # and of the words above one body
PAGE = int(limits.SECTION_TEXT)  # characters of a long text that one page holds
MARKS = {StepOutcome.DONE: "", StepOutcome.SKIPPED: "ℹ️ ", StepOutcome.FAILED: "⚠️ "}


def raw_blocks(report: Report) -> list[Block]:
    """A block for each step: what was asked and what came back. They share the room of one message fairly."""
    steps = report.steps[: limits.MESSAGE_BLOCKS]
    bodies = [body for step in steps for _, body in step_bodies(step)]
    fixed = len(steps) * (limits.BLOCK_COST + 2 * STEP_LINE) + len(bodies) * LABEL
    most = fair_share(map(escaped_size, bodies), limits.BLOCKS_TOTAL - fixed)
    return [_step(step, most) for step in steps]


def step_bodies(step: StepView) -> list[tuple[str, str]]:
    """The long texts of a step, by name."""
    named = (("Query", step.query), ("Parameters", step.parameters), ("curl", step.curl), ("Response", step.response))
    return [(name, body) for name, body in named if body]


def _step(step: StepView, most: int) -> Block:
    parts: list[Element] = [
        section(
            [
                text(f"{step.number}. {step.title}", STEP_LINE, bold=True),
                text(f"  {step.elapsed}" + (f"\n{MARKS[step.outcome]}{step.note}" if step.note else ""), STEP_LINE),
            ]
        )
    ]
    for name, body in step_bodies(step):
        shown = preformatted(body, most)
        size = len(shown["elements"][0]["text"])
        cut_words = f" (the first {number(size - 1)} of {plural(len(body), 'character')})" if size < len(body) else ""
        parts += [section([text(name + cut_words, LABEL)]), shown]
    return rich(*parts)


def page_count(content: str) -> int:
    """How many pages `text_view` makes of a text."""
    return _pages(readable(content, lines=True))


def _pages(shown: str) -> int:
    return max(1, -(-len(shown) // PAGE))


def text_view(
    title: str, about: str, content: str, page: int = 1, state: str = "", *, note: str = "", fileable: bool = False
) -> dict[str, Any]:
    """A modal with one page of a long text. `page` counts from 1 and is brought into range.

    `about` says whose text it is, `note` what just became of it; `state` is the caller's, kept in `private_metadata`
    (at most 3,000 characters). `fileable`: there is a conversation that the whole text can be sent to as a file.
    """
    shown = readable(content, lines=True)
    pages = _pages(shown)
    page = min(max(page, 1), pages)
    chunk = shown[(page - 1) * PAGE : page * PAGE]
    where = f"Page {number(page)} of {number(pages)}, {plural(len(content), 'character')} in all"
    return {
        "type": "modal",
        "callback_id": VIEW_TEXT,
        "private_metadata": state,
        "title": plain(title, limits.VIEW_TITLE),
        "close": plain("Close", limits.VIEW_TITLE),
        "blocks": [
            context("\n".join(filter(None, (readable(about), where, readable(note))))),
            {"type": "section", "text": plain(chunk if chunk.strip() else limits.EMPTY, PAGE)},
            *actions([*_turns(page, pages), *([button(ACTION_FILE, value=str(page))] if fileable else [])]),
        ],
    }


def _turns(page: int, pages: int) -> list[Element]:
    offered = ((ACTION_PREVIOUS, page - 1, page > 1), (ACTION_NEXT, page + 1, page < pages))
    return [button(action, value=str(target)) for action, target, on in offered if on]
