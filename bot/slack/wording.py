"""The bot's own words in Slack: help, waiting, and modals. What is said of a page is in `bot.report`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.inspection.indexes import Indexes
from bot.render import limits
from bot.render.elements import Element, bullets, context, message, plain, rich, section, text
from bot.render.raw import raw_blocks
from bot.render.text import spoken
from bot.report.model import Report
from bot.report.words import number

USES = (  # what can be typed, and what comes of it
    ("/inspect https://example.com/page", "is this page in the index, and if not, which rule stopped it"),
    ("/inspect https://example.com/a https://example.com/b", "several pages in one table"),
    ("/inspect https://example.com/page as of 2026-04-06", "the verdict at a time in the past (UTC)"),
    ("/inspect com,example!,/page s443", "a page by its unparsed key"),
    ("/inspect hash:892221456919234349", "a site by its root hash"),
    ("/inspect site example.com/blog/", "a whole site, or a part of it, counted by what stops its pages"),
    ("/inspect watch https://example.com/page", "looks again and again, and tells in a thread what changed"),
    ("/inspect watch https://example.com/page until indexed", "the same, and ends once the page is in the index"),
    ("/inspect watches", "what you watch, and what is watched in this channel"),
    ("/inspect unwatch https://example.com/page", "ends that; the number of a watch will do"),
    ("/inspect settings", "when and to whom I answer in this channel"),
    ("/inspect help", "this"),
)
ALSO = (
    "Paste a URL in a channel that I am in, mention me with one, or write to me directly: it works the same. "
    "In the thread of an answer, ask on: why, text, robots, sql, compare with another URL, or help for all of it."
)
WAITING = "Still looking: the index is slow to answer."
BUSY = "I am busy with other requests right now. Try again in a few seconds."
RAW_TITLE, TEXT_TITLE = "Raw queries", "Page text"
REFUSED_TITLE = "Not answered"
NO_TEXT = "No text is stored for this page."
FILE_SENT = "The whole text is in the thread, as a file."
BROKEN = "Something went wrong here, and there is nothing to show. Try again in a moment."
NO_URL_IN_MESSAGE = "There is no web address in this message."
ONLY_COMMANDS = "In this channel I answer /inspect only; /inspect settings changes that."
UNKNOWN_COMMAND = "This command is not one of mine. Example: /inspect https://example.com/page"
WORDS = 300  # characters of one line


def file_refused(error: str) -> str:
    """Why a file was not sent: by Slack's name for the reason."""
    return f"Slack took no file here ({error}); the pages of this window hold the whole text."


def help_message() -> dict[str, Any]:
    """How to use the bot."""
    spoken_lines = [f"{typed} – {meaning}" for typed, meaning in USES]
    return message(spoken("\n".join([*spoken_lines, ALSO])), [rich(bullets(uses()), section([text(ALSO, WORDS)]))])


def uses() -> list[list[Element]]:
    """What can be typed, an item each."""
    return [[text(typed, WORDS, code=True), text(f" {words}", WORDS)] for typed, words in USES]


def words_message(sentence: str) -> dict[str, Any]:
    """One sentence that is no error."""
    return message(spoken(sentence), [rich(section([text(sentence, WORDS)]))])


def of_index(message: Mapping[str, Any], index: str, indexes: Indexes) -> dict[str, Any]:
    """The message, with the name of the index that it speaks of where several are served."""
    named = [context(f"Index: {index or indexes.names[0]}")] if len(indexes.names) > 1 else []
    return {**message, "blocks": [*message["blocks"], *named]}


def left_out_sentence(looked_up: int, left_out: int) -> str:
    """Said where more was asked for than is looked up."""
    return f"Only the first {number(looked_up)} of {number(looked_up + left_out)} URLs were looked up."


def waiting_view(title: str) -> dict[str, Any]:
    """A modal that opens at once, since a trigger lives 3 seconds."""
    return _modal(title, [context("Looking…")])


def raw_view(report: Report) -> dict[str, Any]:
    """Every query and response."""
    return _modal(RAW_TITLE, [context(report.title), *raw_blocks(report)])


def sentence_view(title: str, sentence: str) -> dict[str, Any]:
    """A modal that says why it has nothing to show."""
    return _modal(title, [rich(section([text(f"⚠️ {sentence}", 2_500)]))])


def _modal(title: str, blocks: list[Element]) -> dict[str, Any]:
    return {
        "type": "modal",
        "title": plain(title, limits.VIEW_TITLE),
        "close": plain("Close", limits.VIEW_TITLE),
        "blocks": blocks,
    }
