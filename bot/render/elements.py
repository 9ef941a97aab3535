"""The pieces of Slack payloads. Text of a page or a user stands in rich_text, raw_text or plain_text only: Slack reads
no mark-up there. The one place where it does, a message's `text`, is made in `bot.render.text`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from bot.render import limits
from bot.render.actions import LABELS
from bot.render.limits import ENTITIES, cut
from bot.report import words
from bot.report.subject import EVENT_TYPE, Subject, payload

Block = dict[str, Any]
Element = dict[str, Any]

DATE_FORMAT = (
    "{date_short_pretty} at {time}"  # https://docs.slack.dev/messaging/formatting-message-text#date-formatting
)
LINK_SHOWN = 2_000  # a longer address is shown cut, and cannot be opened
BREAK: Element = {"type": "text", "text": "\n"}


def escaped_size(text: str) -> int:
    """How many characters a text takes once escaped, as Slack counts a message's blocks."""
    return len(text) + sum(text.count(sign) * (len(entity) - 1) for sign, entity in ENTITIES.items())


def fit(text: str, limit: int) -> str:
    """`text` cut so that even escaped it takes at most `limit` characters; never empty."""
    shown = cut(text, limit)
    while (size := escaped_size(shown)) > limit and len(shown) > 1:
        shown = cut(text, len(shown) * limit // size)
    return shown


def fair_share(sizes: Iterable[int], total: int) -> int:
    """The most that each of `sizes` may take so that together they keep to `total`: short ones stay whole."""
    rest, left = sorted(sizes), total
    for index, size in enumerate(rest):
        share = left // (len(rest) - index)
        if size > share:
            return max(1, share)
        left -= size
    return total


def text(value: str, limit: int, *, bold: bool = False, code: bool = False) -> Element:
    """Words, cut to `limit`."""
    style = {name: True for name, on in (("bold", bold), ("code", code)) if on}
    return {"type": "text", "text": fit(value, limit), **({"style": style} if style else {})}


def link(url: str | None, shown: str, limit: int = LINK_SHOWN) -> Element:
    """An address to open; plain words where it cannot be opened, or is too long to be shown whole."""
    if url is None or escaped_size(url) > limit:
        return text(shown, limit)
    return {"type": "link", "url": url}


def date(value: datetime) -> Element:
    """A moment, which Slack shows in the reader's own time zone."""
    fallback = f"{words.utc_time(value)} UTC"
    if value.timestamp() <= 0:
        return {"type": "text", "text": fallback}
    return {"type": "date", "timestamp": int(value.timestamp()), "format": DATE_FORMAT, "fallback": fallback}


def section(elements: Sequence[Element]) -> Element:
    """One run of words."""
    return {"type": "rich_text_section", "elements": list(elements)}


def bullets(items: Iterable[Sequence[Element]]) -> Element:
    """A list."""
    return {"type": "rich_text_list", "style": "bullet", "elements": [section(item) for item in items]}


def preformatted(value: str, limit: int) -> Element:
    """Many lines in one width, cut to `limit`."""
    return {"type": "rich_text_preformatted", "elements": [text(value, limit)]}


def rich(*parts: Element) -> Block:
    """A rich_text block."""
    return {"type": "rich_text", "elements": list(parts)}


def lines(rows: Iterable[Sequence[Element]]) -> Element:
    """Runs of words under each other."""
    elements: list[Element] = []
    for row in rows:
        elements += [BREAK, *row] if elements else row
    return section(elements)


def plain(value: str, limit: int, *, emoji: bool = False) -> Element:
    """A plain_text object; ":names:" become pictures only where the words are our own."""
    return {"type": "plain_text", "text": cut(value, limit), "emoji": emoji}


def header(value: str) -> Block:
    """A heading."""
    return {"type": "header", "text": plain(value, limits.HEADER_TEXT)}


def context(value: str) -> Block:
    """A small grey line."""
    return {"type": "context", "elements": [plain(value, limits.TEXT_OBJECT)]}


def button(action_id: str, *, value: str | None = None, url: str | None = None, primary: bool = False) -> Element:
    """A button with the label of its action."""
    parts: Element = {"type": "button", "action_id": action_id, "text": plain(LABELS[action_id], limits.BUTTON_TEXT)}
    extra = {"value": value, "url": url, "style": "primary" if primary else None}
    return parts | {name: part for name, part in extra.items() if part is not None}


def actions(buttons: Sequence[Element]) -> list[Block]:
    """The block of these buttons; none where there is no button, as Slack refuses an empty one."""
    return [{"type": "actions", "elements": list(buttons)}] if buttons else []


def raw(value: str) -> Element:
    """A table cell of bare words."""
    return {"type": "raw_text", "text": value if value.strip() else limits.EMPTY}


def cell(*elements: Element) -> Element:
    """A table cell of styled words."""
    return rich(section(elements))


def message(fallback: str, blocks: Sequence[Block], subject: Subject | None = None) -> dict[str, Any]:
    """The arguments of a post: nothing in it unfurls, and its metadata says what it is about."""
    metadata = {"event_type": EVENT_TYPE, "event_payload": payload(subject)} if subject else None
    return {
        "text": fallback,
        "blocks": list(blocks),
        **({"metadata": metadata} if metadata else {}),
        "unfurl_links": False,
        "unfurl_media": False,
    }
