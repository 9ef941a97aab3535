"""`crawler-inspector demo`: the real bot and a stand-in workspace talk over signed HTTP on loopback."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence

from aiohttp import web
from pydantic import SecretStr
from rich.console import Console
from rich.rule import Rule

from bot.app import built, opened_inspector
from bot.commands.progress import loading_progress
from bot.index.sample import EXAMPLES
from bot.render.terminal import message_view
from bot.settings import Settings, load_settings
from bot.workspace import Workspace

CHANNEL = "C0GENERAL"
SHOWN = ("indexable", "canonical elsewhere")  # of the sample's examples: one by slash command, one pasted
WAIT = 30.0  # seconds for a reply


def run(urls: Sequence[str]) -> None:
    """Show `/inspect` and a pasted URL, and what the bot posted."""
    asyncio.run(_run(load_settings(), urls or [EXAMPLES[name] for name in SHOWN]))


async def _run(settings: Settings, urls: Sequence[str]) -> None:
    console = Console()
    secret, token = secrets.token_hex(16), f"xoxb-demo-{secrets.token_hex(8)}"
    async with Workspace(signing_secret=secret, bot_token=token) as workspace:
        demo_settings = settings.model_copy(
            update={
                "slack_signing_secret": SecretStr(secret),
                "slack_bot_token": SecretStr(token),
                "slack_api_url": workspace.api_url,
            }
        )
        async with opened_inspector(settings, loading_progress()) as inspector, built(demo_settings, inspector) as bot:
            runner = web.AppRunner(bot, access_log=None)
            await runner.setup()
            try:
                site = web.TCPSite(runner, "127.0.0.1", 0)
                await site.start()
                address = runner.addresses[0]
                workspace.connect(f"http://127.0.0.1:{address[1]}/slack/events")
                await _converse(workspace, urls, console)
            finally:
                await runner.cleanup()


async def _converse(workspace: Workspace, urls: Sequence[str], console: Console) -> None:
    """Every URL by slash command, then the last one pasted into the channel."""
    for url in urls:
        console.print(Rule(f"ann types  /inspect {url}", align="left"))
        await workspace.slash("/inspect", url, channel=CHANNEL)
        console.print(message_view((await workspace.wait_for(lambda m: True, timeout=WAIT)).payload))
    console.print(Rule(f"ben pastes  {urls[-1]}", align="left"))
    ts = await workspace.post(CHANNEL, f"is this one in? {urls[-1]}", user="U0BEN")
    console.print(message_view((await workspace.wait_for(lambda m: m.thread_ts == ts, timeout=WAIT)).payload))
