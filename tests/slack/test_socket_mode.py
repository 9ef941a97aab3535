"""Socket Mode: how it starts, what a broken connection does, and how it ends."""

from __future__ import annotations

import asyncio
import time

import pytest
from pydantic import SecretStr

from bot.errors import BadSetting, DeliveryFailed
from bot.slack.bot import check_secrets, preflight
from bot.slack.sockets import Socket
from bot.slack.starting import mode_sentence
from bot.workspace import TIMEOUT, FaultKind
from tests.slack.running import APP_TOKEN, GENERAL, SOCKET, TOKEN, URL, running, settings, workspace

FOREVER = 30.0


@pytest.mark.parametrize(
    ("signing_secret", "app_token", "says"),
    [
        ("s", "", "HTTP mode, as SLACK_APP_TOKEN is not set"),
        ("", "xapp-1", "Socket Mode, as SLACK_APP_TOKEN is set"),
        ("s", "xapp-1", "Socket Mode, as SLACK_APP_TOKEN is set; SLACK_SIGNING_SECRET is not used"),
    ],
)
def test_the_secret_that_is_set_chooses_the_mode(signing_secret: str, app_token: str, says: str) -> None:
    """Every app has a signing secret; who makes an app token wants Socket Mode."""
    chosen = settings(slack_signing_secret=SecretStr(signing_secret), slack_app_token=SecretStr(app_token))

    check_secrets(chosen)
    assert mode_sentence(chosen) == says


@pytest.mark.parametrize(
    ("changed", "variable"),
    [
        ({"slack_signing_secret": SecretStr("")}, "SLACK_SIGNING_SECRET is not set: .* or set SLACK_APP_TOKEN"),
        ({"slack_bot_token": SecretStr("")}, "SLACK_BOT_TOKEN"),
        ({"slack_client_id": "1.2", "slack_bot_token": SecretStr("")}, "SLACK_CLIENT_SECRET"),
        ({"slack_client_secret": SecretStr("x")}, "SLACK_CLIENT_ID"),
    ],
    ids=str,
)
def test_a_secret_that_is_missing_is_named(changed: dict[str, object], variable: str) -> None:
    """Before anything is opened."""
    with pytest.raises(BadSetting, match=variable):
        check_secrets(settings(None, **changed))


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (FaultKind.error("invalid_auth"), r"SLACK_APP_TOKEN \(invalid_auth\)"),
        (FaultKind.error("not_allowed_token_type"), "not_allowed_token_type"),
        (FaultKind.http(404), "no answer in JSON"),
        (TIMEOUT, "did not answer within 0.3 s"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
async def test_a_wrong_app_token_ends_the_start_with_one_sentence(fault: FaultKind, says: str) -> None:
    """connect_async() alone would never return, in a storm of log lines."""
    async with workspace() as ws:
        ws.fail_next("apps.connections.open", fault)
        with pytest.raises(BadSetting, match=says) as caught:
            await preflight(settings(ws, slack_app_token=SecretStr(APP_TOKEN)), seconds=0.3)

    assert APP_TOKEN not in str(caught.value)


async def test_a_token_of_the_wrong_kind_ends_the_start() -> None:
    """The bot token in the app token's place, as Slack itself refuses it."""
    async with workspace() as ws:
        with pytest.raises(BadSetting, match="SLACK_APP_TOKEN"):
            await preflight(settings(ws, slack_app_token=SecretStr(TOKEN)))


async def test_nothing_is_signed_so_no_signing_secret_is_needed() -> None:
    """And no request URL is served."""
    async with running(transport=SOCKET, changed={"slack_signing_secret": SecretStr("")}) as bot:
        await bot.ws.slash("/inspect", URL)
        replies = await bot.settled()

    assert (len(replies), bot.bot.routes()) == (1, [])


async def test_the_bot_connects_again_when_slack_asks_for_it(caplog: pytest.LogCaptureFixture) -> None:
    """refresh_requested comes every hour or so."""
    async with running(transport=SOCKET) as bot:
        await bot.bot.check()
        await bot.ws.sockets.disconnect("refresh_requested")
        await bot.ws.sockets.connected(timeout=FOREVER)
        await bot.ws.slash("/inspect", URL)
        replies = await bot.settled()

    assert len(replies) == 1
    assert caplog.text == ""


async def test_readiness_tells_of_a_closed_socket() -> None:
    """python-slack-sdk #1922, #1446: a stuck client looked alive."""
    async with running(transport=SOCKET) as bot:
        await bot.bot.check()
        await bot.bot.close()
        with pytest.raises(DeliveryFailed, match="socket_closed"):
            await bot.bot.check()


async def test_a_socket_that_was_never_opened_is_not_ready_and_closes() -> None:
    """A start that failed half way."""
    async with running() as bot:
        socket = Socket(bot.bot.app, bot.bot.inbox.take, SecretStr(APP_TOKEN), bot.bot.app.client)
        with pytest.raises(DeliveryFailed):
            await socket.check()
        socket.stop()
        await socket.close()


async def test_shutdown_acknowledges_nothing_new_and_finishes_what_runs() -> None:
    """Slack brings the envelope to another connection; bolt-python #964, #622, #558."""
    async with running(transport=SOCKET, page_info_local=0.4) as bot:
        await bot.ws.slash("/inspect", URL)
        draining = asyncio.create_task(bot.bot.drain(5))
        await asyncio.sleep(0.05)
        started = time.perf_counter()
        late = await asyncio.wait_for(bot.ws.slash("/inspect", URL), FOREVER)
        waited = time.perf_counter() - started
        await draining
        replies = bot.replies()

    assert (late.status, late.error) == (None, "operation_timeout")
    assert [reply.via for reply in replies] == ["chat.postMessage"]
    assert waited >= 2


@pytest.mark.parametrize(
    "payload",
    [
        {"type": "event_callback", "authorizations": [7]},
        {"type": "event_callback", "event": None},
        {"type": "block_actions", "actions": []},
        {"type": "something_new"},
        {},
    ],
    ids=str,
)
async def test_an_envelope_that_nobody_understands_is_acknowledged(payload: dict[str, object]) -> None:
    """Or Slack would send it again and again."""
    async with running(transport=SOCKET) as bot:
        delivery = await bot.ws.sockets.carry("event", payload)

    assert delivery.status == 200


async def test_two_processes_share_one_app_and_answer_once() -> None:
    """bolt-python #1071, #462, bolt-js #2487: each envelope goes to one of the connections."""
    async with (
        workspace() as ws,
        running(transport=SOCKET, ws=ws) as first,
        running(transport=SOCKET, ws=ws) as second,
    ):
        await ws.sockets.connected(beyond=1)
        await ws.post(GENERAL, URL)
        await first.settled()
        replies = await second.settled()

    assert len(replies) == 1
