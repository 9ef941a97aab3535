"""`crawler-inspector serve`: the bot, until SIGTERM or ^C."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import typer
import uvloop
from aiohttp import web

from bot import logs, metrics
from bot.app import built, opened_indexes
from bot.commands.progress import loading_progress
from bot.errors import InspectorError
from bot.inspection.query_id import current_request
from bot.settings import Settings, load_settings
from bot.slack.bot import check_secrets, preflight
from bot.slack.starting import mode_sentence
from bot.web.server import runner_of

log = logging.getLogger(__name__)

LAG_SECONDS = 0.5  # between two samples of the event loop's lag


def run() -> None:
    """Serve until told to stop. Raises BadSetting, within seconds, where Slack cannot be spoken to."""
    settings = load_settings()
    logs.configure(settings.log_format, settings.log_level, current_request)
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_run(settings))
    except InspectorError as error:
        if settings.log_format == "text":
            raise
        log.error("%s", error)  # every line is an object, the last one too
        raise typer.Exit(1) from error


async def _run(settings: Settings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    check_secrets(settings)
    log.info("%s", mode_sentence(settings))
    log.info("answering as %s", await preflight(settings))  # before anything that takes time
    async with opened_indexes(settings, loading_progress()) as indexes, built(settings, indexes) as application:
        runner = runner_of(application)
        await runner.setup()
        await web.TCPSite(runner, settings.host, settings.port).start()
        gc.freeze()  # what is made at the start stays: a collection that looks through it all holds everyone up
        log.info("listening on http://%s:%s", settings.host, runner.addresses[0][1])
        async with sampled_lag():
            await stop.wait()
        log.info("stopping: no new requests, running ones are finished")
        await runner.cleanup()


@asynccontextmanager
async def sampled_lag(seconds: float = LAG_SECONDS) -> AsyncIterator[None]:
    """How late the event loop wakes a sleeper, sampled meanwhile: what blocks it delays every acknowledgement."""

    async def sample() -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + seconds
            await asyncio.sleep(seconds)
            metrics.loop_lag(loop.time() - due)

    sampling = asyncio.create_task(sample())
    try:
        yield
    finally:
        sampling.cancel()
        await asyncio.gather(sampling, return_exceptions=True)
