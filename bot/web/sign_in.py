"""Sign in with Slack, for installations that let only their own people read reports. Off unless teams are set.

OpenID Connect as in https://docs.slack.dev/authentication/sign-in-with-slack: /sign-in leads to Slack with a state and
a nonce, Slack leads back to /sign-in/back with a code, and the code is changed for an id_token at Slack itself. That
token comes over TLS from the issuer, so its claims are checked and its signature is not (OpenID Connect Core 3.1.3.7).
"""

from __future__ import annotations

import base64
import hmac
import json
import re
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlencode, urljoin

import aiohttp
from aiohttp import web
from itsdangerous.exc import BadData

from bot.errors import BadSetting
from bot.links import serializer
from bot.settings import Settings
from bot.web.answers import TWIN, Handler, html_answer, json_answer
from bot.web.templating import page

START, BACK = "/sign-in", "/sign-in/back"
SESSION, PENDING = "crawler_inspector_session", "crawler_inspector_sign_in"  # cookies
SESSION_SECONDS, PENDING_SECONDS = 12 * 3600, 600
WAIT = aiohttp.ClientTimeout(total=10)
ISSUER = "https://slack.com"
TEAM_CLAIM = "https://slack.com/team_id"
# Where a reader is led after signing in: a page of ours, and nothing else.
_PAGE = re.compile(r"[rhc]/[A-Za-z0-9._-]+(\?[^\s\\#]*)?")

NOT_SIGNED_IN = "Reports of this installation are for its own people: sign in with Slack to read them."
NOT_ONE_OF_US = "You signed in, but not as a member of a workspace that may read these reports."
NOT_FINISHED = "Signing in with Slack did not come to an end. Try again."


class SignIn:
    """Guards pages with a session that Slack vouched for. Raises BadSetting where it could let nobody in."""

    def __init__(
        self, settings: Settings, session: aiohttp.ClientSession, *, clock: Callable[[], datetime] | None = None
    ) -> None:
        self._teams = frozenset(settings.sign_in_teams)
        self._client_id = settings.slack_client_id
        self._secret = settings.slack_client_secret.get_secret_value()
        self._public = (settings.public_url or "").rstrip("/")
        keys = [key.get_secret_value() for key in settings.link_keys]
        if not (self._client_id and self._secret and self._public and keys):
            raise BadSetting(
                "CRAWLER_INSPECTOR_SIGN_IN_TEAMS needs SLACK_CLIENT_ID and SLACK_CLIENT_SECRET (from the app's Basic "
                "Information page), CRAWLER_INSPECTOR_PUBLIC_URL and CRAWLER_INSPECTOR_LINK_KEYS."
            )
        self._clock = clock or (lambda: datetime.now(UTC))
        self._sessions = serializer("session", keys, self._clock)
        self._pending = serializer("sign-in", keys, self._clock)
        self._authorize = urljoin(settings.slack_api_url, "/openid/connect/authorize")
        self._token = urljoin(settings.slack_api_url, "openid.connect.token")
        self._session = session

    def routes(self) -> list[web.RouteDef]:
        """To Slack and back."""
        return [web.get(START, self.start), web.get(BACK, self.back)]

    def guarding(self, handler: Handler) -> Handler:
        """The handler for readers who have signed in; the others are asked to, before anything is looked at."""

        async def answer(request: web.Request) -> web.StreamResponse:
            if self._is_signed_in(request):
                return await handler(request)
            if request.path.endswith(TWIN):
                return json_answer({"error": NOT_SIGNED_IN}, 401)
            wanted = quote(request.path_qs.lstrip("/"), safe="")
            return html_answer(page("sign_in.html", sentence=NOT_SIGNED_IN, url=f"..{START}?to={wanted}"), 401)

        return answer

    async def start(self, request: web.Request) -> web.StreamResponse:
        """Off to Slack, with a state and a nonce that only this browser has."""
        pending = {
            "state": secrets.token_urlsafe(24),
            "nonce": secrets.token_urlsafe(24),
            "to": request.query.get("to", ""),
        }
        asked = {
            "response_type": "code",
            "scope": "openid",
            "client_id": self._client_id,
            "state": pending["state"],
            "nonce": pending["nonce"],
            "redirect_uri": self._public + BACK,
        }
        if len(self._teams) == 1:
            asked["team"] = next(iter(self._teams))
        response = web.Response(status=302, headers={"Location": f"{self._authorize}?{urlencode(asked)}"})
        self._set_cookie(response, PENDING, self._pending.dumps(pending), PENDING_SECONDS)
        return response

    async def back(self, request: web.Request) -> web.StreamResponse:
        """Back from Slack: a session where Slack says that the reader is one of the team."""
        pending = _read(self._pending, request.cookies.get(PENDING), PENDING_SECONDS)
        state = request.query.get("state", "")
        if pending is None or not hmac.compare_digest(str(pending["state"]).encode(), state.encode()):
            return _refused(NOT_FINISHED)
        claims = await self._claims(request.query.get("code", ""))
        if claims is None or not self._are_ours(claims, str(pending["nonce"])):
            return _refused(NOT_FINISHED)
        if claims.get(TEAM_CLAIM) not in self._teams:
            return _refused(NOT_ONE_OF_US)
        wanted = str(pending["to"])
        if not _PAGE.fullmatch(wanted):
            return html_answer(page("error.html", heading="You are signed in", sentence="Open your link.", advice=""))
        response = web.Response(status=302, headers={"Location": f"{self._public}/{wanted}"})
        session = {"team": claims[TEAM_CLAIM], "user": claims.get("sub")}
        self._set_cookie(response, SESSION, self._sessions.dumps(session), SESSION_SECONDS)
        response.del_cookie(PENDING)
        return response

    async def _claims(self, code: str) -> Mapping[str, Any] | None:
        """What Slack says of the reader; None where it takes no such code."""
        if not code:
            return None
        asked = {
            "client_id": self._client_id,
            "client_secret": self._secret,
            "code": code,
            "redirect_uri": self._public + BACK,
            "grant_type": "authorization_code",
        }
        try:
            async with self._session.post(self._token, data=asked, timeout=WAIT) as response:
                answer = await response.json()
        except (aiohttp.ClientError, TimeoutError, ValueError):
            return None
        return _payload(str(answer.get("id_token", ""))) if isinstance(answer, dict) else None

    def _are_ours(self, claims: Mapping[str, Any], nonce: str) -> bool:
        """Issued by Slack, for us, for this sign-in, and not too old."""
        expires = claims.get("exp")
        return (
            claims.get("iss") == ISSUER
            and claims.get("aud") == self._client_id
            and hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode())
            and isinstance(expires, int | float)
            and expires > self._clock().timestamp()
        )

    def reader(self, request: web.Request) -> str | None:
        """The Slack user id of who signed in; None where nobody did."""
        session = self._session_of(request)
        return str(session.get("user")) if session else None

    def _is_signed_in(self, request: web.Request) -> bool:
        return self._session_of(request) is not None

    def _session_of(self, request: web.Request) -> dict[str, Any] | None:
        session = _read(self._sessions, request.cookies.get(SESSION), SESSION_SECONDS)
        return session if session and session.get("team") in self._teams else None

    def _set_cookie(self, response: web.StreamResponse, name: str, value: str | bytes, seconds: int) -> None:
        response.set_cookie(
            name,
            value if isinstance(value, str) else value.decode("ascii"),
            max_age=seconds,
            httponly=True,
            samesite="Lax",
            secure=self._public.startswith("https://"),
        )


def _read(signed: Any, cookie: str | None, seconds: int) -> dict[str, Any] | None:
    try:
        value = signed.loads(cookie or "", max_age=seconds)
    except BadData:
        return None
    return value if isinstance(value, dict) else None


def _payload(token: str) -> Mapping[str, Any] | None:
    """The claims of a JSON Web Token."""
    parts = token.split(".")
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, IndexError):
        return None
    return claims if isinstance(claims, dict) else None


def _refused(sentence: str) -> web.Response:
    return html_answer(page("error.html", heading="You are not signed in", sentence=sentence, advice=""), 403)
