"""Wiring: settings → store → inspector → Slack and web. Opens what they need, and closes it in the opposite order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web

from bot.errors import StoreUnavailable
from bot.index.profile import IndexProfile, load_profile
from bot.inspection.pipeline import Inspector, utc_now
from bot.inspection.store import Store
from bot.links import Links
from bot.settings import Settings

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]

DRAIN_SECONDS = 10.0  # how long running inspections may take to finish at shutdown


def _silent(_table: str, _done: int, _total: int) -> None:
    """Progress that nobody watches."""


async def open_store(settings: Settings, profile: IndexProfile, progress: Progress) -> Store:
    """The cluster where one is configured, else the embedded crawl, made when first needed."""
    if settings.clickhouse_host:
        from bot.store.cluster import ClusterStore

        return ClusterStore(settings, profile)
    from bot.store.embedded import EmbeddedStore, prepare

    folder = settings.data_dir / "crawl"
    await asyncio.to_thread(prepare, folder, profile, progress, utc_now())
    return await asyncio.to_thread(EmbeddedStore, folder, timeout=settings.step_timeout)


async def usable_profile(store: Store, profile: IndexProfile) -> IndexProfile:
    """The profile less what the tables lack, each lack logged; the whole of it where they cannot be asked now."""
    from bot.store.schema_check import check_schema, profile_without

    try:
        missing = await check_schema(store, profile)
    except StoreUnavailable as error:
        log.warning("The tables could not be checked: %s", error)
        return profile
    for lack in missing:
        log.warning("%s", lack)
    return profile_without(profile, missing)


@asynccontextmanager
async def opened_inspector(settings: Settings, progress: Progress = _silent) -> AsyncIterator[Inspector]:
    """An inspector over the configured store, which is closed at the end."""
    profile = load_profile(settings.profile)
    store = await open_store(settings, profile, progress)
    try:
        yield Inspector(store, await usable_profile(store, profile), step_timeout=settings.step_timeout)
    finally:
        await store.close()


@asynccontextmanager
async def built(settings: Settings, inspector: Inspector) -> AsyncIterator[web.Application]:
    """The bot as an aiohttp application; at the end, running requests are drained and Slack is let go."""
    from bot.slack.bot import SlackBot
    from bot.web.probes import count
    from bot.web.site import Site

    async with aiohttp.ClientSession() as session:
        links = Links.from_settings(settings)
        slack = SlackBot(inspector, links, settings, session=session)
        application = web.Application()
        inspector.observer = count
        Site(inspector, links, dependencies={"slack": slack.preflight}).install(application)
        application.add_routes(slack.routes())
        try:
            yield application
        finally:
            await slack.drain(DRAIN_SECONDS)
            await slack.close()
