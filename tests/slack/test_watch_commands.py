"""Watches as people begin, list and stop them, over the stand-in workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.render import actions
from bot.workspace import FaultKind
from tests.slack.running import DM, GENERAL, OTHER, RANDOM, URL, running
from tests.slack.watched import GONE, Watched, watched, words

OUTSIDE = "C0OUTSIDE"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The bot's own, which outlives a process."""
    return tmp_path / "state.db"


async def test_by_slash_command_the_watch_begins_a_thread_of_its_own(database: Path) -> None:
    """One public message: how the page stands, what is told, a button to stop; its thread is about the page."""
    async with watched(database) as bot:
        [message] = await bot.slash(f"watch {URL}")
        [watch] = await bot.kept()
        [why] = await bot.say("why?", message.ts)

    assert (message.thread_ts, message.ephemeral_to) == (None, None)
    assert f"Indexable: {URL}" in message.words
    assert "I look every hour, and write in this thread when verdict, cause, HTTP status" in message.words
    assert (watch.thread_ts, watch.user, watch.until_indexed) == (message.ts, "U0ANN", False)
    assert message.metadata is not None
    assert message.metadata["event_payload"] | {"watch": "1", "check": "0"} == message.metadata["event_payload"]
    assert (why.thread_ts, "every rule passes" in why.words) == (message.ts, True)
    assert bot.refused() == []


@pytest.mark.parametrize(
    ("text", "until"), [("watch", False), ("watch this page please", False), ("watch until indexed", True)]
)
async def test_in_a_thread_its_page_is_watched_there(text: str, until: bool, database: Path) -> None:
    """Without a slash and without a mention."""
    async with watched(database, page_info_local=[GONE]) as bot:
        root = await bot.ws.post(GENERAL, URL)
        await bot.bot.settled()
        [message] = await bot.say(text, root)
        [watch] = await bot.kept()

    assert (message.thread_ts, message.ephemeral_to) == (root, None)
    assert "Not indexable" in message.words
    assert (watch.thread_ts, watch.until_indexed) == (root, until)
    assert bot.refused() == []


@pytest.mark.parametrize(
    ("channel", "how", "began"),
    [(GENERAL, {"mention": True}, True), (DM, {}, True), (GENERAL, {}, False)],
    ids=["mention", "direct message", "to nobody"],
)
async def test_a_mention_and_a_direct_message_do_the_same(
    channel: str, how: dict[str, Any], began: bool, database: Path
) -> None:
    """In the thread of the message that asked. Among people, the word alone asks nothing of us."""
    async with watched(database) as bot:
        root = await bot.ws.post(channel, f"watch {OTHER}", **how)
        messages = await bot.bot.settled(channel)
        watches = await bot.kept(channel=channel)

    assert [(watch.thread_ts, watch.channel) for watch in watches] == ([(root, channel)] if began else [])
    assert {message.thread_ts for message in messages} == {root}


async def test_another_page_can_be_watched_in_a_thread_and_in_one_about_no_page(database: Path) -> None:
    """Its address says which; where the thread is nobody's, by mention."""
    async with watched(database) as bot:
        ours = await bot.ws.post(GENERAL, URL)
        await bot.bot.settled()
        await bot.say(f"watch {OTHER}", ours)
        foreign = await bot.ws.post(RANDOM, "good morning")
        bare = await bot.say("watch", foreign, channel=RANDOM, mention=True)
        await bot.say(f"watch {OTHER}", foreign, channel=RANDOM, mention=True)
        keys = [(watch.channel, watch.key) for watch in await bot.kept()]

    assert keys == [(GENERAL, "example,docs!,/other s443"), (RANDOM, "example,docs!,/other s443")]
    assert "which page this thread is about" in words(bare)


async def test_what_is_in_the_index_already_is_not_waited_for(database: Path) -> None:
    """The one who asked is told so."""
    async with watched(database) as bot:
        [message] = await bot.slash(f"watch {URL} until indexed")
        watches = await bot.kept()

    assert ("in the index already" in message.words, message.ephemeral_to, watches) == (True, "U0ANN", [])


async def test_a_page_that_is_watched_here_is_not_watched_twice(database: Path) -> None:
    """Whoever asks is told the watch that there is."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        [again] = await bot.slash(f"watch {URL}", user="U0BEN")
        watches = await bot.kept()

    assert ("watched in this channel already (watch 1)" in again.words, again.ephemeral_to) == (True, "U0BEN")
    assert len(watches) == 1


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ({"watches_per_user": 1}, "You watch 1 page, which is as many as one person may."),
        ({"watches_per_channel": 1}, "This channel has 1 watched page, which"),
        ({"watches_per_user": 0}, "You watch 0 pages"),
    ],
    ids=str,
)
async def test_past_the_limit_one_sentence_says_so(limit: dict[str, int], says: str, database: Path) -> None:
    """To the one who asked, and nothing is posted."""
    async with watched(database, changed=limit) as bot:
        await bot.slash(f"watch {URL}")
        last = (await bot.slash(f"watch {OTHER}"))[-1]

    assert (says in last.words, last.ephemeral_to) == (True, "U0ANN")
    assert "/inspect unwatch with a number stops one" in last.words


async def test_where_the_bot_cannot_write_nothing_is_watched(database: Path) -> None:
    """A slash command works in channels that the bot is not in."""
    async with watched(database) as bot:
        [message] = await bot.slash(f"watch {URL}", channel=OUTSIDE)
        watches = await bot.kept(channel=OUTSIDE)

    assert ("I cannot write in this channel" in message.words, message.ephemeral_to) == (True, "U0ANN")
    assert watches == []


async def test_a_watch_that_could_not_be_told_is_not_kept(database: Path) -> None:
    """And the asker hears of the failure."""
    async with watched(database) as bot:
        bot.ws.fail_next("chat.postMessage", FaultKind.error("invalid_auth"))
        [message] = await bot.slash(f"watch {URL}")
        watches = await bot.kept()

    assert ("invalid_auth" in message.words, watches) == (True, [])


async def test_without_a_database_nothing_can_be_watched() -> None:
    """One sentence."""
    async with running() as bot:
        await bot.ws.slash("/inspect", f"watch {URL}")
        [message] = await bot.settled()

    assert message.words == "⚠️ The bot has no database here, and cannot keep watches."


# the list


async def three(bot: Watched) -> None:
    """Ann watches two pages, one of them elsewhere; Ben watches one here."""
    await bot.slash(f"watch {URL}")
    await bot.slash(f"watch {OTHER}", channel=RANDOM)
    await bot.slash(f"watch {OTHER}", user="U0BEN")


async def test_the_list_has_ones_own_watches_and_those_of_the_channel(database: Path) -> None:
    """For the asker alone."""
    async with watched(database) as bot:
        await three(bot)
        [anns] = await bot.slash("watches")
        [bens] = await bot.slash("watches", channel=RANDOM, user="U0BEN")

    assert anns.ephemeral_to == "U0ANN"
    assert [f"{number} {url}" in anns.words for number, url in ((1, URL), (2, OTHER), (3, OTHER))] == [True] * 3
    assert [f"{number} {url}" in bens.words for number, url in ((1, URL), (2, OTHER), (3, OTHER))] == [
        False,
        True,
        True,
    ]
    assert bot.refused() == []


async def test_a_list_that_others_read_has_the_watches_of_the_channel_alone(database: Path) -> None:
    """What Ann watches in another channel is nobody's business here."""
    async with watched(database) as bot:
        await three(bot)
        [message] = await bot.say("watches", mention=True)

    assert message.ephemeral_to is None
    assert [f"{number} {url}" in message.words for number, url in ((1, URL), (2, OTHER), (3, OTHER))] == [
        True,
        False,
        True,
    ]


async def test_a_long_list_is_cut_and_says_so(database: Path) -> None:
    """Slack takes it."""
    long = "https://docs.example/" + "a" * 1_500
    async with watched(database, changed={"watches_per_user": 100}) as bot:
        await bot.slash(f"watch {URL}")
        [watch] = await bot.kept()
        for number in range(45):
            new = {name: getattr(watch, name) for name in ("enterprise", "team", "channel", "user", "standing")}
            key = f"{watch.key.removesuffix(' s443')}{number}/{long[21:]} s443"
            await bot.state.watches.add(
                type(watch)(**new, thread_ts="1.0", key=key), watch.next_at, per_user=100, per_channel=100
            )
        [message] = await bot.slash("watches")

    assert "And 16 more." in message.words
    assert bot.refused() == []


async def test_nothing_watched_is_said_with_an_example(database: Path) -> None:
    """An empty list would be no answer."""
    async with watched(database) as bot:
        [message] = await bot.slash("watches")

    assert "Nothing is watched here. Example: /inspect watch https://example.com/page" in message.words


# stopping


@pytest.mark.parametrize("text", ["unwatch", "stop", "stop watching please"])
async def test_in_its_thread_a_watch_is_stopped_by_anyone(text: str, database: Path) -> None:
    """Everyone there reads who it was."""
    async with watched(database) as bot:
        [began] = await bot.slash(f"watch {URL}")
        [message] = await bot.say(text, began.ts, user="U0BEN")
        watches = await bot.kept()
        again = await bot.say(text, began.ts)

    assert (message.thread_ts, message.ephemeral_to, watches) == (began.ts, None, [])
    assert f"stopped the watch of {URL}" in message.words
    assert "U0BEN" in str(message.blocks)
    assert ("Nothing is watched in this thread." in words(again), again[0].ephemeral_to) == (True, "U0ANN")
    assert bot.refused() == []


@pytest.mark.parametrize("what", [URL, "1"])
async def test_a_command_stops_by_address_and_by_number(what: str, database: Path) -> None:
    """The asker is told, and so is the thread."""
    async with watched(database) as bot:
        [began] = await bot.slash(f"watch {URL}")
        told, answer = await bot.slash(f"unwatch {what}")
        [again] = await bot.slash(f"unwatch {what}")
        watches = await bot.kept()

    assert (told.thread_ts, answer.ephemeral_to, watches) == (began.ts, "U0ANN", [])
    assert (f"Stopped: {URL}." in answer.words, "not watched any more" in again.words) == (True, True)


@pytest.mark.parametrize(
    ("channel", "user", "left"),
    [(GENERAL, "U0BEN", 0), (RANDOM, "U0ANN", 0), (RANDOM, "U0BEN", 1)],
    ids=["in its channel", "by its owner", "a stranger elsewhere"],
)
@pytest.mark.parametrize("what", [URL, "1"])
async def test_who_may_stop_a_watch(what: str, channel: str, user: str, left: int, database: Path) -> None:
    """Its owner anywhere, and everyone where it writes."""
    async with watched(database) as bot:
        await bot.slash(f"watch {URL}")
        await bot.slash(f"unwatch {what}", channel=channel, user=user)
        watches = await bot.kept()

    assert len(watches) == left


async def test_the_button_stops_it_once(database: Path) -> None:
    """A second press is told that nothing is left to stop."""
    async with watched(database) as bot:
        [began] = await bot.slash(f"watch {URL}")
        await bot.ws.click(began, actions.ACTION_UNWATCH, user="U0BEN")
        await bot.ws.click(began, actions.ACTION_UNWATCH)
        told, again = (await bot.bot.settled())[1:]

    assert (told.thread_ts, "stopped the watch" in told.words) == (began.ts, True)
    assert ("not watched any more" in again.words, again.ephemeral_to) == (True, "U0ANN")


@pytest.mark.parametrize("value", ["2", "", "x", "9" * 30])
async def test_a_button_of_another_channel_or_of_nothing_stops_nothing(value: str, database: Path) -> None:
    """The click says where it was made."""
    async with watched(database) as bot:
        [began] = await bot.slash(f"watch {URL}")
        await bot.slash(f"watch {OTHER}", channel=RANDOM)
        [block] = [block for block in began.blocks if block["type"] == "actions"]
        block["elements"][-1]["value"] = value
        await bot.ws.click(began, actions.ACTION_UNWATCH)
        answer = (await bot.bot.settled())[-1]
        watches = await bot.kept()

    assert ("not watched any more" in answer.words, len(watches)) == (True, 2)
