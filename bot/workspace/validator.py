"""What Slack refuses, offline: messages, views and unfurls, with Slack's error names and sentences.

    check_message({"text": "", "blocks": []})  → [Problem("no_text", …)]

Pure; an empty list means that Slack takes it, as far as its documentation and the recorded responses tell. The
shapes stand in `blocks` and `elements`, the numbers in `bot.render.limits`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.render import limits
from bot.workspace.blocks import HOME, MESSAGE, MODAL, SHAPES, on_surface
from bot.workspace.checks import (
    Check,
    Problem,
    Shape,
    anything,
    boolean,
    json_object,
    many,
    one_of,
    string,
    typed,
    wrong,
)
from bot.workspace.elements import SURFACES_OF, plain
from bot.workspace.rich_text import text_of

NOT_IN_UNFURLS = ("rich_text", "table", "data_table")  # https://docs.slack.dev/reference/methods/chat.unfurl
VIEW_ERROR = "invalid_arguments"


def check_message(payload: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with the arguments of chat.postMessage, chat.update, chat.postEphemeral or a response_url."""
    blocks = payload.get("blocks")
    attachments = _items(payload.get("attachments"))
    found = [*_some_text(payload), *_lengths(payload), *_metadata(payload.get("metadata"))]
    if len(attachments) > limits.ATTACHMENTS:
        found.append(Problem("too_many_attachments", "too many attachments", "/attachments"))
    if blocks is not None:
        found += check_blocks(blocks, MESSAGE, "/blocks", limits.MESSAGE_BLOCKS)
        found += _totals(blocks)
    for index, attachment in enumerate(attachments):
        at = f"/attachments/{index}/blocks"
        blocks_of_it = attachment.get("blocks") if isinstance(attachment, Mapping) else None
        nested = check_blocks(blocks_of_it or [], MESSAGE, at, limits.MESSAGE_BLOCKS)
        found += [replace(problem, error="invalid_attachments") for problem in nested]
    return found


def check_view(view: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with a modal or a Home view. Slack names every such problem `invalid_arguments`."""
    kind = view.get("type") if isinstance(view, Mapping) else None
    found = [*typed(VIEWS)(view, "/view")]
    if isinstance(kind, str) and kind in VIEWS:
        surface = MODAL if kind == "modal" else HOME
        blocks = view.get("blocks")
        found += check_blocks(blocks, surface, "/view/blocks", limits.VIEW_BLOCKS) if blocks is not None else []
        found += _needs_submit(view)
    return [replace(problem, error=VIEW_ERROR) for problem in found]


def check_unfurl(unfurl: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with one value of chat.unfurl's `unfurls`: no rich_text, no table; without blocks, no rules."""
    blocks = unfurl.get("blocks")
    if blocks is None:
        return []
    return check_blocks(blocks, MESSAGE, "/blocks", limits.MESSAGE_BLOCKS, NOT_IN_UNFURLS)


def check_blocks(blocks: Any, surface: str, at: str, most: int, without: tuple[str, ...] = ()) -> list[Problem]:
    """What is wrong with a list of blocks on a surface: "message", "modal" or "home"."""
    found = [*many(typed(SHAPES, on_surface(surface, without)), most, least=0)(blocks, at)]
    if isinstance(blocks, list | tuple):
        found += _twice(_ids(blocks, at), "block_id")
        for index, block in enumerate(blocks):
            found += _twice(_action_ids(block, f"{at}/{index}"), "action_id")
            found += _elements_off_surface(block, surface, f"{at}/{index}")
    return list(dict.fromkeys(found))


def _items(value: Any) -> Sequence[Any]:
    """A list as it is; anything else, which a shape has refused already, as none."""
    return value if isinstance(value, list | tuple) else ()


def _some_text(payload: Mapping[str, Any]) -> Iterator[Problem]:
    if payload.get("markdown_text") is not None and (payload.get("text") or payload.get("blocks")):
        yield Problem("markdown_text_conflict", "markdown_text cannot be used with text or blocks", "/markdown_text")
    if not any(payload.get(name) for name in ("text", "blocks", "attachments", "markdown_text")):
        yield Problem("no_text", "no message text provided")


def _lengths(payload: Mapping[str, Any]) -> Iterator[Problem]:
    for name, most in (("text", limits.MESSAGE_TEXT), ("markdown_text", limits.MARKDOWN_TEXT)):
        value = payload.get(name)
        if value is not None and not isinstance(value, str):
            yield Problem("invalid_arguments", "must provide a string", f"/{name}")
        elif value is not None and len(value) > most:
            yield Problem("msg_too_long", f"must be less than {most + 1} characters", f"/{name}")


def _metadata(metadata: Any) -> Iterator[Problem]:
    """https://docs.slack.dev/messaging/message-metadata"""
    if metadata is None:
        return
    if not isinstance(metadata, Mapping):
        yield Problem("invalid_metadata_format", "must provide an object", "/metadata")
        return
    for problem in METADATA(metadata, "/metadata"):
        yield replace(problem, error="invalid_metadata_schema")


def _tables(blocks: Iterable[Any], at: str = "/blocks") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every table of a message with its pointer, those in containers too."""
    for index, block in enumerate(blocks):
        if isinstance(block, Mapping):
            if block.get("type") in ("table", "data_table"):
                yield f"{at}/{index}", block
            yield from _tables(_items(block.get("child_blocks")), f"{at}/{index}/child_blocks")


def _totals(blocks: Any) -> Iterator[Problem]:
    """What holds over all blocks of a message together."""
    if not isinstance(blocks, list | tuple):
        return
    known = [block for block in blocks if isinstance(block, Mapping)]
    tables = [*_tables(blocks)]
    for at, _ in tables[limits.TABLES :]:
        yield Problem("invalid_attachments", "only_one_table_allowed", at)
    for kind, most in (("table", limits.TABLE_TOTAL), ("data_table", limits.DATA_TABLE_TOTAL)):
        total = sum(len(text_of(table.get("rows"))) for _, table in tables if table.get("type") == kind)
        if total > most:
            yield wrong(f"must be less than {most + 1} characters over all cells", tables[0][0] + "/rows")
    if sum(len(text_of(block)) for block in known if block.get("type") == "markdown") > limits.MARKDOWN_TOTAL:
        yield Problem(
            "msg_blocks_too_long", f"must be less than {limits.MARKDOWN_TOTAL + 1} characters over all markdown"
        )
    if sum(block.get("type") == "data_visualization" for block in known) > limits.VISUALIZATIONS:
        yield wrong(f"no more than {limits.VISUALIZATIONS} data_visualization blocks allowed", "/blocks")
    if sum(map(_cost, known)) > limits.BLOCKS_TOTAL:
        yield Problem("msg_blocks_too_long", "msg_blocks_too_long", "/blocks")


def _cost(block: Mapping[str, Any]) -> int:
    """What a block counts for against the length of a message; tables have a total of their own."""
    kind = block.get("type")
    if kind in ("table", "data_table"):
        return 0
    return len(limits.escape_mrkdwn(text_of(block))) + (limits.HEADER_COST if kind == "header" else limits.BLOCK_COST)


def _ids(blocks: Iterable[Any], at: str) -> Iterator[tuple[str, str]]:
    for index, block in enumerate(blocks):
        if isinstance(block, Mapping):
            if isinstance(block.get("block_id"), str):
                yield block["block_id"], f"{at}/{index}/block_id"
            yield from _ids(_items(block.get("child_blocks")), f"{at}/{index}/child_blocks")


def _action_ids(block: Any, at: str) -> Iterator[tuple[str, str]]:
    """The action_ids of one block: unique within it, as a view's state is keyed by block_id, then action_id."""
    for element, pointer in elements_of(block, at):
        if isinstance(element.get("action_id"), str):
            yield element["action_id"], f"{pointer}/action_id"


def elements_of(block: Any, at: str = "") -> Iterator[tuple[Mapping[str, Any], str]]:
    """The elements of a block with their pointers; those of child blocks belong to these."""
    if not isinstance(block, Mapping):
        return
    for name in ("elements", "actions"):
        for index, element in enumerate(_items(block.get(name))):
            if isinstance(element, Mapping):
                yield element, f"{at}/{name}/{index}"
    for name in ("element", "accessory"):
        if isinstance(block.get(name), Mapping):
            yield block[name], f"{at}/{name}"


def _twice(found: Iterable[tuple[str, str]], name: str) -> Iterator[Problem]:
    seen: set[str] = set()
    for value, pointer in found:
        if value in seen:
            yield wrong(f'`{name}` "{value}" already exists', pointer)
        seen.add(value)


def _elements_off_surface(block: Any, surface: str, at: str) -> Iterator[Problem]:
    for element, pointer in elements_of(block, at):
        if surface not in SURFACES_OF.get(str(element.get("type")), (surface,)):
            yield wrong(f"unsupported type: {element['type']}", f"{pointer}/type")


def _needs_submit(view: Mapping[str, Any]) -> Iterator[Problem]:
    blocks = view.get("blocks")
    if view.get("type") != "modal" or view.get("submit") or not isinstance(blocks, list | tuple):
        return
    for index, block in enumerate(blocks):
        if isinstance(block, Mapping) and block.get("type") == "input":
            yield wrong("must define `submit` to use an `input` block in modals", f"/view/blocks/{index}/input")


METADATA = Shape(
    {"event_type": string(), "event_payload": json_object, "entities": anything}, ("event_type", "event_payload")
)

# https://docs.slack.dev/reference/views/modal-views and …/home-tab-views
_SHARED: Mapping[str, Check] = {
    "blocks": anything,  # `check_blocks` reads them
    "private_metadata": string(limits.PRIVATE_METADATA, shortest=0),
    "callback_id": string(limits.VIEW_ID),
    "external_id": string(limits.VIEW_ID, shortest=0),
}
VIEWS: Mapping[str, Check] = {
    "home": Shape({"type": one_of("home"), **_SHARED}, ("blocks",)),
    "modal": Shape(
        {
            "type": one_of("modal"),
            **_SHARED,
            "title": plain(limits.VIEW_TITLE),
            "submit": plain(limits.VIEW_TITLE),
            "close": plain(limits.VIEW_TITLE),
            "clear_on_close": boolean,
            "notify_on_close": boolean,
            "submit_disabled": boolean,
        },
        ("title", "blocks"),
    ),
}
