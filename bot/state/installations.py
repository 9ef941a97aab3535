"""Workspaces that installed the app by OAuth, in the shape that Bolt asks for (slack_sdk's two store interfaces)."""

from __future__ import annotations

import logging
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.installation_store.models.bot import Bot
from slack_sdk.oauth.installation_store.models.installation import Installation
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore
from sqlalchemy import ColumnElement, Connection, Table, delete, select, update

from bot.state.conversations import Clock
from bot.state.database import Database
from bot.state.seal import Seal
from bot.state.tables import bots, installations, oauth_states

STATE_LIVES = timedelta(minutes=10)  # from the click on "Add to Slack" to the way back; as long as Bolt's cookie

# What a newer bot token replaces in the installation of a user who installed before.
BOT_FIELDS = ("bot_id", "bot_user_id", "bot_token", "bot_scopes", "bot_refresh_token", "bot_token_expires_at")

log = logging.getLogger(__name__)


class Installations(AsyncInstallationStore):
    """The newest bot of a workspace (or of a whole organisation), and the newest installation of each of its users.

    A record is sealed as a whole. Raises BadSetting where no key opens it, StoreUnavailable as every repository.
    """

    def __init__(self, database: Database, seal: Seal) -> None:
        self._database = database
        self._seal = seal

    @property
    def logger(self) -> logging.Logger:
        """Bolt asks for it."""
        return log

    async def async_save(self, installation: Installation) -> None:
        """Keep an installation, and its bot where it brings one: a user-only installation leaves the bot alone."""
        place = _place(installation.enterprise_id, installation.team_id, installation.is_enterprise_install)
        await self._save(installations, installation, {**place, "user_id": installation.user_id})
        if installation.bot_token is not None:
            await self.async_save_bot(installation.to_bot())

    async def async_save_bot(self, bot: Bot) -> None:
        """Keep a bot alone, as the rotation of its token does."""
        await self._save(bots, bot, _place(bot.enterprise_id, bot.team_id, bot.is_enterprise_install))

    async def _save(self, table: Table, record: Installation | Bot, key: dict[str, str]) -> None:
        installed_at = datetime.fromtimestamp(record.installed_at, UTC)
        values = {**key, "sealed": self._seal.seal(vars(record)), "installed_at": installed_at}
        await self._database.put(table, values)

    async def async_find_bot(
        self, *, enterprise_id: str | None, team_id: str | None, is_enterprise_install: bool | None = False
    ) -> Bot | None:
        """The bot of a workspace, or of an organisation; None where it is not installed."""
        record = await self._newest(bots, _place(enterprise_id, team_id, is_enterprise_install))
        return None if record is None else Bot(**record)

    async def async_find_installation(
        self,
        *,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None = None,
        is_enterprise_install: bool | None = False,
    ) -> Installation | None:
        """The user's installation, or without a user the newest one; always with the workspace's newest bot."""
        place = _place(enterprise_id, team_id, is_enterprise_install)
        record = await self._newest(installations, place if user_id is None else {**place, "user_id": user_id})
        if record is None:
            return None
        bot = await self._newest(bots, place)
        newest_bot = {} if bot is None else {name: bot[name] for name in BOT_FIELDS}
        return Installation(**{**record, **newest_bot})

    async def async_delete_bot(self, *, enterprise_id: str | None, team_id: str | None) -> None:
        """The app was removed from the workspace."""
        await self._delete(bots, _place(enterprise_id, team_id))

    async def async_delete_installation(
        self, *, enterprise_id: str | None, team_id: str | None, user_id: str | None = None
    ) -> None:
        """A user's token was revoked; without a user, everyone's."""
        place = _place(enterprise_id, team_id)
        await self._delete(installations, place if user_id is None else {**place, "user_id": user_id})

    async def check_keys(self) -> None:
        """Raises BadSetting where the keys do not open what was written last: better at the start than at an event."""
        for table in (bots, installations):
            await self._newest(table, {})

    async def reseal(self) -> int:
        """Encrypt every record with the first key, after which older keys can be dropped; how many records."""
        return await self._database.write(self._reseal)

    def _reseal(self, connection: Connection) -> int:
        count = 0
        for table in (bots, installations):
            key = list(table.primary_key)
            for row in connection.execute(select(*key, table.c.sealed).with_for_update()).all():
                this = [column == row._mapping[column] for column in key]
                connection.execute(update(table).where(*this).values(sealed=self._seal.reseal(row.sealed)))
                count += 1
        return count

    async def _newest(self, table: Table, key: dict[str, str]) -> dict[str, Any] | None:
        query = select(table.c.sealed).where(*_same(table, key)).order_by(table.c.installed_at.desc()).limit(1)
        sealed = await self._database.value(query)
        return None if sealed is None else self._seal.unseal(sealed)

    async def _delete(self, table: Table, key: dict[str, str]) -> None:
        await self._database.change(delete(table).where(*_same(table, key)))


def _place(enterprise: str | None, team: str | None, organisation_wide: bool | None = False) -> dict[str, str]:
    """The key of a workspace; an installation for a whole organisation has no team."""
    return {"enterprise": enterprise or "", "team": "" if organisation_wide else team or ""}


def _same(table: Table, key: dict[str, str]) -> list[ColumnElement[bool]]:
    return [table.c[name] == value for name, value in key.items()]


class OAuthStates(AsyncOAuthStateStore):
    """The `state` of an OAuth round trip: given once, good once, for ten minutes (RFC 6749 §10.12)."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    @property
    def logger(self) -> logging.Logger:
        """Bolt asks for it."""
        return log

    async def async_issue(self, *args: Any, **kwargs: Any) -> str:
        """A new state that nobody can guess."""
        state = secrets.token_urlsafe(32)
        values = {"state": state, "expires_at": self._clock() + STATE_LIVES}
        await self._database.change(oauth_states.insert().values(**values))
        return state

    async def async_consume(self, state: str) -> bool:
        """True once for a state that was issued and has not expired."""
        this = delete(oauth_states).where(oauth_states.c.state == state, oauth_states.c.expires_at > self._clock())
        return await self._database.change(this) == 1

    async def sweep(self, now: datetime) -> int:
        """Delete states that nobody came back with; how many."""
        return await self._database.change(delete(oauth_states).where(oauth_states.c.expires_at <= now))
