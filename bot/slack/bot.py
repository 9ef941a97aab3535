"""The bot in Slack: Bolt between a door (`intake` for HTTP, `sockets` for Socket Mode) and our own listeners."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import aiohttp
from aiohttp import web
from pydantic import SecretStr
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import BadSetting
from bot.inspection.indexes import Indexes
from bot.policy import Policy
from bot.settings import Settings
from bot.slack.admission import Admission
from bot.slack.followups.conversation import Conversation, ThreadLinks
from bot.slack.followups.subjects import RememberingGateway, Subjects
from bot.slack.gateway import sdk_log
from bot.slack.inbox import Inbox, hear
from bot.slack.intake import Intake
from bot.slack.listeners import Listeners
from bot.slack.memory import Memory
from bot.slack.one_workspace import OneWorkspace
from bot.slack.register import register
from bot.slack.replies import PATIENCE, Replies
from bot.slack.retries import handlers
from bot.slack.sockets import Socket, preflight_socket
from bot.slack.starting import asked_at_start, wants_oauth, wants_socket
from bot.slack.surfaces import Surfaces
from bot.slack.tasks import Tasks
from bot.slack.watches.commands import WatchCommands
from bot.slack.watches.watching import Watching
from bot.slack.watches.words import Terms
from bot.slack.workspaces import Workspace, enter_workspace

if TYPE_CHECKING:
    from bot.slack.oauth import Installer
    from bot.state.state import State

bolt_log = logging.getLogger("bot.slack.bolt")
bolt_log.setLevel(logging.WARNING)  # below it, Bolt writes the bodies of requests

PREFLIGHT_SECONDS = 10.0
BASIC, OAUTH_PAGE = "the app's page “Basic Information”", "the app's page “OAuth & Permissions”"
WHERE_TOKENS_ARE = "copy it from the app's page “OAuth & Permissions” (it begins with xoxb-)"


class SlackBot:
    """Answers one workspace, or all that installed it, over HTTP or Socket Mode.

    Raises BadSetting at once where it could not answer any request.
    """

    def __init__(
        self,
        indexes: Indexes,
        links: ThreadLinks,
        settings: Settings,
        *,
        session: aiohttp.ClientSession,
        patience: float = PATIENCE,
        state: State | None = None,
    ) -> None:
        self._settings = settings
        secret = _signing_secret(settings)
        self._client = _client(settings, session)
        self._installer = _installer(settings, state, self._client)
        self._tasks = Tasks(settings.concurrency, settings.waiting)
        memory = Memory(state)
        gateway = RememberingGateway(self._client, session, memory=memory)
        domains = settings.unfurl_domains
        replies = Replies(
            indexes, links, gateway, self._tasks, patience=patience, memory=memory, unfurl_domains=domains
        )
        surfaces = Surfaces(indexes, gateway, replies, memory, domains)
        self.app = _bolt(_web_client(settings, session, None), secret, self._client, self._installer)
        self.app.use(enter_workspace)
        policy = Policy.from_settings(settings)
        terms = _terms(settings)
        watches = WatchCommands(indexes, links, gateway, memory, terms)
        workspace_of = self._installer.authorize.workspace if self._installer else _the_workspace
        self.watching = Watching(state, indexes, links, gateway, workspace_of, terms) if state else None
        conversation = Conversation(indexes, links, gateway, replies, Subjects(memory, gateway), watches, policy)
        listeners = Listeners(indexes, replies, surfaces, conversation, gateway, self._tasks, memory, watches)
        self.app.use(Admission(policy, listeners.refuse).let_in)
        self.app.use(hear)
        register(self.app, listeners)
        jobs = state.jobs if state and settings.durable else None
        self.inbox = Inbox(self.app.async_dispatch, self._tasks, jobs)
        in_socket_mode = wants_socket(settings)
        self._socket = (
            Socket(self.app, self.inbox.take, settings.slack_app_token, self._client) if in_socket_mode else None
        )
        self._intake = None if in_socket_mode else Intake(self.inbox.take, secret)

    def routes(self) -> list[web.RouteDef]:
        """What Slack's request URLs point to: `/slack/events` for events, commands and interactions alike.

        None of it in Socket Mode; beside it the pages of an installation by OAuth.
        """
        requests = self._intake.routes() if self._intake else []
        return [*requests, *(self._installer.routes() if self._installer else [])]

    async def open(self) -> None:
        """Begin to take requests, those that an earlier run has left, and to check watches. Raises BadSetting."""
        if self._socket:
            await self._socket.open()
        self.inbox.open()
        if self.watching:
            self.watching.start()

    async def preflight(self) -> str:
        """Ask Slack whether it takes the tokens; who we are there, in a sentence. Raises BadSetting."""
        return await preflight(self._settings)

    async def check(self) -> None:
        """Can requests come in, and answers go out? Raises InspectorError where not."""
        if self._socket:
            await self._socket.check()
        elif self._installer is None:
            await self.preflight()

    def unfinished(self) -> int:
        """How many requests are taken and not yet answered."""
        return len(self._tasks)

    async def idle(self, timeout: float) -> None:  # noqa: ASYNC109 - a deadline is the point
        """Wait until nothing runs; what runs after `timeout` seconds is given up."""
        await self._tasks.drain(timeout)

    async def drain(self, timeout: float) -> None:  # noqa: ASYNC109 - a deadline is the point
        """Take no more requests, and finish those that run, within `timeout` seconds."""
        for door in (self._intake, self._socket):
            if door:
                door.stop()
        self.inbox.stop()
        watching = [self.watching.stop(timeout)] if self.watching else []
        await asyncio.gather(self._tasks.drain(timeout), *watching)

    async def close(self) -> None:
        """Leave what still runs to others, and close the socket. The session is closed by the one who opened it."""
        await self.drain(0)
        await self.inbox.close()
        if self._socket:
            await self._socket.close()


async def preflight(settings: Settings, seconds: float = PREFLIGHT_SECONDS) -> str:
    """Ask Slack whether it takes the tokens; who we are there, in a sentence. Raises BadSetting within seconds."""
    async with aiohttp.ClientSession() as session:
        client = _client(settings, session)
        said = "any workspace that installs the app"
        if client.token:
            answer = await asked_at_start(
                client, "auth.test", "SLACK_BOT_TOKEN", client.token, WHERE_TOKENS_ARE, seconds
            )
            said = f"{answer['user']} in the workspace {answer['team']}"
        if wants_socket(settings):
            await preflight_socket(client, settings.slack_app_token.get_secret_value().strip(), seconds)
    return said


def _bolt(client: AsyncWebClient, secret: str, ours: AsyncWebClient, installer: Installer | None) -> AsyncApp:
    """Bolt's own client has no token but the one that authorises a request."""
    # Bolt takes an AsyncAuthorize too, and its None for "not installed", untold by its types.
    authorize: Any = installer.authorize if installer else OneWorkspace(ours)
    app = AsyncApp(
        name="crawler-inspector",
        client=client,
        signing_secret=secret,
        logger=bolt_log,
        authorize=authorize,
        oauth_flow=installer.flow if installer else None,
        attaching_conversation_kwargs_enabled=False,
    )
    if installer:
        app.enable_token_revocation_listeners()  # who removes the app is forgotten
    return app


async def _the_workspace(enterprise: str, team: str) -> Workspace:
    """The one that the bot's own token is for."""
    return Workspace(team, enterprise=enterprise)


def _terms(settings: Settings) -> Terms:
    return Terms(timedelta(seconds=settings.watch_interval), settings.watches_per_user, settings.watches_per_channel)


def _installer(settings: Settings, state: State | None, client: AsyncWebClient) -> Installer | None:
    if not wants_oauth(settings):
        return None
    from bot.slack.oauth import Installer

    if state is None:
        raise BadSetting("CRAWLER_INSPECTOR_DATABASE_URL: without a database no workspace's token can be kept.")
    return Installer(settings, state, client)


def _client(settings: Settings, session: aiohttp.ClientSession) -> AsyncWebClient:
    """With the bot's token; without one where each workspace has its own."""
    token = None if wants_oauth(settings) else _needed("SLACK_BOT_TOKEN", settings.slack_bot_token, OAUTH_PAGE)
    return _web_client(settings, session, token)


def _web_client(settings: Settings, session: aiohttp.ClientSession, token: str | None) -> AsyncWebClient:
    return AsyncWebClient(
        token=token,
        base_url=settings.slack_api_url,
        session=session,
        logger=sdk_log,
        retry_handlers=handlers(),
    )


def check_secrets(settings: Settings) -> None:
    """Raises BadSetting where something is missing without which no request could be answered."""
    _signing_secret(settings)
    if not wants_oauth(settings):
        _needed("SLACK_BOT_TOKEN", settings.slack_bot_token, OAUTH_PAGE)


def _signing_secret(settings: Settings) -> str:
    """Empty in Socket Mode, where nothing is signed."""
    if wants_socket(settings):
        return settings.slack_signing_secret.get_secret_value().strip()
    return _needed("SLACK_SIGNING_SECRET", settings.slack_signing_secret, f"{BASIC}, or set SLACK_APP_TOKEN")


def _needed(variable: str, value: SecretStr, where: str) -> str:
    secret = value.get_secret_value().strip()
    if not secret:
        raise BadSetting(f"{variable} is not set: copy it from {where}.")
    return secret
