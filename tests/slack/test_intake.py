from __future__ import annotations

import gzip
import inspect
import io
import json
import logging
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import aiohttp
import pytest
from slack_sdk.signature import SignatureVerifier

from bot.render.actions import VIEW_LOOKUP
from bot.state.state import State
from bot.workspace.sender import signature
from tests.slack.running import GENERAL, SECRET, Running, running

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
EVENT = json.dumps({"type": "event_callback", "event_id": "Ev1", "event": {"type": "team_join", "user": "U1"}})


def signed(body: str, secret: str = SECRET, age: int = 0) -> dict[str, str]:
    return signature(secret, body, int(time.time()) - age)


async def send(url: str, body: str | bytes, content_type: str, headers: dict[str, str]) -> int:
    async with aiohttp.ClientSession() as session:
        content = io.BytesIO(body if isinstance(body, bytes) else body.encode())
        answer = await session.post(url, data=content, headers={"Content-Type": content_type, **headers})
        return answer.status


def without(parts: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {other: value for other, value in parts.items() if other != name}


def form(**parts: str) -> str:
    return urlencode(parts)


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (EVENT, JSON, 200),
        (json.dumps({"type": "app_rate_limited", "team_id": "T1", "minute_rate_limited": 1}), JSON, 200),
        (form(command="/inspect", text="", user_id="U1", channel_id="C1", trigger_id="1", enterprise_id=""), FORM, 200),
        (form(payload=json.dumps({"type": "something_new", "user": {"id": "U1"}})), FORM, 200),
        (form(command="/unheard", text="", user_id="U1", channel_id="C1", trigger_id="1"), FORM, 200),
        ("{", JSON, 400),
        ("[1]", JSON, 400),
        ('"text"', JSON, 400),
        ("[" * 100_000, JSON, 400),
        ("", JSON, 400),
        (form(payload="{"), FORM, 400),
        (form(payload="[]"), FORM, 400),
        (json.dumps({"type": "event_callback", "authorizations": [7], "event": {"type": "message"}}), JSON, 400),
        (EVENT, "text/plain", 415),
        (EVENT, "multipart/form-data; boundary=x", 415),
        ("x" * (1024 * 1024 + 1), JSON, 413),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_a_signed_request_gets_2xx_where_slack_meant_it_and_4xx_where_it_is_malformed(
    body: str, content_type: str, status: int
) -> None:
    """Malformed JSON, app_rate_limited, unmatched kinds; bolt-python #299, #273. Bolt alone answers 500 and 404."""
    async with running() as bot:
        got = await send(bot.url, body, content_type, signed(body))

    assert got == status


@pytest.mark.parametrize(
    "headers",
    [
        {},
        signed(EVENT, secret="another"),
        without(signed(EVENT), "X-Slack-Signature"),
        without(signed(EVENT), "X-Slack-Request-Timestamp"),
        {**signed(EVENT), "X-Slack-Request-Timestamp": ""},
        {**signed(EVENT), "X-Slack-Request-Timestamp": "-1"},
        {**signed(EVENT), "X-Slack-Request-Timestamp": f"+{int(time.time())}"},
        {**signed(EVENT), "X-Slack-Request-Timestamp": f"{time.time()}"},
        {**signed(EVENT), "X-Slack-Request-Timestamp": "abc"},
        {**signed(EVENT), "X-Slack-Request-Timestamp": "٣"},
        {**signed(EVENT), "X-Slack-Request-Timestamp": "9" * 5_000},
        {**signed(EVENT), "X-Slack-Signature": "v0=é"},
        {**signed(EVENT), "X-Slack-Signature": ""},
        {**signed(EVENT), "X-Slack-Signature": "v0="},
        {**signed(EVENT), "X-Slack-Signature": signed(EVENT)["X-Slack-Signature"].upper()},
        {**signed(EVENT), "X-Slack-Signature": signed(EVENT)["X-Slack-Signature"].removeprefix("v0=")},
        {**signed(EVENT), "X-Slack-Signature": signed(EVENT)["X-Slack-Signature"][:-1]},
        signed("{" + EVENT),
    ],
    ids=lambda headers: ", ".join(headers),  # none of the times and signatures, which differ from run to run
)
async def test_what_is_not_signed_right_is_401_and_its_body_is_not_logged(
    headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    """A bad signature, timestamp "abc", non-ASCII signature. Bolt alone answers 500 to the last two."""
    caplog.set_level(logging.DEBUG)
    async with running() as bot:
        got = await send(bot.url, EVENT, JSON, headers)

    assert got == 401
    assert "team_join" not in caplog.text


@pytest.mark.parametrize(("age", "status"), [(290, 200), (-290, 200), (310, 401), (-310, 401), (100_000, 401)])
async def test_a_request_may_be_five_minutes_old_and_clocks_may_differ_as_much(age: int, status: int) -> None:
    """https://docs.slack.dev/authentication/verifying-requests-from-slack"""
    async with running() as bot:
        assert await send(bot.url, EVENT, JSON, signed(EVENT, age=age)) == status


def test_signatures_are_compared_in_constant_time() -> None:
    """The time of a comparison would tell how much of a guess is right."""
    assert "hmac.compare_digest(" in inspect.getsource(SignatureVerifier.is_valid)


async def test_a_small_body_that_unpacks_to_a_large_one_is_too_large() -> None:
    """Before it is in memory."""
    async with running() as bot, aiohttp.ClientSession() as session:
        content = gzip.compress(b" " * 20 * 1024 * 1024)
        headers = {"Content-Type": JSON, "Content-Encoding": "gzip"}
        async with session.post(bot.url, data=io.BytesIO(content), headers=headers) as answer:
            assert answer.status == 413


PERSON: dict[str, Any] = {"user": {"id": "U1"}, "trigger_id": "1"}
CLICK: dict[str, Any] = {
    "type": "block_actions",
    **PERSON,
    "actions": [{"action_id": "recheck", "block_id": "b", "type": "button"}],
}
SUBMITTED: dict[str, Any] = {
    "type": "view_submission",
    **PERSON,
    "view": {"id": "V1", "type": "modal", "callback_id": VIEW_LOOKUP},
}
MENU: dict[str, Any] = {"type": "message_action", **PERSON, "callback_id": "inspect_message", "channel": {"id": "C1"}}
SAID: dict[str, Any] = {"type": "message", "channel": "C1", "user": "U1", "ts": "1.1", "text": "https://docs.example/"}
COMMAND: dict[str, Any] = {
    "command": "/inspect",
    "text": "settings",
    "user_id": "U1",
    "channel_id": "C1",
    "trigger_id": "1",
}


def event(**members: Any) -> tuple[str, str]:
    return json.dumps({"type": "event_callback", "team_id": "T1", "event": members}), JSON


def interaction(payload: dict[str, Any], **changed: Any) -> tuple[str, str]:
    return form(payload=json.dumps({**payload, **changed})), FORM


def element(**members: Any) -> dict[str, Any]:
    return {**SUBMITTED["view"], "state": {"values": {"url": {"url": members}}}}


@pytest.mark.parametrize(
    ("sent", "named"),
    [
        ((json.dumps({"type": "event_callback", "event": None}), JSON), "event"),
        ((json.dumps({"type": "event_callback", "event": []}), JSON), "event"),
        ((json.dumps({"type": ["event_callback"]}), JSON), "type"),
        (event(), "event.type"),
        (event(type={}), "event.type"),
        (event(**SAID | {"subtype": ["file_share"]}), "event.subtype"),
        (event(**SAID | {"subtype": {}}), "event.subtype"),
        (event(type="team_join", subtype={}), "event.subtype"),
        (event(**SAID | {"user": {"id": "U1"}}), "event.user"),
        (event(**SAID | {"channel": {"id": "C1"}}), "event.channel"),
        (event(**SAID | {"thread_ts": 7}), "event.thread_ts"),
        (event(type="app_home_opened", tab="home", user={"id": "U1"}), "event.user"),
        (event(type="app_home_opened", tab="home", user="U\0"), "event.user"),
        (event(type="app_home_opened", tab="home"), "event.user"),
        (event(type="app_home_opened", tab="home", user=""), "event.user"),
        (event(type="team_join", user={"id": {}}), "event.user"),
        (event(type="link_shared", user=["U1"], links=[]), "event.user"),
        (event(type="tokens_revoked", tokens={"bot": 7}), "event.tokens"),
        (interaction(CLICK, actions=[]), "actions"),
        (interaction(CLICK, actions=[7]), "actions"),
        (interaction(CLICK, actions=[{}]), "actions.action_id"),
        (interaction(CLICK, actions=[{"action_id": "recheck", "value": {}}]), "actions.value"),
        (interaction(CLICK, user=None), "user"),
        (interaction(CLICK, trigger_id=None), "trigger_id"),
        (interaction(CLICK, channel="C1"), "channel"),
        (interaction(CLICK, container=[7]), "container"),
        (interaction({"type": "view_submission", "view": {"callback_id": VIEW_LOOKUP}}), "user"),
        (interaction(SUBMITTED, view={"callback_id": VIEW_LOOKUP}), "view.id"),
        (interaction(SUBMITTED, view={"id": "V1", "callback_id": VIEW_LOOKUP}), "view.type"),
        (interaction(SUBMITTED, view={"id": "V1", "type": "modal"}), "view.callback_id"),
        (interaction(SUBMITTED, view={**SUBMITTED["view"], "state": 7}), "view.state"),
        (interaction(SUBMITTED, view=element(value=7)), "view.state.values"),
        (interaction(SUBMITTED, view=element(selected_date_time=10**30)), "view.state.values"),
        (interaction(SUBMITTED, response_urls=[{}]), "response_urls"),
        (interaction(MENU, channel=None), "channel.id"),
        (interaction(MENU, message=[]), "message"),
        (interaction({"type": "shortcut", "callback_id": "lookup", "user": {"id": "U1"}}), "trigger_id"),
        (interaction({"type": "block_suggestion", **PERSON}), "action_id"),
        (interaction({"type": "interactive_message", **PERSON, "callback_id": "c", "actions": []}), "actions"),
        (interaction({"type": "workflow_step_edit", **PERSON, "callback_id": "c"}), "workflow_step"),
        ((form(**without(COMMAND, "channel_id")), FORM), "channel_id"),
        ((form(**without(COMMAND, "user_id")), FORM), "user_id"),
        ((form(**without(COMMAND, "trigger_id")), FORM), "trigger_id"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0][:60],
)
async def test_a_signed_payload_of_another_shape_is_400_and_the_log_names_the_member_alone(
    sent: tuple[str, str], named: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Bolt alone answers 500 to most of them, with a traceback."""
    body, content_type = sent
    async with running() as bot:
        got = await send(bot.url, body, content_type, signed(body))

    [line] = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert (got, line.exc_info) == (400, None)
    assert line.getMessage() == f"refused a request from 127.0.0.1: malformed payload: {named}"


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_a_body_that_is_not_encoded_as_it_says_is_malformed(encoding: str) -> None:
    """Before anything is known of its signature."""
    async with running() as bot, aiohttp.ClientSession() as session:
        content = io.BytesIO(b"\xff this is plain")
        headers = {"Content-Type": JSON, "Content-Encoding": encoding}
        async with session.post(bot.url, data=content, headers=headers) as answer:
            got = answer.status

    assert got == 400


async def test_bytes_that_are_no_text_are_malformed() -> None:
    """Not UTF-8: 400, before anything else reads it."""
    async with running() as bot:
        got = await send(bot.url, b'{"type": "\xff"}', JSON, signed("x"))

    assert got == 400


@pytest.mark.parametrize(("query", "status"), [({"ssl_check": "1"}, 200), ({}, 405)])
async def test_slack_may_check_the_certificate_by_get(query: dict[str, str], status: int) -> None:
    """GET serves nothing else."""
    async with running() as bot, bot.session.get(bot.url, params=query) as answer:
        assert answer.status == status


async def test_slack_verifies_the_request_url_and_the_certificate() -> None:
    """url_verification answers with its challenge; ssl_check comes unsigned."""
    async with running() as bot:
        verified: Any = await bot.ws.verify_url("abc")
        checked = await send(bot.url, form(ssl_check="1", token="t"), FORM, {})

    assert (verified.status, verified.body, checked) == (200, {"challenge": "abc"}, 200)


TEAM, HERE = {"id": "T0EXAMPLE"}, {"id": GENERAL}
REPLAYED: dict[str, tuple[str, str]] = {
    "a command": (form(**{**COMMAND, "text": "https://docs.example/guide", "channel_id": GENERAL}), FORM),
    "a mention": event(**SAID | {"type": "app_mention", "channel": GENERAL, "text": "<@U0BOT> https://docs.example/"}),
    "a message": event(**SAID | {"channel": GENERAL}),
    "a click": interaction(
        CLICK, team=TEAM, channel={"id": GENERAL}, actions=[{"action_id": "raw_queries", "value": "{}"}]
    ),
    "a form": interaction(SUBMITTED, team=TEAM, view=element(value="https://docs.example/guide")),
    "a shortcut": interaction(MENU, team=TEAM, channel=HERE, message={"text": "https://docs.example/"}),
}


@pytest.mark.parametrize("sent", REPLAYED.values(), ids=REPLAYED)
async def test_a_signed_request_that_is_sent_again_is_answered_once(sent: tuple[str, str], state: State) -> None:
    """Whoever caught it may send it for five minutes; Slack itself does, too. So may both of two replicas be asked."""
    body, content_type = sent
    headers = signed(body)
    async with running(state=state) as bot, running(state=state, ws=bot.ws) as replica:
        statuses = [await send(bot.url, body, content_type, headers)]
        await bot.settled()
        once = len(calls(bot))
        for url in (bot.url, bot.url, replica.url):
            statuses.append(await send(url, body, content_type, headers))
        await bot.settled()
        await replica.settled()

    assert statuses == [200] * 4
    assert (len(calls(bot)), once > 0) == (once, True)


def calls(bot: Running) -> list[str]:
    """What the bot told people."""
    return [call.method for call in bot.ws.calls if call.method != "auth.test"]
