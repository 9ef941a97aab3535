"""link_shared → cards under links. Slack takes neither rich_text nor tables there, so all words are plain_text.

A link in a message comes as two events, in any order and to any replica, and gets one answer. In a channel the card is
the better one: it stands where people read, it opens no thread and wakes nobody. So links of the domains that the
settings name are left to their cards, up to MOST in a message, and the thread has only what no card shows. Where Slack
refuses the cards, their links are answered in the thread after all. A link of a domain that only the manifest names is
answered there as any other, and gets a card where no thread answer comes: where the bot is no member, in the composer.
Who asks (by a mention, in a direct message, in a thread of ours) gets the whole answer and no card. That a message is a
mention, its link_shared does not say. So whoever handles the message claims its links, for the thread or for the cards;
the cards wait a moment for that, and then claim what nobody has. The first claim stands, in the database that replicas
share: an event that comes later than that moment finds its links answered. Without a database a mention gets both.

https://docs.slack.dev/messaging/unfurling-links-in-messages and …/reference/methods/chat.unfurl
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from bot.render import limits
from bot.render.actions import ACTION_FILTERS, ACTION_REPORT
from bot.render.blocks import filter_line
from bot.render.elements import Block, actions, button, context, plain
from bot.render.text import badge_words, headline
from bot.report.model import Report
from bot.report.subject import encode
from bot.slack.asked import Asked

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


def has_card(url: str, domains: Sequence[str]) -> bool:
    """Is this link of a domain whose links are left to cards? Subdomains belong to it, as for Slack."""
    host = urlsplit(url).hostname or ""
    return any(host == domain or host.endswith(f".{domain}") for domain in map(str.lower, domains))


def without_cards(asked: Asked, domains: Sequence[str]) -> Asked:
    """What is left to be answered in a thread."""
    carded = [lookup for lookup in asked.lookups if has_card(lookup.url or "", domains)][:MOST]
    return replace(asked, lookups=tuple(lookup for lookup in asked.lookups if lookup not in carded))


def stands_in_message(event: Json) -> bool:
    """Was the message sent? In the composer it is not."""
    return event.get("source") != COMPOSER and event.get("channel") != COMPOSER.upper()


def told_of_message(event: Json) -> bool:
    """Does the message itself come as an event of its own? Only where it was sent, and the bot is a member."""
    return stands_in_message(event) and bool(event.get("is_bot_user_member"))


def gets_thread_answer(event: Json, url: str, domains: Sequence[str]) -> bool:
    """Does the message itself, which comes as an event of its own, bring an answer for this link into its thread?"""
    return told_of_message(event) and (str(event.get("channel")).startswith("D") or not has_card(url, domains))


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
