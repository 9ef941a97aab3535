"""What Slack sends to an app over HTTP: signed, with a clock that runs, and again where it was not taken.

https://docs.slack.dev/authentication/verifying-requests-from-slack and …/apis/events-api
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import urlencode

import aiohttp

from bot.render import limits
from bot.workspace.model import Delivery, Json, SlackError

FORM, JSON = "application/x-www-form-urlencoded", "application/json"
COMMAND, EVENT, INTERACTION, CHECK = "command", "event", "interaction", "check"


class Carrier(Protocol):
    """A way to the app: HTTP or Socket Mode."""

    async def carry(self, kind: str, payload: Json, retry: int = 0, reason: str = "") -> Delivery:
        """Bring one payload to the app and wait for its answer, as long as Slack waits."""


class HttpCarrier:
    """Signed POSTs to the app's request URL."""

    def __init__(self, url: str, signing_secret: str, ack_seconds: float = limits.ACK_SECONDS) -> None:
        self.url = url
        self.signing_secret = signing_secret
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=ack_seconds))

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()

    async def carry(self, kind: str, payload: Json, retry: int = 0, reason: str = "") -> Delivery:
        """POST one payload; errors are Slack's: http_timeout, connection_failed, http_error."""
        body, content_type = encode(kind, payload)
        headers = {"Content-Type": content_type, "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)"}
        headers |= signature(self.signing_secret, body, int(time.time()))
        if retry:
            headers |= {"x-slack-retry-num": str(retry), "x-slack-retry-reason": reason}
        started = time.perf_counter()
        try:
            async with self._session.post(self.url, data=body, headers=headers) as response:
                text = await response.text()
                status = response.status
                no_retry = response.headers.get("x-slack-no-retry") == "1"
        except (TimeoutError, aiohttp.ClientError) as failure:
            error = "http_timeout" if isinstance(failure, TimeoutError) else "connection_failed"
            return Delivery(kind, payload, None, "", _since(started), error, retry)
        error_name = None if 200 <= status < 300 else "http_error"
        return Delivery(kind, payload, status, _parsed(text), _since(started), error_name, retry, no_retry)


def encode(kind: str, payload: Json) -> tuple[str, str]:
    """The body and its content type: commands and checks are forms, interactions a form with `payload`, events JSON."""
    if kind in (COMMAND, CHECK):
        return urlencode(payload), FORM
    if kind == INTERACTION:
        return urlencode({"payload": json.dumps(payload)}), FORM
    return json.dumps(payload), JSON


def signature(secret: str, body: str, timestamp: int) -> dict[str, str]:
    """The two headers by which an app knows that a request comes from Slack."""
    signed = hmac.new(secret.encode(), f"v0:{timestamp}:{body}".encode(), hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": str(timestamp), "X-Slack-Signature": f"v0={signed}"}


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _parsed(text: str) -> Any:
    """An answer's body: JSON where it is an object, else the text."""
    try:
        parsed = json.loads(text)
    except json.JSONDecodeError:
        return text
    return parsed if isinstance(parsed, Mapping) else text


async def deliver(carrier: Carrier, kind: str, payload: Json, delays: tuple[float, ...]) -> list[Delivery]:
    """Carry a payload, and again after each of `delays` seconds until it is taken. Every try is returned."""
    tries = [await carrier.carry(kind, payload)]
    for number, delay in enumerate(delays, start=1):
        if tries[-1].ok or tries[-1].no_retry:
            break
        await asyncio.sleep(delay)
        tries.append(await carrier.carry(kind, payload, number, tries[-1].error or ""))
    return tries


class Nowhere:
    """No app is connected."""

    async def carry(self, kind: str, payload: Json, retry: int = 0, reason: str = "") -> Delivery:
        """Raises SlackError: a test or demo forgot to connect the app."""
        raise SlackError("dispatch_failed", "No app is connected: call workspace.connect(url), or start Socket Mode.")
