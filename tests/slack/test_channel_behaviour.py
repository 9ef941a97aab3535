"""How a channel is answered: its settings, URLs that were just answered, and one answer of all replicas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.state.records import ChannelSettings, PasteMode, Visibility
from bot.state.state import State
from bot.workspace import Message
from bot.workspace.model import TEAM
from tests.slack.running import DM, GENERAL, OTHER, URL, running, workspace

NOBODY, SHORT, WHOLE, REFUSED = "nobody", "short", "whole", "only commands"


def kind(replies: list[Message]) -> str:
    """Which answer it is."""
    if not replies:
        return NOBODY
    [reply] = replies
    if "I answer /inspect only" in reply.words:
        return REFUSED
    return WHOLE if any(block["type"] == "table" for block in reply.blocks) else SHORT


async def put(state: State, channel: str = GENERAL, **changed: Any) -> None:
    chosen = {"paste": PasteMode.ALWAYS, "profile": None, "visibility": Visibility.CHANNEL, **changed}
    await state.channels.put(TEAM, channel, updated_by="U0BEN", **chosen)


@pytest.mark.parametrize(
    ("paste", "mention", "answer"),
    [
        (PasteMode.ALWAYS, False, SHORT),
        (PasteMode.ALWAYS, True, WHOLE),
        (PasteMode.MENTION, False, NOBODY),
        (PasteMode.MENTION, True, WHOLE),
        (PasteMode.NEVER, False, NOBODY),
        (PasteMode.NEVER, True, REFUSED),
    ],
)
async def test_pasted_urls_are_answered_as_the_channel_is_set(
    state: State, paste: PasteMode, mention: bool, answer: str
) -> None:
    """Always, only where the bot is mentioned, or never; who mentions it then is told so, alone."""
    await put(state, paste=paste)
    async with running(state=state) as bot:
        await bot.ws.post(GENERAL, URL, mention=mention)
        replies = await bot.settled()

    assert kind(replies) == answer
    assert [reply.ephemeral_to for reply in replies if answer == REFUSED] == ["U0ANN"] * (answer == REFUSED)


async def test_a_setting_is_that_of_its_channel(state: State) -> None:
    """Another channel, a direct message and a command are answered as ever."""
    await put(state, paste=PasteMode.NEVER)
    async with running(state=state) as bot:
        await bot.ws.post("C0RANDOM", URL)
        await bot.ws.post(DM, URL)
        await bot.ws.slash("/inspect", URL)
        answers = [kind(await bot.settled(channel)) for channel in ("C0RANDOM", DM, GENERAL)]

    assert answers == [SHORT, WHOLE, WHOLE]


@pytest.mark.parametrize("visibility", Visibility)
async def test_a_command_is_answered_to_whom_the_channel_says(state: State, visibility: Visibility) -> None:
    """What one person sees alone they may share."""
    await put(state, visibility=visibility)
    async with running(state=state) as bot:
        await bot.ws.slash("/inspect", URL)
        [reply] = await bot.settled()

    alone = visibility is Visibility.EPHEMERAL
    assert (reply.ephemeral_to, "Share to channel" in reply.words) == ("U0ANN" if alone else None, alone)


async def test_settings_are_shown_as_they_are_saved_and_told_to_the_one_who_saved_them(state: State) -> None:
    """One index is no choice, and is not offered."""
    async with running(state=state) as bot:
        await bot.ws.slash("/inspect", " Settings ")
        await bot.settled()
        [view] = bot.ws.views("U0ANN")
        await bot.ws.submit_view(view.id, {"paste": "mention", "visibility": "ephemeral"})
        [told] = await bot.settled()
        await bot.ws.slash("/inspect", "settings", user="U0BEN")
        await bot.settled()
        [again] = bot.ws.views("U0BEN")

    now = await state.channels.get(TEAM, GENERAL)
    assert (now.paste, now.visibility, now.profile, now.updated_by) == ("mention", "ephemeral", None, "U0ANN")
    assert (told.ephemeral_to, "only where I am mentioned" in told.words) == ("U0ANN", True)
    chosen = [block["element"]["initial_option"]["value"] for block in again.blocks]
    assert chosen == ["mention", "ephemeral"]


async def test_without_a_database_saving_says_that_it_cannot() -> None:
    """Nothing is lost silently."""
    async with running() as bot:
        await bot.ws.slash("/inspect", "settings")
        await bot.settled()
        await bot.ws.submit_view(bot.ws.views("U0ANN")[0].id, {})
        [told] = await bot.settled(DM)

    assert "cannot keep settings" in told.words


async def test_a_url_that_was_answered_a_short_while_ago_gets_a_link_to_that_answer(state: State) -> None:
    """The index is not asked again; a URL beside it that is new is inspected."""
    async with running(state=state) as bot:
        await bot.ws.post(GENERAL, URL)
        [first] = await bot.settled()
        asked = len(bot.store.asked)
        again = await bot.ws.post(GENERAL, f"what of {URL}")
        [_, link] = await bot.settled()
        unasked = len(bot.store.asked) == asked
        await bot.ws.post(GENERAL, f"{URL} {OTHER}")
        [*_, both] = await bot.settled()

    assert (link.thread_ts, unasked) == (again, True)
    assert f"/archives/{GENERAL}/p{first.ts.replace('.', '')}" in str(link.blocks)
    assert "answered here a short while ago" in both.words.lower()
    assert OTHER in both.words


@pytest.mark.parametrize("again", ["mention", "command", "elsewhere"])
async def test_who_asks_is_answered_anew_however_recent_the_last_answer(state: State, again: str) -> None:
    """A mention, `/inspect`, and another channel."""
    async with running(state=state) as bot:
        await bot.ws.post(GENERAL, URL)
        await bot.settled()
        if again == "command":
            await bot.ws.slash("/inspect", URL)
        else:
            await bot.ws.post("C0RANDOM" if again == "elsewhere" else GENERAL, URL, mention=again == "mention")
        replies = [*await bot.settled("C0RANDOM"), *bot.replies()]

    assert [reply.words for reply in replies if "INDEXABLE" not in reply.words] == []
    assert len(replies) == 2


async def test_an_answer_that_somebody_deleted_is_given_again(state: State) -> None:
    """message_not_found: the link would lead nowhere."""
    async with running(state=state) as bot:
        await bot.ws.post(GENERAL, URL)
        [first] = await bot.settled()
        bot.ws.state.remove(first)
        await bot.ws.post(GENERAL, URL)
        [reply] = await bot.settled()

    assert "INDEXABLE" in reply.words


async def test_an_answer_about_the_past_is_no_answer_about_now(state: State) -> None:
    """`as of` replays a verdict."""
    async with running(state=state) as bot:
        await bot.ws.post(GENERAL, f"{URL} as of 2026-04-06", mention=True)
        await bot.settled()
        await bot.ws.post(GENERAL, URL)
        [*_, reply] = await bot.settled()

    assert "INDEXABLE" in reply.words


@pytest.mark.parametrize("new_event_id", [False, True])
async def test_two_replicas_answer_a_retry_once(state: State, new_event_id: bool) -> None:
    """bolt-python #1071, #448: the retry comes to the other one, with the same event_id or a new one."""
    async with running(state=state) as first:
        await first.ws.post(GENERAL, URL)
        await first.settled()
        async with running(state=state, ws=first.ws):
            again = await first.ws.redeliver(first.ws.deliveries[-1], new_event_id=new_event_id)
            replies = await first.settled()

    assert (again.status, len(replies)) == (200, 1)


async def test_two_replicas_that_get_a_mention_as_two_events_answer_once(state: State) -> None:
    """app_mention to one, message to the other."""
    async with workspace() as ws, running(state=state, ws=ws) as first, running(state=state, ws=ws) as second:
        ts = await ws.post(GENERAL, URL, mention=True)
        await second.settled()
        mention = next(delivery for delivery in ws.deliveries if delivery.payload["event"]["type"] == "app_mention")
        ws.connect(first.url)
        await ws.redeliver(mention, new_event_id=True)
        replies = await first.settled()

    assert [reply.thread_ts for reply in replies] == [ts]


async def test_where_the_database_is_broken_the_bot_answers_without_memory(
    state: State, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """An answer matters more than the memory of it; the log says so."""
    await state.close()
    (tmp_path / "state.db").write_bytes(b"no database" * 500)
    async with running(state=state) as bot:
        await bot.ws.post(GENERAL, URL)
        replies = await bot.settled()

    assert len(replies) == 1
    assert "going on without memory" in caplog.text


def test_a_channel_that_nobody_set_answers_pastes_for_everyone() -> None:
    """The defaults."""
    assert ChannelSettings() == ChannelSettings(PasteMode.ALWAYS, None, Visibility.CHANNEL)
