"""One row for each rule by which Slack refuses a payload: what is sent, and the error with its sentence."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.workspace.validator import check_message, check_unfurl, check_view

Json = dict[str, Any]


def plain(text: str = "x") -> Json:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str = "x") -> Json:
    return {"type": "mrkdwn", "text": text}


def section(**more: Any) -> Json:
    return {"type": "section", "text": mrkdwn(), **more}


def button(**more: Any) -> Json:
    return {"type": "button", "text": plain(), "action_id": "a", **more}


def actions(*elements: Json, **more: Any) -> Json:
    return {"type": "actions", "elements": list(elements), **more}


def option(value: str = "v", **more: Any) -> Json:
    return {"text": plain(), "value": value, **more}


def select(**more: Any) -> Json:
    return {"type": "static_select", "action_id": "s", "options": [option()], **more}


def cell(text: str = "x") -> Json:
    return {"type": "raw_text", "text": text}


def table(*rows: list[Json], **more: Any) -> Json:
    return {"type": "table", "rows": list(rows), **more}


def rich(*leaves: Json, kind: str = "rich_text_section") -> Json:
    return {"type": "rich_text", "elements": [{"type": kind, "elements": list(leaves)}]}


def field(**more: Any) -> Json:
    return {"type": "input", "label": plain(), "element": {"type": "plain_text_input", "action_id": "i"}, **more}


def modal(*blocks: Json, **more: Any) -> Json:
    return {"type": "modal", "title": plain(), "blocks": list(blocks), **more}


CONFIRM = {"title": plain(), "text": plain(), "confirm": plain(), "deny": plain()}
MANY_10 = "no more than 10 items allowed"
TOO_LONG_75 = "must be less than 76 characters"

ACCEPTED_BLOCKS = [
    section(text=mrkdwn("x" * 3000)),
    {"type": "section", "fields": [plain("x" * 2000), *[plain()] * 9]},
    section(accessory=button(confirm=CONFIRM, style="danger", value="v" * 2000)),
    section(accessory={"type": "image", "image_url": "https://a.example/i.png", "alt_text": "i"}),
    section(expand=True),
    {"type": "header", "text": plain("x" * 150), "level": 2},
    {"type": "divider"},
    {"type": "context", "elements": [mrkdwn(), {"type": "image", "image_url": "u", "alt_text": "i"}]},
    actions(*(button(action_id=str(number)) for number in range(25))),
    actions(select(), {"type": "overflow", "options": [option(url="https://a.example/")]}),
    actions({"type": "datetimepicker", "initial_date_time": 1}),
    table(*[[cell("x")] * 20] * 25, column_settings=[None, {"align": "right", "is_wrapped": True}]),
    table(*[[cell("x")]] * 100),
    table([{"type": "raw_number", "value": 3, "text": "3"}, {**rich({"type": "text", "text": "x"})}]),
    rich({"type": "text", "text": "x", "style": {"code": True}}, {"type": "link", "url": "https://a.example/"}),
    rich({"type": "text", "text": "x"}, kind="rich_text_preformatted"),
    rich({"type": "emoji", "name": "white_check_mark"}, {"type": "date", "timestamp": 1, "format": "{date}"}),
    {"type": "markdown", "text": "x" * 12000},
    {"type": "container", "title": plain(), "child_blocks": [section()], "is_collapsible": True},
    {"type": "context_actions", "elements": [{"type": "icon_button", "icon": "trash", "text": plain()}]},
    {"type": "plan", "title": "Steps", "tasks": [{"task_id": "1", "title": "t", "status": "pending"}]},
    {"type": "task_card", "task_id": "1", "title": "t", "status": "complete"},
    {"type": "card", "title": plain(), "body": mrkdwn("x" * 200)},
    {"type": "data_table", "caption": "c", "rows": [[cell()], [cell()]], "page_size": 5},
    field(),
]


@pytest.mark.parametrize("block", ACCEPTED_BLOCKS, ids=lambda block: block["type"])
def test_a_block_at_its_limit_is_taken(block: Json) -> None:
    """The validator refuses nothing that Slack takes."""
    assert check_message({"text": "x", "blocks": [block]}) == []


REFUSED_BLOCKS = [
    (section(text=mrkdwn("x" * 3001)), "must be less than 3001 characters", "/text/text"),
    (section(text=mrkdwn("")), "must be more than 0 characters", "/text/text"),
    (section(text={"type": "html", "text": "x"}), "unsupported type: html", "/text/type"),
    (section(text={"text": "x"}), "missing required field: type", "/text"),
    (section(text="x"), "must provide an object", "/text"),
    (section(text={**mrkdwn(), "emoji": True}), "invalid additional property: emoji", "/text"),
    (section(colour="red"), "invalid additional property: colour", ""),
    ({"type": "section"}, "must define either `text` or `fields`", ""),
    ({"type": "section", "fields": [plain()] * 11}, "no more than 10 items allowed", "/fields"),
    ({"type": "section", "fields": [plain("x" * 2001)]}, "must be less than 2001 characters", "/fields/0/text"),
    ({"type": "section", "fields": []}, "no less than 1 items allowed", "/fields"),
    ({"type": "header", "text": mrkdwn()}, "unsupported type: mrkdwn", "/text/type"),
    ({"type": "header", "text": plain("x" * 151)}, "must be less than 151 characters", "/text/text"),
    ({"type": "header", "text": plain(), "level": 5}, "must be between 1 and 4", "/level"),
    ({"type": "context", "elements": []}, "no less than 1 items allowed", "/elements"),
    ({"type": "context", "elements": [plain()] * 11}, "no more than 10 items allowed", "/elements"),
    ({"type": "context", "elements": [button()]}, "unsupported type: button", "/elements/0/type"),
    (actions(), "no less than 1 items allowed", "/elements"),
    (actions(*[{"type": "button", "text": plain()}] * 26), "no more than 25 items allowed", "/elements"),
    (actions({"type": "plain_text_input"}), "unsupported type: plain_text_input", "/elements/0/type"),
    (actions(button(text=mrkdwn())), "unsupported type: mrkdwn", "/elements/0/text/type"),
    (actions(button(text=plain("x" * 76))), TOO_LONG_75, "/elements/0/text/text"),
    (actions(button(value="x" * 2001)), "must be less than 2001 characters", "/elements/0/value"),
    (actions(button(url="x" * 3001)), "must be less than 3001 characters", "/elements/0/url"),
    (actions(button(style="green")), "must be a valid enum value: primary, danger", "/elements/0/style"),
    (actions(button(accessibility_label="x" * 76)), TOO_LONG_75, "/elements/0/accessibility_label"),
    (actions(button(action_id="x" * 256)), "must be less than 256 characters", "/elements/0/action_id"),
    (
        actions(button(confirm={**CONFIRM, "deny": plain("x" * 31)})),
        "must be less than 31 characters",
        "/elements/0/confirm/deny/text",
    ),
    (actions(button(confirm={**CONFIRM, "text": None})), "missing required field: text", "/elements/0/confirm"),
    (actions(button(), button()), '`action_id` "a" already exists', "/elements/1/action_id"),
    (
        actions({"type": "overflow", "options": [option()] * 6}),
        "no more than 5 items allowed",
        "/elements/0/options",
    ),
    (
        actions({"type": "overflow", "options": [option("v" * 151)]}),
        "must be less than 151 characters",
        "/elements/0/options/0/value",
    ),
    (actions(select(options=[option()] * 101)), "no more than 100 items allowed", "/elements/0/options"),
    (actions(select(options=[])), "no less than 1 items allowed", "/elements/0/options"),
    (
        actions(select(options=[option(url="u")])),
        "invalid additional property: url",
        "/elements/0/options/0",
    ),
    (actions({"type": "static_select"}), "must define either `options` or `option_groups`", "/elements/0"),
    (
        actions(select(initial_option=option("other"))),
        "initial option must be one of the options",
        "/elements/0",
    ),
    (actions(select(placeholder=plain("x" * 151))), "must be less than 151 characters", "/elements/0/placeholder/text"),
    (actions({"type": "checkboxes", "options": [option()] * 11}), MANY_10, "/elements/0/options"),
    (actions({"type": "file_input"}), "unsupported type: file_input", "/elements/0/type"),
    (actions({"type": "rich_text_input"}), "unsupported type: rich_text_input", "/elements/0/type"),
    (
        field(element={"type": "number_input", "is_decimal_allowed": True}),
        "unsupported type: number_input",
        "/element/type",
    ),
    ({"type": "image", "image_url": "https://a.example/i.png"}, "missing required field: alt_text", ""),
    ({"type": "image", "alt_text": "i"}, "must define either `image_url` or `slack_file`", ""),
    (table([cell("")]), "must be more than 0 characters", "/rows/0/0/text"),
    (table(*[[cell()]] * 101), "no more than 100 items allowed", "/rows"),
    (table([cell()] * 21), "no more than 20 items allowed", "/rows/0"),
    (table(), "no less than 1 items allowed", "/rows"),
    (table([]), "no less than 1 items allowed", "/rows/0"),
    (table([mrkdwn()]), "unsupported type: mrkdwn", "/rows/0/0/type"),
    (table([{"type": "raw_number", "text": "3"}]), "missing required field: value", "/rows/0/0"),
    (
        table([cell()], column_settings=[{"align": "top"}]),
        "must be a valid enum value: left, center, right",
        "/column_settings/0/align",
    ),
    (table([cell()], column_settings=[None] * 21), "no more than 20 items allowed", "/column_settings"),
    (table(*[[cell("x" * 5001)]] * 2), "must be less than 10001 characters over all cells", "/rows"),
    (rich({"type": "text", "text": ""}), "must be more than 0 characters", "/elements/0/elements/0/text"),
    (
        rich({"type": "text", "text": "x", "style": {"big": True}}),
        "invalid additional property: big",
        "/elements/0/elements/0/style",
    ),
    (rich({"type": "mrkdwn", "text": "x"}), "unsupported type: mrkdwn", "/elements/0/elements/0/type"),
    ({"type": "alert", "text": plain()}, "unsupported type: alert", "/type"),
    ({"type": "file", "external_id": "x", "source": "remote"}, "unsupported type: file", "/type"),
    ({"type": "sparkle"}, "unsupported type: sparkle", "/type"),
    ({"type": ["section"]}, "unsupported type: ['section']", "/type"),
    ({"text": plain()}, "missing required field: type", ""),
    ("section", "must provide an object", ""),
    ({"type": "divider", "block_id": "x" * 256}, "must be less than 256 characters", "/block_id"),
    (
        {"type": "data_table", "caption": "c", "rows": [[cell()], [cell(), cell()]]},
        "all rows must have the same number of cells",
        "/rows",
    ),
    (
        {"type": "task_card", "task_id": "1", "title": "t", "status": "pending"},
        "must be a valid enum value: in_progress, complete, error",
        "/status",
    ),
    (
        {"type": "container", "title": plain(), "child_blocks": [{"type": "card"}]},
        "unsupported type: card",
        "/child_blocks/0/type",
    ),
]


@pytest.mark.parametrize(("block", "sentence", "pointer"), REFUSED_BLOCKS)
def test_a_block_that_slack_refuses_is_refused(block: Any, sentence: str, pointer: str) -> None:
    """The one problem is Slack's `invalid_blocks`, with the sentence and the place."""
    found = [(problem.error, str(problem)) for problem in check_message({"text": "x", "blocks": [block]})]

    assert found == [("invalid_blocks", f"{sentence} [json-pointer:/blocks/0{pointer}]")]


LONG = [section(text=mrkdwn("x" * 2900))] * 5
MESSAGES = [
    ({"text": "x"}, []),
    ({"blocks": [section()]}, []),
    ({"text": ""}, ["no_text"]),
    ({"text": "", "blocks": []}, ["no_text"]),
    ({"text": "x" * 40_000}, []),
    ({"text": "x" * 40_001}, ["msg_too_long"]),
    ({"markdown_text": "x" * 12_000}, []),
    ({"markdown_text": "x" * 12_001}, ["msg_too_long"]),
    ({"markdown_text": "x", "text": "x"}, ["markdown_text_conflict"]),
    ({"text": 3}, ["invalid_arguments"]),
    ({"text": "x", "blocks": [{"type": "divider"}] * 50}, []),
    ({"text": "x", "blocks": [{"type": "divider"}] * 51}, ["invalid_blocks"]),
    ({"text": "x", "blocks": {"type": "divider"}}, ["invalid_blocks"]),
    ({"text": "x", "blocks": LONG[:4]}, []),
    ({"text": "x", "blocks": LONG}, ["msg_blocks_too_long"]),
    ({"text": "x", "blocks": [{"type": "markdown", "text": "x" * 6001}] * 2}, ["msg_blocks_too_long"]),
    ({"text": "x", "blocks": [{"type": "divider", "block_id": "b"}] * 2}, ["invalid_blocks"]),
    ({"text": "x", "blocks": [actions(button(), block_id="1"), actions(button(), block_id="2")]}, []),
    ({"text": "x", "blocks": [table([cell()]), table([cell()])]}, ["invalid_attachments"]),
    ({"text": "x", "attachments": [{"text": "x"}] * 100}, []),
    ({"text": "x", "attachments": [{"text": "x"}] * 101}, ["too_many_attachments"]),
    ({"text": "x", "attachments": [{"blocks": [{"type": "sparkle"}]}]}, ["invalid_attachments"]),
    ({"text": "x", "metadata": {"event_type": "t", "event_payload": {"a": 1}}}, []),
    ({"text": "x", "metadata": "t"}, ["invalid_metadata_format"]),
    ({"text": "x", "metadata": {"event_type": "t"}}, ["invalid_metadata_schema"]),
    ({"text": "x", "metadata": {"event_type": "t", "event_payload": "p"}}, ["invalid_metadata_schema"]),
    ({"text": "x", "metadata": {"event_type": "", "event_payload": {}}}, ["invalid_metadata_schema"]),
]


@pytest.mark.parametrize(("payload", "errors"), MESSAGES)
def test_what_holds_for_a_message_as_a_whole(payload: Json, errors: list[str]) -> None:
    """Totals, counts and what must be there at all have error names of their own."""
    assert [problem.error for problem in check_message(payload)] == errors


VIEWS = [
    (modal(section()), []),
    (modal(field(), submit=plain()), []),
    (modal(*[{"type": "divider"}] * 100), []),
    (modal({"type": "alert", "text": plain(), "level": "warning"}), []),
    ({"type": "home", "blocks": [section()]}, []),
    (modal(field()), ["must define `submit` to use an `input` block in modals [json-pointer:/view/blocks/0/input]"]),
    (modal(*[{"type": "divider"}] * 101), ["no more than 100 items allowed [json-pointer:/view/blocks]"]),
    (modal(title=plain("x" * 25)), ["must be less than 25 characters [json-pointer:/view/title/text]"]),
    (modal(submit=plain("x" * 25)), ["must be less than 25 characters [json-pointer:/view/submit/text]"]),
    (modal(title=mrkdwn()), ["unsupported type: mrkdwn [json-pointer:/view/title/type]"]),
    (modal(private_metadata="x" * 3001), ["must be less than 3001 characters [json-pointer:/view/private_metadata]"]),
    (modal(callback_id="x" * 256), ["must be less than 256 characters [json-pointer:/view/callback_id]"]),
    (modal(notify="yes"), ["invalid additional property: notify [json-pointer:/view]"]),
    ({"type": "modal", "blocks": []}, ["missing required field: title [json-pointer:/view]"]),
    ({"type": "modal", "title": plain()}, ["missing required field: blocks [json-pointer:/view]"]),
    (modal(table([cell()])), ["unsupported type: table [json-pointer:/view/blocks/0/type]"]),
    (modal({"type": "markdown", "text": "x"}), ["unsupported type: markdown [json-pointer:/view/blocks/0/type]"]),
    ({"type": "home", "blocks": [table([cell()])]}, ["unsupported type: table [json-pointer:/view/blocks/0/type]"]),
    ({"type": "home", "title": plain(), "blocks": []}, ["invalid additional property: title [json-pointer:/view]"]),
    ({"type": "popup"}, ["unsupported type: popup [json-pointer:/view/type]"]),
]


@pytest.mark.parametrize(("view", "sentences"), VIEWS)
def test_what_holds_for_a_view(view: Json, sentences: list[str]) -> None:
    """Every problem of a view is `invalid_arguments`, with the pointer below /view."""
    found = check_view(view)

    assert [str(problem) for problem in found] == sentences
    assert {problem.error for problem in found} <= {"invalid_arguments"}


@pytest.mark.parametrize(
    ("unfurl", "sentences"),
    [
        ({"blocks": [section()]}, []),
        ({"text": "a legacy attachment"}, []),
        ({"blocks": [rich()]}, ["unsupported type: rich_text [json-pointer:/blocks/0/type]"]),
        ({"blocks": [table([cell()])]}, ["unsupported type: table [json-pointer:/blocks/0/type]"]),
    ],
)
def test_an_unfurl_takes_no_rich_text_and_no_table(unfurl: Json, sentences: list[str]) -> None:
    """chat.unfurl refuses them as `invalid_blocks`."""
    assert [str(problem) for problem in check_unfurl(unfurl)] == sentences


NAMES = ["type", "text", "blocks", "elements", "rows", "title", "section", "table", "actions", "modal", "button"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(NAMES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([*NAMES, "attachments", "metadata", "view"]), JSON, max_size=4))
def test_any_json_gets_an_answer(payload: Json) -> None:
    """A validator that raises on nonsense cannot say what is wrong with it."""
    sentences = [str(problem) for problem in (*check_message(payload), *check_view(payload))]

    assert all(sentences)
