"""People who ask, and a Slack that delivers as Slack does; afterwards, which request was answered how often.

Slack sends an event that nobody acknowledged again, with the same event id, three times within six minutes
(https://docs.slack.dev/apis/events-api). Here the tries follow each other sooner, until one is acknowledged. A command
is never sent again: the person reads that it failed, and types it anew.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.index.ddl import statements
from bot.index.profile import load_profile
from bot.workspace import Message, Workspace
from bot.workspace.model import BOT_USER, Channel, Delivery, Json
from bot.workspace.sender import Carrier
from tests.cluster.cluster import running_cluster
from tests.slack.running import SECRET, TOKEN

PASTE, MENTION, COMMAND = KINDS = ("paste", "mention", "command")
CHANNELS = 100  # Slack takes one message a second in each
AGAIN = (0.0, *(1.0,) * 120)  # seconds before an event is delivered again
TYPED_AGAIN = 1.0
NAMED = re.compile(r"https://asked\.example/(\d+)")


class Replicas:
    """Carries each payload, and each new try of it, to the next replica, as a balancer does that checks no health."""

    def __init__(self, replicas: Sequence[Carrier]) -> None:
        self._replicas = replicas
        self._turn = itertools.count()

    async def carry(self, kind: str, payload: Json, retry: int = 0, reason: str = "") -> Delivery:
        """Bring one payload to the app."""
        replica = self._replicas[next(self._turn) % len(self._replicas)]
        return await replica.carry(kind, payload, retry, reason)


class BusyWorkspace(Workspace):
    """A workspace of many channels, with an app that may have several replicas."""

    def __init__(self) -> None:
        super().__init__(signing_secret=SECRET, bot_token=TOKEN, retries=AGAIN)
        people = frozenset((*self.state.users, BOT_USER))
        self.busy = tuple(f"C0BUSY{number:03d}" for number in range(CHANNELS))
        self.state.channels |= {name: Channel(name, name.lower(), people) for name in self.busy}
        self._replicas = Replicas(self._carriers)

    @property
    def _carrier(self) -> Carrier:
        return self._replicas


@dataclass
class Request:
    """One URL, asked for once. A command that was typed again is another request."""

    number: int
    kind: str
    channel: str
    thread_ts: str | None = None
    acknowledged: bool = False

    @property
    def url(self) -> str:
        """No other request has it."""
        return f"https://asked.example/{self.number:06d}"


@dataclass
class Traffic:
    """Asks in `ws`, and keeps what was asked."""

    ws: Workspace
    channels: Sequence[str]
    requests: list[Request] = field(default_factory=list)

    async def ask(self, kind: str) -> Request:
        """One request, in the next channel, until it is acknowledged; the last try of it."""
        request = await self._try(kind)
        while not request.acknowledged:
            await asyncio.sleep(TYPED_AGAIN)
            request = await self._try(kind)
        return request

    async def steadily(self, count: int, rate: float, kinds: Sequence[str] = KINDS) -> None:
        """So many requests, so many a second, whether or not the bot keeps up."""
        async with asyncio.TaskGroup() as group:
            for number in range(count):
                group.create_task(self.ask(kinds[number % len(kinds)]))
                await asyncio.sleep(1 / rate)

    async def _try(self, kind: str) -> Request:
        number = len(self.requests)
        request = Request(number, kind, self.channels[number % len(self.channels)])
        self.requests.append(request)
        if kind == COMMAND:
            request.acknowledged = (await self.ws.slash("/inspect", request.url, channel=request.channel)).error is None
        else:
            request.thread_ts = await self.ws.post(request.channel, request.url, mention=kind == MENTION)
            request.acknowledged = True  # or its tries ended, which the missing answer shows
        return request

    def answers(self) -> Counter[int]:
        """How many messages for everyone each request has, by its number; -1 counts those that nobody asked for."""
        by_thread = self._threads()
        return Counter(_number(message, by_thread) for message in self._for_everyone())

    def missing(self) -> list[Request]:
        """Acknowledged, and not answered."""
        answers = self.answers()
        return [request for request in self.requests if request.acknowledged and not answers[request.number]]

    def doubled(self) -> list[Request]:
        """Answered more than once."""
        answers = self.answers()
        return [request for request in self.requests if answers[request.number] > 1]

    async def answered(self, quiet: float, *, told: bool = False) -> None:
        """Wait until nothing is missing, or nothing new came for `quiet` seconds; `told`: a sentence is enough."""
        loop = asyncio.get_running_loop()
        known, since = -1, loop.time()
        while (left := self.missing()) and loop.time() - since < quiet:
            if told and all(self.told(request) for request in left):
                return
            if len(left) != known:
                known, since = len(left), loop.time()
            await asyncio.sleep(0.1)

    def answer(self, request: Request) -> str:
        """The words of its answer."""
        by_thread = self._threads()
        return next(m.words for m in self._for_everyone() if _number(m, by_thread) == request.number)

    def told(self, request: Request) -> list[Message]:
        """What the bot said where it was asked, to the asker alone too."""
        here = [message for message in self.ws.messages(request.channel) if message.from_bot]
        return [m for m in here if request.thread_ts is None or m.thread_ts in (request.thread_ts, None)]

    def _threads(self) -> dict[tuple[str, str | None], int]:
        return {(request.channel, request.thread_ts): request.number for request in self.requests if request.thread_ts}

    def _for_everyone(self) -> list[Message]:
        said = (message for message in self.ws.state.messages.values() if message.from_bot)
        return [message for message in said if message.ephemeral_to is None and message.channel in self.channels]


def _number(message: Message, by_thread: dict[tuple[str, str | None], int]) -> int:
    named = NAMED.search(message.words) or NAMED.search(message.text)
    found = by_thread.get((message.channel, message.thread_ts))
    return found if found is not None else int(named[1]) if named else -1


@contextmanager
def empty_crawl(folder: Path) -> Iterator[int]:
    """A server of the test cluster with the schema of the built-in crawl and no pages; its port."""
    with running_cluster(folder, 1) as cluster:
        cluster.run(statements(load_profile()))
        yield cluster.nodes[0].port
