"""The bot behind its HTTP server, on loopback, for inputs that come one after another without a test around them."""

from __future__ import annotations

import asyncio
import copy
import itertools
import json
import logging
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, suppress
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import aiohttp
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.index.profile import load_profile
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.links import Action, Grant, Links
from bot.render import actions
from bot.report.subject import Subject, encode
from bot.slack.bot import SlackBot
from bot.slack.channel_settings import Place
from bot.slack.replies import TextPage
from bot.web.server import runner_of
from bot.web.site import Site
from bot.workspace.sender import FORM, JSON, signature
from tests.slack.running import GENERAL, NOW, PAGE, SECRET, SITE, URL, ChangingStore, settings, workspace

SECONDS = 0.05  # that the work of one request may take, before it is given up
SUBJECT = Subject(PAGE["key"], 7)
OURS = ("bot", "aiohttp", "asyncio")  # whose errors count
Json = dict[str, Any]


def _event(**members: Any) -> Json:
    return {"type": "event_callback", "team_id": "T0EXAMPLE", "event_id": "Ev1", "event": {"user": "U0ANN", **members}}


def _said(text: str, **members: Any) -> Json:
    return _event(channel=GENERAL, ts="17.1", text=text, **{"type": "message", "subtype": None, **members})


def _click(action: str, value: str, **members: Any) -> Json:
    container = {"type": "message", "channel_id": GENERAL, "message_ts": "17.1", "thread_ts": "17.0"}
    pressed = {"type": "block_actions", "user": {"id": "U0ANN"}, "channel": {"id": GENERAL}, "trigger_id": "1"}
    action_of = {"action_id": action, "block_id": "b", "type": "button", "value": value}
    return {**pressed, "team": {"id": "T0EXAMPLE"}, "container": container, "actions": [action_of], **members}


def _submitted(callback_id: str, state: str, fields: Mapping[str, Any], **members: Any) -> Json:
    values = {name: {name: value} for name, value in fields.items()}
    view = {"id": "V1", "type": "modal", "callback_id": callback_id, "private_metadata": state, "hash": "1"}
    pressed = {"type": "view_submission", "user": {"id": "U0ANN"}, "team": {"id": "T0EXAMPLE"}, "trigger_id": "1"}
    return {**pressed, "view": {**view, "state": {"values": values}}, "response_urls": [], **members}


STATE = TextPage(SUBJECT, "attrs_boilerpipe_text", GENERAL, "17.1").encode()
CHOICE = {"selected_option": {"value": "always"}}
INPUT = {"value": "https://docs.example/guide"}
PAYLOADS: tuple[Json, ...] = (
    _said(URL, files=[{"name": "a.txt", "url_private": "https://files.example/a"}], blocks=[]),
    _said(f"<@U0BOT> {URL}", type="app_mention", channel_type="channel", thread_ts="17.0"),
    _said("why", channel_type="im", thread_ts="17.0", parent_user_id="U0BOT"),
    _event(
        type="link_shared", channel=GENERAL, message_ts="17.1", source="composer", unfurl_id="u", links=[{"url": URL}]
    ),
    _event(type="app_home_opened", tab="home"),
    _click(actions.ACTION_RECHECK, encode(SUBJECT), message={}),
    _click(actions.ACTION_TEXT, encode(SUBJECT)),
    _click(actions.ACTION_RAW, encode(SUBJECT)),
    _click(actions.ACTION_NEXT, "2", view={"id": "V1", "hash": "1", "private_metadata": STATE}),
    _click(actions.ACTION_FILE, "1", view={"id": "V1", "hash": "1", "private_metadata": STATE}),
    _submitted(
        actions.VIEW_LOOKUP, "", {"url": INPUT, "shard": {"value": "3"}, "as_of": {"selected_date_time": 1_796_000_000}}
    ),
    _submitted(
        actions.VIEW_SETTINGS, Place(GENERAL, None).encode(), {"paste": CHOICE, "visibility": CHOICE, "profile": CHOICE}
    ),
    {
        "type": "message_action",
        "user": {"id": "U0ANN"},
        "channel": {"id": GENERAL},
        "callback_id": "inspect_message",
        "trigger_id": "1",
        "message": {"text": URL, "blocks": []},
    },
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every member of a payload, from the outside in."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield (*path, name)
        yield from places(member, (*path, name))


def altered(octets: bytes) -> Json:
    """A payload, one member of it replaced: the first octet says which payload, the second which member."""
    kind, member, text = octets[:1] or b"\0", octets[1:2] or b"\0", octets[2:].decode("utf-8", "replace")
    payload = copy.deepcopy(PAYLOADS[kind[0] % len(PAYLOADS)])
    paths = list(places(payload))
    *before, last = paths[member[0] % len(paths)]
    holder: Any = payload
    for part in before:
        holder = holder[part]
    try:
        holder[last] = json.loads(text)
    except (ValueError, RecursionError):
        holder[last] = text
    return payload


class LoopbackOnly(AbstractResolver):
    """Finds no host: what is fuzzed names many, and none of them is asked."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Raises OSError for everything; addresses in numbers never come here."""
        raise OSError(f"no such host: {host}")

    async def close(self) -> None:
        """Nothing is open."""


class Errors(logging.Handler):
    """Keeps what was logged with a traceback, or as an error of the server."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.met: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """A known failure is told in one line, without the traceback."""
        if record.exc_info or record.name.startswith(("aiohttp", "asyncio", "bot.web")):
            self.met.append(logging.Formatter().format(record))


class Door:
    """One bot, one loop."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._numbers = itertools.count()
        self._errors = Errors()
        for name in OURS:
            logging.getLogger(name).addHandler(self._errors)
            logging.getLogger(name).propagate = False
        self._stack = AsyncExitStack()
        self._loop.run_until_complete(self._open())

    async def _open(self) -> None:
        ws = await self._stack.enter_async_context(workspace())
        connector = aiohttp.TCPConnector(resolver=LoopbackOnly())
        session = await self._stack.enter_async_context(aiohttp.ClientSession(connector=connector))
        chosen = settings(ws, concurrency=4)
        store = ChangingStore(startsWith=[SITE], page_info_local=[PAGE])
        indexes = Indexes(Inspector(store, load_profile(), clock=lambda: NOW))
        self._links = Links("https://bot.example", ["k" * 32])
        self._bot = SlackBot(indexes, self._links, chosen, session=session)
        application = web.Application()
        Site(indexes, self._links).install(application)
        application.add_routes(self._bot.routes())
        runner = runner_of(application)
        await runner.setup()
        self._stack.push_async_callback(runner.cleanup)
        self._stack.push_async_callback(self._bot.close)
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self._port = runner.addresses[0][1]

    def close(self) -> None:
        """Close everything."""
        for name in OURS:
            logging.getLogger(name).removeHandler(self._errors)
            logging.getLogger(name).propagate = True
        self._loop.run_until_complete(self._stack.aclose())
        self._loop.close()

    def payload(self, octets: bytes) -> None:
        """An altered payload, signed."""
        payload = altered(octets)
        number = next(self._numbers)
        if payload.get("type") == "event_callback":
            payload["event_id"] = f"Ev{number}"
        elif payload.get("trigger_id") == "1":
            payload["trigger_id"] = f"t{number}"
        body = json.dumps(payload)
        event = payload.get("type") == "event_callback"
        self._expect(_signed(body if event else urlencode({"payload": body}), JSON if event else FORM), (200, 400))

    def request(self, octets: bytes) -> None:
        """Whatever the octets are, by the first of them: a raw request, a signed body, or an address."""
        kind, rest = octets[:1], octets[1:]
        if kind == b"\0":
            self._expect(rest, range(200, 500))
        elif kind in (b"\1", b"\2"):
            self._expect(_signed(rest.decode("utf-8", "replace"), JSON if kind == b"\1" else FORM), range(200, 500))
        else:
            path = rest.decode("latin-1")
            path = path if kind == b"\3" else self._page(path)
            address = quote(path, safe="/?&=%.+")
            self._expect(f"GET /{address} HTTP/1.1\r\nHost: bot.example\r\n\r\n".encode("ascii"), range(200, 500))

    def _page(self, rest: str) -> str:
        """A page that a link of ours opens, and what a reader put behind it."""
        first, _, query = rest.partition("?")
        action = [*Action][len(first) % len(Action)]
        url = self._links.url(action, Grant(SUBJECT, "attrs_boilerpipe_text", 1_796_000_000))
        return f"{urlsplit(url or '').path[1:]}{first if first.startswith('.') else ''}?{query}"

    def _expect(self, sent: bytes, statuses: range | tuple[int, ...]) -> None:
        """Send octets; the answer, where there is one, has one of the statuses, and nothing broke behind it."""
        self._errors.met.clear()
        status = self._loop.run_until_complete(self._answer(sent))
        assert status is None or status in statuses, f"HTTP {status}"
        assert not self._errors.met, self._errors.met[0]

    async def _line(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        """The first line of the answer; where the server waits for more, it is told that nothing comes."""
        with suppress(TimeoutError):
            return await asyncio.wait_for(asyncio.shield(first := asyncio.ensure_future(reader.readline())), SECONDS)
        writer.write_eof()
        return await asyncio.wait_for(first, 10)

    async def _answer(self, sent: bytes) -> int | None:
        """The status of the answer; None where the connection is closed without one, as where a body ends early."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            writer.write(sent)
            line = await self._line(reader, writer)
        except ConnectionError:
            line = b""
        finally:
            writer.close()
        await self._bot.idle(SECONDS)
        return int(line.split()[1]) if line else None


def _signed(body: str, content_type: str) -> bytes:
    octets = body.encode()
    headers = {"Host": "bot.example", "Content-Type": content_type, "Content-Length": str(len(octets))}
    headers |= signature(SECRET, body, int(time.time()))
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST /slack/events HTTP/1.1\r\n{lines}\r\n".encode() + octets


@cache
def door() -> Door:
    """The one of this process."""
    return Door()
