"""Every way to ask, over a store of two shards: each returns all that its asker reads."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, redirect_stdout
from dataclasses import dataclass
from typing import Any

import turbohtml
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bot.commands import inspect as inspect_command
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.links import Action, Grant, Links
from bot.report.subject import Subject
from bot.report.words import iso_time
from bot.slack.lists import FILE
from bot.web.site import Site
from bot.workspace import Message
from tests.conftest import LOADED_AT
from tests.slack.running import DM, GENERAL, OUTSIDE, RANDOM, Running, running, until
from tests.web.conftest import path, site_links

HEAVY = "attrs_markdown"
SITE = "cases.example"
LIST = 12  # pages of each shard in a list: more than are answered at once


@dataclass(frozen=True)
class Asked:
    """A page of the sick shard and one of the well shard."""

    sick: str
    well: str


@dataclass(frozen=True)
class Told:
    """What was said about the page of the sick shard, and about that of the well one ("" where none was asked)."""

    sick: str
    well: str = ""


@dataclass(frozen=True)
class Surfaces:
    """A bot in a workspace, its web pages and its command line, all over one cluster."""

    inspector: Inspector
    slack: Running
    links: Links
    client: TestClient[web.Request, web.Application]

    async def ask(self, surface: str, asked: Asked) -> Told:
        """By the surface's name."""
        ways = {
            "inspect": self.inspect,
            "paste": self.paste,
            "list": self.many,
            "site": self.site,
            "report": self.report,
            "heavy": self.heavy,
            "command": self.command,
        }
        return await ways[surface](asked)

    async def inspect(self, asked: Asked) -> Told:
        """`/inspect URL`, signed: the whole answer. In a channel where the bot is no member, by the response_url."""
        words: list[str] = []
        for url in (asked.sick, asked.well):
            await self.slack.ws.slash("/inspect", url, channel=OUTSIDE)
            await until(lambda: len(self.slack.replies(OUTSIDE)) > len(words))
            words.append(self.slack.replies(OUTSIDE)[-1].words)
        return Told(*words)

    async def paste(self, asked: Asked) -> Told:
        """A URL in a message: the short form."""
        await self.slack.ws.post(RANDOM, asked.sick)
        await until(lambda: self.slack.replies(RANDOM))
        return Told(said(self.slack.replies(RANDOM)))

    async def many(self, asked: Asked) -> Told:
        """A list: what the message says, and each shard's rows of the CSV file."""
        texts = [asked.sick, asked.well, *(f"{url}?n={n}" for url in (asked.sick, asked.well) for n in range(1, LIST))]
        await self.slack.ws.post(DM, "\n".join(texts))
        await until(lambda: "are in" in said(self.slack.replies(DM)))
        content = next(file.content or b"" for file in self.slack.ws.files if file.name == FILE).decode()
        rows = {row["asked"]: row for row in csv.DictReader(io.StringIO(content, newline=""))}
        return Told(f"{said(self.slack.replies(DM))}\n{json.dumps(rows[asked.sick])}", json.dumps(rows[asked.well]))

    async def site(self, asked: Asked) -> Told:
        """`/inspect site HOST`, of the sick shard alone."""
        await self.slack.ws.post(GENERAL, f"site {SITE}", mention=True)
        await until(lambda: self.slack.replies(GENERAL))
        return Told(said(self.slack.replies(GENERAL)))

    async def report(self, asked: Asked) -> Told:
        """The report page."""
        return Told(await self._page(self.links.of_subject(self._subject(asked.sick))))

    async def heavy(self, asked: Asked) -> Told:
        """The page of a heavy column."""
        return Told(await self._page(self.links.url(Action.HEAVY, Grant(self._subject(asked.sick), HEAVY))))

    async def command(self, asked: Asked) -> Told:
        """`inspect --json`, with a store of its own."""
        printed = await asyncio.to_thread(printed_json, [asked.sick, asked.well])
        return Told(*(json.dumps(item, ensure_ascii=False) for item in printed))

    def _subject(self, url: str) -> Subject:
        lookup = self.inspector.read(url)
        return Subject(lookup.unparsed, lookup.root_hash, lookup.shard)

    async def _page(self, url: str | None) -> str:
        text = await (await self.client.get(path(url))).text()
        return " ".join(turbohtml.parse(text).text.split())


def said(messages: list[Message]) -> str:
    """The words of messages."""
    return "\n".join(message.words for message in messages)


def printed_json(urls: list[str]) -> list[dict[str, Any]]:
    """What the command prints, run in this process; where the cluster is, the environment says."""
    with redirect_stdout(io.StringIO()) as printed:
        inspect_command.run(urls, inspect_command.Form.JSON, iso_time(LOADED_AT), None, None)
    return [json.loads(line) for line in printed.getvalue().splitlines()]


@asynccontextmanager
async def surfaces(inspector: Inspector) -> AsyncIterator[Surfaces]:
    """All of them, open."""
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(running(inspector=inspector))
        application = web.Application()
        links = site_links()
        Site(Indexes(inspector), links).install(application)
        client = await stack.enter_async_context(TestClient(TestServer(application)))
        yield Surfaces(inspector, slack, links, client)
