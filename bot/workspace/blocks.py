"""Blocks as rows: the surfaces that each may stand on, and its shape.

https://docs.slack.dev/reference/block-kit/blocks. Where Slack's pages and what others measured differ (table and card),
the stricter one stands here. `file` and `call` blocks come from Slack and cannot be posted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.render import limits
from bot.workspace.checks import (
    Check,
    Problem,
    Shape,
    anything,
    boolean,
    either,
    many,
    number,
    one_of,
    string,
    typed,
    whole,
    wrong,
)
from bot.workspace.elements import (
    ELEMENTS,
    IMAGE,
    IMAGE_FIELDS,
    IMAGE_SOURCE,
    IN_ACTIONS,
    IN_CONTEXT_ACTIONS,
    IN_INPUT,
    plain,
    text,
)
from bot.workspace.rich_text import ELEMENTS as RICH_ELEMENTS
from bot.workspace.rich_text import RICH_TEXT

MESSAGE, MODAL, HOME = "message", "modal", "home"
EVERYWHERE = (MESSAGE, MODAL, HOME)


@dataclass(frozen=True, slots=True)
class Block:
    """One row: where a block may stand, and its shape."""

    surfaces: tuple[str, ...]
    shape: Shape


def block(
    surfaces: tuple[str, ...], required: tuple[str, ...] = (), rules: tuple[Check, ...] = (), **own: Check
) -> Block:
    """A row; `type` and `block_id` belong to every block."""
    shared: dict[str, Check] = {"type": anything, "block_id": string(limits.BLOCK_ID)}
    return Block(surfaces, Shape({**shared, **own}, required, rules))


_RAW_TEXT = Shape({"type": anything, "text": string()}, ("text",))
_RAW_NUMBER = Shape({"type": anything, "value": number, "text": string()}, ("value",))
_RICH_CELL = Shape({"type": anything, "elements": RICH_ELEMENTS}, ("elements",))
_CELL = typed({"raw_text": _RAW_TEXT, "raw_number": _RAW_NUMBER, "rich_text": _RICH_CELL})
_ROW = many(_CELL, limits.TABLE_CELLS)
_COLUMN = Shape({"align": one_of("left", "center", "right"), "is_wrapped": boolean})


def _column_or_null(value: Any, at: str) -> Iterator[Problem]:
    """null keeps the default."""
    if value is not None:
        yield from _COLUMN(value, at)


def _equal_rows(value: Any, at: str) -> Iterator[Problem]:
    """Every row of a data_table has as many cells as the first."""
    rows = value.get("rows")
    if isinstance(rows, list) and len({len(row) for row in rows if isinstance(row, list)}) > 1:
        yield wrong("all rows must have the same number of cells", f"{at}/rows")


_CARD = Shape(
    {
        "type": anything,
        "block_id": string(limits.BLOCK_ID),
        "hero_image": IMAGE,
        "icon": IMAGE,
        "slack_icon": anything,
        "title": text(limits.CARD_TITLE),
        "subtitle": text(limits.CARD_TITLE),
        "body": text(limits.CARD_BODY),
        "subtext": text(limits.CARD_BODY),
        "actions": many(typed(ELEMENTS, ("button",)), limits.CARD_ACTIONS),
    }
)
_SOURCE = Shape({"type": one_of("url"), "url": string(), "text": string()}, ("type", "url", "text"))


def _task(*statuses: str) -> Shape:
    return Shape(
        {
            "type": one_of("task_card"),
            "block_id": string(limits.BLOCK_ID),
            "task_id": string(),
            "title": string(),
            "details": RICH_TEXT,
            "output": RICH_TEXT,
            "sources": many(_SOURCE),
            "status": one_of(*statuses),
        },
        ("task_id", "title"),
    )


_DONE = ("in_progress", "complete", "error")
_SERIES = Shape(
    {
        "name": string(limits.VISUALIZATION_LABEL),
        "data": many(
            Shape({"label": string(limits.VISUALIZATION_LABEL), "value": number}, ("label", "value")),
            limits.VISUALIZATION_POINTS,
        ),
    },
    ("name", "data"),
)
_CHART = Shape(
    {
        "type": one_of("line", "bar", "area", "pie"),
        "series": many(_SERIES, limits.VISUALIZATION_SERIES),
        "axis_config": anything,
        "segments": many(anything, limits.VISUALIZATION_POINTS),
    },
    ("type",),
    (either("series", "segments", both=False),),
)
_CONTEXT_ELEMENT = typed(
    {
        "image": IMAGE,
        **{kind: text(limits.TEXT_OBJECT) for kind in ("plain_text", "mrkdwn")},
    }
)

BLOCKS: dict[str, Block] = {
    "section": block(
        EVERYWHERE,
        (),
        (either("text", "fields", both=True),),
        text=text(limits.SECTION_TEXT),
        fields=many(text(limits.SECTION_FIELD), limits.SECTION_FIELDS),
        accessory=typed({**ELEMENTS, "image": IMAGE}, (*IN_ACTIONS, "image")),
        expand=boolean,
    ),
    "header": block(EVERYWHERE, ("text",), text=plain(limits.HEADER_TEXT), level=whole(1, limits.HEADER_LEVEL)),
    "divider": block(EVERYWHERE),
    "context": block(EVERYWHERE, ("elements",), elements=many(_CONTEXT_ELEMENT, limits.CONTEXT_ELEMENTS)),
    "actions": block(EVERYWHERE, ("elements",), elements=many(typed(ELEMENTS, IN_ACTIONS), limits.ACTIONS_ELEMENTS)),
    "image": block(
        EVERYWHERE,
        ("alt_text",),
        (IMAGE_SOURCE,),
        **{**IMAGE_FIELDS, "title": plain(limits.IMAGE_TITLE)},
    ),
    "input": block(
        EVERYWHERE,
        ("label", "element"),
        label=plain(limits.INPUT_LABEL),
        hint=plain(limits.INPUT_LABEL),
        element=typed(ELEMENTS, IN_INPUT),
        optional=boolean,
        dispatch_action=boolean,
    ),
    "rich_text": block(EVERYWHERE, ("elements",), elements=RICH_ELEMENTS),
    "video": block(
        EVERYWHERE,
        ("alt_text", "title", "thumbnail_url", "video_url"),
        alt_text=string(),
        title=plain(limits.VIDEO_TITLE),
        title_url=string(),
        description=plain(limits.VIDEO_TITLE),
        thumbnail_url=string(),
        video_url=string(),
        author_name=string(limits.VIDEO_AUTHOR),
        provider_name=string(),
        provider_icon_url=string(),
    ),
    "table": block(
        (MESSAGE,),
        ("rows",),
        rows=many(_ROW, limits.TABLE_ROWS),
        column_settings=many(_column_or_null, limits.TABLE_CELLS),
    ),
    "data_table": block(
        (MESSAGE,),
        ("caption", "rows"),
        (_equal_rows,),
        caption=string(),
        page_size=whole(1, limits.DATA_TABLE_PAGE),
        row_header_column_index=whole(0, limits.TABLE_CELLS - 1),
        rows=many(_ROW, limits.DATA_TABLE_ROWS, least=2),
    ),
    "data_visualization": block((MESSAGE,), ("title", "chart"), title=string(limits.VISUALIZATION_TITLE), chart=_CHART),
    "markdown": block((MESSAGE,), ("text",), text=string(limits.MARKDOWN_TOTAL)),
    "context_actions": block(
        (MESSAGE,),
        ("elements",),
        elements=many(typed(ELEMENTS, IN_CONTEXT_ACTIONS), limits.CONTEXT_ACTIONS_ELEMENTS),
    ),
    "plan": block(
        (MESSAGE,),
        ("title",),
        title=string(),
        tasks=many(_task("pending", *_DONE), limits.PLAN_TASKS, least=0),
    ),
    "task_card": Block((MESSAGE,), _task(*_DONE)),
    "card": Block((MESSAGE, HOME), _CARD),
    "carousel": block((MESSAGE, HOME), ("elements",), elements=many(_CARD, limits.CAROUSEL_CARDS)),
    "alert": block(
        (MODAL,),
        ("text",),
        text=text(limits.ALERT_TEXT),
        level=one_of("default", "info", "warning", "error", "success"),
    ),
}

IN_CONTAINER = ("actions", "context", "divider", "header", "image", "input", "rich_text", "section", "table", "video")
BLOCKS["container"] = block(
    (MESSAGE, HOME),
    ("child_blocks",),
    (either("title", "rich_text_title", both=True),),
    title=plain(limits.CONTAINER_TITLE),
    rich_text_title=RICH_TEXT,
    subtitle=text(limits.CONTAINER_TITLE),
    icon=IMAGE,
    width=one_of("narrow", "standard", "wide", "full"),
    is_collapsible=boolean,
    default_collapsed=boolean,
    has_header_divider=boolean,
    child_blocks=many(typed({name: BLOCKS[name].shape for name in IN_CONTAINER}), limits.CONTAINER_BLOCKS),
)

SHAPES: Mapping[str, Shape] = {name: row.shape for name, row in BLOCKS.items()}


def on_surface(surface: str, without: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The block types that may stand on a surface, except those in `without`."""
    return tuple(name for name, row in BLOCKS.items() if surface in row.surfaces and name not in without)
