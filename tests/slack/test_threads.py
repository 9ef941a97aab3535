"""Follow-ups in threads, over signed HTTP with the stand-in workspace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from bot.index.sample import EXAMPLES
from bot.inspection.pipeline import Inspector
from bot.render import actions
from bot.slack.followups.grammar import COMMANDS
from bot.state.state import State
from bot.workspace import FaultKind, Message
from bot.workspace.model import SCOPES
from tests.slack.in_threads import started, workspace
from tests.slack.running import DM, GENERAL, OTHER, PAGE, URL

ANN = "U0ANN"
NO_HISTORY = frozenset({"chat:write", "commands", "app_mentions:read"})
NO_FILES = frozenset(SCOPES) - {"files:write"}
REASON = {**PAGE, "pass_canonical": 0, "f_meta_canonical": "example,docs!,/other s443"}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The bot's own, which outlives a process."""
    return tmp_path / "state.db"


def shown(messages: list[Message]) -> str:
    return "\n".join(message.words for message in messages)


def public(messages: list[Message]) -> list[tuple[str | None, str | None]]:
    """(thread, reader) of each."""
    return [(message.thread_ts, message.ephemeral_to) for message in messages]


@pytest.mark.parametrize("begun", ["paste", "mention", "direct message"])
async def test_why_is_answered_in_the_thread(begun: str, database: Path) -> None:
    """Without a slash and without a mention, for everyone."""
    channel = DM if begun == "direct message" else GENERAL
    async with workspace() as threads, started(threads, database):
        root = await threads.paste(URL, channel=channel, mention=begun == "mention")
        answers = await threads.say("why?", root, channel=channel)

    assert public(answers) == [(root, None)]
    assert "Indexable: every rule passes." in shown(answers)


async def test_a_mention_in_the_thread_is_answered_once(database: Path) -> None:
    """It comes as two events."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste(URL)
        answers = await threads.say("why?", root, mention=True)

    assert public(answers) == [(root, None)]


@pytest.mark.parametrize("command", [command.typed for command in COMMANDS])
async def test_every_command_is_answered_and_slack_takes_the_answer(command: str, database: Path) -> None:
    """The whole grammar, in one thread of a page that leads elsewhere."""
    async with workspace() as threads, started(threads, database):
        threads.store.says(page_info_local=[REASON])
        root = await threads.paste(URL)
        answers = await threads.say(command, root)

    assert [message.thread_ts for message in answers if not message.files] == [root]
    assert threads.refused() == []
    assert "⚠️" not in shown(answers)


@pytest.mark.parametrize("name", EXAMPLES)
async def test_texts_and_other_pages_of_every_example_of_the_sample(
    name: str, inspector: Inspector, database: Path
) -> None:
    """Real queries and real pages; each question gets one answer, and Slack takes it."""
    said = ("text", "readable", "canonical", f"compare {EXAMPLES['indexable']}")
    async with workspace() as threads, started(threads, database, inspector):
        root = await threads.paste(EXAMPLES[name], mention=True)
        answers = [await threads.say(text, root) for text in said]

    assert [public(answer) for answer in answers] == [[(root, None)]] * len(said)
    assert threads.refused() == []


async def test_a_new_url_is_inspected_and_becomes_what_the_thread_is_about(database: Path) -> None:
    """The next question is about the page inspected last."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste(URL)
        threads.store.says(page_info_local=[])
        [inspected] = await threads.say(OTHER, root)
        answers = await threads.say("why?", root)

    assert inspected.thread_ts == root
    assert OTHER in shown(answers)
    assert "Not crawled" in shown(answers)


async def test_compare_shows_two_columns(database: Path) -> None:
    """The page of the thread, and the one that is named."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste(URL)
        [compared] = await threads.say(f"compare with {OTHER}", root)

    [table] = [block for block in compared.blocks if block["type"] == "table"]
    header = [cell["text"] for cell in table["rows"][0]]
    assert header[1:] == [URL, OTHER]


async def test_recheck_says_what_changed_since(database: Path) -> None:
    """The facts of the last look are remembered with the thread."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste(URL, mention=True)
        threads.store.says(page_info_local=[REASON])
        first = await threads.say("recheck", root)
        second = await threads.say("recheck", root)

    assert "Verdict Indexable → Not indexable, Canonical PASS → FAIL" in shown(first)
    assert "Rechecked: nothing changed." in shown(second)


async def test_as_of_judges_the_past_and_recheck_comes_back_to_now(database: Path) -> None:
    """What follows is about that instant too, and says so."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste(URL)
        past = await threads.say("as of 2026-04-06", root)
        why = await threads.say("why", root)
        now = await threads.say("recheck", root)

    assert "As of" in shown(past)
    assert "as of" in shown(why)
    assert "As of" not in shown(now)


async def test_the_text_button_opens_that_text(database: Path) -> None:
    """The answer has the first part, the modal has all of it."""
    async with workspace() as threads, started(threads, database):
        threads.store.says(page_info_local=[{**PAGE, "size": 6_500, "digest": "d", "piece": "d29yZCA="}])
        root = await threads.paste(URL)
        [answer] = await threads.say("text", root)
        await threads.ws.click(answer, actions.ACTION_TEXT)
        await threads.bot.idle(10)
        view = threads.ws.views(ANN)[-1]

    assert "Boilerpipe Text of" in answer.words
    assert "Page 1 of 3" in view.words


# who is spoken to


@pytest.mark.parametrize("mention", [False, True])
async def test_what_is_not_understood_gets_one_line_for_its_writer(mention: bool, database: Path) -> None:
    """Three commands; the other readers are spared."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste(URL)
        answers = await threads.say("почему нет в индексе?", root, mention=mention)

    assert public(answers) == [(root, ANN)]
    assert "Did you mean why, filters or details?" in shown(answers)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("as of yesterday", "Read 'yesterday' as a time"),
        ("compare", "needs an address; example: compare https://example.com/other"),
        ("raw 9", "There is no step 9; the steps are 1 shard"),
        ("compare ftp://a.example/x", "Did you mean compare https://example.com/other"),
    ],
)
async def test_a_mistake_is_told_to_its_writer(text: str, says: str, database: Path) -> None:
    """In the thread, with an example."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste(URL)
        answers = await threads.say(text, root)

    assert public(answers) == [(root, ANN)]
    assert says in shown(answers)


@pytest.mark.parametrize("text", ["<@U0BEN> can you look at this?", "<@U0BEN> why", "thanks!", "👍", "ok, got it"])
async def test_people_talk_to_each_other(text: str, database: Path) -> None:
    """Words to somebody else and thanks get no answer."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste(URL)
        answers = await threads.say(text, root)

    assert answers == []


# whose thread it is


async def test_a_thread_about_many_pages_asks_which_one(database: Path) -> None:
    """A table has no one subject; a URL says which page is meant."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste(f"{URL} {OTHER}")
        table = await threads.say("why?", root)
        inspected = await threads.say(URL, root, mention=True)
        answers = await threads.say("why?", root)

    assert public(table) == [(root, ANN)]
    assert "which page this thread is about" in shown(table)
    assert [len(inspected), len(answers)] == [1, 1]
    assert "every rule passes" in shown(answers)


@pytest.mark.parametrize("text", ["why?", "raw 2", "as of yesterday", "good morning", "lunch?", "compare"])
async def test_a_foreign_thread_is_left_alone(text: str, database: Path) -> None:
    """Not even a command is taken there without a mention."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste("good morning")
        answers = [*await threads.say(text, root), *await threads.say(text, root)]

    assert answers == []
    assert threads.asked_slack() <= 1


async def test_a_mention_in_a_foreign_thread_is_told_what_is_missing(database: Path) -> None:
    """It is to the bot, and there is no page to ask about."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste("good morning")
        answers = await threads.say("why?", root, mention=True)

    assert public(answers) == [(root, ANN)]
    assert "which page this thread is about" in shown(answers)


async def test_a_paste_in_a_foreign_thread_makes_it_ours(database: Path) -> None:
    """As it was answered there."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste("good morning")
        await threads.say("why?", root)
        pasted = await threads.say(URL, root)
        answers = await threads.say("why?", root)

    assert [len(pasted), len(answers)] == [1, 1]


async def test_a_new_process_answers_from_the_database(database: Path) -> None:
    """After a restart, and without the history scope."""
    async with workspace(scopes=NO_HISTORY) as threads:
        async with started(threads, database):
            root = await threads.paste(URL, mention=True)
        async with started(threads, database):
            answers = await threads.say("why?", root, mention=True)

    assert public(answers) == [(root, None)]
    assert "every rule passes" in shown(answers)


@pytest.mark.parametrize("begun", ["paste", "slash"])
async def test_a_new_process_with_an_empty_database_answers_from_slack(begun: str, tmp_path: Path) -> None:
    """The message says itself what it is about: another replica, another machine."""
    async with workspace() as threads:
        async with started(threads, tmp_path / "one.db"):
            if begun == "paste":
                root = await threads.paste(URL)
            else:
                await threads.ws.slash("/inspect", URL)
                await threads.bot.idle(10)
                root = threads.replies()[-1].ts
        async with started(threads, tmp_path / "two.db"):
            answers = await threads.say("why?", root)

    assert public(answers) == [(root, None)]
    assert "every rule passes" in shown(answers)


async def test_in_a_thread_that_the_bot_began_nothing_is_left_unanswered() -> None:
    """Slack says whose message a thread began with; with an empty database the rest is read from Slack."""
    async with workspace() as threads, started(threads, None):
        await threads.ws.slash("/inspect", URL)
        await threads.bot.idle(10)
        root = threads.replies()[-1].ts
        await threads.say("lunch?", root)

    assert public(threads.replies()[1:]) == [(root, ANN)]
    assert "Not understood" in shown(threads.replies())


async def test_without_a_database_slack_is_asked() -> None:
    """Nothing is remembered, and still every thread is known."""
    async with workspace() as threads, started(threads, None):
        root = await threads.paste(URL)
        answers = await threads.say("why?", root)

    assert public(answers) == [(root, None)]


LINKING: dict[str, Any] = {"public_url": "https://bot.example", "link_keys": (SecretStr("k" * 40),)}
LONG = {**PAGE, "f_meta_title": "title " * 4_000}


async def test_what_a_message_has_no_room_for_is_a_file_in_the_thread() -> None:
    """All of it; the message says so and does not repeat it."""
    async with workspace() as threads, started(threads, None):
        threads.store.says(page_info_local=[LONG])
        root = await threads.paste(URL)
        answers = await threads.say("json", root)
        [file] = [file for file in threads.ws.state.files.values() if file.name == "inspection.json"]

    assert json.loads(file.content or b"")["page"]["meta_title"] == LONG["f_meta_title"]
    assert {answer.thread_ts for answer in answers} == {root}
    assert "All of it is in inspection.json" in answers[-1].words
    assert len(answers[-1].words) < 500


async def test_where_slack_takes_no_file_a_long_answer_is_cut_and_says_why() -> None:
    """Without files:write, as much as a message holds, the reason, and the whole by a link where there is one."""
    async with workspace(scopes=NO_FILES) as threads, started(threads, None, **LINKING):
        threads.store.says(page_info_local=[LONG])
        root = await threads.paste(URL)
        [answer] = await threads.say("json", root)
        [raw] = await threads.say("raw", root)

    assert "Slack took no inspection.json with all of it (missing_scope)" in answer.words
    assert "JSON (the first " in answer.words
    assert ["bot.example/r/" in json.dumps(message.payload["blocks"]) for message in (answer, raw)] == [True, True]


async def test_without_history_and_memory_a_mention_is_told_what_is_missing() -> None:
    """missing_scope is no failure of the one who asks."""
    async with workspace(scopes=NO_HISTORY) as threads, started(threads, None):
        root = await threads.paste(URL, mention=True)
        answers = await threads.say("why?", root, mention=True)

    assert "which page this thread is about" in shown(answers)


async def test_without_history_and_memory_a_thread_of_the_bots_own_is_told_what_is_missing() -> None:
    """Slack's event says that the bot began it; whoever writes there needs no mention to be answered."""
    async with workspace(scopes=NO_HISTORY) as threads, started(threads, None):
        await threads.ws.slash("/inspect", URL)
        await threads.bot.idle(10)
        answers = await threads.say("why?", threads.replies()[-1].ts)

    assert "which page this thread is about" in shown(answers)


@pytest.mark.parametrize("error", ["ratelimited", "internal_error", "missing_scope"])
async def test_where_slack_does_not_say_the_thread_counts_as_foreign(error: str) -> None:
    """And the next message is asked about again: only an answer is remembered."""
    async with workspace() as threads, started(threads, None):
        root = await threads.paste(URL)
        threads.ws.fail_next("conversations.replies", FaultKind.error(error))
        first = await threads.say("why?", root)
        second = await threads.say("why?", root)

    assert (first, len(second)) == ([], 1)


@pytest.mark.parametrize("kept", [True, False], ids=["remembered", "forgotten"])
async def test_a_deleted_root_message(kept: bool, database: Path) -> None:
    """Remembered, the thread goes on; otherwise the one who asked is told."""
    async with workspace() as threads:
        async with started(threads, database):
            root = await threads.paste(URL)
        async with started(threads, database if kept else None):
            threads.ws.state.remove(threads.ws.state.message(GENERAL, root))
            answers = await threads.say("why?", root, mention=True)

    assert ("every rule passes" if kept else "is gone") in shown(answers)
    assert len(answers) == 1


async def test_where_slack_takes_no_answer_into_a_deleted_thread_the_writer_is_told(database: Path) -> None:
    """Beside the thread, as there is none."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste(URL)
        threads.ws.fail_next("chat.postMessage", FaultKind.error("thread_not_found"))
        answers = await threads.say("why?", root)

    assert public(answers) == [(None, ANN)]
    assert "is gone" in shown(answers)


async def test_a_database_that_is_gone_does_not_stop_the_answer(
    database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has it; Slack still knows the thread."""
    async with workspace() as threads, started(threads, database):
        await spoiled(threads.state, database)
        root = await threads.paste(URL)
        answers = await threads.say("why?", root)

    assert public(answers) == [(root, None)]
    assert "going on without memory" in caplog.text
    assert "a thread's subject is not known" in caplog.text


async def spoiled(state: State | None, database: Path) -> None:
    """The file under a running bot is replaced by something that is no database."""
    assert state is not None
    await state.close()
    for file in database.parent.glob("state.db*"):
        file.write_bytes(b"no database" * 1_000)


async def test_a_file_in_the_thread_is_read_as_anywhere() -> None:
    """Its URLs are what is asked for; the thread's page is not."""
    async with workspace() as threads, started(threads, None):
        root = await threads.paste(URL)
        answers = await threads.say("", root, mention=True, files={"urls.txt": f"{URL}\n{OTHER}\n".encode()})

    assert public(answers) == [(root, None)]
    assert "2 URLs" in shown(answers)


async def test_a_retry_of_slack_is_answered_once(database: Path) -> None:
    """With a new event id for the same message."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste(URL)
        await threads.say("why?", root)
        before = len(threads.replies())
        await threads.ws.redeliver(threads.ws.deliveries[-1], new_event_id=True)
        await threads.bot.idle(10)

    assert len(threads.replies()) == before


async def test_another_bots_metadata_is_not_believed() -> None:
    """Only our own messages say what a thread is about."""
    forged: dict[str, Any] = {"event_type": "crawler_inspection", "event_payload": {"hash": "1", "key": PAGE["key"]}}
    async with workspace() as threads, started(threads, None):
        root = await threads.paste("good morning")
        other = Message(GENERAL, "1900000000.000001", "U0OTHERBOT", "x", "user", thread_ts=root, metadata=forged)
        threads.ws.state.add(other)
        answers = await threads.say("why?", root)

    assert answers == []


@pytest.mark.parametrize("command", ["why", "filters", "details", "robots", "as of 2026-04-07", f"compare {OTHER}"])
async def test_what_was_judged_as_of_the_past_says_so(command: str, database: Path) -> None:
    """In every answer of a thread that asks about the past: nobody takes it for the present."""
    async with workspace() as threads, started(threads, database):
        root = await threads.paste(URL)
        now = await threads.say(command, root)
        await threads.say("as of 2026-04-06", root)
        past = await threads.say(command, root)

    assert ["as of" in shown(answers).lower() for answers in (now, past)] == [command.startswith("as of"), True]
