"""`python -m bot serve` as a process that is killed and started again in its place: same port, same database."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import signal
import sys
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiohttp

from bot.workspace import Workspace
from tests.cluster.cluster import ROOT
from tests.cluster.proxy import closed_port
from tests.slack.running import SECRET, TOKEN

STARTS_WITHIN = 90.0  # seconds, on a machine that does much else
LISTENING = re.compile(r"listening on http")
SAMPLE = re.compile(r"^(\w+)(?:\{[^}]*\})? (\S+)$", re.MULTILINE)


class Bot:
    """One replica. `folder` holds its data and its log; `environment` says what differs from `surroundings`."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.log = folder / "bot.log"
        self.port = closed_port()
        self.kills = 0
        self._environment = {**environment, "CRAWLER_INSPECTOR_PORT": str(self.port)}
        self._environment.setdefault("CRAWLER_INSPECTOR_DATA_DIR", str(folder))
        self._process: Process | None = None

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """Slack's request URL."""
        return f"{self.address}/slack/events"

    @property
    def pid(self) -> int:
        """Of the process that runs, or ran last."""
        return self._started.pid

    @property
    def alive(self) -> bool:
        """Does it run?"""
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start it, and wait until it listens. Raises RuntimeError with its log where it does not."""
        with self.log.open("ab") as log:
            begins = log.tell()
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bot", "serve", stdout=log, stderr=log, cwd=ROOT, env=self._environment
            )
        deadline = time.monotonic() + STARTS_WITHIN
        while not LISTENING.search(said := self.log.read_bytes()[begins:].decode(errors="replace")):
            if not self.alive or time.monotonic() > deadline:
                raise RuntimeError(f"the bot did not start: {said}")
            await asyncio.sleep(0.02)

    async def kill(self) -> None:
        """SIGKILL: nothing is written, nobody is told."""
        if self.alive:
            self._started.kill()
            self.kills += 1
        await self._started.wait()

    async def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to end; its exit code."""
        self._started.send_signal(number)
        return await self._started.wait()

    def limit(self, kind: int, soft: int) -> None:
        """Change a limit of the running process, as of RLIMIT_FSIZE; RLIM_INFINITY lifts it."""
        _, hard = resource.prlimit(self.pid, kind)
        resource.prlimit(self.pid, kind, (soft, hard))

    def status(self, field: str) -> int:
        """A figure of /proc/PID/status in bytes: VmRSS, VmSize."""
        text = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8")
        return int(text.split(f"{field}:")[1].split()[0]) * 1024

    def open_files(self) -> int:
        """Files, sockets and pipes that it holds open; not those of /proc, by which the engine watches its threads."""
        names = []
        for link in Path(f"/proc/{self.pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed since it was listed
                names.append(os.readlink(link))
        return sum(not name.startswith("/proc/") for name in names)

    async def metrics(self) -> dict[str, float]:
        """What /metrics says, the labels of each summed."""
        async with aiohttp.ClientSession() as session, session.get(f"{self.address}/metrics") as answer:
            text = await answer.text()
        summed: dict[str, float] = {}
        for name, value in SAMPLE.findall(text):
            summed[name] = summed.get(name, 0.0) + float(value)
        return summed

    @property
    def _started(self) -> Process:
        if self._process is None:
            raise RuntimeError("the bot was never started")
        return self._process


def surroundings(ws: Workspace, clickhouse_port: int, **changed: str) -> dict[str, str]:
    """The environment of a bot in that workspace, over the crawl at that port of loopback."""
    return {
        "PATH": os.environ["PATH"],
        "SLACK_BOT_TOKEN": TOKEN,
        "SLACK_SIGNING_SECRET": SECRET,
        "CRAWLER_INSPECTOR_SLACK_API_URL": ws.api_url,
        "CRAWLER_INSPECTOR_CLICKHOUSE_HOST": "127.0.0.1",
        "CRAWLER_INSPECTOR_CLICKHOUSE_PORT": str(clickhouse_port),
        **changed,
    }


@asynccontextmanager
async def serving(bot: Bot) -> AsyncIterator[Bot]:
    """It runs; at the end it does not."""
    await bot.start()
    try:
        yield bot
    finally:
        await bot.kill()
