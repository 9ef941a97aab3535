"""Several crawl indexes in one process: a channel chooses its own, and an answer stays with the one it came from."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.index.profile import load_profile
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.render.actions import ACTION_FILTERS, ACTION_RAW, ACTION_RECHECK
from bot.slack.register import LOOKUP
from bot.state.state import State
from bot.workspace import Message, View
from bot.workspace.model import TEAM
from tests.slack.running import DM, GENERAL, NOW, OTHER, PAGE, RANDOM, SITE, URL, ChangingStore, Running, running
from tests.slack.test_channel_behaviour import put

BLOG, NEWS = "crawler3", "news"
FAILING = {**PAGE, "pass_spam_ban": 0}
GONE = "not served here any more"


def index(name: str, page: dict[str, Any]) -> Inspector:
    """An index of one page."""
    store = ChangingStore(startsWith=[SITE], newest=[{"newest": 0}], page_info_local=[page])
    return Inspector(store, load_profile().model_copy(update={"name": name}), clock=lambda: NOW)


@asynccontextmanager
async def serving(state: State, *names: str) -> AsyncIterator[Running]:
    """A bot over these indexes, the default first, of which Slack takes everything.

    The page is indexable in one of them, and spam in "news".
    """
    inspectors = [index(name, FAILING if name == NEWS else PAGE) for name in names]
    async with running(state=state, indexes=Indexes(*inspectors)) as bot:
        yield bot
        refused = [(call.method, call.error) for call in bot.ws.calls if not call.ok]

    assert refused == []


def verdict(message: Message) -> str:
    """Which index it speaks of: by its name, and by what was found there."""
    found = BLOG if "INDEXABLE" in message.words.replace("NOT INDEXABLE", "") else NEWS
    assert f"Index: {found}" in message.words
    return found


@pytest.mark.parametrize(
    ("channel", "chosen", "answers"), [(GENERAL, NEWS, NEWS), (GENERAL, BLOG, BLOG), (GENERAL, None, BLOG)]
)
@pytest.mark.parametrize("way", ["command", "paste", "mention", "file"])
async def test_what_begins_in_a_channel_is_looked_up_in_its_index(
    state: State, channel: str, chosen: str | None, answers: str, way: str
) -> None:
    """Whatever way it is asked."""
    await put(state, channel, profile=chosen)
    async with serving(state, BLOG, NEWS) as bot:
        if way == "command":
            await bot.ws.slash("/inspect", URL, channel=channel)
        else:
            files = {"urls.txt": URL.encode()} if way == "file" else None
            await bot.ws.post(channel, "" if files else URL, mention=way != "paste", files=files)
        [reply] = await bot.settled(channel)

    assert verdict(reply) == answers


async def test_a_site_several_pages_and_a_list_are_those_of_the_channels_index(state: State) -> None:
    """Each says which."""
    await put(state, profile=NEWS)
    async with serving(state, BLOG, NEWS) as bot:
        for text in ("site docs.example", f"{URL} {OTHER}", " ".join(f"https://docs.example/{n}" for n in range(30))):
            await bot.ws.slash("/inspect", text)
            await bot.settled()
        replies = bot.replies()

    assert [f"Index: {NEWS}" in reply.words for reply in replies if not reply.files] == [True] * 3


async def test_with_one_index_no_answer_names_it(state: State) -> None:
    """There is nothing to tell apart."""
    async with serving(state, BLOG) as bot:
        await bot.ws.slash("/inspect", URL)
        [reply] = await bot.settled()

    assert "Index:" not in reply.words


async def test_a_thread_and_its_buttons_ask_the_index_that_the_answer_came_from(state: State) -> None:
    """Though the channel is set to another one meanwhile: by what is remembered, and by the message itself."""
    await put(state, profile=NEWS)
    async with serving(state, BLOG, NEWS) as bot:
        ts = await bot.ws.post(GENERAL, URL, mention=True)
        [answer] = await bot.settled()
        await put(state, profile=None)
        for followup in ("why", "as of 2026-11-30", OTHER, "canonical", "recheck", f"compare {URL}"):
            await bot.ws.post(GENERAL, followup, thread_ts=ts)
            await bot.settled()
        for button in (ACTION_RAW, ACTION_RECHECK):
            await bot.ws.click(answer, button)
            await bot.settled()
        default, news = (inspector.store.asked for inspector in bot.indexes)  # type: ignore[attr-defined]  # scripts

    assert default == []
    assert len(news) > 8


async def test_a_pasted_url_is_no_repeat_of_another_indexs_answer(state: State) -> None:
    """A link to it would say what is not so here."""
    async with serving(state, BLOG, NEWS) as bot:
        await bot.ws.post(GENERAL, URL)
        [first] = await bot.settled()
        await put(state, profile=NEWS)
        await bot.ws.post(GENERAL, URL)
        second = (await bot.settled())[-1]

    assert (verdict(first), verdict(second)) == (BLOG, NEWS)


async def test_an_index_that_is_not_served_any_more_is_told_of_in_one_sentence(state: State) -> None:
    """By an answer's thread and buttons, and by a channel that is set to it: never is another one asked instead."""
    await put(state, profile=NEWS)
    async with serving(state, BLOG, NEWS) as bot:
        ts = await bot.ws.post(GENERAL, URL)
        [answer] = await bot.settled()
        workspace = bot.ws
        async with running(state=state, ws=workspace, indexes=Indexes(index(BLOG, PAGE))) as later:
            await workspace.post(GENERAL, "why", thread_ts=ts)
            await later.settled()
            await workspace.click(answer, ACTION_FILTERS)
            await later.settled()
            await workspace.slash("/inspect", OTHER)
            told = (await later.settled())[1:]
        [default] = later.indexes

    assert [GONE in message.words for message in told] == [True, True, True]
    assert ["/inspect settings" in message.words for message in told] == [False, False, True]
    assert default.store.asked == []  # type: ignore[attr-defined]  # a script


@pytest.mark.parametrize(("way", "told"), [("command", 1), ("mention", 1), ("paste", 0)])
async def test_a_channel_whose_index_is_gone_tells_those_who_ask(state: State, way: str, told: int) -> None:
    """Where people paste links all day, not each of them."""
    await put(state, profile="old")
    async with serving(state, BLOG) as bot:
        if way == "command":
            await bot.ws.slash("/inspect", URL)
        else:
            await bot.ws.post(GENERAL, URL, mention=way == "mention")
        replies = await bot.settled()

    assert [GONE in reply.words for reply in replies] == [True] * told


async def test_the_settings_of_a_channel_offer_the_indexes_there_are(state: State) -> None:
    """The chosen one is remembered, told, and shown again; only where there are several is there a choice."""
    async with serving(state, BLOG, NEWS) as bot:
        await bot.ws.slash("/inspect", "settings")
        await bot.settled()
        [view] = bot.ws.views("U0ANN")
        offered = [option["value"] for option in view.blocks[-1]["element"]["options"]]
        await bot.ws.submit_view(view.id, {"profile": NEWS})
        [told] = await bot.settled()

    assert offered == [BLOG, NEWS]
    assert f"The index is {NEWS}" in told.words
    assert (await state.channels.get(TEAM, GENERAL)).profile == NEWS
    assert (await state.channels.get(TEAM, RANDOM)).profile is None


async def form(bot: Running) -> View:
    await bot.ws.shortcut(LOOKUP)
    await bot.settled()
    return bot.ws.views("U0ANN")[0]


@pytest.mark.parametrize("chosen", [BLOG, NEWS])
async def test_the_form_asks_the_index_that_was_chosen_in_it(state: State, chosen: str) -> None:
    """A global shortcut knows no channel."""
    async with serving(state, BLOG, NEWS) as bot:
        view = await form(bot)
        await bot.ws.submit_view(view.id, {"url": URL, "index": chosen, "channel": DM})
        [posted] = await bot.settled(DM)

    assert verdict(posted) == chosen


async def test_home_shows_the_state_of_every_index(state: State) -> None:
    """Each under its name."""
    async with serving(state, BLOG, NEWS) as bot:
        await bot.ws.open_home("U0ANN")
        await bot.settled()
        home = bot.ws.home("U0ANN")

    assert home is not None
    titles = [block["text"]["text"] for block in home.blocks if block["type"] == "header"]
    assert titles[2:] == [f"The index {BLOG}", f"The index {NEWS}"]
