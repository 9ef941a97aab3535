"""A stand-in workspace whose bot watches pages by a clock that the test moves."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bot.slack.watches.watching import Watching
from bot.state.records import Watch
from bot.state.state import State
from bot.workspace import Message
from bot.workspace.model import TEAM
from tests.slack.running import GENERAL, NOW, PAGE, Running, running

HOUR = timedelta(hours=1)
GONE: dict[str, Any] = {**PAGE, "pass_http_status": 0, "f_download_http_code": 404}
MOVED: dict[str, Any] = {**PAGE, "pass_canonical": 0, "f_meta_canonical": "https://docs.example/b"}


class Clock:
    """Stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


class Watched:
    """What a scenario does and sees."""

    def __init__(self, bot: Running, state: State, clock: Clock) -> None:
        self.bot = bot
        self.ws = bot.ws
        self.state = state
        self.clock = clock

    @property
    def watching(self) -> Watching:
        """The loop, whose turns the test makes."""
        assert self.bot.bot.watching is not None
        return self.bot.bot.watching

    async def slash(self, text: str, *, channel: str = GENERAL, user: str = "U0ANN") -> list[Message]:
        """Type `/inspect …`; what the bot wrote there since."""
        before = len(self.bot.replies(channel))
        await self.ws.slash("/inspect", text, channel=channel, user=user)
        return (await self.bot.settled(channel))[before:]

    async def say(self, text: str, thread: str | None = None, *, channel: str = GENERAL, **how: Any) -> list[Message]:
        """Write a message; the bot's answers to it."""
        before = len(self.bot.replies(channel))
        await self.ws.post(channel, text, thread_ts=thread, **how)
        return (await self.bot.settled(channel))[before:]

    async def later(self, hours: float = 1.2, *, channel: str = GENERAL) -> list[Message]:
        """Let time pass, and make the checks that are due; what the bot wrote there."""
        before = len(self.bot.replies(channel))
        self.clock.now += timedelta(hours=hours)
        while await self.watching.turn():
            pass
        return self.bot.replies(channel)[before:]

    async def kept(self, user: str = "U0ANN", channel: str = GENERAL) -> list[Watch]:
        """The user's watches and the channel's."""
        return await self.state.watches.near(TEAM, channel, user)

    def refused(self) -> list[tuple[str, str | None]]:
        """The calls that the workspace refused."""
        return [(call.method, call.error) for call in self.ws.calls if not call.ok]


def words(messages: list[Message]) -> str:
    """All that can be read in them."""
    return "\n".join(message.words for message in messages)


@asynccontextmanager
async def watched(
    database: Path, clock: Clock | None = None, *, by_itself: bool = False, **named: Any
) -> AsyncIterator[Watched]:
    """The bot as a process of its own would be, over a database that stays.

    The test makes the turns of its watching, unless that goes on `by_itself`.
    """
    clock = clock or Clock()
    state = await State.open(f"sqlite:///{database}", clock=clock)
    try:
        async with running(state=state, **{"page_info_local": [PAGE], **named}) as bot:
            here = Watched(bot, state, clock)
            if not by_itself:  # its first look may come as late as the test's, and take what is due
                await here.watching.stop(5)
            yield here
    finally:
        await state.close()
