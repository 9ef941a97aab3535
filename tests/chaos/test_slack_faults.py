"""Slack answers badly, once or for a while: what was acknowledged is delivered in the end, or its asker is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest

from bot.state.state import State
from bot.workspace import ANSWER_LOST, HTTP_500_HTML, RESET, TIMEOUT, FaultKind
from bot.workspace.faults import NOT_JSON
from tests.chaos.traffic import COMMAND, MENTION, PASTE, BusyWorkspace, Traffic
from tests.cluster.proxy import Fault, http, proxied
from tests.slack.running import Running, running

ASKED = 6  # requests at once
PATIENCE = 2.0  # seconds that the bot waits for an answer of Slack
AWAY = 6.0  # seconds that Slack is away: longer than one request's tries of a call
QUIET = 25.0  # seconds without a new answer after which none is waited for
RESPONSE = "response_url"
Heard = tuple[list[int], list[int]]  # the numbers of requests: nobody heard, answered twice
HEARD_ONCE: Heard = ([], [])
WAYS = {PASTE: "chat.postMessage", MENTION: "chat.postMessage", COMMAND: RESPONSE}

BAD_ANSWERS = {
    "429 in whole seconds": FaultKind.ratelimited(1),
    "429 in parts of a second": FaultKind.ratelimited("0.2"),
    "429 that does not say when": FaultKind.ratelimited("soon"),
    "500 as a page": HTTP_500_HTML,
    "503 as a page": FaultKind.http(503),
    "200 that is no JSON": NOT_JSON,
    "silence": TIMEOUT,
    "a reset": RESET,
}


@asynccontextmanager
async def databases(folder: Path, count: int) -> AsyncIterator[list[State]]:
    """So many, open and empty. One after another: a process migrates one at a time."""
    async with AsyncExitStack() as stack:
        opened = []
        for number in range(count):
            opened.append(await State.open(f"sqlite:///{folder / str(number) / 'state.db'}", []))
            stack.push_async_callback(opened[-1].close)
        yield opened


@asynccontextmanager
async def asked_through(ws: BusyWorkspace, state: State) -> AsyncIterator[Running]:
    """A bot that is impatient with Slack; no page is in its crawl."""
    async with (
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=PATIENCE)) as session,
        running(ws=ws, session=session, state=state, page_info_local=[]) as bot,
    ):
        yield bot


async def ask_all(ws: BusyWorkspace, kind: str) -> Traffic:
    """All at once, each in a channel of its own."""
    traffic = Traffic(ws, ws.busy)
    await asyncio.gather(*(traffic.ask(kind) for _ in range(ASKED)))
    return traffic


async def heard(bot: Running, traffic: Traffic) -> Heard:
    """Who is neither answered nor told why not when nothing comes any more, and who is answered twice."""
    await traffic.answered(QUIET, told=True)
    await bot.bot.idle(QUIET)
    silent = [request.number for request in traffic.missing() if not traffic.told(request)]
    return silent, [request.number for request in traffic.doubled()]


@pytest.mark.parametrize("kind", WAYS)
async def test_a_burst_of_bad_answers_is_outlived(kind: str, tmp_path: Path) -> None:
    """As many calls fail as there are requests: each is answered once, or its asker reads why not."""
    # A response_url says "ok", which is no JSON either: its 200 is believed.
    faults = {name: fault for name, fault in BAD_ANSWERS.items() if (kind, fault) != (COMMAND, NOT_JSON)}
    async with databases(tmp_path, len(faults)) as states:
        bursts = zip(faults.values(), states, strict=True)
        outcomes = await asyncio.gather(*(_burst(kind, fault, state) for fault, state in bursts))

    assert dict(zip(faults, outcomes, strict=True)) == dict.fromkeys(faults, HEARD_ONCE)


@pytest.mark.parametrize("kind", [PASTE, COMMAND])
async def test_an_answer_that_slack_took_is_not_posted_again(kind: str, tmp_path: Path) -> None:
    """The connection broke after Slack had posted the message."""
    async with databases(tmp_path, 1) as (state,):
        assert await _burst(kind, ANSWER_LOST, state) == HEARD_ONCE


async def _burst(kind: str, fault: FaultKind, state: State) -> Heard:
    async with BusyWorkspace() as ws, asked_through(ws, state) as bot:
        ws.fail_next(WAYS[kind], fault, times=ASKED)
        return await heard(bot, await ask_all(ws, kind))


OUTAGES = {
    "it refuses connections": Fault(refuse=True),
    "its proxy answers 502": Fault(replace=http(b"<html>Bad Gateway</html>", "502 Bad Gateway")),
    "it takes requests and says nothing": Fault(hang=True),
    "it breaks off within its answers": Fault(cut_after=20, reset=True),
}


async def test_slack_is_away_for_a_while(tmp_path: Path) -> None:
    """Nobody can be told meanwhile, so the answers come when it is back."""
    rows = [(outage, kind) for outage in OUTAGES for kind in (PASTE, COMMAND)]
    async with databases(tmp_path, len(rows)) as states:
        outcomes = await asyncio.gather(*(_outage(*row, state) for row, state in zip(rows, states, strict=True)))

    assert dict(zip(rows, outcomes, strict=True)) == dict.fromkeys(rows, HEARD_ONCE)


async def _outage(outage: str, kind: str, state: State) -> Heard:
    async with AsyncExitStack() as stack:
        ws = await stack.enter_async_context(BusyWorkspace())
        slack = await stack.enter_async_context(proxied(urlsplit(ws.state.origin).port or 0))
        ws.state.origin = f"http://127.0.0.1:{slack.port}"
        bot = await stack.enter_async_context(asked_through(ws, state))
        await ws.post("C0RANDOM", "help", mention=True)  # after it, the bot knows who it is
        await bot.settled("C0RANDOM")
        slack.fault = OUTAGES[outage]
        traffic = await ask_all(ws, kind)
        await asyncio.sleep(AWAY)
        slack.fault = Fault()
        return await heard(bot, traffic)


LIST = "\n".join(f"https://listed.example/{number}" for number in range(30))
FILE_CALLS = ("files.getUploadURLExternal", "files.completeUploadExternal", "chat.update")


async def test_a_list_says_where_its_file_is_or_why_there_is_none(tmp_path: Path) -> None:
    """The counts come whatever becomes of the file."""
    faults = ("429 in parts of a second", "500 as a page", "silence")
    rows = [(method, fault) for method in FILE_CALLS for fault in faults]
    async with databases(tmp_path, len(rows)) as states:
        said = await asyncio.gather(*(_list(*row, state) for row, state in zip(rows, states, strict=True)))

    assert [row for row, words in zip(rows, said, strict=True) if "All 30 rows" not in words] == []


async def _list(method: str, fault: str, state: State) -> str:
    async with BusyWorkspace() as ws, asked_through(ws, state) as bot:
        ws.fail_next(method, BAD_ANSWERS[fault], times=2)
        await ws.post("C0RANDOM", LIST, mention=True)
        return "\n".join(message.words for message in await bot.settled("C0RANDOM"))
