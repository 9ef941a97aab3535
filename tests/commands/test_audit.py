"""`crawler-inspector audit`, on a database that holds what was asked."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.__main__ import app
from bot.state.records import Job, JobState
from bot.state.state import State


async def _asked(path: Path) -> None:
    state = await State.open(f"sqlite:///{path}")
    for name, user in (("a" * 64, "U0ANN"), ("b" * 64, "U0BEN")):
        await state.jobs.record(Job(name, "T0EXAMPLE", "C0GENERAL", user, "command", "https://docs.example/é", {}))
    await state.jobs.finish("a" * 64, JobState.ANSWERED)
    await state.close()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], [("U0ANN", "answered"), ("U0BEN", "open")]),
        (["--user", "U0BEN"], [("U0BEN", "open")]),
        (["--since", "2105-01-01"], []),
    ],
)
async def test_the_trail_is_printed_line_by_line(
    arguments: list[str], told: list[tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asked what, and what became of it; nothing of what Slack sent besides."""
    path = tmp_path / "state.db"
    await _asked(path)
    monkeypatch.setenv("CRAWLER_INSPECTOR_DATABASE_URL", f"sqlite:///{path}")
    result = await _invoked(["audit", *arguments])
    entries = [json.loads(line) for line in result.splitlines()]

    assert [(entry["user"], entry["outcome"]) for entry in entries] == told
    assert all(set(entry) == KEYS and entry["asked"] == "https://docs.example/é" for entry in entries)


KEYS = {"at", "team", "channel", "user", "kind", "asked", "outcome", "tries", "seconds", "request"}


async def _invoked(arguments: list[str]) -> str:
    """In a thread, as the command runs an event loop of its own."""
    result = await asyncio.to_thread(CliRunner().invoke, app, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_time_that_cannot_be_read_gets_one_sentence() -> None:
    """As everywhere."""
    result = CliRunner().invoke(app, ["audit", "--since", "yesterdayish"])

    assert (result.exit_code, "yesterdayish" in result.output) == (2, True)
