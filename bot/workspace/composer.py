"""What Slack makes of what a person types: `text` with entities and marked-up links, and rich_text blocks beside it.

https://docs.slack.dev/messaging/formatting-message-text. Slack links `https://…` and, by its list of top-level domains,
bare domains; in code it links nothing here. Mentions are typed as `<@U…>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from bot.render.limits import escape_mrkdwn

Leaf = dict[str, Any]

TOP_LEVEL = "com|dev|example|io|net|org"  # enough of Slack's list for a demo
_FENCE = re.compile(r"```\n?(.*?)\n?```", re.DOTALL)
_PIECE = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|<@(?P<user>[UW][A-Z0-9]+)>"
    r"|(?P<url>https?://[^\s<>`]+)"
    rf"|(?<![\w.@/-])(?P<bare>(?:[a-z0-9-]+\.)+(?:{TOP_LEVEL})(?:/[^\s<>`]*)?)(?![\w@])",
    re.IGNORECASE,
)
_TAIL = ".,;:!?'\"*_~"  # punctuation after a link is not part of it
_PAIRS = {")": "(", "]": "[", "}": "{"}


def compose(typed: str) -> tuple[str, list[dict[str, Any]]]:
    """The `text` and the `blocks` of the message that a person typed."""
    text: list[str] = []
    elements: list[dict[str, Any]] = []
    position = 0
    for fence in _FENCE.finditer(typed):
        text.append(_prose(typed[position : fence.start()], elements))
        text.append(f"```{escape_mrkdwn(fence[1])}```")
        elements.append({"type": "rich_text_preformatted", "elements": [{"type": "text", "text": fence[1]}]})
        position = fence.end()
    text.append(_prose(typed[position:], elements))
    return "".join(text), [{"type": "rich_text", "elements": elements}]


def mark_up(typed: str) -> str:
    """One line's `text`: what a slash command carries when "Escape channels, users, and links" is on."""
    return "".join(_as_text(leaf) for leaf in _leaves(typed))


def _prose(typed: str, elements: list[dict[str, Any]]) -> str:
    """The text of what stands outside fences; adds a section, or a quote for each run of lines that begin with `>`."""
    text = []
    for quoted, lines in _runs(typed):
        bare = "".join(line.removeprefix(">").removeprefix(" ") for line in lines) if quoted else "".join(lines)
        leaves = [*_leaves(bare)]
        if leaves:
            kind = "rich_text_quote" if quoted else "rich_text_section"
            elements.append({"type": kind, "elements": leaves})
        marked = "".join(map(_as_text, leaves))
        text.append("".join(f"&gt; {line}" for line in marked.splitlines(keepends=True)) if quoted else marked)
    return "".join(text)


def _runs(typed: str) -> Iterator[tuple[bool, list[str]]]:
    run: list[str] = []
    for line in typed.splitlines(keepends=True):
        if run and line.startswith(">") != run[0].startswith(">"):
            yield run[0].startswith(">"), run
            run = []
        run.append(line)
    if run:
        yield run[0].startswith(">"), run


def _leaves(typed: str) -> Iterator[Leaf]:
    position = 0
    for piece in _PIECE.finditer(typed):
        leaf, end = _leaf(piece)
        if piece.start() > position:
            yield {"type": "text", "text": typed[position : piece.start()]}
        yield leaf
        position = end
    if position < len(typed):
        yield {"type": "text", "text": typed[position:]}


def _leaf(piece: re.Match[str]) -> tuple[Leaf, int]:
    """A piece as a leaf, and where it ends once the punctuation after a link is left out."""
    if piece["code"]:
        return {"type": "text", "text": piece["code"], "style": {"code": True}}, piece.end()
    if piece["user"]:
        return {"type": "user", "user_id": piece["user"]}, piece.end()
    if piece["url"]:
        url = _without_tail(piece["url"])
        if not _has_host(url):
            return {"type": "text", "text": piece[0]}, piece.end()
        return {"type": "link", "url": url}, piece.start() + len(url)
    bare = _without_tail(piece["bare"])
    return {"type": "link", "url": f"http://{bare}", "text": bare}, piece.start() + len(bare)


def _has_host(url: str) -> bool:
    """Whether it is a URL to anybody: `https://[` is text."""
    try:
        return bool(urlsplit(url).hostname)
    except ValueError:
        return False


def _without_tail(url: str) -> str:
    while url[-1] in _TAIL or (url[-1] in _PAIRS and url.count(url[-1]) > url.count(_PAIRS[url[-1]])):
        url = url[:-1]
    return url


def _as_text(leaf: Leaf) -> str:
    if leaf["type"] == "user":
        return f"<@{leaf['user_id']}>"
    if leaf["type"] == "link":
        label = f"|{escape_mrkdwn(leaf['text'])}" if "text" in leaf else ""
        return f"<{escape_mrkdwn(leaf['url'])}{label}>"
    mark = "`" if leaf.get("style") else ""
    return f"{mark}{escape_mrkdwn(leaf['text'])}{mark}"


def links(typed: str) -> list[str]:
    """The links in what was typed, as they stand in events."""
    return [leaf["url"] for leaf in _leaves(_FENCE.sub("", typed)) if leaf["type"] == "link"]
