"""Wiring: settings → store → inspector → Slack and web. Opens what they need, and closes it in the opposite order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from aiohttp import web

from bot.errors import StoreUnavailable
from bot.index.profile import IndexProfile, load_profiles
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector, utc_now
from bot.inspection.store import Store
from bot.links import Links
from bot.policy import Policy
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.state.state import State

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]

SWEEP_SECONDS = 3_600.0  # between two looks for old records
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
    """An inspector over the default index; its store is closed at the end."""
    async with _opened(settings, load_profiles(settings.profiles)[0], progress) as inspector:
        yield inspector


@asynccontextmanager
async def opened_indexes(settings: Settings, progress: Progress = _silent) -> AsyncIterator[Indexes]:
    """Every configured index over a store of its own, closed at the end. The embedded crawl is one for all of them."""
    async with AsyncExitStack() as stack:
        profiles = load_profiles(settings.profiles)
        opened = [await stack.enter_async_context(_opened(settings, profile, progress)) for profile in profiles]
        yield Indexes(*opened)


@asynccontextmanager
async def _opened(settings: Settings, profile: IndexProfile, progress: Progress) -> AsyncIterator[Inspector]:
    store = await open_store(settings, profile, progress)
    try:
        usable = await usable_profile(store, profile)
        yield Inspector(store, usable, step_timeout=settings.step_timeout, deadline=settings.deadline)
    finally:
        await store.close()


def state_url(settings: Settings) -> str:
    """The address of the bot's own database."""
    return settings.database_url or f"sqlite:///{settings.data_dir.absolute() / 'state.db'}"


@asynccontextmanager
async def opened_state(settings: Settings) -> AsyncIterator[State]:
    """The bot's own database, its old records swept away now and then. Raises BadSetting."""
    from bot.state.state import State

    keys = [key.get_secret_value() for key in settings.state_keys]
    lease, kept = timedelta(seconds=settings.lease), timedelta(days=settings.trail_days)
    secret = (settings.slack_signing_secret.get_secret_value() or settings.slack_app_token.get_secret_value()).strip()
    state = await State.open(state_url(settings), keys, secret=secret, lease=lease, trail_kept=kept)
    sweeping = asyncio.create_task(_sweep(state))
    try:
        yield state
    finally:
        sweeping.cancel()
        await asyncio.gather(sweeping, return_exceptions=True)
        await state.close()


async def _sweep(state: State) -> None:
    while True:
        try:
            await state.sweep(utc_now())
        except StoreUnavailable as error:
            log.warning("The bot's own database was not swept: %s", error)
        await asyncio.sleep(SWEEP_SECONDS)


@asynccontextmanager
async def built(settings: Settings, indexes: Indexes) -> AsyncIterator[web.Application]:
    """The bot as an aiohttp application; at the end, running requests are drained and Slack is let go.

    In Socket Mode requests come in from here on. Raises BadSetting.
    """
    from bot import metrics
    from bot.slack.bot import SlackBot
    from bot.slack.session import slack_session
    from bot.web.probes import count
    from bot.web.sign_in import SignIn
    from bot.web.site import Site

    async with slack_session() as session, opened_state(settings) as state:
        links = Links.from_settings(settings)
        slack = SlackBot(indexes, links, settings, session=session, state=state)
        application = web.Application()
        for inspector in indexes:
            inspector.observer = count
        metrics.watch_queue(slack.unfinished)
        sign_in = SignIn(settings, session) if settings.sign_in_teams else None
        dependencies = {"slack": slack.check, "state": state.revision}
        policy = Policy.from_settings(settings)
        site = Site(indexes, links, dependencies=dependencies, sign_in=sign_in, lists=state.lists, policy=policy)
        site.install(application)
        application.add_routes(slack.routes())
        try:
            await slack.open()
            yield application
        finally:
            await slack.drain(DRAIN_SECONDS)
            await slack.close()
