from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from bot.render import actions
from bot.workspace import FaultKind, Message, View
from tests.slack.running import GENERAL, OUTSIDE, PAGE, URL, Running, running

ANN = "U0ANN"


async def asked(bot: Running, channel: str = GENERAL) -> Message:
    """The whole answer to /inspect."""
    await bot.ws.slash("/inspect", URL, channel=channel)
    return (await bot.settled(channel))[-1]


async def shown(bot: Running) -> View:
    """The modal that Ann sees at the end."""
    await bot.settled()
    return bot.ws.views(ANN)[-1]


def actions_block(button: dict[str, Any]) -> dict[str, Any]:
    return {"type": "actions", "block_id": "b1", "elements": [button]}


async def test_a_short_answer_opens_the_whole_one_in_the_thread() -> None:
    """The filter table is one click away from a paste."""
    async with running() as bot:
        ts = await bot.ws.post(GENERAL, URL)
        [short] = await bot.settled()
        ack = await bot.ws.click(short, actions.ACTION_FILTERS)
        whole = (await bot.settled())[-1]

    assert ack.status == 200
    assert whole.thread_ts == ts
    assert any(block["type"] == "table" for block in whole.blocks)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (PAGE, "Rechecked: nothing changed."),
        ({**PAGE, "pass_canonical": 0}, "Verdict Indexable → Not indexable, Canonical PASS → FAIL"),
        ({**PAGE, "f_download_stamp": 1_796_100_000}, "Last crawled 2026-11-30 00:53:20 → 2026-12-01 04:40:00"),
        (None, "Verdict Indexable → Not crawled"),
    ],
)
async def test_recheck_edits_the_message_and_says_what_changed(row: dict[str, Any] | None, says: str) -> None:
    """The facts of the first look travel in the button, so no state is needed."""
    async with running(page_info_local=[PAGE]) as bot:
        before = await asked(bot)
        bot.store.says(page_info_local=[row] if row else [])
        await bot.ws.click(before, actions.ACTION_RECHECK)
        [after] = await bot.settled()

    assert after.ts == before.ts
    assert says in after.words


async def test_a_second_recheck_compares_with_the_first() -> None:
    """The edited message carries the new facts."""
    async with running(page_info_local=[PAGE]) as bot:
        message = await asked(bot)
        for stamp in (1_796_100_000, 1_796_100_000):
            bot.store.says(page_info_local=[{**PAGE, "f_download_stamp": stamp}])
            await bot.ws.click(message, actions.ACTION_RECHECK)
            [message] = await bot.settled()

    assert "Rechecked: nothing changed." in message.words


async def test_recheck_works_where_the_bot_is_no_member() -> None:
    """chat.update would be refused there; the click's response_url is not."""
    async with running() as bot:
        await bot.ws.click(await asked(bot, OUTSIDE), actions.ACTION_RECHECK)
        [after] = await bot.settled(OUTSIDE)

    assert "Rechecked" in after.words


async def test_recheck_takes_the_web_api_when_the_response_url_is_gone() -> None:
    """respond() returns normally whatever the URL says."""
    async with running() as bot:
        message = await asked(bot)
        bot.ws.fail_next("response_url", FaultKind.error("expired_url"))
        await bot.ws.click(message, actions.ACTION_RECHECK)
        [after] = await bot.settled()

    assert (after.via, "Rechecked" in after.words) == ("chat.update", True)


async def test_the_text_opens_in_a_modal_and_turns_its_pages() -> None:
    """6,500 characters are three pages; the modal itself knows what it shows."""
    async with running() as bot:
        await bot.ws.click(await asked(bot), actions.ACTION_TEXT)
        pages = [await shown(bot)]
        for button in (actions.ACTION_NEXT, actions.ACTION_NEXT, actions.ACTION_PREVIOUS):
            await bot.ws.click(pages[-1], button)
            pages.append(await shown(bot))

    assert [page.words.partition("\n")[2][:11] for page in pages] == [
        "Page 1 of 3",
        "Page 2 of 3",
        "Page 3 of 3",
        "Page 2 of 3",
    ]
    assert {page.id for page in pages} == {pages[0].id}


async def test_the_whole_text_goes_into_the_thread_as_a_file() -> None:
    """The modal has pages; the file has all of it, and the modal says where it is."""
    async with running() as bot:
        message = await asked(bot)
        await bot.ws.click(message, actions.ACTION_TEXT)
        await bot.ws.click(await shown(bot), actions.ACTION_FILE)
        view = await shown(bot)
        [file] = bot.ws.files

    assert (file.channels, len(file.content or b"")) == ((GENERAL,), 6_500)
    assert "The whole text is in the thread, as a file." in view.words


async def test_a_file_that_slack_refuses_is_told_in_the_modal() -> None:
    """The pages are still there, and the reason has Slack's name."""
    async with running() as bot:
        await bot.ws.click(await asked(bot), actions.ACTION_TEXT)
        bot.ws.fail_next("files.getUploadURLExternal", FaultKind.error("missing_scope"))
        await bot.ws.click(await shown(bot), actions.ACTION_FILE)
        view = await shown(bot)

    assert "Slack took no file here (missing_scope)" in view.words
    assert "Page 1 of 3" in view.words


async def test_raw_queries_open_in_a_modal() -> None:
    """Query, response and command of every step."""
    async with running() as bot:
        await bot.ws.click(await asked(bot), actions.ACTION_RAW)
        view = await shown(bot)

    assert "page_info_local" in view.words
    assert "curl shard-" in view.words


async def test_a_modal_opens_at_once_and_waits_for_a_slow_index() -> None:
    """bolt-python #886, #772, #434, #306: a trigger lives 3 seconds, a query may take longer."""
    async with running(page_info_local=[PAGE]) as bot:
        message = await asked(bot)
        bot.store.says(page_info_local=0.5)
        await bot.ws.click(message, actions.ACTION_RAW)
        await asyncio.sleep(0.2)
        waiting = bot.ws.views(ANN)[-1].words
        view = await shown(bot)

    assert waiting == "Looking…"
    assert "page_info_local" in view.words


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "No text is stored for this page."),
        (ZeroDivisionError(), "Something went wrong here"),
    ],
)
async def test_a_modal_never_stays_waiting(rows: Any, says: str) -> None:
    """Whatever goes wrong stands in the modal."""
    async with running(page_info_local=[PAGE]) as bot:
        message = await asked(bot)
        bot.store.says(page_info_local=rows)
        await bot.ws.click(message, actions.ACTION_TEXT)
        view = await shown(bot)

    assert says in view.words


async def test_a_trigger_that_expired_is_told_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    """bolt-python #886: Slack took too long to bring us the click; it does not look as if nothing had happened."""
    async with running() as bot:
        message = await asked(bot)
        bot.ws.fail_next("views.open", FaultKind.error("expired_trigger_id"))
        await bot.ws.click(message, actions.ACTION_TEXT)
        told = (await bot.settled())[-1]

    assert (told.ephemeral_to, "expired_trigger_id" in told.words) == (ANN, True)
    assert "expired_trigger_id" in caplog.text


@pytest.mark.parametrize(
    ("action_id", "value"),
    [
        ("a_button_of_an_older_release", "1"),
        (actions.ACTION_REPORT, ""),
        (actions.ACTION_RECHECK, "not JSON"),
        (actions.ACTION_RECHECK, '{"hash":"-1"}'),
        (actions.ACTION_FILTERS, "{}"),
        (actions.ACTION_TEXT, '{"hash":"5"}'),
        (actions.ACTION_NEXT, "x"),
    ],
)
async def test_every_button_is_acknowledged_even_an_unknown_or_altered_one(action_id: str, value: str) -> None:
    """bolt-python #264, #345, node-slack-sdk #869: without an ack Slack shows a warning triangle."""
    button = {"type": "button", "action_id": action_id, "text": {"type": "plain_text", "text": "x"}, "value": value}
    async with running() as bot:
        message = await asked(bot)
        forged = Message(message.channel, message.ts, message.user, "x", "user", blocks=(actions_block(button),))
        ack = await bot.ws.click(forged, action_id)
        await bot.settled()

    assert (ack.status, ack.error) == (200, None)


async def test_a_button_that_lost_its_subject_says_so_to_who_clicked() -> None:
    """One sentence, and what to do."""
    button = {"type": "button", "action_id": actions.ACTION_RECHECK, "text": {"type": "plain_text", "text": "x"}}
    async with running() as bot:
        message = await asked(bot)
        block = actions_block({**button, "value": "{}"})
        await bot.ws.click(Message(GENERAL, message.ts, "U0BOT", "x", "user", blocks=(block,)), actions.ACTION_RECHECK)
        told = (await bot.settled())[-1]

    assert told.ephemeral_to == ANN
    assert "inspect the page again" in told.words


async def test_an_answer_is_shared_with_the_channel() -> None:
    """For answers that only one person sees: a new message for everyone."""
    button = {"type": "button", "action_id": actions.ACTION_SHARE, "text": {"type": "plain_text", "text": "x"}}
    async with running() as bot:
        message = await asked(bot)
        value = json.dumps({"key": PAGE["key"], "hash": "1"})
        private = Message(
            GENERAL, message.ts, "U0BOT", "x", "user", blocks=(actions_block({**button, "value": value}),)
        )
        await bot.ws.click(private, actions.ACTION_SHARE)
        [_, shared] = await bot.settled()

    assert (shared.ephemeral_to, shared.thread_ts) == (None, None)
    assert "INDEXABLE" in shared.words


async def test_shortcuts_and_views_that_nobody_listens_to_are_taken() -> None:
    """bolt-python #299: every kind has a listener of last resort."""
    async with running() as bot:
        message = await asked(bot)
        acks = [await bot.ws.shortcut("unknown"), await bot.ws.message_shortcut("unknown", message)]

    assert [ack.status for ack in acks] == [200, 200]
