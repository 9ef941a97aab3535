"""A link of an unfurl domain comes as two events, and gets one answer: a card, or one in the message's thread."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.slack.unfurls import MOST, has_card
from bot.state.records import PasteMode
from bot.state.state import State
from bot.workspace import FaultKind, Message, Workspace
from bot.workspace.model import TEAM, Delivery
from tests.slack.running import APP_TOKEN, DM, GENERAL, OUTSIDE, SECRET, TOKEN, URL, Running, running
from tests.slack.test_channel_behaviour import put

FOREIGN = "https://elsewhere.test/page"
TOLD = {"unfurl_domains": ("docs.example",)}  # the settings name what the manifest does


def workspace() -> Workspace:
    """One where docs.example is an unfurl domain of the app."""
    return Workspace(signing_secret=SECRET, bot_token=TOKEN, app_token=APP_TOKEN, unfurl_domains=("docs.example",))


def answers(bot: Running, channel: str) -> tuple[int, list[Message]]:
    """How many links have a card, and what the bot wrote."""
    return len(bot.ws.unfurls), bot.replies(channel)


def pages(count: int) -> str:
    return " ".join(f"https://docs.example/{number}" for number in range(count))


@pytest.mark.parametrize("changed", [TOLD, {}], ids=["told", "untold"])
@pytest.mark.parametrize(
    ("channel", "text", "how", "told", "untold"),  # (cards, answers)
    [
        (GENERAL, URL, {}, (1, 0), (0, 1)),
        (GENERAL, pages(3), {}, (3, 0), (0, 1)),
        (GENERAL, f"{URL} {FOREIGN}", {}, (1, 1), (0, 1)),
        (GENERAL, FOREIGN, {}, (0, 1), (0, 1)),
        (GENERAL, pages(MOST + 2), {}, (MOST, 1), (0, 1)),
        (OUTSIDE, URL, {}, (1, 0), (1, 0)),
        (DM, URL, {}, (0, 1), (0, 1)),
        (GENERAL, URL, {"mention": True}, (0, 1), (0, 1)),
        (GENERAL, f"{URL} {FOREIGN}", {"mention": True}, (0, 1), (0, 1)),
        (GENERAL, f"{URL} as of 2026-04-06", {"mention": True}, (0, 1), (0, 1)),
        (GENERAL, f"site {URL}", {"mention": True}, (0, 1), (0, 1)),
        (GENERAL, pages(MOST + 2), {"mention": True}, (0, 1), (0, 1)),
    ],
)
async def test_every_link_of_a_message_is_answered_once(
    state: State,
    changed: dict[str, Any],
    channel: str,
    text: str,
    how: dict[str, Any],
    told: tuple[int, int],
    untold: tuple[int, int],
) -> None:
    """By its card, or in the thread; who mentions the bot gets the whole answer there."""
    async with workspace() as ws, running(ws=ws, state=state, changed=changed) as bot:
        await ws.post(channel, text, **how)
        await bot.settled(channel)
        cards, replies = answers(bot, channel)

    assert (cards, len(replies)) == (told if changed else untold)


CARD, MENTION, PASTE = "link_shared", "app_mention", "message"


@asynccontextmanager
async def replicas(state: State, text: str, **how: Any) -> AsyncIterator[tuple[dict[str, Delivery], Running, Running]]:
    """The events of a message that nobody has taken yet, and two bots with one database to take them."""
    async with workspace() as ws:
        ws.connect("http://127.0.0.1:9/")  # nobody is there
        await ws.post(GENERAL, text, **how)
        events = {delivery.payload["event"]["type"]: delivery for delivery in ws.deliveries}
        async with running(ws=ws, state=state, changed=TOLD) as one, running(ws=ws, state=state, changed=TOLD) as two:
            yield events, one, two


async def take(bot: Running, event: Delivery) -> None:
    """Let that replica have the event."""
    bot.ws.connect(bot.url)
    await bot.ws.redeliver(event)


@pytest.mark.parametrize(
    "order", [(CARD, MENTION, PASTE), (MENTION, CARD, PASTE), (PASTE, MENTION, CARD), (CARD, PASTE)]
)
async def test_a_mention_is_answered_once_whatever_comes_first_and_to_whom(
    state: State, order: tuple[str, ...]
) -> None:
    """In its thread; the replica that is to make cards waits a moment for the one that has the question."""
    async with replicas(state, URL, mention=True) as (events, one, two):
        for kind in order:
            await take(one if kind == CARD else two, events[kind])
        await two.settled()
        replies = await one.settled()

    assert (len(one.ws.unfurls), ["INDEXABLE" in reply.words for reply in replies]) == (0, [True])


@pytest.mark.parametrize(
    ("text", "answered"),
    [(URL, []), (f"{URL} {FOREIGN}", [FOREIGN]), (f"{URL} as of 2026-04-06", [URL]), (f"site {URL}", ["docs.example"])],
)
async def test_a_mention_that_comes_long_after_its_card_gets_what_no_card_shows(
    state: State, text: str, answered: list[str]
) -> None:
    """Slack may be late by minutes: the card stands by then."""
    async with replicas(state, text, mention=True) as (events, one, two):
        await take(one, events[CARD])
        await one.settled()
        await take(two, events[MENTION])
        replies = await two.settled()

    assert len(one.ws.unfurls) == 1
    assert [address in reply.words for address, reply in zip(answered, replies, strict=True)] == [True] * len(answered)


@pytest.mark.parametrize("order", [(CARD, PASTE), (PASTE, CARD)])
async def test_a_paste_has_its_card_whatever_comes_first_and_to_whom(state: State, order: tuple[str, ...]) -> None:
    """And no answer in its thread."""
    async with replicas(state, URL) as (events, one, two):
        for kind in order:
            await take(one if kind == CARD else two, events[kind])
        await two.settled()
        replies = await one.settled()

    assert (len(one.ws.unfurls), replies) == (1, [])


@pytest.mark.parametrize("paste", [PasteMode.NEVER, PasteMode.MENTION])
async def test_where_pasted_urls_are_to_be_left_alone_there_is_no_card(state: State, paste: PasteMode) -> None:
    """A card is an answer too; in the composer nothing has been pasted yet."""
    await put(state, paste=paste)
    async with workspace() as ws, running(ws=ws, state=state, changed=TOLD) as bot:
        await ws.post(GENERAL, URL)
        await bot.settled()
        in_channel = answers(bot, GENERAL)
        await ws.share_link(GENERAL, URL, composer=True)
        await bot.settled()

    assert (in_channel, len(ws.unfurls)) == ((0, []), 1)


@pytest.mark.parametrize("error", ["cannot_unfurl_url", "missing_scope"])
async def test_where_slack_refuses_the_cards_the_thread_answers(error: str) -> None:
    """Once, though the message has been passed over already."""
    async with workspace() as ws, running(ws=ws, changed=TOLD) as bot:
        ws.fail_next("chat.unfurl", FaultKind.error(error))
        ts = await ws.post(GENERAL, URL)
        await bot.settled()
        cards, replies = answers(bot, GENERAL)

    assert (cards, [reply.thread_ts for reply in replies]) == (0, [ts])


async def test_the_thread_of_a_card_can_be_asked_on(state: State) -> None:
    """It is known what the message is about; the lookup is one of its writer's last."""
    async with workspace() as ws, running(ws=ws, state=state, changed=TOLD) as bot:
        ts = await ws.post(GENERAL, URL)
        await bot.settled()
        await ws.post(GENERAL, "why", thread_ts=ts)
        await bot.settled()
        _, replies = answers(bot, GENERAL)

    assert [(reply.thread_ts, "every rule passes" in reply.words) for reply in replies] == [(ts, True)]
    assert [one.text for one in await state.recent.last(TEAM, "U0ANN")] == [URL]


async def test_a_url_in_a_thread_of_ours_is_a_question_and_gets_no_card(state: State) -> None:
    """It is inspected there, as any other."""
    async with workspace() as ws, running(ws=ws, state=state, changed=TOLD) as bot:
        ts = await ws.post(GENERAL, FOREIGN)
        await bot.settled()
        await ws.post(GENERAL, URL, thread_ts=ts)
        await bot.settled()
        cards, replies = answers(bot, GENERAL)

    assert (cards, [reply.thread_ts for reply in replies]) == (0, [ts, ts])


@pytest.mark.parametrize(
    ("url", "carded"),
    [
        ("https://docs.example/", True),
        ("https://www.docs.example:8443/a", True),
        ("https://DOCS.example/", True),
        ("https://mydocs.example/", False),
        ("https://docs.example.test/", False),
        ("", False),
    ],
)
def test_a_domain_is_that_of_its_subdomains_too(url: str, carded: bool) -> None:
    """As Slack reads unfurl_domains."""
    assert has_card(url, ("Docs.example",)) is carded
