"""What a recheck finds changed. The facts travel in the recheck button's own value, so any replica can compare."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.render.actions import ACTION_RECHECK
from bot.render.elements import context
from bot.render.limits import BUTTON_VALUE
from bot.render.text import spoken
from bot.report.model import LAST_CRAWLED, Report
from bot.report.words import NULL_CHAT, listed, utc_time

FACTS = "facts"  # beside the subject in the button's value
Facts = Mapping[str, str]


def facts_of(report: Report) -> Facts:
    """What a recheck compares, in words: name → value."""
    crawled = report.line(LAST_CRAWLED)
    stamp = crawled.cell.value if crawled else None
    return {
        "Verdict": report.verdict_words,
        **{row.title: row.outcome.upper() for row in report.filters},
        "Robots": next((badge.label for badge in report.badges if badge.id == "robots"), NULL_CHAT),
        "Last crawled": utc_time(stamp) if isinstance(stamp, datetime) else NULL_CHAT,
    }


def remembering(message: Mapping[str, Any], facts: Facts) -> dict[str, Any]:
    """The message, with the facts in its recheck button where they fit."""
    return {**message, "blocks": [_with_facts(block, facts) for block in message["blocks"]]}


def _with_facts(block: Mapping[str, Any], facts: Facts) -> Mapping[str, Any]:
    if block["type"] != "actions":
        return block
    return {**block, "elements": [_button_with_facts(element, facts) for element in block["elements"]]}


def _button_with_facts(element: Mapping[str, Any], facts: Facts) -> Mapping[str, Any]:
    if element.get("action_id") != ACTION_RECHECK:
        return element
    value = json.dumps({**json.loads(element["value"]), FACTS: facts}, ensure_ascii=False, separators=(",", ":"))
    return {**element, "value": value} if len(value) <= BUTTON_VALUE else element


def remembered(value: str) -> Facts | None:
    """The facts in a button's value; None where it holds none."""
    try:
        facts = json.loads(value).get(FACTS)
    except (ValueError, AttributeError, RecursionError):
        return None
    return {str(name): str(word) for name, word in facts.items()} if isinstance(facts, dict) else None


def change_sentence(before: Facts | None, now: Facts) -> str:
    """What changed between two looks."""
    if before is None:
        return "Rechecked."
    changes = [
        f"{name} {before.get(name, NULL_CHAT)} → {now.get(name, NULL_CHAT)}"
        for name in dict.fromkeys((*now, *before))
        if before.get(name) != now.get(name)
    ]
    return f"Rechecked, changed: {listed(changes)}." if changes else "Rechecked: nothing changed."


def noted(message: Mapping[str, Any], sentence: str) -> dict[str, Any]:
    """The message under a line of its own."""
    return {
        **message,
        "text": f"{spoken(sentence)}\n{message['text']}",
        "blocks": [context(sentence), *message["blocks"]],
    }
