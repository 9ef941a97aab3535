"""What else goes wrong around the bot: its database, its disk, its memory, names, clocks and the crawl.

`FAULTS` is the table: what happens, and what is read where it was asked meanwhile. Nothing is lost in any row, and the
bot goes on afterwards; what it could not acknowledge, Slack delivers again and people type again.
"""

from __future__ import annotations

import asyncio
import re
import resource
import socket
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.state.state import State
from tests.chaos.bot_process import Bot, serving, surroundings
from tests.chaos.traffic import KINDS, PASTE, BusyWorkspace, Request, Traffic
from tests.cluster.proxy import Fault, Proxy, proxied
from tests.slack.running import Running, running

LASTS = 4.0  # seconds without names
QUIET = 20.0  # seconds without a new answer after which none is waited for


@dataclass(frozen=True)
class Around:
    """A bot as a process, and what stands around it."""

    bot: Bot
    crawl: Proxy


@contextmanager
def database_locked(around: Around) -> Iterator[None]:
    """Another process holds the lock of the SQLite file."""
    other = sqlite3.connect(around.bot.folder / "state.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@contextmanager
def limited(around: Around, kind: int, most: int) -> Iterator[None]:
    """The kernel gives the process no more."""
    around.bot.limit(kind, most)
    try:
        yield
    finally:
        if around.bot.alive:
            around.bot.limit(kind, resource.prlimit(around.bot.pid, kind)[1])


def disk_full(around: Around) -> AbstractContextManager[None]:
    """No file grows: a write is refused as on a disk that is full, whoever runs the test."""
    return limited(around, resource.RLIMIT_FSIZE, 4096)


def memory_short(around: Around) -> AbstractContextManager[None]:
    """Not a page of memory more than it has."""
    return limited(around, resource.RLIMIT_AS, around.bot.status("VmSize"))


@contextmanager
def shard_away(around: Around) -> Iterator[None]:
    """The server of the shard breaks every connection off."""
    around.crawl.fault = Fault(refuse=True)
    try:
        yield
    finally:
        around.crawl.fault = Fault()


@contextmanager
def shard_silent(around: Around) -> Iterator[None]:
    """The server of the shard takes queries and says nothing."""
    around.crawl.fault = Fault(hang=True)
    try:
        yield
    finally:
        around.crawl.fault = Fault()


@dataclass(frozen=True)
class Row:
    """A fault: how it begins and ends, for how many seconds, what those read who ask meanwhile.

    `meets` is said by the log, or by an answer, where the fault was met at all.
    """

    begin: Callable[[Around], AbstractContextManager[None]]
    seconds: float
    reads: str
    meets: str


NOT_CRAWLED = r"NOT CRAWLED"
LEFT_OUT = r"laksa\d+ (did not answer|failed several times)"
SAYS_WHY = rf"{LEFT_OUT}|{NOT_CRAWLED}"  # those who ask when it is over
FAULTS = {
    "the database is locked": Row(database_locked, 6.0, NOT_CRAWLED, r"locked|took too long"),
    "the disk is full": Row(disk_full, 2.0, NOT_CRAWLED, r"disk"),
    "a shard goes and comes": Row(shard_away, 2.0, SAYS_WHY, LEFT_OUT),
    "a shard is silent for a while": Row(shard_silent, 2.0, SAYS_WHY, LEFT_OUT),
}


@asynccontextmanager
async def around_a_bot(ws: BusyWorkspace, crawl_port: int, folder: Path) -> AsyncIterator[Around]:
    """A bot as a process; between it and the crawl stands a proxy."""
    async with AsyncExitStack() as stack:
        crawl = await stack.enter_async_context(proxied(crawl_port))
        changed = {"CRAWLER_INSPECTOR_STEP_TIMEOUT": "1", "CRAWLER_INSPECTOR_CLICKHOUSE_BREAKER_SECONDS": "1"}
        bot = Bot(folder, surroundings(ws, crawl.port, **changed))
        await stack.enter_async_context(serving(bot))
        ws.connect(bot.url)
        yield Around(bot, crawl)


async def test_each_fault_ends_with_every_request_answered_once(
    ws: BusyWorkspace, crawl_port: int, tmp_path: Path
) -> None:
    """One fault after another meets one bot; it is asked within and after each, and it is alive at the end."""
    outcomes = {}
    async with around_a_bot(ws, crawl_port, tmp_path / "bot") as around:
        traffic = Traffic(ws, ws.busy)
        await traffic.steadily(len(KINDS), rate=10)
        for fault, row in FAULTS.items():
            first, begins = len(traffic.requests), around.bot.log.stat().st_size
            await _within(row.begin(around), row.seconds, traffic)
            await traffic.steadily(len(KINDS), rate=10)
            await traffic.answered(QUIET)
            said = _said(traffic, first)
            logged = around.bot.log.read_bytes()[begins:].decode()
            met = any(re.search(row.meets, text) for text in (logged, *said))
            otherwise = [words for words in said if not re.search(row.reads, words)]
            outcomes[fault] = met, _unheard(traffic), traffic.doubled(), otherwise, around.bot.alive

    assert outcomes == dict.fromkeys(FAULTS, (True, [], [], [], True))


async def _within(fault: AbstractContextManager[None], seconds: float, traffic: Traffic) -> None:
    """Ask while it lasts; what is not acknowledged meanwhile is asked for on, until it is."""
    async with asyncio.TaskGroup() as group:
        with fault:
            group.create_task(traffic.steadily(2 * len(KINDS), rate=10))
            await asyncio.sleep(seconds)


def _said(traffic: Traffic, first: int) -> list[str]:
    """The answers to the requests from that one on."""
    answered = traffic.answers()
    return [traffic.answer(request) for request in traffic.requests[first:] if answered[request.number]]


def _unheard(traffic: Traffic) -> list[Request]:
    """Acknowledged, and neither answered nor told why not."""
    return [request for request in traffic.missing() if not traffic.told(request)]


LARGE = "\n".join(f"https://listed.example/{number}" for number in range(8_000))


async def test_memory_is_short_while_much_is_asked(ws: BusyWorkspace, crawl_port: int, tmp_path: Path) -> None:
    """Who asks for more than there is memory for reads that it failed; all others are answered, the bot lives on."""
    async with around_a_bot(ws, crawl_port, tmp_path / "bot") as around:
        traffic = Traffic(ws, ws.busy)
        await traffic.steadily(len(KINDS), rate=10)
        with memory_short(around):
            large = await ws.slash("/inspect", LARGE, channel="C0RANDOM")
            asking = asyncio.create_task(traffic.steadily(len(KINDS), rate=10))
            await asyncio.sleep(2)
        await asking
        await traffic.answered(QUIET, told=True)
        alive, logged = around.bot.alive, around.bot.log.read_text()

    assert "MemoryError" in logged
    assert large.error is not None or any(message.from_bot for message in ws.messages("C0RANDOM"))
    assert (_unheard(traffic), traffic.doubled(), alive) == ([], [], True)


class Names(AbstractResolver):
    """Knows every name as this machine, or none."""

    known = True

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """As aiohttp asks for it. Raises OSError."""
        if not self.known:
            raise OSError(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return [ResolveResult(hostname=host, host="127.0.0.1", port=port, family=family, proto=0, flags=0)]

    async def close(self) -> None:
        """Nothing is open."""


@asynccontextmanager
async def by_name(ws: BusyWorkspace, names: Names, state: State) -> AsyncIterator[Running]:
    """A bot that knows Slack by its name, and asks for it anew with each call."""
    ws.state.origin = f"http://slack.example:{urlsplit(ws.state.origin).port}"
    connector = aiohttp.TCPConnector(resolver=names, use_dns_cache=False, force_close=True)
    async with (
        aiohttp.ClientSession(connector=connector) as session,
        running(ws=ws, session=session, state=state, page_info_local=[]) as bot,
    ):
        yield bot


async def test_names_are_not_found_for_a_while(ws: BusyWorkspace, tmp_path: Path) -> None:
    """Slack cannot be called: the answers come when its name is known again."""
    names = Names()
    state = await State.open(f"sqlite:///{tmp_path / 'state.db'}", [])
    async with by_name(ws, names, state):
        traffic = Traffic(ws, ws.busy)
        await traffic.ask(PASTE)
        names.known = False
        await traffic.steadily(len(KINDS), rate=10)
        await asyncio.sleep(LASTS)
        names.known = True
        await traffic.answered(QUIET / 2)
    await state.close()

    assert (traffic.missing(), traffic.doubled()) == ([], [])


async def test_the_clock_steps_back_an_hour(ws: BusyWorkspace, tmp_path: Path) -> None:
    """What is asked then is answered, and what was answered before is not answered again."""
    ahead = timedelta(hours=1)
    state = await State.open(f"sqlite:///{tmp_path / 'state.db'}", [], lambda: datetime.now(UTC) + ahead)
    async with running(ws=ws, state=state, page_info_local=[]):
        traffic = Traffic(ws, ws.busy)
        await traffic.steadily(len(KINDS), rate=20)
        await traffic.answered(QUIET)
        ahead = timedelta()
        for delivery in [one for one in ws.deliveries if one.kind == "event"]:
            await ws.redeliver(delivery)
        await traffic.steadily(len(KINDS), rate=20)
        await traffic.answered(QUIET)
    await state.close()

    assert (traffic.missing(), traffic.doubled()) == ([], [])
