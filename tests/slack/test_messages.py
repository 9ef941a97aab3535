from __future__ import annotations

from typing import Any

import pytest

from tests.slack.running import DM, GENERAL, OTHER, OUTSIDE, PAGE, URL, running

FULL, SHORT, TABLE, HELP = "Filter", "Filter table", "2 URLs", "/inspect https://"
EVENT: dict[str, Any] = {"type": "message", "channel": GENERAL, "channel_type": "channel", "user": "U0ANN"}


@pytest.mark.parametrize(
    ("channel", "text", "mention", "says"),
    [
        (GENERAL, f"is this in? {URL}", False, "INDEXABLE"),
        (GENERAL, f"{URL} and {OTHER}", False, "2 URLs"),
        (GENERAL, URL, True, "INDEXABLE"),
        (GENERAL, f"{URL} {OTHER}", True, "2 URLs"),
        (GENERAL, "", True, HELP),
        (GENERAL, "help", True, HELP),
        (GENERAL, "hash:892221456919234349", True, URL),
        (GENERAL, "example,docs!,/guide s443", True, "INDEXABLE"),
        (DM, URL, False, "INDEXABLE"),
        (DM, "help", False, HELP),
    ],
)
async def test_a_message_is_answered_once_in_its_own_thread(channel: str, text: str, mention: bool, says: str) -> None:
    """A mention comes as two events with one ts, and gets one answer."""
    async with running() as bot:
        ts = await bot.ws.post(channel, text, mention=mention)
        replies = await bot.settled(channel)

    assert [(reply.thread_ts, reply.ephemeral_to) for reply in replies] == [(ts, None)]
    assert says in replies[0].words


async def test_a_paste_gets_the_short_answer_and_a_mention_the_whole() -> None:
    """A channel where people paste links is not flooded: the filter table is one click away."""
    async with running() as bot:
        await bot.ws.post(GENERAL, URL)
        await bot.ws.post(GENERAL, URL, mention=True)
        replies = await bot.settled()

    tables = [any(block["type"] == "table" for block in reply.blocks) for reply in replies]
    assert tables == [False, True]


async def test_a_paste_within_a_thread_is_answered_there() -> None:
    """Not in a thread of its own below the thread."""
    async with running() as bot:
        root = await bot.ws.post(GENERAL, "good morning")
        await bot.ws.post(GENERAL, URL, thread_ts=root)
        [reply] = await bot.settled()

    assert reply.thread_ts == root


@pytest.mark.parametrize("text", ["good morning", "look at README.md", "mailto:ann@mail.example", "ftp://a.example/"])
async def test_a_message_without_a_web_url_gets_no_answer(text: str) -> None:
    """Nor does a mistake in one: nobody asked the bot."""
    async with running() as bot:
        await bot.ws.post(GENERAL, text)
        replies = await bot.settled()

    assert replies == []


@pytest.mark.parametrize("in_thread", [False, True])
async def test_a_mistake_in_a_mention_is_told_to_its_writer(in_thread: bool) -> None:
    """To the writer alone; in the thread where there is one, as Slack shows no ephemeral in a thread that is not."""
    async with running() as bot:
        root = await bot.ws.post(GENERAL, "good morning") if in_thread else None
        await bot.ws.post(GENERAL, "ftp://docs.example/a", mention=True, thread_ts=root)
        [reply] = await bot.settled()

    assert (reply.ephemeral_to, reply.thread_ts) == ("U0ANN", root)
    assert "only http and https" in reply.words


@pytest.mark.parametrize(
    "changed",
    [
        {"user": "U0BOT", "bot_id": "B0BOT"},
        {"bot_id": "B0BOT", "user": None},
        {"bot_id": "B0OTHER"},
        {"bot_profile": {"id": "B0OTHER"}},
        {"subtype": "bot_message", "bot_id": "B0OTHER", "user": None},
        {"subtype": "message_changed", "hidden": True, "message": {"text": URL, "ts": "1.1", "user": "U0ANN"}},
        {"subtype": "message_deleted", "hidden": True, "previous_message": {"text": URL}},
        {"subtype": "channel_join"},
        {"subtype": "channel_topic"},
        {"user": "USLACKBOT"},
        {"user": None},
        {"type": "app_mention", "bot_id": "B0OTHER"},
        {"channel": None},
        {"ts": None},
    ],
    ids=lambda changed: ",".join(changed),
)
async def test_bots_edits_and_slack_itself_get_no_answer(changed: dict[str, Any]) -> None:
    """bolt-python #307, python-slack-sdk #390, bolt-js #463: no loop with a bot; link expansion is an edit."""
    event = {**EVENT, "ts": "1700000000.000100", "text": URL, **changed}
    async with running() as bot:
        delivery = await bot.ws.send_event({name: value for name, value in event.items() if value is not None})
        replies = await bot.settled()

    assert (delivery.status, replies) == (200, [])


@pytest.mark.parametrize(
    "changed",
    [
        {"subtype": "file_share", "files": [{"id": "F1", "name": "a.txt"}]},
        {"subtype": "thread_broadcast", "thread_ts": "1700000000.000001"},
        {"subtype": "me_message"},
        {"blocks": "not a list"},
        {"blocks": [{"type": "rich_text", "elements": [None, 7]}]},
    ],
    ids=lambda changed: next(iter(changed.values()))[:20],
)
async def test_what_a_person_wrote_is_answered_whatever_its_kind(changed: dict[str, Any]) -> None:
    """bolt-python #644, #488: files and broadcasts are messages."""
    async with running() as bot:
        await bot.ws.send_event({**EVENT, "ts": "1700000000.000100", "text": URL, **changed})
        replies = await bot.settled()

    assert len(replies) == 1


async def test_a_mention_with_a_file_is_answered_though_it_comes_as_a_message_only() -> None:
    """bolt-python #925: app_mention is absent when a file is attached."""
    event = {**EVENT, "subtype": "file_share", "ts": "1700000000.000100", "text": f"<@U0BOT> {URL}", "files": []}
    async with running() as bot:
        await bot.ws.send_event(event)
        [reply] = await bot.settled()

    assert any(block["type"] == "table" for block in reply.blocks)


@pytest.mark.parametrize("new_event_id", [False, True])
async def test_a_retry_of_slack_is_answered_once(new_event_id: bool) -> None:
    """bolt-python #731, #1027, #868, #75, #764: the same event_id, or a new one for the same message."""
    async with running() as bot:
        await bot.ws.post(GENERAL, URL)
        again = await bot.ws.redeliver(bot.ws.deliveries[-1], new_event_id=new_event_id)
        replies = await bot.settled()

    assert (again.status, len(replies)) == (200, 1)


async def test_a_retry_while_the_first_is_still_worked_on_is_answered_once() -> None:
    """bolt-python #1302: the key is taken before the work begins."""
    async with running(page_info_local=0.3) as bot:
        await bot.ws.post(GENERAL, URL)
        await bot.ws.redeliver(bot.ws.deliveries[-1])
        replies = await bot.settled()

    assert len(replies) == 1


async def test_an_edit_that_adds_a_url_is_not_answered() -> None:
    """bolt-js #463: Slack's own link expansion looks the same."""
    async with running() as bot:
        await bot.ws.post(GENERAL, "soon")
        await bot.ws.edit(bot.ws.messages(GENERAL)[0], URL)
        replies = await bot.settled()

    assert replies == []


@pytest.mark.parametrize("kind", ["reaction_added", "team_join", "app_home_opened", "function_executed", "link_shared"])
async def test_an_event_that_nobody_listens_to_is_taken(kind: str) -> None:
    """bolt-python #299, #273: a 404 would count as a failure, and 95% of them end the subscription."""
    async with running() as bot:
        delivery = await bot.ws.send_event({"type": kind, "user": "U0ANN"})

    assert delivery.status == 200


async def test_a_message_of_40_000_characters_is_answered() -> None:
    """Long, and with one URL at its end."""
    async with running() as bot:
        await bot.ws.post(GENERAL, "word " * 7_900 + URL)
        replies = await bot.settled()

    assert len(replies) == 1


async def test_where_the_bot_was_removed_the_failure_is_logged_and_the_bot_lives(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """not_in_channel: there is no way to answer, so the log has Slack's word, and the next message is answered."""
    async with running(page_info_local=[PAGE]) as bot:
        await bot.ws.send_event({**EVENT, "channel": OUTSIDE, "ts": "1700000000.000100", "text": URL})
        await bot.settled()
        await bot.ws.post(GENERAL, URL)
        replies = await bot.settled()

    assert "not_in_channel" in caplog.text
    assert len(replies) == 1
