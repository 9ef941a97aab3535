"""Lists of many URLs, over signed HTTP: progress, the answer, its CSV file, and who may stop it."""

from __future__ import annotations

import asyncio
import csv
import io
import time
from collections import Counter
from functools import partial
from typing import Any

import pytest
from pydantic import SecretStr

from bot.errors import StoreUnavailable
from bot.index.profile import load_profile
from bot.inspection.pipeline import Inspector
from bot.inspection.store import Query, Rows
from bot.links import Links
from bot.render.actions import ACTION_CANCEL
from bot.slack import lists
from bot.slack.asked import MOST
from bot.slack.files import LARGEST, urls_in
from bot.state.records import PasteMode, Visibility
from bot.state.state import State
from bot.workspace import FaultKind, Message
from bot.workspace.model import TEAM
from tests.slack.running import DM, GENERAL, NOW, OUTSIDE, PAGE, URL, ChangingStore, Running, running, settings, until

ANN, BEN = "U0ANN", "U0BEN"
BANNED = [
    {**PAGE, "key": f"example,docs!,/{number} s443", "pass_spam_ban": 0, "pass_canonical": 0} for number in range(5)
]
CRAWL: list[dict[str, Any]] = [PAGE, *BANNED]


class SlowStore(ChangingStore):
    """Takes so many seconds for every query."""

    def __init__(self, seconds: float, **tables: Any) -> None:
        super().__init__(**tables)
        self._seconds = seconds

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        """What the script says, late."""
        await asyncio.sleep(self._seconds)
        return await super().fetch(query, shard)


def slow(seconds: float) -> Inspector:
    return Inspector(SlowStore(seconds, page_info_local=CRAWL), load_profile(), clock=lambda: NOW)


def urls(count: int) -> list[str]:
    return [URL, *(f"https://docs.example/{number}" for number in range(count - 1))]


def rows_of(bot: Running) -> list[dict[str, str]]:
    """The CSV that was uploaded."""
    [file] = [file for file in bot.ws.files if file.name == lists.FILE]
    return list(csv.DictReader(io.StringIO((file.content or b"").decode(), newline="")))


def refused(bot: Running) -> list[Any]:
    return [(call.method, call.error, call.problems) for call in bot.ws.calls if not call.ok]


def has_button(message: Message) -> bool:
    return ACTION_CANCEL in str(message.blocks)


@pytest.mark.parametrize(
    ("channel", "by_command", "thread"), [(GENERAL, True, False), (GENERAL, False, True), (DM, False, True)]
)
async def test_300_urls_become_one_message_and_a_file_in_its_thread(
    channel: str, by_command: bool, thread: bool
) -> None:
    """By command, mention and direct message: counts by verdict and cause, the first rows, and all of them as CSV."""
    async with running(page_info_local=CRAWL) as bot:
        if by_command:
            await bot.ws.slash("/inspect", " ".join(urls(300)), channel=channel)
        else:
            await bot.ws.post(channel, "\n".join(urls(300)), mention=channel == GENERAL)
        [answer, file] = await bot.settled(channel)
        rows, problems = rows_of(bot), refused(bot)

    assert "300 URLs: 1 indexable, 5 not indexable, 294 not crawled" in answer.words
    assert "Stopped first by: Spam/ban 5" in answer.words
    assert "All 300 rows are in inspections.csv, in this thread." in answer.words
    assert not has_button(answer)
    assert [row["asked"] for row in rows] == urls(300)
    assert file.thread_ts == (answer.thread_ts if thread else answer.ts)
    assert problems == []


async def test_a_file_of_2000_urls_shows_its_progress_once_a_second_at_most() -> None:
    """In the message that becomes the answer."""
    start = time.monotonic()
    async with running(inspector=slow(0.25)) as bot:
        await bot.ws.post(GENERAL, "", mention=True, files={"urls.txt": "\n".join(urls(2_000)).encode()})
        await bot.bot.idle(60)
        [answer, file] = bot.replies()
        seconds = time.monotonic() - start
        edits = [str(call.payload["text"]) for call in bot.made("chat.update")]
        rows, problems = rows_of(bot), refused(bot)

    told = [edit for edit in edits if edit.startswith("Looking up 2,000 URLs: ")]
    done = [int(edit.split(": ")[1].removesuffix(" done.").replace(",", "")) for edit in told]
    assert (done[0] > 0, done == sorted(set(done)), len(told) <= seconds) == (True, True, True)
    assert edits[len(told) :] == [answer.text]
    assert "2,000 URLs: 1 indexable, 5 not indexable, 1,994 not crawled" in answer.words
    assert Counter(row["verdict"] for row in rows) == {"indexable": 1, "not_indexable": 5, "not_crawled": 1_994}
    assert [row["asked"] for row in rows] == urls(2_000)
    assert [row["failing"] for row in rows[:3]] == ["", "spam-ban canonical", "spam-ban canonical"]
    assert (file.thread_ts, problems) == (answer.thread_ts, [])


async def test_its_asker_can_cancel_it_and_nobody_else() -> None:
    """Somebody else is told so; what was looked up until then is the answer."""
    async with running(inspector=slow(0.5)) as bot:
        await bot.ws.post(GENERAL, "", mention=True, files={"urls.txt": "\n".join(urls(2_000)).encode()})
        await until(lambda: bot.made("chat.update"))
        progress = bot.replies()[0]
        await bot.ws.click(progress, ACTION_CANCEL, user=BEN)
        await until(lambda: len(bot.replies()) == 2)
        still = bot.replies()[0]
        await bot.ws.click(progress, ACTION_CANCEL, user=ANN)
        replies = await bot.settled()
        rows, problems = rows_of(bot), refused(bot)

    assert (replies[1].ephemeral_to, replies[1].words) == (BEN, lists.NOT_YOURS)
    assert has_button(still)
    assert 0 < len(rows) < 2_000
    assert f"Cancelled: {len(rows):,} of 2,000 URLs were looked up." in replies[0].words
    assert problems == []


async def test_a_list_that_is_done_can_not_be_cancelled_any_more() -> None:
    """The click of an old message is answered too."""
    async with running(inspector=slow(0.3)) as bot:
        await bot.ws.slash("/inspect", " ".join(urls(30)))
        await until(bot.replies)
        progress = bot.replies()[0]
        await bot.settled()
        await bot.ws.click(progress, ACTION_CANCEL)
        replies = await bot.settled()

    assert replies[-1].words == lists.NOT_RUNNING


async def test_a_list_can_be_cancelled_by_way_of_another_replica(state: State) -> None:
    """The click reaches a bot that does not run the list; the one that runs it sees the mark in the database."""
    async with running(inspector=slow(0.5), state=state) as bot, running(ws=bot.ws, state=state) as other:
        bot.ws.connect(bot.url)
        await bot.ws.post(GENERAL, "", mention=True, files={"urls.txt": "\n".join(urls(2_000)).encode()})
        await until(lambda: bot.made("chat.update"))
        bot.ws.connect(other.url)
        progress = bot.replies()[0]
        await bot.ws.click(progress, ACTION_CANCEL, user=BEN)
        await until(lambda: len(bot.replies()) == 2)
        still = bot.replies()[0]
        await bot.ws.click(progress, ACTION_CANCEL, user=ANN)
        replies = await bot.settled()
        await other.settled()
        await bot.ws.click(progress, ACTION_CANCEL, user=ANN)
        late = (await other.settled())[-1]
        rows, problems = rows_of(bot), refused(bot)

    assert (replies[1].ephemeral_to, replies[1].words) == (BEN, lists.NOT_YOURS)
    assert has_button(still)
    assert 0 < len(rows) < 2_000
    assert f"Cancelled: {len(rows):,} of 2,000 URLs were looked up." in replies[0].words
    assert (late.ephemeral_to, late.words) == (ANN, lists.NOT_RUNNING)
    assert problems == []


LINKED = {"public_url": "https://bot.example", "link_keys": (SecretStr("k" * 40),)}


@pytest.mark.parametrize("as_of", ["", " as of 2026-04-06"])
async def test_a_list_is_a_page_too(state: State, as_of: str) -> None:
    """Every row that was looked up, under a link of its own."""
    async with running(page_info_local=CRAWL, state=state, changed=LINKED) as bot:
        await bot.ws.slash("/inspect", " ".join(urls(300)) + as_of)
        [answer, _] = await bot.settled()
        problems = refused(bot)
        links = Links.from_settings(settings(bot.ws, **LINKED))
    [url] = [element["url"] for block in answer.blocks for element in block.get("elements", []) if "url" in element]
    list_id, _ = links.open_list(url.removeprefix("https://bot.example/list/"))
    kept = await state.lists.find(list_id)

    assert kept is not None
    assert (kept.total, kept.replayed) == (300, bool(as_of))
    assert Counter(row.verdict.value for row in kept.rows) == {"indexable": 1, "not_indexable": 5, "not_crawled": 294}
    assert kept.causes == {"Spam/ban": 5}
    assert kept.rows[0].text == PAGE["key"]
    assert problems == []


async def test_without_a_database_or_an_address_there_is_no_page(state: State) -> None:
    """And no button that leads nowhere."""
    async with running(page_info_local=CRAWL, changed=LINKED) as bot:
        await bot.ws.slash("/inspect", " ".join(urls(30)))
        [without_database, _] = await bot.settled()
    async with running(page_info_local=CRAWL, state=state) as bot:
        await bot.ws.slash("/inspect", " ".join(urls(30)))
        [without_address, _] = await bot.settled()

    assert [block["type"] for block in (*without_database.blocks, *without_address.blocks)].count("actions") == 0


async def test_a_list_takes_no_place_from_those_who_ask_for_one_page() -> None:
    """Not even where the bot does one thing at a time; and a person's second list waits for the first."""
    async with running(inspector=slow(0.3), changed={"concurrency": 1}) as bot:
        await bot.ws.post(GENERAL, "\n".join(urls(30)), mention=True, user=ANN)
        await until(bot.replies)
        await bot.ws.post(GENERAL, "\n".join(urls(30)), mention=True, user=ANN)
        await until(lambda: len(bot.replies()) == 2)
        await bot.ws.slash("/inspect", URL, user=BEN, channel="C0RANDOM")
        await until(lambda: bot.replies("C0RANDOM"))
        first, second = bot.replies()[:2]
        at_bens = has_button(second)
        await until(lambda: not has_button(bot.replies()[0]))
        waits = has_button(bot.replies()[1])
        replies = await bot.settled()

    assert has_button(first)
    assert (at_bens, waits) == (True, True)
    assert not has_button(replies[1])


async def test_a_person_has_five_lists_at_most() -> None:
    """The sixth is refused in one sentence, and somebody else's is not."""
    text = " ".join(urls(21))
    async with running(inspector=slow(0.4)) as bot:

        def shown(count: int) -> bool:
            return len(bot.replies()) == count

        for number in range(1, 6):
            await bot.ws.slash("/inspect", text, user=ANN)
            await until(partial(shown, number))
        await bot.ws.slash("/inspect", text, user=ANN)
        await until(lambda: len(bot.replies()) > 5)
        refusal = bot.replies()[5]
        await bot.ws.slash("/inspect", text, user=BEN, channel="C0RANDOM")
        await until(lambda: bot.replies("C0RANDOM"))
        await bot.bot.drain(0)

    assert (refusal.ephemeral_to, refusal.words) == (ANN, f"⚠️ {lists.TOO_MANY}")


@pytest.mark.parametrize("place", [OUTSIDE, GENERAL])
async def test_where_no_one_else_may_see_it_the_file_comes_directly(place: str, state: State) -> None:
    """Where the bot is no member, or answers the asker alone: by the response_url, in at most five uses of it."""
    async with running(inspector=slow(0.7), state=state) as bot:
        kept: dict[str, Any] = {"paste": PasteMode.ALWAYS, "profile": None, "updated_by": ANN}
        await state.channels.put(TEAM, GENERAL, visibility=Visibility.EPHEMERAL, **kept)
        await bot.ws.slash("/inspect", " ".join(urls(600)), channel=place)
        await bot.bot.idle(30)
        [answer] = bot.replies(place)
        [letter, file] = bot.replies(DM)
        uses = len(bot.made("response_url"))

    assert "All 600 rows are in inspections.csv, sent to you in a direct message." in answer.words
    assert (answer.via, file.thread_ts, letter.words) == ("response_url", letter.ts, lists.LETTER)
    assert 2 <= uses <= 4


async def test_where_the_file_is_refused_the_answer_says_so() -> None:
    """Without files:write."""
    async with running(page_info_local=CRAWL) as bot:
        bot.ws.fail_next("files.getUploadURLExternal", FaultKind.error("missing_scope"))
        await bot.ws.slash("/inspect", " ".join(urls(40)))
        [answer] = await bot.settled()

    assert "All 40 rows were to be a CSV file, which Slack did not take: missing_scope." in answer.words


async def test_when_the_bot_stops_the_list_says_so() -> None:
    """And is not left with a button that does nothing."""
    async with running(inspector=slow(5)) as bot:
        await bot.ws.slash("/inspect", " ".join(urls(40)))
        await until(bot.replies)
        await bot.bot.drain(0)
        [answer] = bot.replies()

    assert answer.words == f"⚠️ {lists.STOPPED}"


def test_of_a_file_that_is_too_large_the_line_that_was_cut_is_not_read() -> None:
    """Half a URL is another page."""
    line = b"https://docs.example/%07d\n"
    content = b"".join(line % number for number in range(LARGEST // 29 + 2))[:LARGEST]
    found = urls_in(content)

    assert not content.endswith(b"\n")
    assert (len(found), {len(url) for url in found}) == (LARGEST // 29, {28})


async def test_urls_past_the_ten_thousandth_are_counted() -> None:
    """And the answer says how many were left out."""
    gone = StoreUnavailable("the server is gone")
    async with running(page_info_local=gone) as bot:
        await bot.ws.post(GENERAL, "", mention=True, files={"urls.txt": "\n".join(urls(MOST + 7)).encode()})
        await bot.bot.idle(60)
        [answer, _] = bot.replies()
        rows = rows_of(bot)

    assert "Only the first 10,000 of 10,007 URLs were looked up." in answer.words
    assert Counter((row["verdict"], row["problem"]) for row in rows) == {("unknown", str(gone)): MOST}


@pytest.mark.parametrize(("total", "window"), [(21, 250), (3_000, 300), (MOST, 500)])
def test_a_list_is_asked_for_in_windows_that_hold_nobody_up(total: int, window: int) -> None:
    """Large enough to be quick, small enough to show progress and to let others in."""
    assert lists.window_of(total) == window
