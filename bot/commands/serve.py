"""`crawler-inspector serve`: the bot, until SIGTERM or ^C."""

from __future__ import annotations

import asyncio
import logging
import signal

from aiohttp import web

from bot.app import built, opened_inspector
from bot.commands.progress import loading_progress
from bot.errors import BadSetting
from bot.settings import Settings, load_settings

log = logging.getLogger(__name__)


def run() -> None:
    """Serve until told to stop. Raises BadSetting where Slack cannot be spoken to."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    settings = load_settings()
    if not settings.slack_signing_secret.get_secret_value():
        raise BadSetting("Set SLACK_SIGNING_SECRET (from the app's Basic Information page) and SLACK_BOT_TOKEN.")
    asyncio.run(_run(settings))


async def _run(settings: Settings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with opened_inspector(settings, loading_progress()) as inspector, built(settings, inspector) as application:
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, settings.host, settings.port).start()
        log.info("listening on http://%s:%s/slack/events", settings.host, runner.addresses[0][1])
        await stop.wait()
        log.info("stopping: no new requests, running ones are finished")
        await runner.cleanup()
