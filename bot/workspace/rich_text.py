"""The shape of `rich_text`: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bot.workspace.checks import Check, Shape, anything, boolean, many, number, one_of, string, typed, whole

_STYLE = Shape(
    dict.fromkeys(("bold", "italic", "strike", "underline", "code", "highlight", "client_highlight", "unlink"), boolean)
)


def _leaf(*required: str, **fields: Check) -> Shape:
    return Shape({"type": anything, "style": _STYLE, **fields}, required)


LEAVES: Mapping[str, Shape] = {
    "text": _leaf("text", text=string()),
    "link": _leaf("url", url=string(), text=string(), unsafe=boolean),
    "user": _leaf("user_id", user_id=string()),
    "usergroup": _leaf("usergroup_id", usergroup_id=string()),
    "channel": _leaf("channel_id", channel_id=string()),
    "team": _leaf("team_id", team_id=string()),
    "emoji": _leaf("name", name=string(), unicode=string(), skin_tone=whole(1, 6)),
    "broadcast": _leaf("range", range=one_of("here", "channel", "everyone")),
    "color": _leaf("value", value=string()),
    "date": _leaf("timestamp", "format", timestamp=number, format=string(), url=string(), fallback=string()),
}
_LEAVES = many(typed(LEAVES), least=0)
_BORDER = one_of(0, 1)
_SECTION = Shape({"type": anything, "elements": _LEAVES}, ("elements",))
PARTS: Mapping[str, Shape] = {
    "rich_text_section": _SECTION,
    "rich_text_quote": Shape({"type": anything, "elements": _LEAVES, "border": _BORDER}, ("elements",)),
    "rich_text_preformatted": Shape(
        {"type": anything, "elements": _LEAVES, "border": _BORDER, "language": string()}, ("elements",)
    ),
    "rich_text_list": Shape(
        {
            "type": anything,
            "style": one_of("bullet", "ordered"),
            "elements": many(typed({"rich_text_section": _SECTION})),
            "indent": whole(0, 8),
            "offset": whole(0, 1_000_000),
            "border": _BORDER,
        },
        ("style", "elements"),
    ),
}
ELEMENTS = many(typed(PARTS), least=0)
PARAGRAPHS = tuple(name for name in PARTS if name != "rich_text_list")
RICH_TEXT = Shape({"type": anything, "block_id": string(), "elements": ELEMENTS}, ("elements",))


def words(value: Any) -> Iterator[str]:
    """Every piece of text in a block or a cell, in reading order: what a reader sees of it."""
    if isinstance(value, Mapping):
        kind = value.get("type")
        if kind == "link" and not value.get("text"):
            yield str(value.get("url", ""))
        if kind == "emoji":
            yield f":{value.get('name', '')}:"
        for name, item in value.items():
            if name in ("text", "alt_text", "caption") and isinstance(item, str):
                yield item
            else:
                yield from words(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from words(item)


def lines(value: Any) -> Iterator[str]:
    """`words`, a line for each text, paragraph and table row (cells parted by ` | `): what a person reads off."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from lines(item)
    elif isinstance(value, Mapping):
        if value.get("type") in PARAGRAPHS:
            yield text_of(value)
        elif isinstance(value.get("rows"), list):
            yield from (" | ".join(map(text_of, row)) for row in value["rows"])
        else:
            yield from (value[name] for name in ("title", "text", "alt_text") if isinstance(value.get(name), str))
            yield from lines([*value.values()])


def text_of(value: Any) -> str:
    """`words` as one string."""
    return "".join(words(value))
