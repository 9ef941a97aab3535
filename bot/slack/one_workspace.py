"""Who we are in the one workspace whose token is set, asked once.

Bolt has this too, but gives it up for OAuth and files of its own as soon as SLACK_CLIENT_ID and SLACK_CLIENT_SECRET
stand in the environment, where they may be meant for the sign-in to the web pages.
"""

from __future__ import annotations

import asyncio

from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.web.async_client import AsyncWebClient


class OneWorkspace(AsyncAuthorize):
    """The answer of auth.test, for every request."""

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client
        self._lock = asyncio.Lock()
        self._known: AuthorizeResult | None = None

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
        """Raises SlackApiError where Slack does not take the token; Bolt logs it."""
        async with self._lock:
            if self._known is None:
                answer = await self._client.auth_test()
                self._known = AuthorizeResult.from_auth_test_response(
                    auth_test_response=answer, bot_token=self._client.token
                )
        return self._known
