"""link_shared → cards under links. Slack takes neither rich_text nor tables there, so all words are plain_text.

https://docs.slack.dev/messaging/unfurling-links-in-messages and …/reference/methods/chat.unfurl
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.render import limits
from bot.render.actions import ACTION_FILTERS, ACTION_REPORT
from bot.render.blocks import filter_line
from bot.render.elements import Block, actions, button, context, plain
from bot.render.text import badge_words, headline
from bot.report.model import Report
from bot.report.subject import encode

Json = Mapping[str, Any]

MOST = 10  # links of one event that get a card
COMPOSER = "composer"
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))  # "&amp;" last: each is read once


def shared_urls(event: Json) -> dict[str, str]:
    """The URLs exactly as Slack wrote them, which chat.unfurl wants back → the URLs that they mean."""
    links = event.get("links")
    urls = [link.get("url") for link in links if isinstance(link, Mapping)] if isinstance(links, list) else []
    return {url: _meant(url) for url in urls[:MOST] if isinstance(url, str)}


def place_of(event: Json) -> dict[str, str]:
    """Where the links stand: in the composer there is no message yet. Some Enterprise events lack the unfurl_id."""
    if event.get("unfurl_id") and event.get("source"):
        return {"unfurl_id": event["unfurl_id"], "source": event["source"]}
    return {"channel": str(event.get("channel")), "ts": str(event.get("message_ts"))}


def key_of(event: Json) -> str:
    """What makes two deliveries the same."""
    return f"unfurl:{event.get('unfurl_id') or ''}:{event.get('channel')}:{event.get('message_ts')}"


def card(report: Report, *, clickable: bool) -> dict[str, Any]:
    """Verdict, badges, cause, every filter in one line. In the composer nothing can be clicked."""
    blocks: list[Block] = [
        {"type": "section", "text": plain(headline(report), limits.SECTION_TEXT)},
        context(badge_words(report.badges)),
        {"type": "section", "text": plain(report.summary, limits.SECTION_TEXT)},
    ]
    if report.filters:
        blocks.append(context(filter_line(report)))
    return {"blocks": [*blocks, *(actions(_buttons(report)) if clickable else ())]}


def _buttons(report: Report) -> list[Block]:
    linked = report.link is not None and len(report.link) <= limits.URL
    full = [button(ACTION_REPORT, url=report.link)] if linked else []
    return full + ([button(ACTION_FILTERS, value=encode(report.subject))] if report.filters else [])


def _meant(url: str) -> str:
    for entity, character in _ENTITIES:
        url = url.replace(entity, character)
    return url
