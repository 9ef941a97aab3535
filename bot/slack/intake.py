"""The HTTP door: what is not a well-formed, signed request of Slack ends here, with 4xx; the rest goes to Bolt.

Bolt alone answers 500 to malformed headers and bodies, logs the bodies of badly signed requests, and 404 to what nobody
listens to, which Slack takes for a failure and sends again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.request.async_internals import build_async_context
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.signature import SignatureVerifier

from bot import metrics
from bot.slack.shapes import misshapen

log = logging.getLogger(__name__)

PATH = "/slack/events"
LARGEST_BODY = 1024 * 1024
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
NO_LISTENER = 404

Take = Callable[[Mapping[str, Any], AsyncBoltRequest], Awaitable[BoltResponse]]


class RefusedError(Exception):
    """A request that goes no further: HTTP status and why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Intake:
    """The routes of the bot."""

    def __init__(self, take: Take, signing_secret: str) -> None:
        """`take` has every request that is what it says."""
        self._take = take
        self._verifier = SignatureVerifier(signing_secret)
        self._stopped = False

    def routes(self) -> list[web.RouteDef]:
        """`POST /slack/events`, and the GET by which Slack checks a certificate."""
        return [web.post(PATH, self.receive), web.get(PATH, self.check, allow_head=False)]

    def stop(self) -> None:
        """Take nothing any more: Slack delivers to another instance, or later."""
        self._stopped = True

    async def check(self, request: web.Request) -> web.Response:
        """https://docs.slack.dev/interactivity/implementing-slash-commands: GET with ssl_check=1."""
        checked = request.query.get("ssl_check") == "1"
        return web.Response() if checked else web.Response(status=405, headers={"Allow": "POST"})

    async def receive(self, request: web.Request) -> web.Response:
        """One request of Slack's."""
        try:
            body = await self._read(request)
            if _is_ssl_check(request.content_type, body):
                return web.Response()
            self._verify(request, body)
            payload = _payload(request.content_type, body)
            if payload.get("type") == "app_rate_limited":
                log.warning("Slack holds events back: more than 30,000 deliveries in an hour")
                return web.Response()
            bolt_request = _bolt_request(request, body, payload)
        except RefusedError as refusal:
            log.warning("refused a request from %s: %s", request.remote, refusal)
            return web.json_response({"error": str(refusal)}, status=refusal.status)
        with metrics.acknowledging():
            return await self._taken(payload, bolt_request)

    async def _read(self, request: web.Request) -> str:
        if self._stopped:
            raise RefusedError(503, "shutting down")
        if request.content_type not in (JSON, FORM):
            raise RefusedError(415, "unsupported content type")
        if (request.content_length or 0) > LARGEST_BODY:
            raise RefusedError(413, "too large")
        try:
            return (await request.read()).decode("utf-8")
        except UnicodeDecodeError:
            raise RefusedError(400, "not UTF-8") from None
        except web.HTTPRequestEntityTooLarge:
            raise RefusedError(413, "too large") from None
        except (web.RequestPayloadError, HttpProcessingError, OSError):  # a broken encoding, chunk or connection
            raise RefusedError(400, "unreadable body") from None

    def _verify(self, request: web.Request, body: str) -> None:
        """https://docs.slack.dev/authentication/verifying-requests-from-slack"""
        timestamp = request.headers.get("X-Slack-Request-Timestamp", "")
        signature = request.headers.get("X-Slack-Signature", "")
        readable = timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 20 and signature.isascii()
        if not (readable and self._verifier.is_valid(body, timestamp, signature)):
            raise RefusedError(401, "invalid signature")

    async def _taken(self, payload: Mapping[str, Any], request: AsyncBoltRequest) -> web.Response:
        response = await self._take(payload, request)
        if response.status == NO_LISTENER:
            log.warning("no listener for a request of type %r", request.body.get("type"))
            return web.Response()
        answer: web.Response = await to_aiohttp_response(response)
        return answer


def _is_ssl_check(content_type: str, body: str) -> bool:
    return content_type == FORM and body.startswith("ssl_check=") and dict(parse_qsl(body)).get("ssl_check") == "1"


def _payload(content_type: str, body: str) -> dict[str, Any]:
    """What a body says. Raises RefusedError where it is no JSON object, or a form with such a `payload`."""
    if content_type == FORM:
        form = dict(parse_qsl(body, keep_blank_values=True))
        if "payload" not in form:
            return form
        body = form["payload"]
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedError(400, "malformed JSON") from None
    if not isinstance(payload, dict):
        raise RefusedError(400, "no JSON object")
    return payload


def _bolt_request(request: web.Request, body: str, payload: dict[str, Any]) -> AsyncBoltRequest:
    """Bolt reads a body into its context at once, trips over wrong types, and loses commands that say "payload"."""
    if wrong := misshapen(payload):
        raise RefusedError(400, f"malformed payload: {wrong}")
    try:
        read = AsyncBoltRequest(body=body, query=request.query_string, headers=dict(request.headers))
        read.body, read.context = payload, build_async_context(AsyncBoltContext(), payload)
    except (AttributeError, TypeError, KeyError, ValueError, RecursionError):
        raise RefusedError(400, "malformed payload") from None
    return read
