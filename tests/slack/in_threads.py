"""A stand-in workspace whose bot can be stopped and started again, over a database that stays."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from bot.index.profile import load_profile
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.links import Links
from bot.slack.bot import SlackBot
from bot.state.state import State
from bot.workspace import Message, Workspace
from tests.slack.running import GENERAL, NOW, PAGE, SECRET, TOKEN, ChangingStore, settings


class Threads:
    """What a scenario does and sees in one workspace."""

    def __init__(self, ws: Workspace, store: ChangingStore) -> None:
        self.ws = ws
        self.store = store
        self.bot: SlackBot
        self.state: State | None = None

    async def say(self, text: str, thread: str | None = None, *, channel: str = GENERAL, **how: Any) -> list[Message]:
        """Write a message; the bot's answers to it."""
        before = len(self.replies(channel))
        await self.ws.post(channel, text, thread_ts=thread, **how)
        await self.bot.idle(10)
        return self.replies(channel)[before:]

    async def paste(self, text: str, *, channel: str = GENERAL, **how: Any) -> str:
        """Begin a thread with a message that the bot answers; its ts."""
        ts = await self.ws.post(channel, text, **how)
        await self.bot.idle(10)
        return ts

    def replies(self, channel: str = GENERAL) -> list[Message]:
        """What the bot wrote, ephemeral or not."""
        return [message for message in self.ws.messages(channel) if message.from_bot]

    def asked_slack(self) -> int:
        """How often threads were read from Slack."""
        return sum(call.method == "conversations.replies" for call in self.ws.calls)

    def refused(self) -> list[tuple[str, str | None]]:
        """The calls that the workspace refused."""
        return [(call.method, call.error) for call in self.ws.calls if not call.ok]


@asynccontextmanager
async def workspace(inspector: Inspector | None = None, **named: Any) -> AsyncIterator[Threads]:
    """A workspace without a bot yet."""
    async with Workspace(signing_secret=SECRET, bot_token=TOKEN, **named) as ws:
        yield Threads(ws, ChangingStore(page_info_local=[PAGE]))


@asynccontextmanager
async def started(
    threads: Threads, database: Path | None, inspector: Inspector | None = None, **changed: Any
) -> AsyncIterator[None]:
    """The bot as a process of its own would be: everything new but the database. `changed` are settings."""
    state = await State.open(f"sqlite:///{database}") if database else None
    inspector = inspector or Inspector(threads.store, load_profile(), clock=lambda: NOW)
    chosen = settings(threads.ws, **changed)
    async with aiohttp.ClientSession() as session:
        bot = SlackBot(
            Indexes(inspector), Links.from_settings(chosen), chosen, session=session, state=state, patience=10
        )
        application = web.Application()
        application.add_routes(bot.routes())
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        threads.ws.connect(f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events")
        threads.bot, threads.state = bot, state
        try:
            yield
        finally:
            await bot.drain(5)
            await bot.close()
            await runner.cleanup()
            if state:
                await state.close()
