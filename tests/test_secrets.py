"""Secrets stay where they are needed: planted in every setting, and looked for in all that the bot writes.

Beside this, `tests.conftest` watches every record that the whole suite logs.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import logging
import os
import re
import sys
import traceback
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from cryptography.fernet import Fernet
from pydantic import SecretStr

from bot.app import built, open_store
from bot.errors import BadSetting
from bot.index.profile import load_profile
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.render import actions
from bot.settings import Settings, load_settings
from bot.slack.register import INSPECT_MESSAGE, LOOKUP
from bot.state.state import State
from bot.web.server import runner_of
from bot.workspace import HTTP_500_HTML, RESET, FaultKind, Workspace
from tests.planted import secrets_in, written
from tests.slack.running import APP_TOKEN, GENERAL, PAGE, SECRET, SITE, TOKEN, URL, ChangingStore, until, workspace
from tests.slack.test_intake import EVENT, JSON, send, signed
from tests.test_serve import serving, started

ANN = "U0ANN"
STATE_KEY = Fernet.generate_key().decode()
LINK_KEY = "planted-link-key-" + "k" * 32
DATABASE = "postgresql://inspector:planted-database-password@127.0.0.1:9/inspector"
PLANTED: dict[str, str] = {  # by the variable that holds it
    "SLACK_BOT_TOKEN": TOKEN,
    "SLACK_SIGNING_SECRET": SECRET,
    "SLACK_APP_TOKEN": APP_TOKEN,
    "SLACK_CLIENT_SECRET": "planted-client-secret",
    "CLICKHOUSE_PASSWORD": "planted-clickhouse-password",
    "CLICKHOUSE_TOKEN": "planted-clickhouse-token",
    "CRAWLER_INSPECTOR_LINK_KEYS": LINK_KEY,
    "CRAWLER_INSPECTOR_STATE_KEYS": STATE_KEY,
    "CRAWLER_INSPECTOR_DATABASE_URL": DATABASE,
}


def leaked(text: str) -> set[str]:
    """The secrets in a text; a Fernet key has a form of its own."""
    return secrets_in(text) | {key for key in (STATE_KEY,) if key in text}


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of an installation with every secret that there is."""
    for name, value in PLANTED.items():
        monkeypatch.setenv(name, value)


def test_settings_print_as_stars(planted: None) -> None:
    """However they are printed."""
    settings = load_settings()

    assert leaked(f"{settings!r} {settings} {settings.link_keys} {[*settings]!r}".replace(DATABASE, "")) == set()
    assert leaked(repr(settings)) == set()


async def opened_and_closed() -> None:
    """The bot's own database, as the environment names it."""
    settings = load_settings()
    keys = [key.get_secret_value() for key in settings.state_keys]
    await (await State.open(settings.database_url or "", keys)).close()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CRAWLER_INSPECTOR_LINK_KEYS", f"{LINK_KEY}\udcff"),
        ("CRAWLER_INSPECTOR_STATE_KEYS", f"{STATE_KEY}\udcff"),
        ("CRAWLER_INSPECTOR_STATE_KEYS", "planted-key-that-is-none"),
        ("CRAWLER_INSPECTOR_DATABASE_URL", DATABASE),
        ("CRAWLER_INSPECTOR_DATABASE_URL", "mysql://inspector:planted-database-password@db.example/inspector"),
        ("CRAWLER_INSPECTOR_DATABASE_URL", "postgresql://inspector:planted-database-password@[/inspector"),
        ("CRAWLER_INSPECTOR_DATABASE_URL", "postgresql://inspector:planted-database-password@db:port/inspector"),
        ("CRAWLER_INSPECTOR_DATABASE_URL", "planted-database-password"),
        ("CRAWLER_INSPECTOR_DATABASE_URL", "postgresql://h/db?password=planted-database-password"),
    ],
    ids=lambda value: value if value.isupper() else "",  # a key is made anew in each run
)
async def test_a_setting_that_cannot_be_used_is_told_without_its_value(
    variable: str, value: str, planted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in the sentence nor in the traceback of it, whose causes are the libraries' own errors."""
    monkeypatch.setenv(variable, value)

    with pytest.raises(BadSetting) as refused:
        await opened_and_closed()

    assert leaked("".join(traceback.format_exception(refused.value))) == set()


# A ClickHouse that fails, each in its own way; what it says is told, and what it was asked with is not.


async def refuse(_request: web.Request) -> web.Response:
    return web.Response(status=403, text="Code: 516. DB::Exception: default: Authentication failed", headers=CODE)


async def break_off(request: web.Request) -> web.Response:
    assert request.transport
    request.transport.close()
    return web.Response()


async def say_html(_request: web.Request) -> web.Response:
    return web.Response(status=502, text="<html>Bad gateway</html>")


CODE = {"X-ClickHouse-Exception-Code": "516"}


@asynccontextmanager
async def clickhouse(answer: Callable[[web.Request], Any]) -> AsyncIterator[dict[str, Any]]:
    """The settings of a cluster that answers so."""
    application = web.Application()
    application.add_routes([web.route("*", "/{rest:.*}", answer)])
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield {"clickhouse_host": "127.0.0.1", "clickhouse_port": runner.addresses[0][1]}
    finally:
        await runner.cleanup()


def settings(ws: Workspace, folder: Path, **chosen: Any) -> Settings:
    """Every secret but those that would choose another mode."""
    values: dict[str, Any] = {
        "slack_signing_secret": SecretStr(SECRET),
        "slack_bot_token": SecretStr(TOKEN),
        "slack_client_secret": SecretStr(PLANTED["SLACK_CLIENT_SECRET"]),
        "slack_client_id": "1.2",
        "slack_api_url": ws.api_url,
        "clickhouse_password": SecretStr(PLANTED["CLICKHOUSE_PASSWORD"]),
        "link_keys": (SecretStr(LINK_KEY),),
        "state_keys": (SecretStr(STATE_KEY),),
        "public_url": "http://bot.example",
        "data_dir": folder,
        "step_timeout": 1.0,
        **chosen,
    }
    return Settings().model_copy(update=values)


@asynccontextmanager
async def whole_bot(ws: Workspace, chosen: Settings, inspector: Inspector) -> AsyncIterator[str]:
    """Everything that `serve` runs, and its address."""
    async with built(chosen, Indexes(inspector)) as application:
        runner = runner_of(application)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        address = f"http://127.0.0.1:{runner.addresses[0][1]}"
        ws.connect(f"{address}/slack/events")
        try:
            yield address
        finally:
            await runner.cleanup()


async def use(ws: Workspace, address: str, faults: Sequence[tuple[str, FaultKind]]) -> str:
    """What people, Slack and strangers do with a bot; the web pages that came of it."""
    await ws.slash("/inspect", URL)
    await until(lambda: replies(ws))
    await ws.post(GENERAL, URL, mention=True)
    await until(lambda: len(replies(ws)) > 1)
    reply = replies(ws)[-1]
    for method, fault in faults:
        ws.fail_next(method, fault, 2)
    for action in (actions.ACTION_RAW, actions.ACTION_TEXT, actions.ACTION_RECHECK):
        with contextlib.suppress(LookupError):  # where nothing was found, there is no such button
            await ws.click(reply, action)
    for asked in ("sql", "curl", "json", "raw", "text", "why"):
        await ws.post(GENERAL, asked, thread_ts=reply.thread_ts, mention=True)
    await ws.slash("/inspect", "settings")
    await ws.shortcut(LOOKUP)
    await ws.message_shortcut(INSPECT_MESSAGE, next(iter(ws.messages(GENERAL))))
    await ws.open_home()
    await ws.slash("/inspect", " ".join(f"{URL}/{number}" for number in range(30)))
    await until(lambda: any(call.method == "files.completeUploadExternal" for call in ws.calls))
    await send(f"{address}/slack/events", EVENT, JSON, signed(EVENT, secret="another"))
    await send(f"{address}/slack/events", '{"type": [], "token": "planted-in-a-body"}', JSON, {})
    return await pages(ws, address)


def replies(ws: Workspace) -> list[Any]:
    return [message for message in ws.messages(GENERAL) if message.from_bot]


async def pages(ws: Workspace, address: str) -> str:
    """Every page that a message links to, and those that are always there."""
    words = " ".join(json.dumps(message.blocks) for message in replies(ws))
    paths = {*re.findall(r"http://bot\.example(/[^\"]+)", words), "/metrics", "/readyz", "/healthz", "/r/x"}
    texts = []
    async with aiohttp.ClientSession() as browser:
        for path in sorted(paths | {f"{path}.json" for path in paths}):
            async with browser.get(f"{address}{path}") as answer:
                texts.append(f"{answer.headers}{await answer.text()}")
    return "".join(texts)


# What opens something for whoever holds it goes back to Slack alone, from where it came, in the member that is for it.
FOR_SLACK = {"trigger_id", "private_metadata"}


def sent(value: Any) -> Any:
    """What Slack shows of what it was sent."""
    if isinstance(value, dict):
        return {name: sent(member) for name, member in value.items() if name not in FOR_SLACK}
    return [sent(member) for member in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize(
    ("answer", "failing"),
    [(None, False), (None, True), (refuse, True), (break_off, False), (say_html, False)],
    ids=["all well", "Slack fails", "both fail", "the index breaks off", "the index says HTML"],
)
async def test_nothing_that_the_bot_writes_holds_a_secret(
    answer: Callable[[web.Request], Any] | None, failing: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Logs with debugging on, messages, windows, files, web pages, the database, with failures everywhere."""
    caplog.set_level(logging.DEBUG)
    async with workspace() as ws, clickhouse(answer or refuse) as cluster:
        chosen = settings(ws, tmp_path, **(cluster if answer else {}))
        store = ChangingStore(startsWith=[SITE], page_info_local=[PAGE])
        opened = await open_store(chosen, load_profile(), lambda *_: None) if answer else store
        async with whole_bot(ws, chosen, Inspector(opened, load_profile(), step_timeout=1)) as address:
            seen = await use(ws, address, FAULTS if failing else ())
        await opened.close()

    shown = json.dumps([dataclasses.asdict(message) for message in ws.messages(GENERAL)], default=str)
    calls = json.dumps([sent(call.payload) for call in ws.calls], default=str)
    assert {name: leaked(text) for name, text in (("messages", shown), ("calls", calls), ("pages", seen))} == {
        "messages": set(), "calls": set(), "pages": set(),
    }  # fmt: skip
    assert leaked("".join(map(written, caplog.records))) == set()
    assert leaked(stored(tmp_path)) == set()


def stored(folder: Path) -> str:
    """All octets of the bot's own database, those of what was deleted too."""
    return b"".join(file.read_bytes() for file in folder.glob("state.db*")).decode("latin-1")


FAULTS = (
    ("response_url", FaultKind.error("expired_url")),
    ("chat.postMessage", HTTP_500_HTML),
    ("chat.postEphemeral", RESET),
    ("views.open", FaultKind.error("expired_trigger_id")),
    ("views.publish", RESET),
    ("files.getUploadURLExternal", FaultKind.ratelimited(0)),
)


async def test_the_output_of_serve_holds_no_secret(tmp_path: Path) -> None:
    """A real process, asked and stopped, with a ClickHouse that never answers."""
    environment = {name: value for name, value in PLANTED.items() if name not in NOT_WITH_HTTP}
    async with workspace() as ws, serving(ws, tmp_path, **environment) as process:
        address = await started(process)
        ws.connect(f"{address}/slack/events")
        await ws.slash("/inspect", URL)
        await ws.post(GENERAL, URL, mention=True)
        await send(f"{address}/slack/events", EVENT, JSON, signed(EVENT, secret="another"))
        await until(lambda: len(replies(ws)) > 1)
        process.terminate()
        output = b"".join(await asyncio.wait_for(process.communicate(), 20)).decode()

    assert process.returncode == 0
    assert "refused a request" in output
    assert leaked(output) == set()


NOT_WITH_HTTP = ("SLACK_APP_TOKEN", "SLACK_CLIENT_SECRET", "CRAWLER_INSPECTOR_DATABASE_URL")


@pytest.mark.parametrize("command", ["doctor", "serve"])
async def test_what_cannot_be_reached_is_told_without_a_secret(command: str, tmp_path: Path) -> None:
    """Every server of the settings is down; `doctor` looks at each, `serve` gives up at the first."""
    nowhere = {
        "PATH": os.environ["PATH"],
        "CRAWLER_INSPECTOR_DATA_DIR": str(tmp_path),
        "CRAWLER_INSPECTOR_SLACK_API_URL": "http://127.0.0.1:9/api/",
        "CRAWLER_INSPECTOR_CLICKHOUSE_HOST": "127.0.0.1",
        "CRAWLER_INSPECTOR_CLICKHOUSE_PORT": "9",
        "CRAWLER_INSPECTOR_PUBLIC_URL": "https://bot.example",
        "SLACK_CLIENT_ID": "1.2",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", command, stdout=PIPE, stderr=PIPE, env=nowhere | PLANTED
    )
    output = b"".join(await asyncio.wait_for(process.communicate(), 60)).decode()

    assert process.returncode != 0
    assert "Traceback" not in output
    assert leaked(output) == set()


def test_a_secret_that_is_logged_anywhere_in_the_suite_is_seen() -> None:
    """What `tests.conftest` does after each test, tried on a log of its own."""
    from tests.conftest import WATCH

    logging.getLogger("bot.tests").error("it was %s", TOKEN)
    try:
        raise ValueError(SECRET)
    except ValueError:
        logging.getLogger("bot.tests").exception("and")

    assert [secrets_in(line) for line in WATCH.taken()] == [{TOKEN.removeprefix("xoxb-")}, {SECRET}]
