"""Socket Mode: Slack's requests come over a WebSocket that we open, so no public address is needed.

https://docs.slack.dev/apis/events-api/using-socket-mode

slack_sdk's client, given a wrong token, tries for ever in a storm of log lines; so the token is tried first.
"""

from __future__ import annotations

import asyncio
import json
import logging

from pydantic import SecretStr
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.adapter.socket_mode.internals import build_headers
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot import metrics
from bot.errors import BadSetting, DeliveryFailed
from bot.slack.intake import Take
from bot.slack.shapes import misshapen
from bot.slack.starting import asked_at_start

log = logging.getLogger(__name__)
socket_log = logging.getLogger(f"{__name__}.client")
socket_log.setLevel(logging.ERROR)  # below it, slack_sdk writes whole envelopes and each reconnection

TOO_BUSY = 503
SECONDS = 10.0  # that a connection may take
PING_SECONDS = 10.0
WHERE = "copy it from the app's page “Basic Information”, App-Level Tokens (it begins with xapp-)"


class Handler(AsyncSocketModeHandler):
    """Bolt's, which takes nothing any more once it is stopped, and leaves nothing of Slack's unacknowledged."""

    stopped = False
    take: Take

    async def handle(self, client: AsyncBaseSocketModeClient, req: SocketModeRequest) -> None:
        """One envelope. After `stopped` it is not acknowledged: Slack brings it to another connection."""
        if self.stopped:
            return
        try:
            wrong = misshapen(req.payload)
            with metrics.acknowledging():
                response = None if wrong else await self._taken(req)
            if wrong:
                log.warning("a malformed envelope of type %r: %s", req.type, wrong)
        except (AttributeError, TypeError, KeyError, ValueError, RecursionError):
            log.warning("a malformed envelope of type %r", req.type)
            response = None
        if response is not None and response.status == TOO_BUSY:
            return  # what is not acknowledged, Slack brings again
        payload = _payload_of(response.body) if response is not None and response.status == 200 else None
        await client.send_socket_mode_response(SocketModeResponse(envelope_id=req.envelope_id, payload=payload))

    async def _taken(self, request: SocketModeRequest) -> BoltResponse:
        read = AsyncBoltRequest(mode="socket_mode", body=request.payload, headers=build_headers(request))
        return await self.take(request.payload, read)


def _payload_of(body: str) -> dict[str, object] | None:
    """What an acknowledgement carries: a JSON object, or words."""
    if not body:
        return None
    try:
        parsed = json.loads(body)
    except ValueError:
        return {"text": body}
    return parsed if isinstance(parsed, dict) else {"text": body}


class Socket:
    """The connection of this process; Slack brings each request to one of an app's connections."""

    def __init__(self, app: AsyncApp, take: Take, app_token: SecretStr, client: AsyncWebClient) -> None:
        self._app = app
        self._take = take
        self._app_token = app_token.get_secret_value().strip()
        self._client = client
        self._handler: Handler | None = None

    async def open(self, seconds: float = SECONDS) -> None:
        """Connect. Raises BadSetting within `seconds` where Slack does not take the token, or does not answer."""
        await preflight_socket(self._client, self._app_token, seconds)
        handler = Handler(
            self._app, self._app_token, logger=socket_log, web_client=self._client, ping_interval=PING_SECONDS
        )
        handler.take = self._take
        try:
            async with asyncio.timeout(seconds):
                await handler.client.connect()  # type: ignore[no-untyped-call]  # slack_sdk left these two untyped
        except TimeoutError as error:
            await handler.client.close()  # type: ignore[no-untyped-call]
            raise BadSetting(f"Slack's socket did not open within {seconds:g} s.") from error
        self._handler = handler

    async def check(self) -> None:
        """Raises DeliveryFailed while there is no connection."""
        if self._handler is None or not await self._handler.client.is_connected():
            raise DeliveryFailed("socket_closed", "it is being opened again")

    def stop(self) -> None:
        """Take nothing any more."""
        if self._handler:
            self._handler.stopped = True

    async def close(self) -> None:
        """Close the connection."""
        if self._handler:
            handler, self._handler = self._handler, None
            await handler.client.close()  # type: ignore[no-untyped-call]


async def preflight_socket(client: AsyncWebClient, app_token: str, seconds: float) -> None:
    """Ask Slack whether it takes the app token. Raises BadSetting."""
    await asked_at_start(client, "apps.connections.open", "SLACK_APP_TOKEN", app_token, WHERE, seconds)
