"""What Bolt and slack_sdk were measured to do, and their issues by number: each is a test, or has a reason why not."""

from __future__ import annotations

import ast
import inspect
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from slack_sdk.http_retry.async_handler import AsyncRetryHandler

from bot.render.actions import ACTION_REPORT
from bot.slack import listeners, register
from bot.slack.retries import handlers
from bot.workspace import Message
from tests.slack.running import GENERAL, URL, running

TESTS = Path(__file__).parents[1]

BY_ONE_PARSER = "slack/test_known_pitfalls.py::test_a_url_in_a_command_is_read_in_every_form_that_slack_gives_it"
FAILURES_ARE_TOLD = "slack/test_commands.py::test_every_failure_is_told_and_none_shows_its_inside"
POSTS = "slack/test_gateway.py::test_a_post_arrives_once_or_fails_by_its_name"
UNHEARD = "slack/test_known_pitfalls.py::test_what_nobody_listens_to_is_acknowledged"
BADLY_SIGNED = "slack/test_intake.py::test_what_is_not_signed_right_is_401_and_its_body_is_not_logged"
SIGNED = "slack/test_intake.py::test_a_signed_request_gets_2xx_where_slack_meant_it_and_4xx_where_it_is_malformed"
RETRIES = "slack/test_messages.py::test_a_retry_of_slack_is_answered_once"
NOT_FOR_US = "slack/test_messages.py::test_bots_edits_and_slack_itself_get_no_answer"
WRITTEN = "slack/test_messages.py::test_what_a_person_wrote_is_answered_whatever_its_kind"
EDITS = "slack/test_messages.py::test_an_edit_that_adds_a_url_is_not_answered"
ACK_FIRST = "slack/test_listener_table.py::test_everything_but_events_is_acknowledged_in_the_listeners_first_statement"
FAST_ACK = "slack/test_commands.py::test_a_slow_index_does_not_delay_the_acknowledgement"
SHUTDOWN = "slack/test_bot_lifecycle.py::test_shutdown_finishes_what_runs_and_takes_nothing_new"
ONE_SESSION = "slack/test_bot_lifecycle.py::test_no_session_is_opened_but_the_one_that_was_given"
NO_UNFURL = "slack/test_gateway.py::test_nothing_unfurls_whatever_the_message_says"
CARDS = "slack/test_surfaces.py::test_a_card_is_keyed_by_the_url_as_slack_wrote_it_and_inspects_the_one_it_means"
RESPONSE_URL = "slack/test_gateway.py::test_a_response_url_that_takes_nothing_any_more_is_replaced_by_the_web_api"
EVERYWHERE = "slack/test_commands.py::test_the_command_works_where_the_bot_is_no_member"
RECONNECTS = "slack/test_socket_mode.py::test_the_bot_connects_again_when_slack_asks_for_it"
WRONG_START = "test_serve.py::test_what_is_set_wrong_ends_the_start_with_one_line_within_seconds"
NO_LAZY = "slack/test_known_pitfalls.py::test_no_listener_is_lazy_and_none_acknowledges_late"

# What was measured, by how its row begins.
MEASURED: dict[str, str] = {
    'command handler `await ack("working"); raise`': FAILURES_ARE_TOLD,
    "same with ≥10 ms await between": FAILURES_ARE_TOLD,
    "handler raises before ack": ACK_FIRST,
    "no ack in 3 s": "slack/test_listener_table.py::test_no_two_listeners_wait_for_the_same",
    "3.2 s CPU after ack": FAST_ACK,
    "unmatched event, message, action, view, command": UNHEARD,
    "`app_rate_limited` body": SIGNED,
    "same event_id twice": RETRIES,
    'keyword `app.message("hello")`': NOT_FOR_US,
    "own bot event": NOT_FOR_US,
    "message_changed after Slack unfurled": EDITS,
    "bad / stale signature": BADLY_SIGNED,
    'x-slack-request-timestamp "abc"': BADLY_SIGNED,
    "non-ASCII x-slack-signature": BADLY_SIGNED,
    "malformed JSON": SIGNED,
    "empty signing_secret": "slack/test_bot_lifecycle.py::test_a_missing_secret_ends_the_start",
    "lazy listener raises": NO_LAZY,
    "app.error handler": "slack/test_commands.py::test_an_error_id_leads_from_the_reply_to_the_log",
    "close_async with a listener running": SHUTDOWN,
    "Socket Mode: refresh_requested": RECONNECTS,
    "Socket Mode: invalid app token": WRONG_START,
    "web client 429, default": POSTS,
    '429 with Retry-After "0.5"': POSTS,
    "endless 429 with handler": POSTS,
    "HTML 503 body": POSTS,
    "request timeout": POSTS,
    "no session passed": ONE_SESSION,
    "respond() on expired/used-up response_url": RESPONSE_URL,
    "chat_postMessage / chat_unfurl / respond": CARDS,
}

# Issues of bolt-python (P), python-slack-sdk (S), bolt-js (J) and others, by their number in our list.
ISSUES: dict[int, str] = {
    1: RETRIES,  # P#731, #1027, #868, #75, #764
    2: FAILURES_ARE_TOLD,  # P#1061
    3: UNHEARD,  # P#299, #273
    4: "slack/test_listener_table.py::test_every_button_that_is_drawn_has_a_listener",  # P#264, #345
    5: "slack/test_messages.py::test_a_retry_while_the_first_is_still_worked_on_is_answered_once",  # P#1302
    6: ACK_FIRST,  # P#87
    7: WRITTEN,  # P#644
    8: "slack/test_known_pitfalls.py::test_a_broadcast_of_a_thread_is_answered_once",  # P#488
    9: "slack/test_messages.py::test_a_mention_with_a_file_is_answered_though_it_comes_as_a_message_only",  # P#925
    10: NOT_FOR_US,  # P#307, S#390
    11: BY_ONE_PARSER,  # P#322
    12: NO_UNFURL,  # P#346
    13: EVERYWHERE,  # P#438, J#365
    14: "slack/test_buttons.py::test_a_trigger_that_expired_is_told_and_logged",  # P#886, #772, #434, #306
    15: CARDS,  # P#283, #563
    16: POSTS,  # P#1016
    17: NO_LAZY,  # P#635, #526
    18: "test_serve.py::test_a_signal_stops_intake_and_finishes_what_runs",  # P#964, #622, #558
    19: "slack/test_channel_behaviour.py::test_two_replicas_answer_a_retry_once",  # P#1071, #448, #462, J#2487
    20: "slack/test_bot_lifecycle.py::test_who_we_are_is_asked_once_for_all_requests",  # P#419
    22: "slack/test_socket_mode.py::test_readiness_tells_of_a_closed_socket",  # S#1922, #1446, #1110, #926
    23: POSTS,  # S#1693, #718
    24: "slack/test_known_pitfalls.py::test_every_retry_handler_is_of_the_async_kind",  # S#1382
    25: "slack/test_gateway.py::test_a_channel_gets_a_short_burst_and_then_one_a_second",  # S#1101
    26: ONE_SESSION,  # S#645
    27: "slack/test_surfaces.py::test_a_card_holds_neither_rich_text_nor_table_and_no_button_in_the_composer",  # S#1118
    28: "slack/test_threads.py::test_a_mention_in_the_thread_is_answered_once",  # S#1570
    29: EDITS,  # J#463
    30: NO_UNFURL,  # J#1525
    31: "slack/test_known_pitfalls.py::test_a_url_with_an_ampersand_is_a_link_of_rich_text",  # J#2103
    32: "slack/test_known_pitfalls.py::test_the_click_on_a_link_button_is_acknowledged",  # node-slack-sdk #869
    33: "render/test_blocks.py::test_slack_takes_every_message",  # grafana/oncall PR #5121
}
DO_NOT_APPLY: dict[int, str] = {
    21: "P#604: respond() ignores the client's proxy. respond() is not used, and there is no proxy setting: the "
    "gateway's webhook client and the Web API share one session",
}


def test_every_issue_is_a_test_or_has_a_reason() -> None:
    """Thirty-three of them."""
    assert sorted([*ISSUES, *DO_NOT_APPLY]) == list(range(1, 34))


def test_every_measured_row_is_a_test(shared: Path) -> None:
    """Each row of the table of what Bolt was measured to do."""
    facts = (shared / "facts" / "slack.md").read_text(encoding="utf-8")
    table = facts.partition("### 4.2")[2].partition("### 4.3")[0]
    rows = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")][2:]
    unaccounted = [row for row in rows if not any(row.startswith(start) for start in MEASURED)]

    assert unaccounted == []
    assert len(rows) == len(MEASURED)


@pytest.mark.parametrize("named", sorted({*MEASURED.values(), *ISSUES.values()}))
def test_the_test_that_is_named_exists(named: str) -> None:
    """And is a function that pytest collects."""
    path, _, name = named.partition("::")
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))

    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize(
    "text", ["docs.example.com", "<docs.example.com|docs.example.com>", "<https://docs.example.com>"]
)
@pytest.mark.parametrize("around", ["{}", "check {} please"])
async def test_a_url_in_a_command_is_read_in_every_form_that_slack_gives_it(text: str, around: str) -> None:
    """P#322: bare, in angle brackets, with a label."""
    async with running() as bot:
        await bot.ws.slash("/inspect", around.format(text))
        await bot.settled()
        keys = [query.parameters["keys"][0][1] for query, _ in bot.store.asked if "page_info_local" in query.sql]

    assert keys[:1] == ["com,example!docs,/ s443"]


@pytest.mark.parametrize(
    "kind", ["command", "event", "shortcut", "message_action", "block_actions", "view_submission", "view_closed"]
)
async def test_what_nobody_listens_to_is_acknowledged(kind: str, transport: str) -> None:
    """P#299, #273: 404 over HTTP, silence on the socket, and Slack sends it again."""
    person = {"user": {"id": "U0ANN"}, "team": {"id": "T0EXAMPLE"}, "trigger_id": "1", "callback_id": "unheard"}
    view = {"id": "V1", "callback_id": "unheard", "type": "modal", "state": {"values": {}}}
    button = {"type": "button", "action_id": "unheard", "block_id": "b", "action_ts": "1"}
    more: dict[str, dict[str, Any]] = {
        "block_actions": {"actions": [button], "container": {"type": "message", "channel_id": GENERAL}},
        "view_submission": {"view": view},
        "view_closed": {"view": view},
        "message_action": {"channel": {"id": GENERAL}, "message": {}},
    }
    async with running(transport=transport) as bot:
        if kind == "command":
            status = (await bot.ws.slash("/unheard", URL)).status
        elif kind == "event":
            status = (await bot.ws.send_event({"type": "pin_added", "user": "U0ANN"})).status
        else:
            status = (await bot.ws._send("interaction", {"type": kind, **person, **more.get(kind, {})})).status

    assert status == 200


async def test_a_broadcast_of_a_thread_is_answered_once() -> None:
    """P#488: "also send to channel" makes two events with one ts."""
    event = {
        "type": "message",
        "channel": GENERAL,
        "channel_type": "channel",
        "user": "U0ANN",
        "ts": "17.5",
        "text": URL,
    }
    async with running() as bot:
        await bot.ws.send_event(event)
        await bot.ws.send_event({**event, "subtype": "thread_broadcast", "thread_ts": "17.1"})
        replies = await bot.settled()

    assert len(replies) == 1


def test_no_listener_is_lazy_and_none_acknowledges_late() -> None:
    """P#635, #526: what a lazy function raises is seen by nobody. Work runs in `tasks`, which tells and logs."""
    source = inspect.getsource(register) + inspect.getsource(listeners)

    assert re.findall(r"\blazy\b|\bprocess_before_response\b", source) == []


def test_every_retry_handler_is_of_the_async_kind() -> None:
    """S#1382: a sync one in an async client ends in AttributeError."""
    assert [handler for handler in handlers() if not isinstance(handler, AsyncRetryHandler)] == []


def test_slack_sdk_is_one_that_repairs_the_stuck_socket_client() -> None:
    """S#1922."""
    assert tuple(int(part) for part in version("slack_sdk").split(".")[:2]) >= (3, 48)


async def test_a_url_with_an_ampersand_is_a_link_of_rich_text() -> None:
    """J#2103: `&amp;` in a mrkdwn link is broken on iOS."""
    url = "https://docs.example/guide?a=1&b=2"
    async with running(page_info_local=[]) as bot:
        await bot.ws.post(GENERAL, url)
        [reply] = await bot.settled()

    links = [element for block in reply.blocks for element in _elements(block) if element.get("type") == "link"]
    assert url in {link["url"] for link in links}


def _elements(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, list | tuple):
        return [element for child in node for element in _elements(child)]
    if not isinstance(node, dict):
        return []
    return [node, *(element for child in node.values() for element in _elements(child))]


async def test_the_click_on_a_link_button_is_acknowledged(transport: str) -> None:
    """node-slack-sdk #869: Slack tells of the click, and shows a warning where nobody takes it."""
    button = {"type": "button", "action_id": ACTION_REPORT, "text": {"type": "plain_text", "text": "Full report"}}
    block = {"type": "actions", "block_id": "b", "elements": [{**button, "url": "https://bot.example/r/1"}]}
    async with running(transport=transport) as bot:
        message = bot.ws.state.add(
            Message(GENERAL, bot.ws.state.new_ts(), "U0BOT", "x", "chat.postMessage", blocks=(block,))
        )
        ack = await bot.ws.click(message, ACTION_REPORT)

    assert (ack.status, ack.error) == (200, None)
