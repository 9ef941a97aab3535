"""`crawler-inspector serve` as a process: how it starts, ends, and fails to start."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from bot.workspace import Workspace
from tests.slack.running import APP_TOKEN, GENERAL, HTTP, SECRET, TOKEN, URL, workspace

STARTED = re.compile(r"listening on (http://[^\s\"]+)")
SLOW = 0.5  # seconds that a query takes, as nobody answers it


@asynccontextmanager
async def silent_cluster() -> AsyncIterator[int]:
    """A port that takes connections and says nothing."""

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@asynccontextmanager
async def serving(ws: Workspace, folder: Path, **environment: str) -> AsyncIterator[Process]:
    """The process, with a cluster that never answers."""
    async with silent_cluster() as port:
        settings = {
            "PATH": os.environ["PATH"],
            "SLACK_BOT_TOKEN": TOKEN,
            "CRAWLER_INSPECTOR_SLACK_API_URL": ws.api_url,
            "CRAWLER_INSPECTOR_DATA_DIR": str(folder),
            "CRAWLER_INSPECTOR_CLICKHOUSE_HOST": "127.0.0.1",
            "CRAWLER_INSPECTOR_CLICKHOUSE_PORT": str(port),
            "CRAWLER_INSPECTOR_STEP_TIMEOUT": str(SLOW),
            "CRAWLER_INSPECTOR_PORT": "0",
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", "serve", stdout=PIPE, stderr=PIPE, env=settings | environment
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.communicate()


async def started(process: Process) -> str:
    """Its address, once it listens."""
    assert process.stderr is not None
    lines = []
    async with asyncio.timeout(60):
        async for line in process.stderr:
            lines.append(line.decode())
            if found := STARTED.search(lines[-1]):
                return found[1]
    raise AssertionError("".join(lines))


@pytest.mark.parametrize("mode", ["http", "socket"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_stops_intake_and_finishes_what_runs(mode: str, number: int, tmp_path: Path) -> None:
    """bolt-python #964, #622, #558: the answer still arrives, and the process ends with 0."""
    secrets = {"SLACK_SIGNING_SECRET": SECRET} if mode == HTTP else {"SLACK_APP_TOKEN": APP_TOKEN}
    async with workspace() as ws, serving(ws, tmp_path, **secrets) as process:
        address = await started(process)
        if mode == HTTP:
            ws.connect(f"{address}/slack/events")
        async with aiohttp.ClientSession() as browser, browser.get(f"{address}/readyz") as answer:
            ready = await answer.json()
        await ws.slash("/inspect", URL)
        process.send_signal(number)
        code = await asyncio.wait_for(process.wait(), 20)
        replies = [message for message in ws.messages(GENERAL) if message.from_bot]
        open_sockets = ws.sockets.count

    assert ready["dependencies"] == {"slack": "ok", "state": "ok"}
    assert (code, len(replies), open_sockets) == (0, 1, 0)


async def test_the_log_is_an_object_a_line_and_holds_nothing_that_was_typed(tmp_path: Path) -> None:
    """At the lowest level too, where a request, its queries and its calls of Slack are told."""
    chosen = {"CRAWLER_INSPECTOR_LOG_FORMAT": "json", "CRAWLER_INSPECTOR_LOG_LEVEL": "DEBUG"}
    async with workspace() as ws, serving(ws, tmp_path, SLACK_SIGNING_SECRET=SECRET, **chosen) as process:
        ws.connect(f"{await started(process)}/slack/events")
        await ws.slash("/inspect", URL)
        await ws.wait_for(lambda message: message.from_bot, timeout=20)
        process.terminate()
        _, stderr = await asyncio.wait_for(process.communicate(), 20)
    lines = [json.loads(line) for line in stderr.decode().splitlines()]

    assert {"query", "slack", "stopping: no new requests, running ones are finished"} <= {
        line["message"] for line in lines
    }
    assert all(line["request"] for line in lines if line["message"] == "query")
    assert not re.search(f"docs.example|{SECRET}|{TOKEN}", stderr.decode())


async def test_a_start_that_fails_is_an_object_too(tmp_path: Path) -> None:
    """The sentence is an error of the log."""
    async with workspace() as ws, serving(ws, tmp_path, CRAWLER_INSPECTOR_LOG_FORMAT="json") as process:
        _, stderr = await asyncio.wait_for(process.communicate(), 30)
    *_, last = [json.loads(line) for line in stderr.decode().splitlines()]

    assert (process.returncode, last["level"]) == (1, "ERROR")
    assert "SLACK_SIGNING_SECRET is not set" in last["message"]


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"SLACK_SIGNING_SECRET": SECRET, "SLACK_BOT_TOKEN": "xoxb-wrong"}, r"SLACK_BOT_TOKEN \(invalid_auth\)"),
        ({"SLACK_APP_TOKEN": "xapp-wrong"}, r"SLACK_APP_TOKEN \(invalid_auth\)"),
        ({"SLACK_APP_TOKEN": TOKEN}, r"SLACK_APP_TOKEN \(not_allowed_token_type\)"),
        ({}, "SLACK_SIGNING_SECRET is not set"),
        ({"SLACK_SIGNING_SECRET": SECRET, "SLACK_BOT_TOKEN": ""}, "SLACK_BOT_TOKEN is not set"),
        ({"SLACK_APP_TOKEN": APP_TOKEN, "SLACK_CLIENT_ID": "1.2"}, "SLACK_CLIENT_SECRET is not set"),
        (
            {"SLACK_SIGNING_SECRET": SECRET, "CRAWLER_INSPECTOR_SLACK_API_URL": "http://127.0.0.1:9/api/"},
            "cannot be reached",
        ),
        ({"SLACK_SIGNING_SECRET": SECRET, "CRAWLER_INSPECTOR_DATABASE_URL": "mysql://db.example/x"}, "DATABASE_URL"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
async def test_what_is_set_wrong_ends_the_start_with_one_line_within_seconds(
    environment: dict[str, str], says: str, tmp_path: Path
) -> None:
    """No stack trace, no storm of retries, no secret."""
    begun = time.perf_counter()
    async with workspace() as ws, serving(ws, tmp_path, **environment) as process:
        _, stderr = await asyncio.wait_for(process.communicate(), 30)
        took = time.perf_counter() - begun
    text = stderr.decode()
    told = [line for line in text.splitlines() if not re.match(r"\d{4}-\d\d-\d\d .* (INFO|WARNING) ", line)]

    assert process.returncode in (1, 2)
    assert re.search(says, " ".join(told))
    assert len(told) == 1, told
    assert "Traceback" not in text
    assert not {TOKEN, SECRET, APP_TOKEN, "xoxb-wrong", "xapp-wrong"} & set(re.split(r"[\s'\"]", text))
    assert took < 20
