"""The workspace as Slack runs it: it listens, carries payloads to the app, and remembers. People are in `workspace`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from bot.render.limits import ACK_SECONDS
from bot.workspace import payloads
from bot.workspace.faults import FaultKind, Faults
from bot.workspace.model import (
    SCOPES,
    Call,
    Change,
    Delivery,
    File,
    Installation,
    Json,
    Message,
    Unfurl,
    View,
)
from bot.workspace.sender import CHECK, EVENT, Carrier, HttpCarrier, Nowhere, deliver
from bot.workspace.server import InFlight, build
from bot.workspace.socket_mode import Sockets
from bot.workspace.state import State

EVENTS = ("app_home_opened", "app_mention", "file_shared", "link_shared", "message.channels", "message.im")
SLACK_RETRIES = (0.0, 60.0, 300.0)  # https://docs.slack.dev/apis/events-api
SHOWN = ("message", "message_changed", "reaction")  # changes whose value is a message that stands there


class Changes:
    """What happens from now on, one change at a time: `async for change in ws.subscribe()`."""

    def __init__(self, observers: list[Callable[[Change], None]]) -> None:
        self._queue: asyncio.Queue[Change] = asyncio.Queue()
        self._observers = observers
        observers.append(self._queue.put_nowait)

    def __aiter__(self) -> AsyncIterator[Change]:
        """Itself."""
        return self

    async def __anext__(self) -> Change:
        """The next change; waits for it."""
        return await self._queue.get()

    def __enter__(self) -> Self:
        """`with ws.subscribe() as changes` stops listening at its end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop listening."""
        self._observers.remove(self._queue.put_nowait)


class Hub:
    """`events` are what the app subscribed to; `retries` the seconds before an event is sent again: `SLACK_RETRIES` is
    Slack's, none the default. `clock` runs triggers and response_urls, not signatures."""

    def __init__(
        self,
        *,
        signing_secret: str,
        bot_token: str,
        app_token: str = "xapp-1-A0EXAMPLE",  # noqa: S107 - a stand-in for a token
        port: int = 0,
        scopes: Iterable[str] = SCOPES,
        events: Iterable[str] = EVENTS,
        unfurl_domains: Iterable[str] = (),
        retries: tuple[float, ...] = (),
        ack_seconds: float = ACK_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.installation = Installation(signing_secret, bot_token, app_token, scopes=frozenset(scopes))
        self.state = State(self.installation, clock)
        self.faults = Faults()
        self.in_flight = InFlight()
        self.sockets = Sockets(self.state, ack_seconds)
        self.events = frozenset(events)
        self.unfurl_domains = tuple(unfurl_domains)
        self.retries = retries
        self._ack_seconds = ack_seconds
        self._port = port
        self._carriers: list[HttpCarrier] = []  # the last one is in use
        self._runner = web.AppRunner(
            build(self.state, self.faults, self.sockets, self.in_flight), access_log=None, shutdown_timeout=1
        )

    async def __aenter__(self) -> Self:
        """Listen on 127.0.0.1."""
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self.state.origin = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close every connection."""
        self.faults.closing.set()
        await self.sockets.disconnect("link_disabled")
        for carrier in self._carriers:
            await carrier.close()
        await self._runner.cleanup()

    # the app

    @property
    def api_url(self) -> str:
        """The app's `base_url`."""
        return f"{self.state.origin}/api/"

    def connect(self, url: str) -> None:
        """The app's request URL: from now on payloads go there."""
        self._carriers.append(HttpCarrier(url, self.installation.signing_secret, self._ack_seconds))

    def fail_next(self, method: str, kind: FaultKind, times: int = 1) -> None:
        """Let the next calls of a method (or "response_url", or "*") fail."""
        self.faults.add(method, kind, times)

    def grant_code(self) -> str:
        """An OAuth code that oauth.v2.access takes once."""
        code = self.state.new_id("code-")
        self.state.codes.add(code)
        return code

    # what there is

    def messages(self, channel: str, thread_ts: str | None = None) -> list[Message]:
        """All messages of a channel, ephemeral ones and threads too, oldest first; or one thread with its root."""
        all_here = [m for m in self.state.messages.values() if m.channel == channel]
        return [m for m in all_here if thread_ts is None or thread_ts in (m.ts, m.thread_ts)]

    def views(self, user: str) -> list[View]:
        """The modals that a user has open, the root first."""
        return self.state.stack(user)

    def home(self, user: str) -> View | None:
        """A user's Home tab."""
        return self.state.homes.get(user)

    @property
    def unfurls(self) -> list[Unfurl]:
        """The cards under links."""
        return self.state.unfurls

    @property
    def files(self) -> list[File]:
        """The files."""
        return list(self.state.files.values())

    @property
    def calls(self) -> list[Call]:
        """Everything that the app asked for."""
        return self.state.calls

    @property
    def deliveries(self) -> list[Delivery]:
        """Everything that the app was told, every try."""
        return self.state.deliveries

    def subscribe(self) -> Changes:
        """What happens from now on."""
        return Changes(self.state.observers)

    async def wait_for(self, matches: Callable[[Message], bool], timeout: float = 10) -> Message:  # noqa: ASYNC109 - a deadline is the point
        """The first message that matches, posted or ephemeral, now or later; edits count. Raises TimeoutError."""
        with self.subscribe() as changes:
            present = next((m for m in self.state.messages.values() if matches(m)), None)
            if present is not None:
                return present
            try:
                async with asyncio.timeout(timeout):
                    async for change in changes:
                        message = change.value if change.kind in SHOWN else None
                        if isinstance(message, Message) and matches(message):
                            return message
            except TimeoutError:
                there_is = [f"{m.via}: {m.words[:80]!r}" for m in self.state.messages.values()]
                raise TimeoutError(f"No message matched within {timeout} s. There is: {there_is}") from None
        raise AssertionError("changes do not end")

    # what Slack does by itself

    async def verify_url(self, challenge: str = "challenge") -> Delivery:
        """Ask the app's request URL whether it is one: it answers with the challenge."""
        body = {"type": "url_verification", "token": payloads.VERIFICATION_TOKEN, "challenge": challenge}
        return await self._send(EVENT, body)

    async def ssl_check(self) -> Delivery:
        """Check the certificate of a command's URL."""
        return await self._send(CHECK, {"ssl_check": "1", "token": payloads.VERIFICATION_TOKEN})

    async def send_event(self, event: Json) -> Delivery:
        """Any event, as given, in its envelope."""
        return await self._send(EVENT, self._envelope(event))

    async def redeliver(
        self, delivery: Delivery, *, retry: int = 1, reason: str = "http_timeout", new_event_id: bool = False
    ) -> Delivery:
        """Send an event once more, as Slack does when it believes that it was not taken."""
        changed = {"event_id": self.state.new_id("Ev")} if new_event_id else {}
        again = await self._carrier.carry(EVENT, {**delivery.payload, **changed}, retry, reason)
        self.state.delivered(again)
        return again

    # within

    @property
    def _carrier(self) -> Carrier:
        if self._carriers:
            return self._carriers[-1]
        return self.sockets if self.sockets.count else Nowhere()

    async def _send(self, kind: str, payload: Json) -> Delivery:
        tries = await deliver(self._carrier, kind, payload, self.retries if kind == EVENT else ())
        for attempt in tries:
            self.state.delivered(attempt)
        return tries[-1]

    async def _tell(self, events: Iterable[tuple[str, Json]]) -> None:
        """Send the events that the app subscribed to, at once, as Slack does."""
        wanted = [self._envelope(event) for name, event in events if name in self.events]
        await asyncio.gather(*(self._send(EVENT, envelope) for envelope in wanted))

    def _envelope(self, event: Json) -> dict[str, Any]:
        return payloads.event_callback(event, self.state.new_id("Ev"), self.state.clock())
