"""What the bot's tests share: its own database, empty, and both ways by which Slack's requests come in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from bot.state.state import State
from tests.slack.running import HTTP, SOCKET


@pytest.fixture
async def state(tmp_path: Path) -> AsyncIterator[State]:
    """An open, empty database."""
    opened = await State.open(f"sqlite:///{tmp_path / 'state.db'}", [Fernet.generate_key().decode()])
    yield opened
    await opened.close()


@pytest.fixture(params=[HTTP, SOCKET])
def transport(request: pytest.FixtureRequest) -> str:
    """Signed HTTP, and Socket Mode."""
    return str(request.param)
