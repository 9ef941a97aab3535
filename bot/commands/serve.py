"""`crawler-inspector serve`: the bot, until SIGTERM or ^C."""

from __future__ import annotations

import asyncio
import logging
import signal

from aiohttp import web

from bot.app import built, opened_inspector
from bot.commands.progress import loading_progress
from bot.settings import Settings, load_settings
from bot.slack.bot import check_secrets, preflight
from bot.slack.starting import mode_sentence

log = logging.getLogger(__name__)


def run() -> None:
    """Serve until told to stop. Raises BadSetting, within seconds, where Slack cannot be spoken to."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    asyncio.run(_run(load_settings()))


async def _run(settings: Settings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    check_secrets(settings)
    log.info("%s", mode_sentence(settings))
    log.info("answering as %s", await preflight(settings))  # before anything that takes time
    async with opened_inspector(settings, loading_progress()) as inspector, built(settings, inspector) as application:
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, settings.host, settings.port).start()
        log.info("listening on http://%s:%s", settings.host, runner.addresses[0][1])
        await stop.wait()
        log.info("stopping: no new requests, running ones are finished")
        await runner.cleanup()
