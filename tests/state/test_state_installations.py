"""Installations by OAuth: found as Bolt looks for them, and unreadable without a key."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from slack_sdk.oauth.installation_store.models.installation import Installation

from bot.errors import BadSetting
from bot.state.state import State
from tests.state.conftest import Clock
from tests.state.sql import execute

BOT_TOKEN, USER_TOKEN = "xoxb-planted-bot-token", "xoxp-planted-user-token"
WEBHOOK = "https://hooks.slack.example/services/planted-webhook"
SECRETS = (BOT_TOKEN, USER_TOKEN, "planted-refresh", "planted-webhook")


def installed(**changes: Any) -> Installation:
    """An installation by Ada in one workspace."""
    fields: dict[str, Any] = {
        "app_id": "A0EXAMPLE",
        "team_id": "T0EXAMPLE",
        "team_name": "Example",
        "bot_token": BOT_TOKEN,
        "bot_id": "B0EXAMPLE",
        "bot_user_id": "U0BOT",
        "bot_scopes": ["commands", "chat:write"],
        "bot_refresh_token": "xoxe-1-planted-refresh",
        "bot_token_expires_at": 1_800_000_000,
        "user_id": "U0ADA",
        "user_token": USER_TOKEN,
        "incoming_webhook_url": WEBHOOK,
        "installed_at": 1_790_000_000.25,
        "custom_values": {"by": "Ada"},
    }
    return Installation(**{**fields, **changes})


async def test_an_installation_comes_back_whole(state: State) -> None:
    """Every field of an installation and of its bot is found again."""
    saved = installed()
    await state.installations.async_save(saved)

    found = await state.installations.async_find_installation(enterprise_id=None, team_id="T0EXAMPLE")
    bot = await state.installations.async_find_bot(enterprise_id=None, team_id="T0EXAMPLE")

    assert found is not None
    assert bot is not None
    assert vars(found) == vars(saved)
    assert vars(bot) == vars(saved.to_bot())


@pytest.mark.parametrize(
    ("saved", "asked", "found"),
    [
        pytest.param({}, {"enterprise_id": None, "team_id": "T0EXAMPLE"}, True, id="workspace"),
        pytest.param({}, {"enterprise_id": None, "team_id": "T0OTHER"}, False, id="another workspace"),
        pytest.param({}, {"enterprise_id": "E0", "team_id": "T0EXAMPLE"}, False, id="another organisation"),
        pytest.param(
            {"enterprise_id": "E0", "team_id": None, "is_enterprise_install": True},
            {"enterprise_id": "E0", "team_id": "T0EXAMPLE", "is_enterprise_install": True},
            True,
            id="organisation-wide, asked from one of its workspaces",
        ),
        pytest.param(
            {"enterprise_id": "E0", "team_id": "T0EXAMPLE"},
            {"enterprise_id": "E0", "team_id": "T0EXAMPLE", "is_enterprise_install": True},
            False,
            id="one workspace, asked for the organisation",
        ),
    ],
)
async def test_where_a_bot_is_installed(
    state: State, saved: dict[str, Any], asked: dict[str, Any], found: bool
) -> None:
    """A bot is found in the workspace or organisation that installed it, and nowhere else."""
    await state.installations.async_save(installed(**saved))

    bot = await state.installations.async_find_bot(**asked)

    assert (bot is not None) == found


async def test_the_newest_bot_token_serves_every_user(state: State) -> None:
    """After Bob installs again, Ada's installation has her user token and his newer bot token."""
    await state.installations.async_save(installed())
    later = {"user_id": "U0BOB", "user_token": "xoxp-bob", "bot_token": "xoxb-newer", "installed_at": 1_790_000_100.0}
    await state.installations.async_save(installed(**later))

    find = state.installations.async_find_installation
    ada = await find(enterprise_id=None, team_id="T0EXAMPLE", user_id="U0ADA")
    newest = await find(enterprise_id=None, team_id="T0EXAMPLE")

    assert ada is not None
    assert newest is not None
    assert (ada.user_token, ada.bot_token) == (USER_TOKEN, "xoxb-newer")
    assert (newest.user_id, newest.bot_token) == ("U0BOB", "xoxb-newer")


async def test_an_installation_of_a_user_alone_leaves_the_bot(state: State) -> None:
    """An installation that brings no bot token does not take the workspace's away."""
    await state.installations.async_save(installed())
    await state.installations.async_save(installed(user_id="U0BOB", bot_token=None, bot_scopes=[]))

    bot = await state.installations.async_find_bot(enterprise_id=None, team_id="T0EXAMPLE")

    assert bot is not None
    assert bot.bot_token == BOT_TOKEN


async def test_removing_the_app_deletes_everything_of_the_workspace(state: State) -> None:
    """After the app is removed nothing is left of this workspace, and all of the other."""
    await state.installations.async_save(installed())
    await state.installations.async_save(installed(team_id="T0OTHER"))
    await state.installations.async_delete_all(enterprise_id=None, team_id="T0EXAMPLE")

    store = state.installations
    assert await store.async_find_bot(enterprise_id=None, team_id="T0EXAMPLE") is None
    assert await store.async_find_installation(enterprise_id=None, team_id="T0EXAMPLE") is None
    assert await store.async_find_installation(enterprise_id=None, team_id="T0OTHER") is not None


async def test_a_revoked_user_token_deletes_that_user_alone(state: State) -> None:
    """Ada's token is revoked: hers is gone, Bob's and the bot stay."""
    await state.installations.async_save(installed())
    await state.installations.async_save(installed(user_id="U0BOB"))
    await state.installations.async_delete_installation(enterprise_id=None, team_id="T0EXAMPLE", user_id="U0ADA")

    find = state.installations.async_find_installation
    left = [await find(enterprise_id=None, team_id="T0EXAMPLE", user_id=user) for user in ("U0ADA", "U0BOB")]
    assert [found is not None for found in left] == [False, True]


async def test_no_secret_is_readable_at_rest(state: State, url: str) -> None:
    """Neither SQLite's files nor any column in Postgres holds a token or the webhook's address in the clear."""
    await state.installations.async_save(installed())

    stored = await stored_bytes(url)

    assert b"T0EXAMPLE" in stored  # it was looked at where the record is
    assert [secret for secret in SECRETS if secret.encode() in stored] == []


async def stored_bytes(url: str) -> bytes:
    """Everything that the database holds of installations."""
    if url.startswith("sqlite"):
        path = Path(url.removeprefix("sqlite:///"))
        return b"".join(file.read_bytes() for file in path.parent.iterdir())
    tables = ("bot_installations", "bot_installed_bots")
    rows = [row for table in tables for row in await execute(url, f"SELECT t::text FROM {table} t")]
    return "\n".join(row[0] for row in rows).encode()


async def test_the_file_is_its_owner_s_alone(tmp_path: Path, key: str) -> None:
    """SQLite's files, the write-ahead log included, are not readable by other users; nor is a folder made for them."""
    folder = tmp_path / "made"
    state = await State.open(f"sqlite:///{folder}/state.db", [key])
    await state.installations.async_save(installed())

    modes = {file.name: oct(file.stat().st_mode & 0o777) for file in (folder, *folder.iterdir())}
    await state.close()

    assert modes == {"made": "0o700", "state.db": "0o600", "state.db-wal": "0o600", "state.db-shm": "0o600"}


async def test_keys_are_rotated(state: State, url: str, key: str) -> None:
    """A new key in front of the old one reads everything; after resealing, the old one can be dropped."""
    await state.installations.async_save(installed())
    new = Fernet.generate_key().decode()

    both = await State.open(url, [new, key])
    resealed = await both.installations.reseal()
    await both.close()
    new_alone = await State.open(url, [new])
    bot = await new_alone.installations.async_find_bot(enterprise_id=None, team_id="T0EXAMPLE")
    await new_alone.close()

    assert resealed == 2  # the installation and its bot
    assert bot is not None
    assert bot.bot_token == BOT_TOKEN
    with pytest.raises(BadSetting, match="no key opens the tokens"):
        await State.open(url, [key])


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        pytest.param([], "CRAWLER_INSPECTOR_STATE_KEYS is empty", id="none, where tokens are kept"),
        pytest.param(["planted-key"], "key 1 is not 32 bytes", id="not a key"),
        pytest.param([Fernet.generate_key().decode()], "no key opens the tokens", id="another key"),
    ],
)
async def test_wrong_keys_end_the_start(state: State, url: str, keys: list[str], sentence: str) -> None:
    """The start ends with a sentence that names the setting, says what to do, and never repeats a key."""
    await state.installations.async_save(installed())

    with pytest.raises(BadSetting, match=sentence) as caught:
        await State.open(url, keys)

    assert "planted-key" not in str(caught.value)


async def test_without_a_key_nothing_is_kept_in_the_clear(url: str) -> None:
    """A state without keys works for everything but installations, which it refuses."""
    state = await State.open(url)
    try:
        with pytest.raises(BadSetting, match="STATE_KEYS is empty"):
            await state.installations.async_save(installed())
        assert await state.installations.async_find_bot(enterprise_id=None, team_id="T0EXAMPLE") is None
    finally:
        await state.close()


async def test_an_oauth_state_is_good_once(state: State) -> None:
    """Of ten that come back with the same state one gets in; a state that was never issued gets nobody in."""
    issued = await state.oauth_states.async_issue()

    entered = await asyncio.gather(*(state.oauth_states.async_consume(issued) for _ in range(10)))

    assert sorted(entered) == [False] * 9 + [True]
    assert not await state.oauth_states.async_consume("forged")


@pytest.mark.parametrize(("seconds", "good"), [(599, True), (600, False)])
async def test_an_oauth_state_expires(state: State, clock: Clock, seconds: int, good: bool) -> None:
    """A state is good for ten minutes."""
    issued = await state.oauth_states.async_issue()
    clock.pass_by(timedelta(seconds=seconds))

    assert await state.oauth_states.async_consume(issued) == good
