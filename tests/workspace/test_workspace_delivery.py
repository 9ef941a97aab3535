"""How Slack delivers: its clock, its retries, and what a response_url takes. The app is a bare route, or none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from bot.workspace import Workspace
from bot.workspace.model import SlackError

SECRET, TOKEN = "signing-secret", "xoxb-test"


@asynccontextmanager
async def serving(route: Callable[[web.Request], Awaitable[web.Response]]) -> AsyncIterator[str]:
    """The URL of one route, on loopback."""
    site = web.Application()
    site.router.add_post("/", route)
    runner = web.AppRunner(site, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    await runner.cleanup()


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """One session for the app's calls."""
    async with aiohttp.ClientSession() as opened:
        yield opened


async def test_a_late_answer_is_a_timeout() -> None:
    """The clock runs on Slack's side; here it is set to 50 ms."""

    async def slow(request: web.Request) -> web.Response:
        await asyncio.sleep(0.2)
        return web.Response()

    async with serving(slow) as url, Workspace(signing_secret=SECRET, bot_token=TOKEN, ack_seconds=0.05) as ws:
        ws.connect(url)
        ack = await ws.slash("/inspect")

    assert (ack.status, ack.error) == (None, "operation_timeout")
    assert ws.messages("C0GENERAL")[0].text == '/inspect failed with the error "operation_timeout"'


async def test_a_response_url_is_used_five_times_in_thirty_minutes(session: aiohttp.ClientSession) -> None:
    """Then it answers 404 with the reason; what it refuses does not count."""
    now = [1_796_126_400.0]
    async with Workspace(signing_secret=SECRET, bot_token=TOKEN, clock=lambda: now[0]) as ws:
        urls = [f"{ws.state.origin}/response/{ws.state.new_response_url('C0GENERAL', 'U0ANN')}" for _ in range(2)]

        async def use(url: str, **payload: Any) -> tuple[int, str]:
            async with session.post(url, json=payload) as response:
                body = await response.text()
                return response.status, json.loads(body)["error"] if body.startswith("{") else body

        assert await use(urls[0], text="") == (400, "no_text")
        assert [await use(urls[0], text=str(number)) for number in range(5)] == [(200, "ok")] * 5
        assert await use(urls[0], text="6") == (404, "used_url")
        now[0] += 1801
        assert await use(urls[1], text="late") == (404, "expired_url")
        assert [message.text for message in ws.messages("C0GENERAL")] == ["0", "1", "2", "3", "4"]


async def test_a_response_url_replaces_deletes_and_speaks_to_all(session: aiohttp.ClientSession) -> None:
    """Each by its flag; without one, a new ephemeral message, in a thread where thread_ts says so."""
    async with Workspace(signing_secret=SECRET, bot_token=TOKEN) as ws:
        url = f"{ws.state.origin}/response/{ws.state.new_response_url('C0GENERAL', 'U0ANN')}"
        seen = []
        for payload in (
            {"text": "working"},
            {"text": "done", "replace_original": True},
            {"text": "all", "response_type": "in_channel", "thread_ts": "1.000001"},
            {"delete_original": True},
        ):
            await session.post(url, json=payload)
            seen.append([(m.text, m.ephemeral_to, m.thread_ts) for m in ws.messages("C0GENERAL")])

    working, done, to_all = ("working", "U0ANN", None), ("done", "U0ANN", None), ("all", None, "1.000001")
    assert seen == [[working], [done], [done, to_all], [to_all]]


async def test_an_event_that_is_not_taken_comes_again(session: aiohttp.ClientSession) -> None:
    """With the number and the reason in the headers, until the app says that it wants no more."""
    seen: list[tuple[str | None, str | None, str]] = []

    async def failing(request: web.Request) -> web.Response:
        number = request.headers.get("x-slack-retry-num")
        seen.append((number, request.headers.get("x-slack-retry-reason"), json.loads(await request.text())["event_id"]))
        return web.Response(status=503, headers={"x-slack-no-retry": "1"} if number == "2" else {})

    async with serving(failing) as url, Workspace(signing_secret=SECRET, bot_token=TOKEN, retries=(0, 0, 0)) as ws:
        ws.connect(url)
        await ws.post("C0GENERAL", "x")

    event_id = seen[0][2]
    assert seen == [(None, None, event_id), ("1", "http_error", event_id), ("2", "http_error", event_id)]


async def test_without_an_app_the_sentence_says_what_to_do() -> None:
    """A test that forgot to connect learns it at once."""
    async with Workspace(signing_secret=SECRET, bot_token=TOKEN) as ws:
        with pytest.raises(SlackError, match=r"call workspace\.connect\(url\)"):
            await ws.slash("/inspect")
