"""What is acknowledged is on record, and what is on record is answered once, whatever happens to the bot."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from aiohttp import web
from slack_bolt.request.async_request import AsyncBoltRequest

from bot.slack import wording
from bot.slack.requests import job_of
from bot.slack.runs import MOST_BEGINNINGS
from bot.state.records import JobState
from bot.state.state import State
from bot.workspace import ANSWER_LOST, HTTP_500_HTML, FaultKind, Workspace
from tests.slack.running import GENERAL, OTHER, OUTSIDE, RANDOM, URL, running, until, workspace

LEASE = timedelta(seconds=0.3)
POST = "chat.postMessage"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MANY = " ".join(f"https://docs.example/{number}" for number in range(30))
Act = Callable[[Workspace], Awaitable[object]]


@pytest.fixture
async def state(tmp_path: Path) -> AsyncIterator[State]:
    """The database of the replica that lives."""
    opened = await State.open(f"sqlite:///{tmp_path / 'shared.db'}", lease=LEASE)
    yield opened
    await opened.close()


@pytest.fixture
async def dead(tmp_path: Path, state: State) -> AsyncIterator[State]:
    """The same, of a replica that renews nothing any more."""
    opened = await State.open(f"sqlite:///{tmp_path / 'shared.db'}", lease=LEASE)
    yield opened
    await opened.close()


@asynccontextmanager
async def acknowledging(ws: Workspace, dead: State) -> AsyncIterator[None]:
    """A bot that records what it is sent, acknowledges it, and is killed."""

    async def acknowledge(_request: web.Request) -> web.Response:
        return web.Response()

    application = web.Application()
    application.router.add_post("/slack/events", acknowledge)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    ws.connect(f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events")
    yield
    await runner.cleanup()
    await recorded(ws, dead)


async def recorded(ws: Workspace, dead: State) -> None:
    """Everything that the workspace has sent is on record, as work of the dead."""
    for delivery in ws.deliveries:
        if job := job_of(delivery.payload):
            await dead.jobs.record(job)


async def states(state: State) -> list[JobState]:
    """What became of every request."""
    return [entry.state async for entry in state.jobs.trail(EPOCH)]


async def all_done(state: State, ended: int) -> None:
    """Wait until so many requests are closed, and none is open."""
    async with asyncio.timeout(20):
        # What is waited for happens in a database, which tells nobody.
        while len(await states(state)) < ended or (await state.jobs.backlog()).open:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


def answers(ws: Workspace, *channels: str) -> list[str]:
    """The bot's messages."""
    return [message.words for channel in channels for message in ws.messages(channel) if message.from_bot]


REQUESTS: dict[str, Act] = {
    "a command": lambda ws: ws.slash("/inspect", URL),
    "a mention": lambda ws: ws.post(GENERAL, URL, mention=True),
    "a paste": lambda ws: ws.post(GENERAL, URL),
    "a direct message": lambda ws: ws.post("D0ANN", URL),
    "a site": lambda ws: ws.slash("/inspect", "site docs.example"),
    "a list": lambda ws: ws.slash("/inspect", MANY),
}


@pytest.mark.parametrize("act", REQUESTS.values(), ids=REQUESTS)
async def test_what_a_killed_bot_had_acknowledged_is_answered_by_the_next(act: Act, state: State, dead: State) -> None:
    """Once its lease has run out."""
    async with workspace() as ws:
        async with acknowledging(ws, dead):
            await act(ws)
        async with running(ws=ws, state=state):
            await all_done(state, 1)

        assert len([words for words in answers(ws, GENERAL, "D0ANN") if words]) == 1
        assert await states(state) == [JobState.ANSWERED]


@pytest.mark.parametrize("act", REQUESTS.values(), ids=REQUESTS)
async def test_what_was_posted_before_the_kill_is_not_posted_again(act: Act, state: State, dead: State) -> None:
    """The bot finds its own message by the metadata, wherever everyone sees it."""
    async with workspace() as ws:
        async with running(ws=ws) as killed:
            await act(ws)
            await killed.bot.idle(10)
        before = [words for words in answers(ws, GENERAL, "D0ANN") if words]
        await recorded(ws, dead)
        async with running(ws=ws, state=state):
            await all_done(state, 1)
        after = [words for words in answers(ws, GENERAL, "D0ANN") if words]

    assert (len(before), after) == (1, before)


async def test_a_request_that_two_replicas_are_sent_is_answered_once(state: State, dead: State) -> None:
    """A message and its mention, a retry at another replica: one request."""
    async with workspace() as ws, running(ws=ws, state=state) as one, running(ws=ws, state=dead) as two:
        for replica in (one, two):
            ws.connect(replica.url)
            await ws.slash("/inspect", URL)
        commands = [delivery for delivery in ws.deliveries if delivery.kind == "command"]
        for delivery in commands:
            again = AsyncBoltRequest(mode="socket_mode", body=dict(delivery.payload))
            assert (await one.bot.inbox.take(delivery.payload, again)).status == 200
        await one.bot.idle(10)
        await two.bot.idle(10)

        assert len(answers(ws, GENERAL)) == 2


@pytest.mark.parametrize("fault", [ANSWER_LOST, HTTP_500_HTML, FaultKind("reset")], ids=lambda fault: fault.name)
async def test_an_answer_that_may_have_arrived_is_looked_for_before_it_is_posted_again(
    fault: FaultKind, state: State
) -> None:
    """Once in the channel, whether the first try has arrived or not."""
    async with running(state=state) as bot:
        bot.ws.fail_next(POST, fault)
        await bot.ws.slash("/inspect", URL)
        replies = await bot.settled()

    assert len(replies) == 1


async def test_what_slack_does_not_take_now_is_answered_later(state: State) -> None:
    """After some seconds: it stays on record, and nobody types it again."""
    async with running(state=state) as bot:
        bot.ws.fail_next(POST, HTTP_500_HTML, 2)  # of one try
        await bot.ws.post(GENERAL, URL)
        await all_done(state, 1)
        replies = bot.replies()

    assert ([reply.ephemeral_to for reply in replies], await states(state)) == ([None], [JobState.ANSWERED])


async def test_a_stopping_bot_leaves_its_work_to_the_next_at_once(state: State, dead: State) -> None:
    """What it could not finish within the grace time; the lease is not waited for."""
    async with workspace() as ws:
        async with running(ws=ws, state=dead, page_info_local=30.0) as stopping:
            await ws.slash("/inspect", URL)
            await stopping.bot.drain(0.1)
        handed_over = await states(state)
        async with running(ws=ws, state=state):
            await all_done(state, 1)

        assert (handed_over, len(answers(ws, GENERAL))) == ([JobState.OPEN], 1)


async def test_past_its_capacity_the_bot_says_so_and_keeps_what_can_wait(state: State) -> None:
    """A command is told "busy" in its acknowledgement; a message is put on record, and answered in its turn."""
    few = {"concurrency": 1, "waiting": 1}
    async with running(state=state, changed=few, page_info_local=0.3) as bot:
        for url in (URL, OTHER):
            await bot.ws.slash("/inspect", url)
        told = await bot.ws.slash("/inspect", URL)
        await bot.ws.post(RANDOM, URL)
        await until(lambda: bot.replies(RANDOM))
        await all_done(state, 3)
        replies = bot.replies()

    assert (told.status, [reply.words for reply in replies if reply.via == "ack"]) == (200, [wording.BUSY])
    assert len(replies) == 3


async def test_without_a_database_a_busy_bot_lets_slack_bring_messages_again() -> None:
    """503 is no acknowledgement."""
    async with running(changed={"concurrency": 1, "waiting": 1}, page_info_local=0.5) as bot:
        for url in (URL, OTHER):
            await bot.ws.slash("/inspect", url)
        await bot.ws.post(RANDOM, URL)
        statuses = [delivery.status for delivery in bot.ws.deliveries if delivery.kind == "event"]

    assert 503 in statuses


async def test_a_database_that_is_locked_costs_the_record_and_not_the_answer(state: State, tmp_path: Path) -> None:
    """Slack is acknowledged in time, doubles are told all the same, and nothing stays open."""
    other = sqlite3.connect(tmp_path / "shared.db", isolation_level=None)
    async with running(state=state) as bot:
        other.execute("BEGIN IMMEDIATE")
        await bot.ws.post(RANDOM, URL, mention=True)  # comes as two events
        await until(lambda: bot.replies(RANDOM))
        other.execute("ROLLBACK")
        other.close()
        await all_done(state, 1)
        replies = await bot.settled(RANDOM)

    assert len(replies) == 1
    assert [delivery for delivery in bot.ws.deliveries if not delivery.ok] == []


async def test_what_people_say_to_each_other_is_not_kept(state: State) -> None:
    """A message that asks for nothing leaves no trace; what was asked is in the trail."""
    async with running(state=state) as bot:
        await bot.ws.post(GENERAL, "lunch?")
        await bot.ws.post(GENERAL, "in this thread", thread_ts=await bot.ws.post(GENERAL, "no page at all"))
        await bot.ws.slash("/inspect", "help", channel=OUTSIDE)
        await bot.settled()
        await all_done(state, 1)

    assert [(entry.kind, entry.asked) async for entry in state.jobs.trail(EPOCH)] == [("command", "help")]


async def test_what_kills_the_bot_every_time_is_given_up(state: State, dead: State) -> None:
    """Its asker is told, and nobody dies of it again."""
    async with workspace() as ws:
        async with acknowledging(ws, dead):
            await ws.slash("/inspect", URL)
        for _ in range(MOST_BEGINNINGS):
            await asyncio.sleep(LEASE.total_seconds())
            assert len(await dead.jobs.take_over(1)) == 1
        async with running(ws=ws, state=state):
            await all_done(state, 1)

        assert f"began this {MOST_BEGINNINGS} times" in answers(ws, GENERAL)[0]
        assert await states(state) == [JobState.FAILED]
