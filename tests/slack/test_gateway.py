from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot import metrics
from bot.errors import DeliveryFailed
from bot.slack.gateway import Gateway, Target
from bot.slack.pacing import Pace
from bot.slack.retries import handlers
from bot.workspace import ANSWER_LOST, HTTP_500_HTML, NOT_JSON, RESET, TIMEOUT, FaultKind, Workspace
from tests.slack.running import GENERAL, OUTSIDE, SECRET, TOKEN

BLOCK = {"type": "section", "text": {"type": "plain_text", "text": "block"}}
MESSAGE = {"text": "plain words", "blocks": [BLOCK]}
POST, EPHEMERAL, RESPONSE_URL = "chat.postMessage", "chat.postEphemeral", "response_url"
TARGET = Target(GENERAL, "U0ANN")


@pytest.fixture
async def ws() -> AsyncIterator[Workspace]:
    """An empty workspace."""
    async with Workspace(signing_secret=SECRET, bot_token=TOKEN) as workspace:
        yield workspace


@pytest.fixture
async def gateway(ws: Workspace) -> AsyncIterator[Gateway]:
    """Ours, with little patience."""
    async with aiohttp.ClientSession() as session:
        client = AsyncWebClient(token=TOKEN, base_url=ws.api_url, session=session, retry_handlers=handlers())
        yield Gateway(client, session, seconds=4)


def url_of(ws: Workspace, channel: str = GENERAL) -> str:
    token = ws.state.new_response_url(channel, "U0ANN")
    return f"{ws.state.origin}/response/{token}"


def shown(ws: Workspace, channel: str = GENERAL) -> list[tuple[str, str]]:
    return [(message.via, message.words) for message in ws.messages(channel)]


@pytest.mark.parametrize(
    ("faults", "outcome"),
    [
        ([], "block"),
        ([FaultKind.ratelimited(0)], "block"),
        ([FaultKind.ratelimited("0.1")], "block"),
        ([FaultKind.ratelimited("soon")], "block"),
        ([FaultKind.ratelimited(0)] * 2, "block"),
        ([FaultKind.ratelimited(0)] * 3, "ratelimited"),
        ([FaultKind.ratelimited(3_600)], "ratelimited"),
        ([HTTP_500_HTML], "block"),
        ([FaultKind.http(502)], "block"),
        ([FaultKind.http(503)], "block"),
        ([FaultKind.http(504)], "block"),
        ([HTTP_500_HTML] * 2, "http_500"),
        ([RESET], "block"),
        ([RESET] * 2, "connection_failed"),
        ([NOT_JSON], "http_200"),
        ([TIMEOUT], "block"),
        ([ANSWER_LOST], "block"),
        ([TIMEOUT] * 2, "timeout"),
        ([FaultKind.error("invalid_blocks")], "block"),
        ([FaultKind.error("invalid_blocks")] * 2, "plain words"),
        ([FaultKind.error("invalid_blocks")] * 3, "invalid_blocks"),
        ([FaultKind.error("msg_blocks_too_long")] * 2, "plain words"),
        ([FaultKind.error("not_in_channel")], "not_in_channel"),
        ([FaultKind.error("is_archived")], "is_archived"),
        ([FaultKind.error("invalid_auth")], "invalid_auth"),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(f"{f.name}:{f.argument}" for f in value) or "-",
)
async def test_a_post_arrives_once_or_fails_by_its_name(
    ws: Workspace, gateway: Gateway, faults: list[FaultKind], outcome: str
) -> None:
    """429, Retry-After "0.5", HTML 5xx, timeouts. Nothing but DeliveryFailed.

    bolt-python #1016, python-slack-sdk #1693, #718, #1382
    """
    for fault in faults:
        ws.fail_next(POST, fault)
    try:
        await gateway.answer(TARGET, MESSAGE)
        failed = []
    except DeliveryFailed as failure:
        failed = [failure.error]

    assert failed + [words for _, words in shown(ws)] == [outcome]


@pytest.mark.parametrize(
    ("faults", "via", "says"),
    [
        ([], RESPONSE_URL, "block"),
        ([FaultKind.error("used_url")], EPHEMERAL, "block"),
        ([FaultKind.error("expired_url")], EPHEMERAL, "block"),
        ([FaultKind.ratelimited(0)], RESPONSE_URL, "block"),
        ([FaultKind.ratelimited(60)], EPHEMERAL, "block"),
        ([HTTP_500_HTML], RESPONSE_URL, "block"),
        ([HTTP_500_HTML] * 2, EPHEMERAL, "block"),
        ([FaultKind.error("invalid_blocks")] * 2, RESPONSE_URL, "plain words"),
        ([FaultKind.error("invalid_blocks")] * 3, EPHEMERAL, "block"),
        ([TIMEOUT], EPHEMERAL, "block"),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(f"{f.name}:{f.argument}" for f in value) or "-",
)
async def test_a_response_url_that_takes_nothing_any_more_is_replaced_by_the_web_api(
    ws: Workspace, gateway: Gateway, faults: list[FaultKind], via: str, says: str
) -> None:
    """respond() on a used-up response_url, or 429, returns normally."""
    for fault in faults:
        ws.fail_next(RESPONSE_URL, fault)

    await gateway.answer(Target(GENERAL, "U0ANN", response_url=url_of(ws)), MESSAGE, everyone=False)

    assert shown(ws) == [(via, says)]


async def test_the_sixth_use_of_a_response_url_goes_by_the_web_api(ws: Workspace, gateway: Gateway) -> None:
    """Five uses in thirty minutes."""
    target = Target(GENERAL, "U0ANN", response_url=url_of(ws))
    for _ in range(6):
        await gateway.answer(target, MESSAGE, everyone=False)

    assert [message.via for message in ws.messages(GENERAL)] == [RESPONSE_URL] * 5 + ["chat.postEphemeral"]
    assert {message.ephemeral_to for message in ws.messages(GENERAL)} == {"U0ANN"}


async def test_what_cannot_be_delivered_at_all_raises(ws: Workspace, gateway: Gateway) -> None:
    """The response_url is gone and the bot is no member."""
    ws.fail_next(RESPONSE_URL, FaultKind.error("expired_url"))
    with pytest.raises(DeliveryFailed, match="expired_url"):
        await gateway.answer(Target(OUTSIDE, "U0ANN", response_url=url_of(ws, OUTSIDE)), MESSAGE)


async def test_slacks_own_words_about_a_payload_are_logged(
    ws: Workspace, gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    """response_metadata.messages names the place; the reader still gets the plain words."""
    too_long = {**BLOCK, "text": {"type": "plain_text", "text": "x" * 3_001}}
    await gateway.answer(TARGET, {"text": "plain words", "blocks": [too_long]})

    assert shown(ws) == [(POST, "plain words")]
    assert "must be less than 3001 characters [json-pointer:/blocks/0/text/text]" in caplog.text


async def test_nothing_unfurls_whatever_the_message_says(ws: Workspace, gateway: Gateway) -> None:
    """bolt-python #346: post, ephemeral, response_url and edit alike."""
    loud = {**MESSAGE, "unfurl_links": True}
    await gateway.answer(TARGET, loud)
    await gateway.answer(TARGET, loud, everyone=False)
    await gateway.answer(Target(GENERAL, "U0ANN", response_url=url_of(ws)), loud)
    await gateway.replace(Target(GENERAL, "U0ANN", message_ts=ws.messages(GENERAL)[0].ts), loud)

    flags = [(call.payload["unfurl_links"], call.payload["unfurl_media"]) for call in ws.calls]
    assert flags == [(False, False)] * 4


async def test_an_edit_in_plain_words_takes_the_old_blocks_away(ws: Workspace, gateway: Gateway) -> None:
    """Slack keeps the blocks that an edit does not mention."""
    await gateway.answer(TARGET, MESSAGE)
    for _ in range(2):
        ws.fail_next("chat.update", FaultKind.error("invalid_blocks"))
    await gateway.replace(Target(GENERAL, "U0ANN", message_ts=ws.messages(GENERAL)[0].ts), MESSAGE)

    assert ws.calls[-1].payload["blocks"] == []


async def test_a_channel_gets_a_short_burst_and_then_one_a_second() -> None:
    """python-slack-sdk #1101: slack_sdk has no limiter of its own."""
    now = [0.0]
    pace = Pace(apart=1.0, burst=3, clock=lambda: now[0])

    assert [pace.reserve("C1") for _ in range(5)] == [0, 0, 0, 1, 2]
    assert pace.reserve("C2") == 0
    now[0] = 2.5
    assert pace.reserve("C1") == 0.5
    now[0] = 60.0
    assert [pace.reserve("C1") for _ in range(4)] == [0, 0, 0, 1]


async def test_messages_to_a_busy_channel_wait_and_none_is_lost(ws: Workspace) -> None:
    """The pace delays; the order stays."""
    async with aiohttp.ClientSession() as session:
        client = AsyncWebClient(token=TOKEN, base_url=ws.api_url, session=session)
        gateway = Gateway(client, session, pace=Pace(apart=0.1, burst=2))
        started = time.perf_counter()
        await asyncio.gather(*(gateway.answer(TARGET, {"text": str(n)}) for n in range(5)))
        took = time.perf_counter() - started

    assert sorted(message.text for message in ws.messages(GENERAL)) == ["0", "1", "2", "3", "4"]
    assert took >= 0.29


@pytest.mark.parametrize(
    ("fault", "reason"),
    [(FaultKind.ratelimited(0), "rate_limited"), (HTTP_500_HTML, "server_error"), (RESET, "connection")],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
async def test_a_call_that_is_made_again_is_counted(
    ws: Workspace, gateway: Gateway, fault: FaultKind, reason: str
) -> None:
    """Each kind of retry under its own reason."""
    counter, labels = "crawler_inspector_slack_retries_total", {"reason": reason}
    before = metrics.REGISTRY.get_sample_value(counter, labels) or 0
    ws.fail_next(POST, fault)
    await gateway.answer(TARGET, MESSAGE)

    assert metrics.REGISTRY.get_sample_value(counter, labels) == before + 1
