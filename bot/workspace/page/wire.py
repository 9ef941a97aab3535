"""The workspace in JSON, for the page: everything at once, or one change."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bot.workspace import Call, Change, Delivery, Message, Unfurl, View, Workspace
from bot.workspace.model import BOT_USER, Channel, File
from bot.workspace.page.journal import Journal
from bot.workspace.page.menu import Menu
from bot.workspace.sender import encode

Wire = dict[str, Any]


def everything(workspace: Workspace, journal: Journal, menu: Menu) -> Wire:
    """What a page that just opened must know."""
    state = workspace.state
    return {
        "menu": asdict(menu),
        "bot": BOT_USER,
        "unfurl_domains": list(workspace.unfurl_domains),
        "users": [asdict(user) for user in state.users.values()],
        "channels": [_channel(channel) for channel in state.channels.values()],
        "messages": [_message(message, journal) for message in state.messages.values()],
        "unfurls": [_unfurl(card) for card in state.unfurls],
        "stacks": _stacks(workspace),
        "homes": [_view(home) for home in state.homes.values()],
        "calls": [_call(index, call) for index, call in enumerate(state.calls)],
        "deliveries": [_delivery(index, delivery) for index, delivery in enumerate(state.deliveries)],
    }


def one(change: Change, workspace: Workspace, journal: Journal) -> Wire:
    """A change under the name that the page knows it by. A reaction is another state of its message."""
    value = change.value
    if isinstance(value, Message):
        kind = "removed" if change.kind == "message_deleted" else "message"
        return {kind: _message(value, journal)}
    if isinstance(value, Call):
        return {"call": _call(_position(workspace.calls, value), value)}
    if isinstance(value, Delivery):
        return {"delivery": _delivery(_position(workspace.deliveries, value), value)}
    if isinstance(value, View):
        return {"home": _view(value)}
    if isinstance(value, Unfurl):
        return {"unfurl": _unfurl(value)}
    if isinstance(value, File):
        return {}  # it comes with the message that shares it
    return {"stacks": _stacks(workspace)}


def _position(record: list[Any], value: object) -> int:
    """Where it stands in a record, which only grows; what is looked for is near the end."""
    return next(index for index in reversed(range(len(record))) if record[index] is value)


def _channel(channel: Channel) -> Wire:
    return {**asdict(channel), "members": sorted(channel.members)}


def _message(message: Message, journal: Journal) -> Wire:
    shown = ("channel", "ts", "user", "text", "via", "thread_ts", "blocks", "attachments", "files", "ephemeral_to")
    return {
        **{name: getattr(message, name) for name in shown},
        "words": message.words,
        "reactions": sorted({name for name, _ in message.reactions}),
        "edited": message.edited,
        "would_unfurl": message.would_unfurl and message.from_bot,
        "calls": journal.calls_of(message),
        "raw": message.to_slack(),
        "typed": message.payload.get("typed"),
    }


def _unfurl(card: Unfurl) -> Wire:
    return asdict(card)


def _stacks(workspace: Workspace) -> dict[str, list[Wire]]:
    return {user: [_view(view) for view in workspace.views(user)] for user in workspace.state.stacks}


def _view(view: View) -> Wire:
    return {"id": view.id, "user": view.user, "hash": view.hash, "payload": view.payload, "errors": dict(view.errors)}


def _call(index: int, call: Call) -> Wire:
    return {
        "index": index,
        "method": call.method,
        "payload": call.payload,
        "ok": call.ok,
        "error": call.error,
        "problems": [asdict(problem) for problem in call.problems],
    }


def _delivery(index: int, delivery: Delivery) -> Wire:
    body, content_type = encode(delivery.kind, delivery.payload)
    return {**asdict(delivery), "index": index, "content_type": content_type, "sent": body}
