"""The installation that `doctor` examines: its settings, and what several checks ask it for, each asked once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.app import open_store
from bot.commands.doctor.finding import Shared
from bot.commands.progress import loading_progress
from bot.errors import StoreUnavailable
from bot.index.profile import IndexProfile, load_profiles
from bot.inspection.pipeline import Inspector
from bot.inspection.shards import Shard, ShardAnswer, ask_shards, every_shard
from bot.inspection.store import Query, Rows, Store
from bot.settings import Settings
from bot.slack.bot import WHERE_TOKENS_ARE
from bot.slack.gateway import sdk_log
from bot.slack.starting import asked_at_start
from bot.store.schema_check import MissingField, check_schema, profile_without

SLACK_SECONDS = 10.0
OPENING_SECONDS = 600.0  # the first time, the embedded engine makes the sample crawl
SHARD_SECONDS = 3.0  # that one shard may take
VITAL_SIGNS = Query(
    "SELECT version() AS version, currentUser() AS user, "
    "toString(toUnixTimestamp64Milli(now64(3)) - {here:Int64}) AS ahead_ms, "
    "toString(getSetting('readonly')) AS readonly, "
    "toString(getSetting('max_execution_time')) AS max_execution_time, "
    "toString(getSetting('max_memory_usage')) AS max_memory_usage FORMAT JSONEachRow",
    step="doctor",
)


class Patient:
    """`clock` tells this machine's time in unix seconds."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.time) -> None:
        self.settings = settings
        self.clock = clock
        self.store: Shared[Store] = Shared(self._store)
        self.lacks: Shared[list[MissingField]] = Shared(self._lacks)
        self.shards: Shared[Mapping[str, ShardAnswer]] = Shared(self._shards)
        self.identity: Shared[Any] = Shared(self._identity)

    @property
    def profile(self) -> IndexProfile:
        """The profile that is examined: of several, the first. Raises BadProfile."""
        return self.profiles[0]

    @property
    def profiles(self) -> Sequence[IndexProfile]:
        """Every profile that is set. Raises BadProfile, and BadSetting where two have one name."""
        return load_profiles(self.settings.profiles)

    @property
    def bot_token(self) -> str:
        """Empty where the app is not set up, or installed by OAuth."""
        return self.settings.slack_bot_token.get_secret_value().strip()

    async def inspector(self) -> Inspector:
        """An inspector that does without what the tables lack."""
        try:
            profile = profile_without(self.profile, await self.lacks())
        except StoreUnavailable:
            profile = self.profile
        return Inspector(
            await self.store(), profile, step_timeout=self.settings.step_timeout, deadline=self.settings.deadline
        )

    @asynccontextmanager
    async def slack(self) -> AsyncIterator[AsyncWebClient]:
        """A client of Slack without a token."""
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=SLACK_SECONDS)) as session:
            yield AsyncWebClient(base_url=self.settings.slack_api_url, session=session, logger=sdk_log)

    async def aclose(self) -> None:
        """End what still runs, and close the store."""
        for shared in (self.identity, self.shards, self.lacks):
            await shared.end()
        store = await self.store.end()
        if store is not None:
            await store.close()

    async def _store(self) -> Store:
        async with asyncio.timeout(OPENING_SECONDS):
            return await open_store(self.settings, self.profile, loading_progress())

    async def _lacks(self) -> list[MissingField]:
        return await check_schema(await self.store(), self.profile)

    async def _shards(self) -> Mapping[str, ShardAnswer]:
        asked = Inspector(_Telling(await self.store(), self.clock), self.profile)
        answers = await ask_shards(asked, VITAL_SIGNS, every_shard(asked), SHARD_SECONDS)
        return dict(zip(shard_names(list(answers), asked.profile), answers.values(), strict=True))

    async def _identity(self) -> Any:
        """Slack's answer to auth.test, with its headers. Raises BadSetting."""
        async with self.slack() as client:
            return await asked_at_start(
                client, "auth.test", "SLACK_BOT_TOKEN", self.bot_token, WHERE_TOKENS_ARE, SLACK_SECONDS
            )


def shard_names(shards: Sequence[Shard], profile: IndexProfile) -> list[str]:
    """What people call each: its server's name, and its number where one server has several."""
    names = ["the embedded engine" if shard is None else profile.host_of(shard) for shard in shards]
    return names if len(set(names)) == len(names) else [f"shard {shard}" for shard in shards]


class _Telling:
    """A store that tells each server the time of this machine as it is asked: `here`, in milliseconds."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        return await self._store.fetch(replace(query, parameters={"here": int(self._clock() * 1000)}), shard)

    def curl(self, query: Query, shard: int | None) -> str | None:
        return self._store.curl(query, shard)

    async def close(self) -> None:
        """The store is closed by the one who opened it."""
