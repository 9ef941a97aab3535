from __future__ import annotations

import io
import json
import logging
import time
from typing import Any
from urllib.parse import urlencode

import aiohttp
import pytest

from bot.workspace.sender import signature
from tests.slack.running import SECRET, running

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
EVENT = json.dumps({"type": "event_callback", "event_id": "Ev1", "event": {"type": "team_join", "user": "U1"}})


def signed(body: str, secret: str = SECRET, age: int = 0) -> dict[str, str]:
    return signature(secret, body, int(time.time()) - age)


async def send(url: str, body: str | bytes, content_type: str, headers: dict[str, str]) -> int:
    async with aiohttp.ClientSession() as session:
        content = io.BytesIO(body if isinstance(body, bytes) else body.encode())
        answer = await session.post(url, data=content, headers={"Content-Type": content_type, **headers})
        return answer.status


def form(**parts: str) -> str:
    return urlencode(parts)


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (EVENT, JSON, 200),
        (json.dumps({"type": "app_rate_limited", "team_id": "T1", "minute_rate_limited": 1}), JSON, 200),
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
        signed(EVENT, age=1_000),
        signed(EVENT, age=-1_000),
        {**signed(EVENT), "X-Slack-Request-Timestamp": "abc"},
        {**signed(EVENT), "X-Slack-Request-Timestamp": "٣"},
        {**signed(EVENT), "X-Slack-Request-Timestamp": "9" * 5_000},
        {**signed(EVENT), "X-Slack-Signature": "v0=é"},
        {**signed(EVENT), "X-Slack-Signature": ""},
        signed("{" + EVENT),
    ],
    ids=["none", "secret", "old", "early", "abc", "digit", "huge", "non-ascii", "empty", "other body"],
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
