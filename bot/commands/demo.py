"""`crawler-inspector demo`: the real bot and a stand-in workspace talk over signed HTTP on loopback.

First the terminal: `/inspect` for every URL, and the last one pasted. Then, where a person is at the terminal, the
workspace stays open as a page in the browser until ^C; in a pipe or a script it ends, unless told to stay.
"""

from __future__ import annotations

import asyncio
import secrets
import signal
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aiohttp import web
from pydantic import SecretStr
from rich.console import Console
from rich.rule import Rule

from bot.address.find import find_urls_in_text
from bot.app import built, opened_indexes
from bot.commands.progress import loading_progress
from bot.errors import BadInput
from bot.index.sample import EXAMPLES
from bot.render.terminal import message_view
from bot.settings import Settings, load_settings
from bot.workspace import Message, Workspace
from bot.workspace.model import Unfurl
from bot.workspace.page import Command, Menu, Prompt, Shortcut, serving

CHANNEL = "C0GENERAL"
SHOWN = ("indexable", "canonical elsewhere")  # of the sample's examples: one by slash command, one pasted
WAIT = 30.0  # seconds for a reply
SEVERAL = ("indexable", "not found", "too old", "spam", "never seen")

FOLLOW_UPS = ("why", "filters", "details", "robots", "text", "sql", "links", "recheck", "watch", "help")
UNFURLED = "nearby.example"  # the sample's site whose links get a card; in Slack the manifest names yours

# What Slack knows from manifest.yml; a test holds the two together.
MENU = Menu(
    commands=(
        Command(
            "/inspect",
            "Inspect a page of the crawl index",
            "[URL…] [as of TIME] | site <host>[/path] | hash:<root hash> | watch <URL> | watches | settings | help",
        ),
    ),
    shortcuts=(
        Shortcut(
            "inspect_message",
            "Inspect URLs in message",
            "Inspects every URL in this message, for you alone",
            on_message=True,
        ),
        Shortcut(
            "lookup",
            "Look up a page",
            "Looks a page up by URL, unparsed key, root hash, shard, or as of a time",
        ),
    ),
    prompts=(
        Prompt("Is it indexed?", f"/inspect {EXAMPLES['indexable']}"),
        Prompt("Everything fails", f"/inspect {EXAMPLES['everything fails']}"),
        Prompt("Paste a link", f"Can somebody check {EXAMPLES['canonical elsewhere']} please?"),
        Prompt("Mention the app", f"@Crawler Inspector {EXAMPLES['robots disallowed']}"),
        Prompt("Several at once", "\n".join(EXAMPLES[name] for name in SEVERAL)),
        Prompt("Almost that URL", f"/inspect {EXAMPLES['near match']}"),
        Prompt("Not crawled yet", f"/inspect {EXAMPLES['not crawled but seen']}"),
        Prompt("A link with a card", f"Have a look at https://{UNFURLED}/guide"),
        Prompt("A hostile title", f"/inspect {EXAMPLES['hostile title']}"),
        Prompt("No URL at all", "/inspect example dot com"),
        Prompt("Watch a page", f"/inspect watch {EXAMPLES['not crawled but seen']} until indexed"),
        Prompt("What is watched", "/inspect watches"),
        Prompt("Settings", "/inspect settings"),
        Prompt("Help", "/inspect help"),
    ),
    followups=tuple(Prompt(words, words) for words in FOLLOW_UPS),
)


@dataclass(frozen=True, slots=True)
class Staying:
    """Whether the workspace stays open after the terminal view, on which port, and who opens the browser."""

    stay: bool
    port: int = 0
    open_browser: bool = False


def run(urls: Sequence[str], *, stay: bool | None = None, port: int = 0, open_browser: bool = False) -> None:
    """Show `/inspect` and a pasted URL, and what the bot posted; then keep the page open. Raises BadInput.

    `stay` None: stay where a person is at the terminal.
    """
    at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    staying = Staying(open_browser or (at_terminal if stay is None else stay), port, open_browser)
    asyncio.run(_run(load_settings(), urls or [EXAMPLES[name] for name in SHOWN], staying))


async def _run(settings: Settings, urls: Sequence[str], staying: Staying) -> None:
    console = Console()
    secret, token = secrets.token_hex(16), f"xoxb-demo-{secrets.token_hex(8)}"
    async with AsyncExitStack() as stack:
        workspace = await stack.enter_async_context(
            Workspace(signing_secret=secret, bot_token=token, unfurl_domains=(UNFURLED,))
        )
        page = await stack.enter_async_context(_page(workspace, staying.port)) if staying.stay else ""
        connected = _connected(settings, workspace, Path(stack.enter_context(TemporaryDirectory())))
        await stack.enter_async_context(_bot(workspace, connected, with_reports=staying.stay))
        await _converse(workspace, urls, console)
        if staying.stay:
            await _stay(page, staying.open_browser, console)


def _connected(settings: Settings, workspace: Workspace, folder: Path) -> Settings:
    """The settings of a bot in this workspace alone: nothing reaches the installation that is configured.

    Its state begins empty, as the workspace does: ids of an earlier demo come again.
    """
    return settings.model_copy(
        update={
            "slack_signing_secret": SecretStr(workspace.installation.signing_secret),
            "slack_bot_token": SecretStr(workspace.installation.bot_token),
            "slack_app_token": SecretStr(""),
            "slack_client_id": "",
            "slack_client_secret": SecretStr(""),
            "slack_api_url": workspace.api_url,
            "sign_in_teams": (),
            "unfurl_domains": workspace.unfurl_domains,
            "database_url": f"sqlite:///{folder / 'state.db'}",
        }
    )


@asynccontextmanager
async def _page(workspace: Workspace, port: int) -> AsyncIterator[str]:
    async with AsyncExitStack() as stack:
        try:
            address = await stack.enter_async_context(serving(workspace, MENU, port))
        except OSError as error:
            reason = f"Port {port} cannot be used ({error.strerror})"
            raise BadInput(f"{reason}: choose another, as in --port 8090.") from error
        yield address


@asynccontextmanager
async def _bot(workspace: Workspace, settings: Settings, *, with_reports: bool) -> AsyncIterator[None]:
    """The bot, listening, with the workspace connected to it; `with_reports` links its own pages in what it says."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        if with_reports and not settings.public_url:
            settings = _linking(settings, address)
        async with opened_indexes(settings, loading_progress()) as indexes, built(settings, indexes) as bot:
            runner = web.AppRunner(bot, access_log=None)
            await runner.setup()
            try:
                await web.SockSite(runner, listening).start()
                workspace.connect(f"{address}/slack/events")
                yield
            finally:
                await runner.cleanup()


def _linking(settings: Settings, address: str) -> Settings:
    """The same settings, with links to the bot's own pages."""
    keys = settings.link_keys or (SecretStr(secrets.token_hex(32)),)
    return settings.model_copy(update={"public_url": address, "link_keys": keys})


async def _converse(workspace: Workspace, urls: Sequence[str], console: Console) -> None:
    """Every URL by slash command, then the last one pasted into the channel."""
    for url in urls:
        console.print(Rule(f"ann types  /inspect {url}", align="left"))
        before = {message.ts for message in workspace.messages(CHANNEL)}
        await workspace.slash("/inspect", url, channel=CHANNEL)
        reply = await workspace.wait_for(lambda m, seen=before: m.ts not in seen, timeout=WAIT)  # type: ignore[misc]  # bound now
        console.print(message_view(reply.payload))
    console.print(Rule(f"ben pastes  {urls[-1]}", align="left"))
    if not find_urls_in_text(urls[-1]):
        console.print("The bot says nothing: it finds no URL in that message.")
        return
    console.print(message_view(await _pasted(workspace, f"is this one in? {urls[-1]}")))


async def _pasted(workspace: Workspace, text: str) -> Mapping[str, Any]:
    """What the bot says to a pasted message: in its thread, or by the card under its link."""
    with workspace.subscribe() as changes:
        ts = await workspace.post(CHANNEL, text, user="U0BEN")
        async with asyncio.timeout(WAIT):
            async for change in changes:
                if isinstance(change.value, Unfurl):
                    return change.value.content
                if isinstance(change.value, Message) and change.value.thread_ts == ts:
                    return change.value.payload
    raise AssertionError("changes do not end")


async def _stay(address: str, open_browser: bool, console: Console) -> None:
    """Until ^C or SIGTERM."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    console.print(f"\nThe workspace is open at {address} (loopback only). Ctrl-C ends it.", soft_wrap=True)
    if open_browser:
        await asyncio.to_thread(webbrowser.open, address)
    await stop.wait()
