"""Bad input and a Slack that fails: each has one right behaviour, and is a row here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bot.render.actions import ACTION_TEXT
from bot.slack.register import LOOKUP
from bot.workspace import HTTP_500_HTML, FaultKind
from tests.slack.running import GENERAL, OUTSIDE, URL, Running, running

ANN = "U0ANN"
MANY = " ".join(f"https://docs.example/{number}" for number in range(300))
LONG = "word " * 7_900 + URL

# What happens, what is seen in the channel (via, to whom, words), and what the log says.
Seen = list[tuple[str, str | None, str]]
Act = Callable[[Running], Awaitable[None]]


def slash(text: str, *faults: tuple[str, FaultKind, int], command: str = "/inspect", channel: str = GENERAL) -> Act:
    async def act(bot: Running) -> None:
        for method, fault, times in faults:
            bot.ws.fail_next(method, fault, times)
        await bot.ws.slash(command, text, channel=channel)

    return act


def post(text: str, *faults: tuple[str, FaultKind, int], mention: bool = False, again: bool = False) -> Act:
    async def act(bot: Running) -> None:
        for method, fault, times in faults:
            bot.ws.fail_next(method, fault, times)
        await bot.ws.post(GENERAL, text, mention=mention)
        if again:
            await bot.ws.redeliver(bot.ws.deliveries[-1], new_event_id=True)

    return act


async def click_too_late(bot: Running) -> None:
    await bot.ws.slash("/inspect", URL)
    [message] = await bot.settled()
    bot.ws.fail_next("views.open", FaultKind.error("expired_trigger_id"))
    await bot.ws.click(message, ACTION_TEXT)


async def settings_too_late(bot: Running) -> None:
    bot.ws.fail_next("views.open", FaultKind.error("expired_trigger_id"))
    await bot.ws.slash("/inspect", "settings")


async def from_a_channel_that_is_gone(bot: Running) -> None:
    event = {"type": "message", "channel": "C0GONE", "channel_type": "channel", "user": ANN, "ts": "17.1", "text": URL}
    await bot.ws.send_event(event)


POST, RESPOND = "chat.postMessage", "response_url"
FILE = ("files.completeUploadExternal", None, "")
EXPIRED, LIMITED = FaultKind.error("expired_url"), FaultKind.ratelimited(0)
LISTED: Seen = [("chat.update", None, "300 URLs"), ("files.completeUploadExternal", None, "")]  # counted, and a file
ROWS: dict[str, tuple[Act, Seen, str]] = {
    "an unknown word": (slash("frobnicate now"), [(RESPOND, ANN, "Read “frobnicate now” and found no URL")], ""),
    "an unknown command": (slash(URL, command="/inspekt"), [("ack", ANN, "not one of mine")], ""),
    "an expired response_url": (
        slash("frobnicate now", (RESPOND, EXPIRED, 1)),
        [("chat.postEphemeral", ANN, "Read “frobnicate now”")],
        "expired_url",
    ),
    "it, where the bot is no member": (slash(URL, (RESPOND, EXPIRED, 9), channel=OUTSIDE), [], "not_in_channel"),
    "an expired trigger of a button": (
        click_too_late,
        [(POST, None, "INDEXABLE"), (RESPOND, ANN, "expired_trigger_id")],
        "expired_trigger_id",
    ),
    "an expired trigger of a command": (
        settings_too_late,
        [(RESPOND, ANN, "expired_trigger_id")],
        "expired_trigger_id",
    ),
    "a 429": (post(URL, (POST, LIMITED, 2)), [(POST, None, "INDEXABLE")], ""),
    "429 without end": (post(URL, (POST, LIMITED, 9)), [("chat.postEphemeral", ANN, "ratelimited")], "ratelimited"),
    "a 5xx with HTML": (post(URL, (POST, HTTP_500_HTML, 1)), [(POST, None, "INDEXABLE")], ""),
    "5xx without end": (post(URL, (POST, HTTP_500_HTML, 9)), [("chat.postEphemeral", ANN, "http_500")], "http_500"),
    "not_in_channel": (post(URL, ("*", FaultKind.error("not_in_channel"), 9)), [], "not_in_channel"),
    "channel_not_found": (from_a_channel_that_is_gone, [], "channel_not_found"),
    "300 URLs pasted": (post(MANY), LISTED, ""),
    "300 URLs in a mention": (post(MANY, mention=True), LISTED, ""),
    "300 URLs in a command": (slash(MANY), LISTED, ""),
    "40,000 characters pasted": (post(LONG), [(POST, None, "INDEXABLE")], ""),
    "40,000 characters in a command": (slash(LONG), [(POST, None, "INDEXABLE")], ""),
    "40,000 characters of nothing": (slash("x" * 40_000), [(RESPOND, ANN, "")], ""),
    "a URL that says payload": (slash(f"{URL}?payload"), [(POST, None, "")], ""),
    "a retry with a new event id": (post(URL, again=True), [(POST, None, "INDEXABLE")], ""),
}


@pytest.mark.parametrize(("act", "seen", "logged"), ROWS.values(), ids=ROWS)
async def test_each_has_one_right_behaviour(
    act: Act, seen: Seen, logged: str, transport: str, caplog: pytest.LogCaptureFixture
) -> None:
    """An answer, or one sentence for the one who asked, or a line in the log; and the bot lives."""
    async with running(transport=transport) as bot:
        await bot.ws.slash("/inspect", "help", user="U0BEN", channel="C0RANDOM")  # auth.test is behind it
        await bot.settled()
        await act(bot)
        replies = [*await bot.settled(), *bot.replies(OUTSIDE)]
        bot.ws.faults._waiting.clear()
        await bot.ws.slash("/inspect", URL, channel="C0RANDOM")
        alive = await bot.settled("C0RANDOM")

    assert [(reply.via, reply.ephemeral_to) for reply in replies] == [row[:2] for row in seen]
    assert [reply.words for reply, row in zip(replies, seen, strict=True) if row[2] not in reply.words] == []
    assert logged in caplog.text
    assert "INDEXABLE" in alive[-1].words


@pytest.mark.parametrize(
    "view",
    [{}, {"state": {}}, {"state": {"values": {"url": {}}}}, {"state": {"values": {"url": {"url": {"value": None}}}}}],
    ids=str,
)
async def test_a_form_without_its_fields_is_an_empty_form(view: dict[str, Any]) -> None:
    """A submission that was altered, or of an older release."""
    async with running() as bot:
        await bot.ws.shortcut(LOOKUP)
        await bot.settled()
        [opened] = bot.ws.views(ANN)
        payload = {**opened.to_slack(), "state": {"values": {}}, **view}
        interaction = {"type": "view_submission", "user": {"id": ANN}, "team": {"id": "T0EXAMPLE"}, "view": payload}
        delivery = await bot.ws._send("interaction", {**interaction, "trigger_id": "1"})

    assert (delivery.status, delivery.body["response_action"]) == (200, "errors")
