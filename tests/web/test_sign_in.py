"""Sign in with Slack: who gets in, who does not, and that nothing is shown before."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from pydantic import SecretStr

from bot.errors import BadSetting
from bot.index.sample import EXAMPLES
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.links import Links
from bot.settings import Settings
from bot.web.sign_in import NOT_FINISHED, NOT_ONE_OF_US, PENDING, SESSION, SignIn
from bot.web.site import Site
from tests.conftest import LOADED_AT
from tests.web.conftest import KEYS, Client, PathOf

CLIENT_ID, TEAM = "1.2", "T0OURS"


class Slack:
    """The one method of Slack that changes a code for a token. `claims` go over the right ones."""

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {}
        self.nonce = ""
        self.asked: list[dict[str, str]] = []

    async def token(self, request: web.Request) -> web.Response:
        asked = dict(await request.post())
        self.asked.append({name: str(value) for name, value in asked.items()})
        if asked.get("code") != "good":
            return web.json_response({"ok": False, "error": "invalid_code"})
        claims = {
            "iss": "https://slack.com",
            "aud": CLIENT_ID,
            "sub": "U0ANN",
            "nonce": self.nonce,
            "exp": LOADED_AT.timestamp() + 300,
            "https://slack.com/team_id": TEAM,
            **self.claims,
        }
        body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
        return web.json_response({"ok": True, "access_token": "xoxp-x", "id_token": f"e30.{body}.sig"})


@pytest.fixture
async def slack() -> AsyncIterator[tuple[Slack, str]]:
    """A stand-in for Slack, and the address of its API."""
    fake = Slack()
    application = web.Application()
    application.add_routes([web.post("/api/openid.connect.token", fake.token)])
    async with TestServer(application) as server:
        yield fake, str(server.make_url("/api/"))


def settings_for(api: str, **chosen: Any) -> Settings:
    given: dict[str, Any] = {
        "public_url": "http://bot.example",
        "link_keys": tuple(map(SecretStr, KEYS)),
        "sign_in_teams": (TEAM,),
        "slack_client_id": CLIENT_ID,
        "slack_client_secret": SecretStr("planted-client-secret"),
        "slack_api_url": api,
        **chosen,
    }
    return Settings().model_copy(update=given)


@pytest.fixture
def now() -> list[timedelta]:
    """How long after the start it is; a test may change it."""
    return [timedelta(0)]


@pytest.fixture
async def guarded(
    inspector: Inspector, links: Links, slack: tuple[Slack, str], now: list[timedelta]
) -> AsyncIterator[Client]:
    """A client of a site that wants its readers to sign in."""
    async with aiohttp.ClientSession() as session:
        sign_in = SignIn(settings_for(slack[1]), session, clock=lambda: LOADED_AT + now[0])
        application = web.Application()
        Site(Indexes(inspector), links, sign_in=sign_in).install(application)
        # An address for a host: aiohttp keeps no cookies of bare IP addresses.
        async with TestClient(TestServer(application), cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
            yield client


async def start(client: Client, fake: Slack, address: str) -> str:
    """Go off to Slack; the state that must come back."""
    answer = await client.get("/sign-in", params={"to": address.lstrip("/")}, allow_redirects=False)
    asked = parse_qs(urlsplit(answer.headers["Location"]).query)
    fake.nonce = asked["nonce"][0]
    assert (asked["scope"], asked["team"], asked["redirect_uri"]) == (
        ["openid"],
        [TEAM],
        ["http://bot.example/sign-in/back"],
    )
    return asked["state"][0]


async def test_members_get_in(guarded: Client, slack: tuple[Slack, str], report_path: PathOf) -> None:
    """Asked to sign in, sent to Slack, back with a code, and then at the page that was wanted."""
    address = report_path(EXAMPLES["indexable"])
    first = await guarded.get(address)
    state = await start(guarded, slack[0], address)
    back = await guarded.get("/sign-in/back", params={"state": state, "code": "good"}, allow_redirects=False)
    page = await guarded.get(address)

    assert (first.status, "cases.example" in (await first.text())) == (401, False)
    assert (back.status, back.headers["Location"]) == (302, f"http://bot.example{address}")
    assert page.status == 200
    assert slack[0].asked[0]["client_secret"] == "planted-client-secret"
    cookie = back.cookies[SESSION]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


async def test_the_json_is_guarded_too(guarded: Client, report_path: PathOf) -> None:
    """401 and a sentence; probes stay open."""
    answer = await guarded.get(report_path(EXAMPLES["indexable"]) + ".json")

    assert (answer.status, list(await answer.json())) == (401, ["error"])
    assert (await guarded.get("/healthz")).status == 200


@pytest.mark.parametrize(
    ("claims", "code", "state", "said"),
    [
        ({"https://slack.com/team_id": "T0OTHERS"}, "good", None, NOT_ONE_OF_US),
        ({"https://slack.com/team_id": None}, "good", None, NOT_ONE_OF_US),
        ({"nonce": "another"}, "good", None, NOT_FINISHED),
        ({"aud": "another app"}, "good", None, NOT_FINISHED),
        ({"iss": "https://evil.example"}, "good", None, NOT_FINISHED),
        ({"exp": 0}, "good", None, NOT_FINISHED),
        ({}, "bad", None, NOT_FINISHED),
        ({}, "", None, NOT_FINISHED),
        ({}, "good", "another state", NOT_FINISHED),
    ],
)
async def test_others_do_not(
    guarded: Client,
    slack: tuple[Slack, str],
    report_path: PathOf,
    claims: dict[str, Any],
    code: str,
    state: str | None,
    said: str,
) -> None:
    """Another workspace, another app, a replayed or refused code, a state of another browser: no session."""
    address = report_path(EXAMPLES["indexable"])
    slack[0].claims = claims
    right = await start(guarded, slack[0], address)
    back = await guarded.get("/sign-in/back", params={"state": state or right, "code": code})

    assert (back.status, said in (await back.text())) == (403, True)
    assert (await guarded.get(address)).status == 401


async def test_without_a_start_there_is_no_end(guarded: Client) -> None:
    """A link that leads straight to the end signs nobody in."""
    answer = await guarded.get("/sign-in/back?state=&code=good")

    assert answer.status == 403


@pytest.mark.parametrize("wanted", ["//evil.example/", "https://evil.example", "r/x\\..", "metrics", ""])
async def test_signing_in_leads_to_our_pages_only(guarded: Client, slack: tuple[Slack, str], wanted: str) -> None:
    """Whatever stands in `to`, nobody is led elsewhere."""
    answer = await guarded.get("/sign-in", params={"to": wanted}, allow_redirects=False)
    asked = parse_qs(urlsplit(answer.headers["Location"]).query)
    slack[0].nonce = asked["nonce"][0]
    back = await guarded.get(
        "/sign-in/back", params={"state": asked["state"][0], "code": "good"}, allow_redirects=False
    )

    assert "Location" not in back.headers
    assert back.status == 200


async def test_sessions_end(
    guarded: Client, slack: tuple[Slack, str], report_path: PathOf, now: list[timedelta]
) -> None:
    """After twelve hours one signs in again; a forged cookie is none."""
    address = report_path(EXAMPLES["indexable"])
    state = await start(guarded, slack[0], address)
    await guarded.get("/sign-in/back", params={"state": state, "code": "good"}, allow_redirects=False)
    now[0] = timedelta(hours=12, seconds=1)
    late = await guarded.get(address)
    guarded.session.cookie_jar.clear()
    forged = await guarded.get(address, cookies={SESSION: "eyJ0ZWFtIjoiVDBPVVJTIn0.aaaaaa.x", PENDING: "x"})

    assert (late.status, forged.status) == (401, 401)


@pytest.mark.parametrize("missing", ["slack_client_id", "slack_client_secret", "public_url", "link_keys"])
async def test_it_needs_what_it_needs(missing: str) -> None:
    """Teams without the rest let nobody in, and are refused at start."""
    empty = {"slack_client_secret": SecretStr(""), "link_keys": ()}.get(missing, "")
    async with aiohttp.ClientSession() as session:
        with pytest.raises(BadSetting, match="SIGN_IN_TEAMS needs"):
            SignIn(settings_for("http://127.0.0.1:9/api/", **{missing: empty}), session)
