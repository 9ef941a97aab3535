"""How the bot starts: which mode the settings ask for, and whether Slack takes the tokens. Pure but for one call."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import BadSetting
from bot.settings import Settings


def wants_socket(settings: Settings) -> bool:
    """Socket Mode, where an app token is set: it wins over a signing secret, which every app has."""
    return bool(settings.slack_app_token.get_secret_value().strip())


def wants_oauth(settings: Settings) -> bool:
    """Is the app to be installed by OAuth? Where a bot token is set, the client id is for the sign-in to the web pages.

    Raises BadSetting where only half of what is needed is set.
    """
    secret = settings.slack_client_secret.get_secret_value()
    if bool(settings.slack_client_id) != bool(secret):
        missing = "SLACK_CLIENT_SECRET" if settings.slack_client_id else "SLACK_CLIENT_ID"
        raise BadSetting(f"{missing} is not set: copy it from the app's page “Basic Information”, or unset the other.")
    return bool(secret) and not settings.slack_bot_token.get_secret_value().strip()


def mode_sentence(settings: Settings) -> str:
    """Which mode it is, and why."""
    if not wants_socket(settings):
        return "HTTP mode, as SLACK_APP_TOKEN is not set"
    both = "; SLACK_SIGNING_SECRET is not used" if settings.slack_signing_secret.get_secret_value() else ""
    return f"Socket Mode, as SLACK_APP_TOKEN is set{both}"


async def asked_at_start(
    client: AsyncWebClient, method: str, variable: str, token: str, where: str, seconds: float
) -> Any:
    """Slack's answer to a method without arguments. Raises BadSetting, which never repeats the token."""
    try:
        async with asyncio.timeout(seconds):
            return await client.api_call(method, headers={"Authorization": f"Bearer {token}"})
    except SlackApiError as error:
        data = getattr(error.response, "data", None)
        said = data.get("error", "no answer in JSON") if isinstance(data, dict) else "no answer in JSON"
        raise BadSetting(f"Slack does not take {variable} ({said}): {where}.") from error
    except TimeoutError as error:
        raise BadSetting(f"Slack at {client.base_url} did not answer within {seconds:g} s.") from error
    except aiohttp.ClientError as error:
        raise BadSetting(f"Slack at {client.base_url} cannot be reached: {error}.") from error
