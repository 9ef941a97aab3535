"""The bot and a stand-in workspace, talking over loopback; the crawl is a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import aiohttp
from aiohttp import web
from pydantic import SecretStr

from bot.index.profile import load_profile
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.links import Links
from bot.settings import Settings
from bot.slack.bot import SlackBot
from bot.state.state import State
from bot.workspace import Message, Workspace
from tests.inspection.scripted_store import Reply, ScriptedStore

URL = "https://docs.example/guide"
OTHER = "https://docs.example/other"
GENERAL, RANDOM, OUTSIDE, DM = "C0GENERAL", "C0RANDOM", "C0OUTSIDE", "D0ANN"
SECRET, TOKEN = "planted-signing-secret", "xoxb-planted-bot-token"
APP_TOKEN = "xapp-1-A0EXAMPLE-planted-app-token"
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
HTTP, SOCKET = "http", "socket"  # how Slack's requests come in
RULES = ("http_status", "age_cutoff", "history_drop", "spam_ban", "canonical")
PAGE: dict[str, Any] = {
    "key": "example,docs!,/guide s443",
    "f_url": URL,
    "f_download_stamp": 1_796_000_000,
    "f_download_http_code": 200,
    "f_attrs_boilerpipe_text": "word " * 1_300,
    **{f"pass_{rule}": 1 for rule in RULES},
    **{f"details_{rule}": f"details of {rule}" for rule in RULES},
}


# What the crawl says where it counts a site: the pages of one pattern of outcomes, and no breakdown.
SITE: dict[str, Any] = {"part": 15, "pattern": 0, "pages": 5, "listed": ["example,docs!,/guide s443"]}


class ChangingStore(ScriptedStore):
    """A script that goes on."""

    def says(self, **tables: Reply) -> None:
        """From now on."""
        self._tables |= tables


def settings(workspace: Workspace | None = None, **changed: Any) -> Settings:
    """The settings of a bot in that workspace."""
    values: dict[str, Any] = {
        "slack_signing_secret": SecretStr(SECRET),
        "slack_bot_token": SecretStr(TOKEN),
        "slack_api_url": workspace.api_url if workspace else "http://127.0.0.1:9/api/",
        **changed,
    }
    return Settings().model_copy(update=values)


@dataclass
class Running:
    """A workspace with the bot in it."""

    ws: Workspace
    bot: SlackBot
    store: ChangingStore
    url: str
    session: aiohttp.ClientSession
    indexes: Indexes

    def replies(self, channel: str = GENERAL) -> list[Message]:
        """What the bot wrote there, ephemeral or not."""
        return [message for message in self.ws.messages(channel) if message.from_bot]

    async def settled(self, channel: str = GENERAL) -> list[Message]:
        """The bot's messages once it has nothing left to do."""
        await self.bot.idle(10)
        return self.replies(channel)

    def made(self, method: str) -> list[Any]:
        """The calls of a method."""
        return [call for call in self.ws.calls if call.method == method]


async def until(true: Callable[[], object]) -> None:
    """Wait for what happens while the bot still works."""
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110 - what is waited for tells nobody
            await asyncio.sleep(0.01)


def workspace() -> Workspace:
    """A workspace where the app is installed."""
    return Workspace(signing_secret=SECRET, bot_token=TOKEN, app_token=APP_TOKEN)


@asynccontextmanager
async def running(
    *,
    patience: float = 10,
    inspector: Inspector | None = None,
    indexes: Indexes | None = None,
    state: State | None = None,
    transport: str = HTTP,
    ws: Workspace | None = None,
    session: aiohttp.ClientSession | None = None,
    changed: Mapping[str, Any] | None = None,
    **tables: Reply,
) -> AsyncIterator[Running]:
    """A bot that listens, in a workspace that knows its address, or over its own socket.

    Without an inspector, or several as `indexes`, its crawl is a script.

    `ws` is a workspace that is open already, `session` what the bot calls it through; `changed` are settings.
    """
    store = ChangingStore(**(tables or {"startsWith": [SITE], "page_info_local": [PAGE]}))
    indexes = indexes or Indexes(inspector or Inspector(store, load_profile(), clock=lambda: NOW))
    async with AsyncExitStack() as stack:
        if session is None:
            session = await stack.enter_async_context(aiohttp.ClientSession())
        here = await stack.enter_async_context(workspace()) if ws is None else ws
        app_token = SecretStr(APP_TOKEN if transport == SOCKET else "")
        chosen = settings(here, slack_app_token=app_token, **(changed or {}))
        links = Links.from_settings(chosen)
        bot = SlackBot(indexes, links, chosen, session=session, patience=patience, state=state)
        application = web.Application()
        application.add_routes(bot.routes())
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
        if transport == HTTP:
            here.connect(url)
        try:
            await bot.open()
            yield Running(here, bot, store, url, session, indexes)
        finally:
            await bot.drain(5)
            await bot.close()
            await runner.cleanup()
