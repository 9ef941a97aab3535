"""The bot in Slack: Bolt between our own door (`intake`) and our own listeners."""

from __future__ import annotations

import asyncio
import logging

import aiohttp
from aiohttp import web
from pydantic import SecretStr
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import BadSetting
from bot.inspection.pipeline import Inspector
from bot.report.links import Links
from bot.settings import Settings
from bot.slack.gateway import Gateway, sdk_log
from bot.slack.intake import Intake
from bot.slack.listeners import Listeners
from bot.slack.once import Once
from bot.slack.register import register
from bot.slack.replies import PATIENCE, Replies
from bot.slack.retries import handlers
from bot.slack.tasks import Tasks

bolt_log = logging.getLogger("bot.slack.bolt")
bolt_log.setLevel(logging.WARNING)  # below it, Bolt writes the bodies of requests

PREFLIGHT_SECONDS = 10.0
WHERE_TOKENS_ARE = "copy it from the app's page “OAuth & Permissions” (it begins with xoxb-)"


class SlackBot:
    """Answers one workspace over HTTP. Raises BadSetting at once where it could not answer any request."""

    def __init__(
        self,
        inspector: Inspector,
        links: Links,
        settings: Settings,
        *,
        session: aiohttp.ClientSession,
        patience: float = PATIENCE,
    ) -> None:
        self._settings = settings
        secret = _needed("SLACK_SIGNING_SECRET", settings.slack_signing_secret, "the app's page “Basic Information”")
        client = _client(settings, session)
        self._tasks = Tasks(settings.concurrency)
        gateway = Gateway(client, session)
        replies = Replies(inspector, links, gateway, self._tasks, patience=patience)
        self.app = AsyncApp(
            name="crawler-inspector",
            client=client,
            signing_secret=secret,
            logger=bolt_log,
            attaching_conversation_kwargs_enabled=False,
        )
        register(self.app, Listeners(inspector.read, replies, gateway, self._tasks, Once()))
        self._intake = Intake(self.app, secret)

    def routes(self) -> list[web.RouteDef]:
        """What Slack's request URLs point to: `/slack/events` for events, commands and interactions alike."""
        return self._intake.routes()

    async def preflight(self) -> str:
        """Ask Slack whether it takes the token; who we are there, in a sentence. Raises BadSetting."""
        return await preflight(self._settings)

    async def idle(self, timeout: float) -> None:  # noqa: ASYNC109 - a deadline is the point
        """Wait until nothing runs; what runs after `timeout` seconds is given up."""
        await self._tasks.drain(timeout)

    async def drain(self, timeout: float) -> None:  # noqa: ASYNC109 - a deadline is the point
        """Take no more requests, and finish those that run, within `timeout` seconds."""
        self._intake.stop()
        await self._tasks.drain(timeout)

    async def close(self) -> None:
        """Give up what still runs. The session is closed by the one who opened it."""
        await self.drain(0)


async def preflight(settings: Settings, seconds: float = PREFLIGHT_SECONDS) -> str:
    """Ask Slack whether it takes the token; who we are there, in a sentence. Raises BadSetting within `seconds`."""
    async with aiohttp.ClientSession() as session:
        client = _client(settings, session)
        try:
            async with asyncio.timeout(seconds):
                answer = await client.auth_test()
        except SlackApiError as error:
            data = getattr(error.response, "data", None)
            said = data.get("error", "no answer in JSON") if isinstance(data, dict) else "no answer in JSON"
            raise BadSetting(f"Slack does not take SLACK_BOT_TOKEN ({said}): {WHERE_TOKENS_ARE}.") from error
        except TimeoutError as error:
            raise BadSetting(f"Slack at {settings.slack_api_url} did not answer within {seconds:g} s.") from error
        except aiohttp.ClientError as error:
            raise BadSetting(f"Slack at {settings.slack_api_url} cannot be reached: {error}.") from error
    return f"{answer['user']} in the workspace {answer['team']}"


def _client(settings: Settings, session: aiohttp.ClientSession) -> AsyncWebClient:
    return AsyncWebClient(
        token=_needed("SLACK_BOT_TOKEN", settings.slack_bot_token, "the app's page “OAuth & Permissions”"),
        base_url=settings.slack_api_url,
        session=session,
        logger=sdk_log,
        retry_handlers=handlers(),
    )


def _needed(variable: str, value: SecretStr, where: str) -> str:
    secret = value.get_secret_value().strip()
    if not secret:
        raise BadSetting(f"{variable} is not set: copy it from {where}.")
    return secret
