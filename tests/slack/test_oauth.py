"""Several workspaces: installed by OAuth, each answered with its own token, which the database holds sealed."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yarl
from pydantic import SecretStr

from bot.errors import BadSetting
from bot.slack.oauth import INSTALL, REDIRECT, SCOPES
from bot.state.state import State
from bot.workspace import RESET, Workspace
from bot.workspace.model import TEAM
from tests.slack.running import GENERAL, HTTP, OTHER, SECRET, TOKEN, URL, Running, running

# slack_sdk's own call of oauth.v2.access; aiohttp is held below 4, which drops what it warns of.
pytestmark = pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning")

OAUTH: dict[str, Any] = {
    "slack_client_id": "1.2",
    "slack_client_secret": SecretStr("client-secret"),
    "slack_bot_token": SecretStr(""),
}


def at(bot: Running, path: str) -> str:
    return str(yarl.URL(bot.url).with_path(path))


async def install(bot: Running, browser: aiohttp.ClientSession, **changed: str) -> int:
    """What a person and Slack do; the status of the last page."""
    async with browser.get(at(bot, INSTALL)) as page:
        state = re.findall(r"state=([^&\"]+)", await page.text())[0]
        cookie = page.headers["Set-Cookie"].split(";")[0]
    query = {"code": bot.ws.grant_code(), "state": state, **changed}
    async with browser.get(at(bot, REDIRECT), params=query, headers={"Cookie": cookie}) as done:
        return done.status


async def test_an_installed_workspace_is_answered_with_its_own_token(transport: str, state: State) -> None:
    """No bot token is set anywhere; auth.test is not asked for every event."""
    async with running(transport=transport, state=state, changed=OAUTH) as bot, aiohttp.ClientSession() as browser:
        before = await bot.ws.slash("/inspect", URL)
        status = await install(bot, browser)
        await bot.ws.slash("/inspect", URL)
        await bot.ws.post(GENERAL, OTHER)
        replies = [reply for reply in await bot.settled() if "INDEXABLE" in reply.words]

    assert (before.status, status, len(replies)) == (200, 200, 2)
    assert len(bot.made("auth.test")) == 1
    assert {call.ok for call in bot.made("chat.postMessage")} == {True}


async def test_the_token_is_not_readable_in_the_database(state: State, tmp_path: Path) -> None:
    """Encrypted at rest."""
    async with running(state=state, changed=OAUTH) as bot, aiohttp.ClientSession() as browser:
        await install(bot, browser)
        found = await state.installations.async_find_bot(enterprise_id=None, team_id=TEAM)

    dumped = "\n".join(sqlite3.connect(tmp_path / "state.db").iterdump())
    assert found is not None
    assert found.bot_token == TOKEN
    assert TOKEN not in dumped


async def test_the_page_asks_for_the_scopes_of_the_manifest_and_for_the_way_back(state: State) -> None:
    """Slack compares the redirect_uri with the manifest's."""
    changed = {**OAUTH, "public_url": "https://bot.example.com/", "link_keys": (SecretStr("k" * 32),)}
    async with (
        running(state=state, changed=changed) as bot,
        aiohttp.ClientSession() as browser,
        browser.get(at(bot, INSTALL)) as page,
    ):
        [address] = re.findall(r'href="(https://slack[^"]+)"', await page.text())

    query = yarl.URL(address.replace("&amp;", "&")).query
    assert query["scope"].split(",") == list(SCOPES)
    assert query["redirect_uri"] == f"https://bot.example.com{REDIRECT}"


@pytest.mark.parametrize(
    ("changed", "status"),
    [({"state": "forged"}, 400), ({"code": "stolen"}, 401), ({"error": "access_denied"}, 200)],
    ids=str,
)
async def test_who_comes_back_with_something_else_is_not_installed(
    state: State, changed: dict[str, str], status: int
) -> None:
    """A forged state, a code that is not Slack's, a person who said no."""
    async with running(state=state, changed=OAUTH) as bot, aiohttp.ClientSession() as browser:
        got = await install(bot, browser, **changed)

    assert got == status
    assert await state.installations.async_find_bot(enterprise_id=None, team_id=TEAM) is None


@pytest.mark.parametrize("event", ["app_uninstalled", "tokens_revoked"])
async def test_who_removes_the_app_is_forgotten(state: State, event: str) -> None:
    """Its token is of no use any more."""

    async def is_known() -> bool:
        return await state.installations.async_find_bot(enterprise_id=None, team_id=TEAM) is not None

    async with running(state=state, changed=OAUTH) as bot, aiohttp.ClientSession() as browser:
        await install(bot, browser)
        assert await is_known()
        delivery = await bot.ws.send_event({"type": event, "tokens": {"bot": ["U0BOT"], "oauth": []}})
        async with asyncio.timeout(10):  # Bolt answers first, and forgets then
            while await is_known():  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0.01)

    assert delivery.status == 200


async def test_two_workspaces_are_answered_each_with_its_own_token(state: State) -> None:
    """By the team of the request, in one process."""
    async with running(state=state, changed=OAUTH) as bot, aiohttp.ClientSession() as browser:
        await install(bot, browser)
        found = await state.installations.async_find_bot(enterprise_id=None, team_id=TEAM)
        assert found is not None
        await state.installations.async_save_bot(
            type(found)(**{**vars(found), "team_id": "T0OTHER", "bot_token": "xoxb-2"})
        )
        event = {"type": "message", "channel": GENERAL, "channel_type": "channel", "user": "U0ANN", "text": URL}
        for number, team in enumerate((TEAM, "T0OTHER")):
            envelope = bot.ws._envelope({**event, "ts": f"17.{number}"})
            await bot.ws._send("event", {**envelope, "team_id": team, "authorizations": []})
        await bot.settled()
        posts = [(call.ok, call.error) for call in bot.made("chat.postMessage")]

    assert sorted(posts, key=str) == [(False, "invalid_auth"), (True, None)]


async def test_an_installation_that_slack_does_not_finish_says_what_to_do(state: State) -> None:
    """No page with a stack trace."""
    async with running(state=state, changed=OAUTH) as bot, aiohttp.ClientSession() as browser:
        bot.ws.fail_next("oauth.v2.access", RESET, times=2)
        got = await install(bot, browser)

    assert got == 503


async def test_without_a_database_there_is_no_oauth() -> None:
    """Tokens need a place."""
    with pytest.raises(BadSetting, match="DATABASE_URL"):
        async with running(transport=HTTP, changed=OAUTH):
            pass


async def test_a_client_id_beside_a_bot_token_is_for_the_sign_in_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Bolt alone would take both from the environment, make an OAuth flow of its own, and forget the token."""
    monkeypatch.setenv("SLACK_CLIENT_ID", "1.2")
    monkeypatch.setenv("SLACK_CLIENT_SECRET", "client-secret")
    async with running() as bot:
        await bot.ws.slash("/inspect", URL)
        replies = await bot.settled()

    assert len(replies) == 1


async def test_one_workspace_serves_no_pages_of_an_installation() -> None:
    """Where a bot token is set."""
    async with (
        Workspace(signing_secret=SECRET, bot_token=TOKEN) as ws,
        running(ws=ws) as bot,
        bot.session.get(at(bot, INSTALL)) as page,
    ):
        assert page.status == 404
