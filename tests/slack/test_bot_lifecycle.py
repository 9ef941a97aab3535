from __future__ import annotations

import asyncio
import logging
import time

import aiohttp
import pytest
from pydantic import SecretStr

from bot.errors import BadSetting
from bot.index.profile import load_profile
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.links import Links
from bot.slack.bot import SlackBot, preflight
from bot.slack.once import Once
from bot.slack.tasks import Tasks
from bot.workspace import HTTP_500_HTML, TIMEOUT, FaultKind, Workspace
from tests.inspection.scripted_store import ScriptedStore
from tests.slack.running import GENERAL, SECRET, TOKEN, URL, running, settings


@pytest.mark.parametrize(
    ("setting", "variable"),
    [("slack_signing_secret", "SLACK_SIGNING_SECRET"), ("slack_bot_token", "SLACK_BOT_TOKEN")],
)
@pytest.mark.parametrize("value", ["", "  "])
async def test_a_missing_secret_ends_the_start(setting: str, variable: str, value: str) -> None:
    """Bolt alone would find an empty signing secret at the first request."""
    chosen = settings(None, **{setting: SecretStr(value)})
    async with aiohttp.ClientSession() as session:
        with pytest.raises(BadSetting, match=variable):
            SlackBot(
                Indexes(Inspector(ScriptedStore(), load_profile())),
                Links.from_settings(chosen),
                chosen,
                session=session,
            )


async def test_preflight_says_who_we_are() -> None:
    """One call of auth.test."""
    async with Workspace(signing_secret=SECRET, bot_token=TOKEN) as ws:
        assert await preflight(settings(ws)) == "inspector in the workspace example"


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (FaultKind.error("invalid_auth"), r"SLACK_BOT_TOKEN \(invalid_auth\)"),
        (FaultKind.error("account_inactive"), "account_inactive"),
        (FaultKind.http(404), "no answer in JSON"),
        (TIMEOUT, "did not answer within 0.3 s"),
    ],
)
async def test_a_wrong_token_ends_the_start_with_one_sentence(fault: FaultKind, says: str) -> None:
    """Within seconds, and without the token in it."""
    async with Workspace(signing_secret=SECRET, bot_token=TOKEN) as ws:
        ws.fail_next("auth.test", fault)
        with pytest.raises(BadSetting, match=says) as caught:
            await preflight(settings(ws), seconds=0.3)

    assert TOKEN not in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_an_address_where_nobody_listens_is_named() -> None:
    """Not a stack trace of the HTTP client."""
    with pytest.raises(BadSetting, match="cannot be reached"):
        await preflight(settings())


async def test_who_we_are_is_asked_once_for_all_requests() -> None:
    """bolt-python #419: auth.test costs a round trip; Bolt keeps the answer."""
    async with running() as bot:
        for _ in range(3):
            await bot.ws.slash("/inspect", URL)
        await bot.settled()

    assert len(bot.made("auth.test")) == 1


async def test_no_session_is_opened_but_the_one_that_was_given() -> None:
    """python-slack-sdk #645: a session a call leaves unclosed ones behind; warnings are errors in these tests."""
    async with running() as bot:
        await bot.ws.slash("/inspect", URL)
        await bot.settled()
        await bot.session.close()
        await bot.bot.close()

    assert bot.session.closed


async def test_shutdown_finishes_what_runs_and_takes_nothing_new() -> None:
    """bolt-python #964, #622, #558: close_async() returns at once and leaves the listener running."""
    async with running(page_info_local=0.3) as bot:
        await bot.ws.slash("/inspect", URL)
        await bot.bot.drain(5)
        late = await bot.ws.slash("/inspect", URL)
        replies = bot.replies()

    assert len(replies) == 1
    assert late.status == 503


async def test_shutdown_waits_no_longer_than_it_was_told() -> None:
    """What hangs is given up, with a line in the log."""
    async with running(page_info_local=4.0) as bot:
        await bot.ws.slash("/inspect", URL)
        started = time.perf_counter()
        await bot.bot.drain(0.2)
        took = time.perf_counter() - started
        replies = bot.replies()

    assert (replies, took < 1) == ([], True)


async def test_work_is_bounded_and_the_rest_waits_its_turn() -> None:
    """`concurrency` pieces at once, and no more."""
    tasks, running_now, most = Tasks(2), 0, 0

    async def work() -> None:
        nonlocal running_now, most
        running_now += 1
        most = max(most, running_now)
        await asyncio.sleep(0.01)
        running_now -= 1

    async def tell(_sentence: str) -> None:
        raise AssertionError("nothing failed")

    for _ in range(6):
        tasks.start(work(), tell)
    await tasks.drain(5)

    assert (most, running_now) == (2, 0)


async def test_the_log_holds_no_secret_and_no_payload(caplog: pytest.LogCaptureFixture) -> None:
    """Even at DEBUG, where slack_sdk and Bolt write everything."""
    caplog.set_level(logging.DEBUG)
    async with running() as bot:
        await bot.ws.slash("/inspect", URL)
        await bot.ws.post(GENERAL, URL)
        bot.ws.fail_next("chat.postMessage", HTTP_500_HTML, times=2)
        await bot.ws.post(GENERAL, URL)
        await bot.settled()
        secrets = (TOKEN, SECRET, "/response/response", URL)

    assert [secret for secret in secrets if secret in caplog.text] == []


def test_what_was_met_is_forgotten_after_a_while_and_never_more_than_so_many() -> None:
    """Memory stays flat."""
    now = [0.0]
    once = Once(seconds=10, remembered=3, clock=lambda: now[0])

    assert [once.first("a"), once.first("a"), once.first("b", "a"), once.first("b")] == [True, False, False, False]
    now[0] = 10.0
    assert [once.first("a"), once.first("b")] == [True, True]
    assert [once.first(key) for key in ("c", "d", "e", "a")] == [True, True, True, True]
