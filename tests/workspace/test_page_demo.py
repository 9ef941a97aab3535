"""`crawler-inspector demo` as a process: what it prints, when it stays, how it ends."""

from __future__ import annotations

import os
import pty
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest
import yaml

from bot.commands.demo import MENU
from bot.index.sample import EXAMPLES

ROOT = Path(__file__).parents[2]
OPEN = re.compile(r"The workspace is open at (http://127\.0\.0\.1:\d+) \(loopback only\)\. Ctrl-C ends it\.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that the demos of this module share, one after the other."""
    return tmp_path_factory.mktemp("demo")


@contextmanager
def demo(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A running demo, in a pipe."""
    environment = {**os.environ, "CRAWLER_INSPECTOR_DATA_DIR": str(folder)}
    command = [sys.executable, "-m", "bot", "demo", *arguments]
    with subprocess.Popen(  # its output is a pipe, as in CI
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def opened_at(process: subprocess.Popen[str]) -> str:
    """The address that it prints, once it does."""
    assert process.stdout is not None
    for line in process.stdout:
        if found := OPEN.search(line):
            return found[1]
    raise AssertionError(f"The demo ended without opening the workspace: {process.communicate()[1]}")


def test_in_a_pipe_it_shows_the_terminal_view_and_ends(folder: Path) -> None:
    """One answer for each URL, then the pasted one; no page."""
    with demo(folder, EXAMPLES["indexable"], EXAMPLES["not found"]) as process:
        shown, complaints = process.communicate(timeout=120)

    headings = re.findall(r"^(ann types|ben pastes)  (\S+(?: \S+)?)", shown, re.MULTILINE)
    assert headings == [
        ("ann types", f"/inspect {EXAMPLES['indexable']}"),
        ("ann types", f"/inspect {EXAMPLES['not found']}"),
        ("ben pastes", f"{EXAMPLES['not found']} " + headings[2][1].split()[-1]),
    ]
    assert "✅ Indexable" in shown
    assert "HTTP 404" in shown
    assert OPEN.search(shown) is None
    assert (process.returncode, "Traceback" in complaints) == (0, False)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_told_to_stay_it_serves_the_page_until_a_signal(folder: Path, number: signal.Signals) -> None:
    """The page answers on the printed address; ^C and SIGTERM end the demo in order."""
    with demo(folder, "--stay", EXAMPLES["indexable"]) as process:
        address = opened_at(process)
        with urllib.request.urlopen(address, timeout=10) as response:  # noqa: S310 - our own address on loopback
            page = response.read().decode()
        process.send_signal(number)
        _, complaints = process.communicate(timeout=30)

    assert "<title>Example workspace</title>" in page
    assert (process.returncode, complaints) == (0, "")


def test_at_a_terminal_it_stays(folder: Path) -> None:
    """Without any option: where a person is, the page stays open."""
    mine, its = pty.openpty()
    environment = {**os.environ, "CRAWLER_INSPECTOR_DATA_DIR": str(folder), "TERM": "dumb"}
    command = [sys.executable, "-m", "bot", "demo", EXAMPLES["indexable"]]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=its, stdout=its, stderr=its) as process:
        os.close(its)
        shown = ""
        try:
            while not OPEN.search(shown):
                shown += os.read(mine, 4096).decode(errors="replace")
            process.send_signal(signal.SIGINT)

            assert process.wait(30) == 0
        finally:
            process.kill()
            os.close(mine)


def test_nothing_of_the_workspace_is_in_the_served_bot() -> None:
    """The stand-in and its page are the demo's alone."""
    script = "import sys, bot.app, bot.commands.serve, bot.slack.bot, bot.web.site; print(*sys.modules, sep='\\n')"
    modules = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)

    assert [name for name in modules.stdout.split() if name.startswith("bot.workspace")] == []


def test_a_port_that_is_taken(folder: Path) -> None:
    """One sentence, exit code 2."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with demo(folder, "--stay", "--port", port) as process:
            _, complaints = process.communicate(timeout=60)

    assert process.returncode == 2
    assert complaints.startswith(f"Port {port} cannot be used")
    assert "Traceback" not in complaints


def test_the_menu_is_what_the_manifest_offers() -> None:
    """The composer completes the commands and shortcuts that Slack would."""
    features = yaml.safe_load((ROOT / "manifest.yml").read_text())["features"]
    commands = [
        {"command": row["command"], "description": row["description"], "hint": row.get("usage_hint", "")}
        for row in features.get("slash_commands", [])
    ]
    shortcuts = [(row["callback_id"], row["name"], row["type"] == "message") for row in features.get("shortcuts", [])]

    assert [asdict(command) for command in MENU.commands] == commands
    assert [(shortcut.callback_id, shortcut.name, shortcut.on_message) for shortcut in MENU.shortcuts] == shortcuts
