"""The pages as part of the whole application: the same links that Slack shows, beside Slack's own route."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer
from pydantic import SecretStr

from bot.app import built, opened_state
from bot.index.sample import EXAMPLES
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.links import Links
from bot.report.kept_list import KeptList, list_row
from bot.settings import Settings
from bot.web.headers import HEADERS
from tests.web.conftest import Client

KEY = SecretStr("a-key-of-the-test-" + "x" * 32)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """An installation with a public address, and a Slack that cannot be reached."""
    return Settings(public_url="https://bot.example", link_keys=(KEY,), data_dir=tmp_path).model_copy(
        update={
            "slack_signing_secret": SecretStr("signing-secret"),
            "slack_bot_token": SecretStr("xoxb-test"),
            "slack_api_url": "http://127.0.0.1:9/api/",
        }
    )


@pytest.fixture
async def app_client(settings: Settings, inspector: Inspector) -> AsyncIterator[Client]:
    """A client of the whole application."""
    async with built(settings, Indexes(inspector)) as application, TestClient(TestServer(application)) as client:
        yield client


async def test_a_link_of_slack_opens_the_page(app_client: Client, settings: Settings, inspector: Inspector) -> None:
    """What `Links.from_settings` gives to Slack's answers is what the server opens."""
    inspection = await inspector.inspect(inspector.read(EXAMPLES["indexable"]))
    url = Links.from_settings(settings).report(inspection)
    assert url
    answer = await app_client.get(url.removeprefix("https://bot.example"))

    assert answer.status == 200
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


async def test_a_list_that_another_replica_kept_opens_its_page(
    app_client: Client, settings: Settings, inspector: Inspector
) -> None:
    """By way of the database that replicas share."""
    inspection = await inspector.inspect(inspector.read(EXAMPLES["indexable"]))
    async with opened_state(settings) as state:
        await state.lists.start("one", "T0EXAMPLE", "U0ANN")
        kept = KeptList(1, inspection.as_of, False, (list_row(inspection),))
        await state.lists.finish("one", kept, timedelta(days=7))
    url = Links.from_settings(settings).kept_list("one")
    assert url
    answer = await app_client.get(url.removeprefix("https://bot.example"))

    assert answer.status == 200
    assert EXAMPLES["indexable"] in await answer.text()
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


async def test_slack_down_is_told_and_pages_work(app_client: Client) -> None:
    """Readiness names Slack among the dependencies; the index answers, so we are ready."""
    answer = await app_client.get("/readyz")
    state = await answer.json()

    assert (answer.status, state["dependencies"]) == (200, {"slack": "BadSetting", "state": "ok"})


async def test_pages_and_slack_live_side_by_side(app_client: Client) -> None:
    """Slack's route is there, and takes nothing that is not signed."""
    assert (await app_client.post("/slack/events", json={})).status == 401
