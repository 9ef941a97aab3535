"""Several workspaces: the app is installed by OAuth, and each workspace's token is kept sealed in the bot's database.

https://docs.slack.dev/authentication/installing-with-oauth
"""

from __future__ import annotations

import asyncio
import logging

import aiohttp
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import InspectorError
from bot.settings import Settings
from bot.slack.workspaces import Workspace
from bot.state.state import State

log = logging.getLogger("bot.slack.oauth")
log.setLevel(logging.WARNING)  # below it, slack_sdk writes codes

INSTALL, REDIRECT = "/slack/install", "/slack/oauth_redirect"
SECONDS = 20.0  # that Slack may take to give a token for a code
NOT_FINISHED = f"The installation was not finished. Open {INSTALL} again in a moment."
SCOPES = (  # those of manifest.yml; a test holds them together
    "app_mentions:read",
    "channels:history",
    "chat:write",
    "commands",
    "files:read",
    "files:write",
    "groups:history",
    "im:history",
    "links:read",
    "links:write",
)


class Installed(AsyncAuthorize):
    """Whose token answers a request: that of the workspace it came from, as it was installed."""

    def __init__(self, state: State) -> None:
        self._installations = state.installations

    async def __call__(
        self,
        *,
        context: AsyncBoltContext,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None,
        actor_enterprise_id: str | None = None,
        actor_team_id: str | None = None,
        actor_user_id: str | None = None,
    ) -> AuthorizeResult | None:
        """None where the app is not installed. Nothing is asked of Slack. Raises StoreUnavailable."""
        bot = await self._installations.async_find_bot(
            enterprise_id=enterprise_id, team_id=team_id, is_enterprise_install=context.is_enterprise_install
        )
        if bot is None:
            return None
        return AuthorizeResult(
            enterprise_id=enterprise_id,
            team_id=team_id,
            bot_id=bot.bot_id,
            bot_user_id=bot.bot_user_id,
            bot_token=bot.bot_token,
        )

    async def workspace(self, enterprise: str, team: str) -> Workspace | None:
        """The workspace, with its own token or its organisation's; None where the app was removed."""
        for for_all_of_it in (False, True):
            bot = await self._installations.async_find_bot(
                enterprise_id=enterprise, team_id=team, is_enterprise_install=for_all_of_it
            )
            if bot:
                return Workspace(team, bot.bot_token, enterprise)
        return None


class Installer:
    """The two pages of an installation: one that leads to Slack, and one that Slack leads back to."""

    def __init__(self, settings: Settings, state: State, client: AsyncWebClient) -> None:
        self.authorize = Installed(state)
        public = (settings.public_url or "").rstrip("/")
        self.flow = AsyncOAuthFlow(
            client=client,
            logger=log,
            settings=AsyncOAuthSettings(
                client_id=settings.slack_client_id,
                client_secret=settings.slack_client_secret.get_secret_value(),
                scopes=SCOPES,
                user_scopes=(),
                redirect_uri=f"{public}{REDIRECT}" if public else None,
                install_path=INSTALL,
                redirect_uri_path=REDIRECT,
                installation_store=state.installations,
                state_store=state.oauth_states,
                logger=log,
            ),
        )

    def routes(self) -> list[web.RouteDef]:
        """`GET /slack/install` and `GET /slack/oauth_redirect`."""
        return [web.get(INSTALL, self.install), web.get(REDIRECT, self.come_back)]

    async def install(self, request: web.Request) -> web.Response:
        """A button that leads to Slack."""
        answer: web.Response = await to_aiohttp_response(
            await self.flow.handle_installation(await to_bolt_request(request))
        )
        return answer

    async def come_back(self, request: web.Request) -> web.Response:
        """The token is fetched for the code, and kept."""
        try:
            async with asyncio.timeout(SECONDS):
                response = await self.flow.handle_callback(await to_bolt_request(request))
        except (InspectorError, aiohttp.ClientError, TimeoutError) as error:
            log.error("an installation was not finished: %s", error or type(error).__name__)
            return web.Response(text=NOT_FINISHED, status=503)
        answer: web.Response = await to_aiohttp_response(response)
        return answer
