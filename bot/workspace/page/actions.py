"""What a person does on the page → the workspace's own client side. A row each; the page POSTs to /ui/NAME."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from bot.workspace import Ack, Message, Unfurl, View, Workspace

Answer = dict[str, Any]


class Doing(BaseModel):
    """Who does something; every action says so."""

    user: str


class Slash(Doing):
    """A slash command."""

    channel: str
    command: str
    text: str = ""


class Attached(BaseModel):
    """A file, its bytes in base64."""

    name: str
    content: str


class Post(Doing):
    """A message; mentions are written `<@U…>`."""

    channel: str
    text: str
    thread_ts: str | None = None
    files: list[Attached] = []


class Edit(Doing):
    """Another text for a message of one's own."""

    channel: str
    ts: str
    text: str


class Link(Doing):
    """A link that stands in the composer."""

    channel: str
    url: str


class Click(Doing):
    """The use of an element in a message, in an unfurl of it (`url`), or in a view."""

    channel: str = ""
    ts: str = ""
    url: str | None = None
    view: str | None = None
    block_id: str
    action_id: str
    choice: Any = None


class Submit(Doing):
    """A filled-in modal: values by block_id or action_id."""

    view: str
    values: dict[str, Any] = {}


class OneView(Doing):
    """A modal."""

    view: str


class Chosen(Doing):
    """A shortcut; with `channel` and `ts`, one of a message."""

    callback_id: str
    channel: str = ""
    ts: str = ""


async def slash(workspace: Workspace, asked: Slash) -> Answer:
    """Type a command."""
    return _seen(await workspace.slash(asked.command, asked.text, channel=asked.channel, user=asked.user))


async def post(workspace: Workspace, asked: Post) -> Answer:
    """Write a message."""
    try:
        files = {file.name: b64decode(file.content, validate=True) for file in asked.files}
    except binascii.Error:
        raise LookupError("A file's content is not base64.") from None
    ts = await workspace.post(asked.channel, asked.text, user=asked.user, thread_ts=asked.thread_ts, files=files)
    return {"ts": ts}


async def edit(workspace: Workspace, asked: Edit) -> Answer:
    """Change a message of one's own."""
    message = workspace.state.message(asked.channel, asked.ts)
    if message.user != asked.user:
        raise LookupError("Only its author can edit a message.")
    return {"ts": (await workspace.edit(message, asked.text)).ts}


async def link(workspace: Workspace, asked: Link) -> Answer:
    """Let the app see a link before the message is sent."""
    return {"unfurl_id": await workspace.share_link(asked.channel, asked.url, composer=True, user=asked.user)}


async def click(workspace: Workspace, asked: Click) -> Answer:
    """Use an element."""
    done = workspace.click(
        _place(workspace, asked), asked.action_id, user=asked.user, block_id=asked.block_id, choice=asked.choice
    )
    return _seen(await done)


async def submit(workspace: Workspace, asked: Submit) -> Answer:
    """Submit a modal."""
    return _seen(await workspace.submit_view(asked.view, asked.values, user=asked.user))


async def close(workspace: Workspace, asked: OneView) -> Answer:
    """Close a modal."""
    ack = await workspace.close_view(asked.view)
    return _seen(ack) if ack else {}


async def shortcut(workspace: Workspace, asked: Chosen) -> Answer:
    """Choose a shortcut."""
    if not asked.ts:
        return _seen(await workspace.shortcut(asked.callback_id, user=asked.user))
    message = workspace.state.message(asked.channel, asked.ts)
    return _seen(await workspace.message_shortcut(asked.callback_id, message, user=asked.user))


async def home(workspace: Workspace, asked: Doing) -> Answer:
    """Look at the app's Home."""
    await workspace.open_home(asked.user)
    return {}


@dataclass(frozen=True, slots=True)
class Action:
    """One row: the name in the address, the shape of the body, and what is done."""

    name: str
    shape: type[Doing]
    run: Callable[[Workspace, Any], Awaitable[Answer]]


ACTIONS = (
    Action("slash", Slash, slash),
    Action("post", Post, post),
    Action("edit", Edit, edit),
    Action("link", Link, link),
    Action("click", Click, click),
    Action("submit", Submit, submit),
    Action("close", OneView, close),
    Action("shortcut", Chosen, shortcut),
    Action("home", Doing, home),
)


def _seen(ack: Ack) -> Answer:
    """How the app took it, as far as a person notices."""
    return {"error": ack.error, "elapsed_ms": ack.elapsed_ms}


def _place(workspace: Workspace, asked: Click) -> Message | View | Unfurl:
    if asked.view is not None:
        return workspace.state.find_view(asked.view, None)
    if asked.url is None:
        return workspace.state.messages[asked.channel, asked.ts]  # ephemeral ones too
    for card in workspace.unfurls:
        if (card.url, card.channel, card.ts) == (asked.url, asked.channel, asked.ts):
            return card
    raise LookupError("There is no such card.")
