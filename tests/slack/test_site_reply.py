"""`site example.com`: counted over the sample crawl, with its charts as an uploaded picture, or without it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bot.inspection.pipeline import Inspector
from bot.inspection.site import inspect_site
from bot.report.words import number
from bot.slack.asked import SITE_EXAMPLE
from bot.slack.gateway import NOT_THERE
from bot.state.state import State
from bot.workspace import RESET, FaultKind, Message
from tests.slack.running import DM, GENERAL, OUTSIDE, Running, running
from tests.store.both import on_both_stores

Act = Callable[[Running], Awaitable[Any]]
SITE, HOSTILE = "shop.example", "hostile.example/title/"


def command(text: str, channel: str = GENERAL) -> Act:
    async def act(bot: Running) -> None:
        await bot.ws.slash("/inspect", text, channel=channel)

    return act


def post(text: str, channel: str = GENERAL) -> Act:
    async def act(bot: Running) -> None:
        await bot.ws.post(channel, text, mention=channel == GENERAL)

    return act


def pictures(message: Message) -> list[str]:
    return [block["slack_file"]["id"] for block in message.blocks if block["type"] == "image"]


@on_both_stores
@pytest.mark.parametrize(
    ("act", "channel", "site"),
    [
        (command(f"site {SITE}"), GENERAL, SITE),
        (command(f"SITE  {HOSTILE} as of 2026-04-06"), GENERAL, HOSTILE),
        (command(f"site {SITE}", OUTSIDE), OUTSIDE, SITE),
        (post(f"site {SITE}"), GENERAL, SITE),
        (post(f"site https://{HOSTILE}", DM), DM, HOSTILE),
    ],
)
async def test_a_site_is_counted_wherever_it_is_asked_for(
    act: Act, channel: str, site: str, inspector: Inspector
) -> None:
    """By command, in a mention and directly; and Slack takes every payload."""
    crawled = (await inspect_site(inspector, site)).crawled or 0
    async with running(inspector=inspector) as bot:
        await act(bot)
        [answer] = await bot.settled(channel)
        refused = [(call.method, call.error, call.problems) for call in bot.ws.calls if not call.ok]
    refused = [call for call in refused if call[1] not in NOT_THERE]  # is tried first; a response_url works

    assert crawled > 0
    assert answer.words.startswith(f"Site {site}\n")
    assert f"Crawled: {number(crawled)}\n" in answer.words
    assert (len(pictures(answer)), refused) == (1, [])


async def test_of_a_site_without_pages_nothing_is_drawn(inspector: Inspector) -> None:
    """There would be nothing but zeros in the picture."""
    async with running(inspector=inspector) as bot:
        await command("site nowhere.example")(bot)
        [answer] = await bot.settled()

    assert "No page of it is crawled." in answer.words
    assert (pictures(answer), bot.ws.files) == ([], [])


async def test_a_site_may_be_asked_for_in_the_thread_of_a_page(inspector: Inspector, state: State) -> None:
    """With a mention; Slack marks the bare name up as a link."""
    async with running(inspector=inspector, state=state) as bot:
        ts = await bot.ws.post(GENERAL, f"https://{SITE}/", mention=True)
        await bot.settled()
        await bot.ws.post(GENERAL, f"site {SITE}", mention=True, thread_ts=ts)
        answer = (await bot.settled())[-1]

    assert (answer.words.splitlines()[0], answer.thread_ts) == (f"Site {SITE}", ts)


async def test_the_charts_are_a_picture_that_the_bot_uploaded(inspector: Inspector) -> None:
    """Shown in the message, and shared nowhere else."""
    async with running(inspector=inspector) as bot:
        await command(f"site {SITE}")(bot)
        [answer] = await bot.settled()
        [file] = bot.ws.files

    assert (file.content or b"").startswith(b"\x89PNG")
    assert (pictures(answer), file.channels) == ([file.id], ())


@pytest.mark.parametrize(
    ("method", "fault"),
    [
        ("files.getUploadURLExternal", FaultKind.error("missing_scope")),
        ("files.completeUploadExternal", FaultKind.error("file_upload_incomplete")),
        ("files.completeUploadExternal", FaultKind.http(500)),
        ("files.info", FaultKind.error("file_not_found")),
        ("files.getUploadURLExternal", RESET),
    ],
    ids=str,
)
async def test_without_an_upload_the_charts_are_told_in_words(
    method: str, fault: FaultKind, inspector: Inspector
) -> None:
    """The answer does not wait for a picture that Slack does not take."""
    async with running(inspector=inspector) as bot:
        bot.ws.fail_next(method, fault, 9)
        await command(f"site {SITE}")(bot)
        [answer] = await bot.settled()

    assert pictures(answer) == []
    assert "Status codes: 200 " in answer.words


async def test_a_picture_that_slack_does_not_know_yet_costs_the_picture_alone(inspector: Inspector) -> None:
    """The blocks are refused with it, and taken without it."""
    async with running(inspector=inspector) as bot:
        bot.ws.fail_next("chat.postMessage", FaultKind.error("invalid_blocks"))
        await post(f"site {SITE}")(bot)
        [answer] = await bot.settled()

    assert pictures(answer) == []
    assert [block["type"] for block in answer.blocks][:3] == ["header", "rich_text", "table"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("site", f"Read “site” without the site that is meant. Example: /inspect {SITE_EXAMPLE}"),
        ("site ftp://docs.example/", "Read “ftp://docs.example/” as a site, which is a host or the beginning of a URL"),
        ("site docs.example as of never", "found no URL"),
        ("site a.example b.example", "Read “site a.example b.example”; one site at a time is taken. Example: /inspect"),
    ],
)
async def test_what_is_no_site_gets_one_sentence(text: str, sentence: str) -> None:
    """For the one who asked alone."""
    async with running() as bot:
        await command(text)(bot)
        [answer] = await bot.settled()

    assert (answer.ephemeral_to, "\n" in answer.words) == ("U0ANN", False)
    assert sentence in answer.words
