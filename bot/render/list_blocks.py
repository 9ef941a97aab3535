"""A list of many URLs → Slack messages: how far it is, and then what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.inspection.model import Verdict
from bot.render.actions import ACTION_CANCEL, ACTION_REPORT
from bot.render.blocks import many_message
from bot.render.elements import Block, actions, button, context, message, rich, section, text
from bot.render.limits import cut
from bot.render.text import spoken
from bot.report.kept_list import ListRow
from bot.report.model import Report
from bot.report.words import number

CAUSES_SHOWN, CAUSE = 10, 60
WORDS = 300


@dataclass(slots=True)
class Tally:
    """What came of a list so far: counts, the first reports, every line of its CSV and every row of its page."""

    total: int
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)  # by the title of the first filter that fails
    problems: Counter[str] = field(default_factory=Counter)  # what got no answer, by its sentence
    reports: list[Report] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    rows: list[ListRow] = field(default_factory=list)

    @property
    def done(self) -> int:
        """How many were looked up."""
        return self.verdicts.total()


def progress_message(tally: Tally, list_id: str) -> dict[str, Any]:
    """How far it is, and a button to stop it."""
    sentence = f"Looking up {number(tally.total)} URLs: {number(tally.done)} done."
    return message(spoken(sentence), [_words(sentence), *actions([button(ACTION_CANCEL, value=list_id)])])


def list_message(tally: Tally, notes: Sequence[str], page: str | None = None) -> dict[str, Any]:
    """Counts by verdict and by cause, the first rows, what else is to be said, a line each, and a link to its page."""
    shown = many_message(tally.reports, tally.verdicts, tally.problems)
    counts, *table = shown["blocks"]
    link = actions([button(ACTION_REPORT, url=page, primary=True)] if page else [])
    blocks = [counts, *_causes(tally), *table, *map(context, notes), *link]
    return {**shown, "text": spoken("\n".join([*notes, shown["text"]])), "blocks": blocks}


def _causes(tally: Tally) -> list[Block]:
    counts = [f"{cut(title, CAUSE)} {number(pages)}" for title, pages in tally.causes.most_common(CAUSES_SHOWN)]
    return [_words(f"Stopped first by: {', '.join(counts)}")] if counts else []


def _words(sentence: str) -> Block:
    return rich(section([text(sentence, CAUSES_SHOWN * CAUSE + WORDS)]))
