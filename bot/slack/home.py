"""App Home: how to use the bot, what this user looked up last, and the state of the index. Home holds no table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from bot.inspection.pulse import Pulse
from bot.render.actions import ACTION_HOME, ACTION_LOOKUP
from bot.render.elements import Block, Element, actions, bullets, button, context, date, header, rich, section, text
from bot.report.model import SYMBOLS, TONE_OF_VERDICT
from bot.report.sentences import VERDICT_WORDS
from bot.report.words import number, plural
from bot.slack import wording
from bot.state.records import RecentLookup

SHOWN = 300  # characters of an address
FAILING_SHOWN = 5
NOTHING_YET = "Nothing yet: what you look up is listed here."


def home_view(recent: Sequence[RecentLookup], pulses: Mapping[str, Pulse], now: datetime) -> dict[str, Any]:
    """The whole tab; `pulses` are those of the indexes by name."""
    blocks = [
        header("How to ask"),
        rich(bullets(wording.uses()), section([text(wording.ALSO, wording.WORDS)])),
        *actions([button(ACTION_LOOKUP, primary=True), button(ACTION_HOME)]),
        header("Your last lookups"),
        _recent(recent),
        *_indexes(pulses),
        rich(section([text("Seen ", SHOWN), date(now)])),
    ]
    return {"type": "home", "blocks": blocks}


def _indexes(pulses: Mapping[str, Pulse]) -> list[Block]:
    """Each under a heading, with its name where there are several."""
    titles = [f"The index {name}" for name in pulses] if len(pulses) > 1 else ["The index"]
    states = [rich(bullets(_state(pulse))) for pulse in pulses.values()]
    return [block for title, state in zip(titles, states, strict=True) for block in (header(title), state)]


def _recent(recent: Sequence[RecentLookup]) -> Block:
    if not recent:
        return context(NOTHING_YET)
    return rich(bullets(_lookup(one) for one in recent))


def _lookup(one: RecentLookup) -> list[Element]:
    verdict = f"{SYMBOLS[TONE_OF_VERDICT[one.verdict]]} {VERDICT_WORDS[one.verdict]}: "
    return [text(verdict, SHOWN, bold=True), text(f"{one.text} ", SHOWN), date(one.at)]


def _state(pulse: Pulse) -> list[list[Element]]:
    answering = f"{number(pulse.answering)} of {plural(pulse.asked, 'shard')} answer"
    if pulse.failing:
        more = len(pulse.failing) - FAILING_SHOWN
        failing = ", ".join(pulse.failing[:FAILING_SHOWN]) + (f" and {number(more)} more" if more > 0 else "")
        answering += f"; not: {failing}"
    newest = [date(pulse.newest)] if pulse.newest else [text("not known", SHOWN)]
    return [[text(answering, SHOWN)], [text("Newest page of a sample crawled: ", SHOWN), *newest]]
