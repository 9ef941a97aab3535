"""What a person did to an element, as Slack writes it in `actions` and in `state.values`.

https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from bot.workspace.model import Json
from bot.workspace.validator import elements_of

Choice = Callable[[Json, Any], dict[str, Any]]  # element, what was chosen → fields


def _options(element: Json) -> list[Json]:
    groups = element.get("option_groups") or ()
    return [*(element.get("options") or ()), *(option for group in groups for option in group["options"])]


def _option(element: Json, value: Any) -> Json | None:
    """The option of that value; None where nothing is chosen. Raises LookupError for a value that is not offered."""
    if value is None or isinstance(value, Mapping):
        return value
    values = [option.get("value") for option in _options(element)]
    if value not in values:
        raise LookupError(f"There is no option {value!r}; there are {values}.")
    return _options(element)[values.index(value)]


def _one_option(element: Json, value: Any) -> dict[str, Any]:
    return {"selected_option": _option(element, value)}


def _several_options(element: Json, values: Any) -> dict[str, Any]:
    return {"selected_options": [_option(element, value) for value in values or ()]}


def _field(name: str) -> Choice:
    def choose(element: Json, value: Any) -> dict[str, Any]:
        return {name: value}

    return choose


def _pressed(element: Json, value: Any) -> dict[str, Any]:
    shown = {name: element[name] for name in ("text", "value", "style", "confirm") if name in element}
    return shown if value is None else {**shown, "value": value}


# type → what it adds to an action or a state, and the key of its first value
STATEFUL: Mapping[str, tuple[Choice, str]] = {
    "static_select": (_one_option, "initial_option"),
    "external_select": (_one_option, "initial_option"),
    "radio_buttons": (_one_option, "initial_option"),
    "multi_static_select": (_several_options, "initial_options"),
    "multi_external_select": (_several_options, "initial_options"),
    "checkboxes": (_several_options, "initial_options"),
    "users_select": (_field("selected_user"), "initial_user"),
    "multi_users_select": (_field("selected_users"), "initial_users"),
    "conversations_select": (_field("selected_conversation"), "initial_conversation"),
    "multi_conversations_select": (_field("selected_conversations"), "initial_conversations"),
    "channels_select": (_field("selected_channel"), "initial_channel"),
    "multi_channels_select": (_field("selected_channels"), "initial_channels"),
    "datepicker": (_field("selected_date"), "initial_date"),
    "timepicker": (_field("selected_time"), "initial_time"),
    "datetimepicker": (_field("selected_date_time"), "initial_date_time"),
    "plain_text_input": (_field("value"), "initial_value"),
    "email_text_input": (_field("value"), "initial_value"),
    "url_text_input": (_field("value"), "initial_value"),
    "number_input": (_field("value"), "initial_value"),
    "rich_text_input": (_field("rich_text_value"), "initial_value"),
    "file_input": (_field("files"), "initial_files"),
}
STATELESS: Mapping[str, Choice] = {
    "button": _pressed,
    "icon_button": _pressed,
    "workflow_button": _pressed,
    "feedback_buttons": _pressed,
    "overflow": _one_option,
}


def interactive(blocks: Iterable[Json]) -> Iterator[tuple[Json, Json]]:
    """(block, element) for everything that a person can use."""
    for block in blocks:
        for element, _ in elements_of(block):
            if element.get("type") in STATEFUL or element.get("type") in STATELESS:
                yield block, element
        yield from interactive(block.get("child_blocks") or ())


def find(blocks: Iterable[Json], action_id: str, block_id: str | None = None) -> tuple[Json, Json]:
    """The block and the element of an action_id. Raises LookupError: nobody can use what is not there."""
    present = [*interactive(blocks)]
    for block, element in present:
        if element.get("action_id") == action_id and block_id in (None, block.get("block_id")):
            return block, element
    offered = [element.get("action_id") for _, element in present]
    raise LookupError(f"There is nothing to use with action_id {action_id!r}; there are {offered}.")


def action(block: Json, element: Json, choice: Any, ts: str) -> dict[str, Any]:
    """One entry of `actions`."""
    kind = element["type"]
    choose = STATEFUL[kind][0] if kind in STATEFUL else STATELESS[kind]
    ids = {"type": kind, "block_id": block["block_id"], "action_id": element["action_id"], "action_ts": ts}
    return {**ids, **choose(element, choice)}


def state_values(blocks: Iterable[Json], choices: Json) -> dict[str, dict[str, Any]]:
    """`state.values`: what stands in every input; `choices` by action_id, or by block_id, over the first values."""
    values: dict[str, dict[str, Any]] = {}
    for block, element in interactive(blocks):
        if element["type"] in STATEFUL:
            choose, first = STATEFUL[element["type"]]
            chosen = choices.get(element["action_id"], choices.get(block["block_id"], element.get(first)))
            state = {"type": element["type"], **choose(element, chosen)}
            values.setdefault(block["block_id"], {})[element["action_id"]] = state
    return values


def chosen_for_response(blocks: Iterable[Json], values: Json) -> Iterator[tuple[str, str, str]]:
    """(block_id, action_id, channel) of every chosen conversation for which the view wants a response_url."""
    for block, element in interactive(blocks):
        if element.get("response_url_enabled"):
            state = values[block["block_id"]][element["action_id"]]
            channel = state.get("selected_conversation") or state.get("selected_channel")
            if channel:
                yield block["block_id"], element["action_id"], channel


def refuse_unknown(blocks: Iterable[Json], choices: Json) -> None:
    """Raises LookupError where a choice is for no input of the view."""
    names = {name for block, element in interactive(blocks) for name in (block["block_id"], element["action_id"])}
    unknown = sorted(set(choices) - names)
    if unknown:
        raise LookupError(f"The view has no input {unknown[0]!r}; it has {sorted(names)}.")


def refuse_empty(blocks: Iterable[Json], values: Json) -> None:
    """Raises LookupError where a required input is empty: Slack does not submit such a view."""
    for block in blocks:
        if block.get("type") == "input" and not block.get("optional"):
            (state,) = values[block["block_id"]].values()
            if not any(value for name, value in state.items() if name != "type"):
                raise LookupError(f"The input {block['block_id']!r} is required and empty: Slack does not submit this.")
