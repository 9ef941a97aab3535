"""A URL that was answered in the channel a short while ago gets a link to that answer, not another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.render.elements import Block, lines, link, message, rich, text
from bot.render.text import spoken

SENTENCE = "Answered here a short while ago"
SHOWN = 300  # characters of an address
MOST = 20  # links in one message


@dataclass(frozen=True, slots=True)
class Repeat:
    """What was pasted again, and where its answer stands."""

    title: str
    permalink: str


def repeats_message(repeats: Sequence[Repeat]) -> dict[str, Any]:
    """Links to the answers."""
    shown = "\n".join(f"{SENTENCE}: {repeat.title} {repeat.permalink}" for repeat in repeats[:MOST])
    return message(spoken(shown), [repeats_block(repeats)])


def repeats_block(repeats: Sequence[Repeat]) -> Block:
    """The same, under an answer about other URLs."""
    rows = [
        [text(f"{SENTENCE}: ", SHOWN, bold=True), text(f"{repeat.title} – ", SHOWN), link(repeat.permalink, "answer")]
        for repeat in repeats[:MOST]
    ]
    return rich(lines(rows))
