"""Slack's end of a load test: signs commands, takes the answers, and looks at nothing in them that need not be seen.

The stand-in of `bot.workspace` checks every payload and remembers every message; that is work, and here it would be
measured too.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

from bot.slack.gateway import STAMP
from bot.slack.requests import job_of
from bot.state.records import REQUEST_ID
from bot.workspace import payloads
from bot.workspace.model import TEAM, Channel, User
from bot.workspace.sender import COMMAND, FORM, encode, signature
from tests.slack.running import SECRET

PEOPLE = 200  # each asks in a channel of their own
BUSY = "busy"
PATIENCE = 60.0  # seconds that an answer is waited for
WAITING = 600.0


@dataclass(slots=True)
class Asked:
    """One command: when it was sent, acknowledged and answered, in seconds of one clock."""

    sent: float
    acknowledged: float | None = None
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    answered_at: float | None = None
    busy: bool = False

    @property
    def ack_ms(self) -> float:
        """From the sending to the acknowledgement; endless where there was none."""
        return (self.acknowledged - self.sent) * 1000 if self.acknowledged else float("inf")

    @property
    def reply_ms(self) -> float:
        """From the sending to the answer."""
        return (self.answered_at - self.sent) * 1000 if self.answered_at else float("inf")


class SlackEnd:
    """A server for the bot's calls, and a client for its door."""

    def __init__(self) -> None:
        self.origin = ""
        self.calls: list[str] = []  # methods, in order
        self._asked: dict[str, Asked] = {}
        self._numbered: dict[str, str] = {}  # by what the bot calls a request
        self._numbers = itertools.count(1)
        self._session: aiohttp.ClientSession | None = None

    @property
    def api_url(self) -> str:
        """The bot's CRAWLER_INSPECTOR_SLACK_API_URL."""
        return f"{self.origin}/api/"

    def routes(self) -> list[web.RouteDef]:
        """Web API, response_urls and the place for uploads."""
        return [
            web.route("*", "/api/{method}", self._api),
            web.post("/response/{token}", self._response),
            web.post("/upload", self._upload),
        ]

    async def ask(self, url: str, text: str, person: int) -> Asked:
        """Type `/inspect text`; returns once it is acknowledged, or is not."""
        number = f"{next(self._numbers):08d}"
        user = User(f"U{person:08d}", f"person{person}", f"Person {person}")
        place = Channel(f"C{person:08d}", f"channel{person}", frozenset())
        sent = payloads.command("/inspect", text, place, user, f"trigger-{number}", f"{self.origin}/response/{number}")
        body, _ = encode(COMMAND, sent)
        asked = self._asked[number] = Asked(time.perf_counter())
        if job := job_of(sent):
            self._numbered[job.id[:REQUEST_ID]] = number
        headers = {"Content-Type": FORM, **signature(SECRET, body, int(time.time()))}
        try:
            async with self._opened.post(url, data=body, headers=headers) as answer:
                said = await answer.text()
                asked.acknowledged = time.perf_counter() if answer.status == 200 else None
        except (TimeoutError, aiohttp.ClientError):
            return asked
        if BUSY in said.lower():
            self._settle(asked, busy=True)
        return asked

    async def answered(self, url: str, text: str, person: int) -> Asked:
        """The same, once it is answered, or its asker has lost patience."""
        asked = await self.ask(url, text, person)
        if asked.acknowledged:
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    await asked.answered.wait()
        return asked

    def _settle(self, asked: Asked, *, busy: bool = False) -> None:
        asked.answered_at, asked.busy = time.perf_counter(), busy
        asked.answered.set()

    async def _response(self, request: web.Request) -> web.Response:
        said = await request.read()
        if asked := self._asked.pop(request.match_info["token"], None):
            self._settle(asked, busy=BUSY.encode() in said.lower())
        return web.Response(text="ok")

    async def _api(self, request: web.Request) -> web.Response:
        """One answer that suits every method that the bot calls."""
        method = request.match_info["method"]
        self.calls.append(method)
        place = {}
        if request.content_type == "application/json":
            said = await request.json()
            place = {"channel": said.get("channel")}
            self._posted(said)
        ts = f"{time.time():.0f}.{next(self._numbers):06d}"
        who = {"user": "inspector", "team": "example", "user_id": "U0BOT", "bot_id": "B0BOT", "team_id": TEAM}
        file = {"file_id": f"F{ts}", "upload_url": f"{self.origin}/upload", "file": {"mimetype": "text/csv"}}
        return web.json_response(
            {"ok": True, "ts": ts, "messages": [], "permalink": self.origin, **who, **file, **place}
        )

    def _posted(self, message: dict[str, Any]) -> None:
        """A message says in its metadata which request it answers."""
        stamp = ((message.get("metadata") or {}).get("event_payload") or {}).get(STAMP, "")
        number = self._numbered.pop(str(stamp).rpartition("-")[0], "")
        if asked := self._asked.pop(number, None):
            self._settle(asked)

    async def _upload(self, request: web.Request) -> web.Response:
        await request.read()
        return web.Response(text="OK")

    @property
    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=WAITING)
            )
        return self._session

    async def close(self) -> None:
        """Close the connections to the bot."""
        if self._session:
            await self._session.close()


@asynccontextmanager
async def slack_end() -> AsyncIterator[SlackEnd]:
    """It listens on loopback."""
    end = SlackEnd()
    application = web.Application(client_max_size=64 * 1024 * 1024)
    application.add_routes(end.routes())
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    end.origin = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield end
    finally:
        await end.close()
        await runner.cleanup()


async def saturating(ask: Callable[[int], Awaitable[bool]], at_once: int, seconds: float) -> float:
    """How often a second `ask(number)` says True, where the next begins as soon as one of `at_once` ends."""
    numbers, done, end = itertools.count(), 0, time.perf_counter() + seconds

    async def again() -> None:
        nonlocal done
        while time.perf_counter() < end:
            counts = await ask(next(numbers))
            done += counts and time.perf_counter() < end

    await asyncio.gather(*(again() for _ in range(at_once)))
    return done / seconds


async def steady(ask: Callable[[int], Coroutine[Any, Any, Asked]], rate: float, seconds: float) -> list[Asked]:
    """Begin `rate` of them a second, whether or not the others are done; all of them, once acknowledged or failed."""
    begun = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        tasks: list[asyncio.Task[Asked]] = []
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0.0, begun + number / rate - time.perf_counter()))
            tasks.append(group.create_task(ask(number)))
    return [task.result() for task in tasks]


def quantile(values: Sequence[float], part: float) -> float:
    """The value below which `part` of them lie: 0.5 is the median."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else float("nan")
