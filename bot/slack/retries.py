"""When a call to Slack is made again. slack_sdk's own handlers stumble over a Retry-After that is no whole number, and
do not know 502 and 504.

A connection that breaks is tried once more, although the first try may have arrived. Not where that would post a
message twice: there the gateway looks whether it has arrived.
"""

from __future__ import annotations

import asyncio

from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import AsyncConnectionErrorRetryHandler
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState

from bot import metrics

LONGEST_WAIT = 20.0  # seconds; who asks for more is not waited for
DEFAULT_WAIT = 1.0
TOO_MANY = 429
TRIES_AGAIN = 2


def retry_after(response: HttpResponse) -> float:
    """The seconds that a 429 asks us to wait; DEFAULT_WAIT where it says nothing readable."""
    values = [value for name, value in response.headers.items() if name.lower() == "retry-after"]
    try:
        value = values[0] if isinstance(values[0], str) else values[0][0]
        return max(0.0, float(value))
    except (IndexError, ValueError):
        return DEFAULT_WAIT


def _posts(request: HttpRequest) -> bool:
    return request.url.endswith("/chat.postMessage")


class BrokenConnections(AsyncConnectionErrorRetryHandler):
    """A connection that broke: once more, as slack_sdk does, and counted."""

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        if _posts(request):
            return False
        return await super()._can_retry_async(state=state, request=request, response=response, error=error)

    async def prepare_for_next_attempt_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> None:
        """Wait a moment, as slack_sdk does."""
        metrics.slack_retry("connection")
        await super().prepare_for_next_attempt_async(state=state, request=request, response=response, error=error)


class RateLimited(AsyncRetryHandler):
    """429: again after Retry-After, if that is soon."""

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        return response is not None and response.status_code == TOO_MANY and retry_after(response) <= LONGEST_WAIT

    async def prepare_for_next_attempt_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> None:
        """Wait as asked."""
        metrics.slack_retry("rate_limited")
        state.next_attempt_requested = True
        await asyncio.sleep(retry_after(response) if response else DEFAULT_WAIT)
        state.increment_current_attempt()


class ServerErrors(AsyncRetryHandler):
    """Any 5xx: once more, after a moment."""

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        return response is not None and response.status_code >= 500 and not _posts(request)

    async def prepare_for_next_attempt_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> None:
        """Wait a moment, as slack_sdk does."""
        metrics.slack_retry("server_error")
        await super().prepare_for_next_attempt_async(state=state, request=request, response=response, error=error)


def handlers() -> list[AsyncRetryHandler]:
    """What every client of ours retries. The async kind only: the sync ones break an async client."""
    return [BrokenConnections(), rate_limited(), ServerErrors()]


def rate_limited() -> AsyncRetryHandler:
    """The one that never makes a call twice which Slack has taken."""
    return RateLimited(max_retry_count=TRIES_AGAIN)
