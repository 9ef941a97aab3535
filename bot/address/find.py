"""Slack message or command text → the web URLs in it, in order and without repeats.

`rich_text` blocks win over `text`: they hold links as they are, where `text` is escaped mrkdwn. A link stands for its
target, whatever its label says. Time is linear in the length of hostile text, and nothing in a message raises.

Sources: https://docs.slack.dev/messaging/formatting-message-text (tokens in angle brackets, the three entities),
https://docs.slack.dev/reference/block-kit/blocks/rich-text-block (link and text elements).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from bot.address.bare import find_bare_domains, is_bare_domain
from bot.address.url import parse_url
from bot.errors import BadUrl

_TOKEN = re.compile(r"<([^<>]*)>")
_WEB_SCHEME = re.compile(r"https?://", re.IGNORECASE)
# Mentions (<@U1>, <#C1>, <!here>) and links that are not for the web (<mailto:…>): neither they nor their labels count.
_NOT_TEXT = re.compile(r"[@#!]|[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_ENTITY = re.compile(r"&(amp|lt|gt);")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">"}

# Characters that end a URL in running text: white space and control characters, quotes and brackets that no URL keeps
# unescaped, CJK and full-width punctuation, and the invisible ones that editors leave behind.
_STOP = (
    r"\s\x00-\x1f\x7f<>\"`“”„«»‹›、。〈-】〔-〛！（），：；？［］｛｝｜～\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
)
_EXPLICIT = re.compile(rf"https?://[^{_STOP}]+", re.IGNORECASE)
_NEXT_URL = re.compile(r"[,;|](?=https?://)", re.IGNORECASE)  # https://a.example,https://b.example
_TAIL = ".,;:!?'’…|\\"
_WRAPPERS = "*_~"  # mrkdwn marks; they leave with the one in front of the URL
_BRACKETS = {")": "(", "]": "[", "}": "{"}


class _Piece(NamedTuple):
    """A stretch of a message: a link's target with what is shown for it, or running text (target None)."""

    target: str | None
    text: str


def find_urls(message: Mapping[str, Any]) -> list[str]:
    """The canonical URLs in a Slack message object; malformed parts are passed over."""
    rich = [piece for piece in _rich_text_pieces(message.get("blocks")) if piece.target or piece.text.strip()]
    if rich:
        return _urls(rich)
    text = message.get("text")
    return find_urls_in_text(text) if isinstance(text, str) else []


def find_urls_in_text(text: str, *, entities: bool = True) -> list[str]:
    """The canonical URLs in text as typed or as Slack sends it; `entities`: `&amp;` `&lt;` `&gt;` stand for & < >."""
    return _urls(list(_text_pieces(text, entities)))


def _urls(pieces: list[_Piece]) -> list[str]:
    found = _canonical(_explicit(pieces))
    if found:
        return found
    return _canonical(url for piece in pieces if piece.target is None for url in find_bare_domains(piece.text))


def _canonical(candidates: Iterable[str]) -> list[str]:
    urls: dict[str, None] = {}
    for candidate in candidates:
        try:
            urls[parse_url(candidate).href] = None
        except BadUrl:
            continue
    return list(urls)


def _explicit(pieces: Iterable[_Piece]) -> Iterator[str]:
    for piece in pieces:
        if piece.target is None:
            yield from _scan(piece.text)
        elif not _is_guess(piece) or is_bare_domain(piece.text.strip()):
            yield piece.target


def _is_guess(link: _Piece) -> bool:
    """Whether Slack made the link out of a bare domain, or of a file name that looks like one: `<http://a.md|a.md>`."""
    return link.target == f"http://{link.text.strip()}"


def _scan(text: str) -> Iterator[str]:
    """URLs with a scheme in running text, without the punctuation around them."""
    for match in _EXPLICIT.finditer(text):
        before = text[match.start() - 1 : match.start()]
        for candidate in _NEXT_URL.split(match[0]):
            yield _trim(candidate, before)


def _trim(candidate: str, before: str) -> str:
    """`candidate` without closing punctuation: what ends a sentence, and brackets that were opened before it."""
    counts = Counter(c for c in candidate if c in "()[]{}")
    end = len(candidate)
    while end:
        last = candidate[end - 1]
        if last in _BRACKETS and counts[last] > counts[_BRACKETS[last]]:
            counts[last] -= 1
        elif last not in _TAIL and not (last == before and last in _WRAPPERS):
            break
        end -= 1
    return candidate[:end]


def _text_pieces(text: str, entities: bool) -> Iterator[_Piece]:
    """mrkdwn cut at its tokens in angle brackets."""
    position = 0
    for token in _TOKEN.finditer(text):
        yield _Piece(None, _unescape(text[position : token.start()], entities))
        yield from _token_piece(_unescape(token[1], entities))
        position = token.end()
    yield _Piece(None, _unescape(text[position:], entities))


def _token_piece(content: str) -> Iterator[_Piece]:
    target, _, label = content.partition("|")
    if _WEB_SCHEME.match(target) and not re.search(r"\s", target):
        yield _Piece(target, label)
    elif not _NOT_TEXT.match(target) or _WEB_SCHEME.match(target):
        yield _Piece(None, target)


def _unescape(text: str, entities: bool) -> str:
    """The three entities of Slack, each once: `&amp;lt;` is `&lt;`."""
    return _ENTITY.sub(lambda match: _ENTITIES[match[1]], text) if entities else text


def _rich_text_pieces(blocks: Any) -> Iterator[_Piece]:
    """Links and texts of all rich_text blocks, at any depth. Texts that stand side by side are one."""
    running: list[str] = []
    for element in _elements([b for b in _mappings(blocks) if b.get("type") == "rich_text"]):
        url, text = element.get("url"), element.get("text")
        shown = text if isinstance(text, str) else ""
        if element.get("type") == "link" and isinstance(url, str):
            yield _Piece(None, "".join(running))
            running.clear()
            yield _Piece(url, shown)
        else:
            # Anything else (a mention, an emoji, the end of a line) parts two texts.
            running.append(shown if element.get("type") == "text" else "\n")
    if running:
        yield _Piece(None, "".join(running))


def _elements(blocks: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Leaves and containers in reading order, on a stack of its own: nesting is the sender's to choose."""
    stack = blocks[::-1]
    while stack:
        element = stack.pop()
        yield element
        stack.extend(reversed(_mappings(element.get("elements"))))


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
