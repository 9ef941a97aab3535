"""The bot's own words in a thread: its help, and what it says where it did not understand. Pure."""

from __future__ import annotations

from typing import Any

from bot.render.elements import Element, bullets, context, message, rich, section, text
from bot.render.text import spoken
from bot.slack.followups.grammar import HELP, help_rows
from bot.slack.followups.reading import Unclear

WORDS = 300  # characters of one line
INTRODUCTION = "In this thread, without a slash:"
ALSO = (
    "Plain questions work too: “why is it not indexed?”, “when was it crawled?”. “why as of 2026-04-06” asks the past."
)
NO_SUBJECT = "I do not know which page this thread is about. Write its URL, for example: https://example.com/page"
ROOT_GONE = "The message that this thread began with is gone, so I cannot answer in it. Paste the URL again."


def help_answer() -> dict[str, Any]:
    """Every command of the grammar."""
    rows = list(help_rows())
    items: list[list[Element]] = [[text(typed, WORDS, code=True), text(f" {words}", WORDS)] for typed, words in rows]
    fallback = "\n".join([INTRODUCTION, *(f"{typed} – {words}" for typed, words in rows), ALSO])
    return message(spoken(fallback), [rich(section([text(INTRODUCTION, WORDS)]), bullets(items)), context(ALSO)])


def unclear_answer(unclear: Unclear) -> dict[str, Any]:
    """One short line with the likeliest commands."""
    names = [command.typed for command in unclear.suggestions]
    parts: list[Element] = [text("Not understood. Did you mean ", WORDS)]
    for index, name in enumerate(names):
        parts += [text(", " if 0 < index < len(names) - 1 else " or " if index else "", 8)] if index else []
        parts.append(text(name, WORDS, code=True))
    parts += [text("? All of them: ", WORDS), text(HELP, WORDS, code=True)]
    return message(spoken("".join(part["text"] for part in parts)), [rich(section(parts))])


def sentence(words: str) -> dict[str, Any]:
    """One sentence about what went wrong."""
    return message(spoken(f"⚠️ {words}"), [rich(section([text(f"⚠️ {words}", WORDS)]))])
