"""What a request of Slack's is: what makes two deliveries one, who asks, what, and where. Pure."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bot.slack.unfurls import key_of
from bot.state.records import Job

Json = Mapping[str, Any]

# Messages that a person wrote; every other subtype is an edit, a deletion, a bot's, or Slack's own.
WRITTEN = frozenset({None, "file_share", "thread_broadcast", "me_message"})
SLACKBOT = "USLACKBOT"
ASKED_MOST = 1_000  # characters of what was asked that are kept
INTERACTIONS = frozenset({"block_actions", "view_submission", "shortcut", "message_action"})


def is_written(event: Json) -> bool:
    """Did a person write this message, just now?"""
    by_a_bot = event.get("bot_id") or event.get("bot_profile") or event.get("hidden")
    has_place = event.get("channel") and event.get("ts")
    by_a_person = event.get("user") not in (None, SLACKBOT) and not by_a_bot
    return bool(event.get("subtype") in WRITTEN and by_a_person and has_place)


def job_of(payload: Json) -> Job | None:
    """The request as a job; None for what nobody waits for: a handshake, a bot's message, a window that was closed."""
    if "command" in payload:
        return _job(payload, "command", str(payload.get("text") or ""), _trigger(payload))
    kind = payload.get("type")
    if kind == "event_callback":
        return _event_job(payload, payload.get("event") or {})
    if kind in INTERACTIONS:
        what, asked = _interaction(payload)
        return _job(payload, f"{kind}:{what}", asked, _trigger(payload))
    return None


def _event_job(payload: Json, event: Json) -> Job | None:
    kind = str(event.get("type"))
    identify = EVENTS.get(kind)
    identity = identify(payload, event) if identify else None
    return None if identity is None else _job(payload, kind, str(event.get("text") or ""), identity)


def _message_identity(payload: Json, event: Json) -> str | None:
    """A retry has the same event_id, or a new one for the same message; a mention comes as two events."""
    return f"message:{event['channel']}:{event['ts']}" if is_written(event) else None


def _home_identity(payload: Json, event: Json) -> str | None:
    return f"event:{payload.get('event_id')}" if event.get("tab") == "home" else None


EVENTS: Mapping[str, Callable[[Json, Json], str | None]] = {
    "message": _message_identity,
    "app_mention": _message_identity,
    "link_shared": lambda _, event: key_of(event),
    "app_home_opened": _home_identity,
}


def _trigger(payload: Json) -> str:
    """A click, a command and a submission have a trigger each; without one, none is like another."""
    return f"trigger:{payload.get('trigger_id') or secrets.token_hex(16)}"


def _job(payload: Json, kind: str, asked: str, identity: str) -> Job:
    team = _id(payload, "team") or _id(payload, "enterprise")
    digest = hashlib.sha256(f"{team}:{identity}".encode("utf-8", "surrogatepass")).hexdigest()
    kept = {name: value for name, value in payload.items() if name != "token"}  # Slack's old, shared secret
    where, who = _place(payload, "channel"), _place(payload, "user")
    return Job(digest, team[:32], where[:32], who[:32], kind[:80], asked[:ASKED_MOST], kept)


def _place(payload: Json, name: str) -> str:
    event = payload.get("event")
    return _id(payload, name) or (_id(event, name) if isinstance(event, Mapping) else "")


def _id(payload: Json, name: str) -> str:
    """An id, which stands in `…_id`, in a member of its own, or within an object."""
    value = payload.get(f"{name}_id") or payload.get(name)
    return str((value.get("id") if isinstance(value, Mapping) else value) or "")


def _interaction(payload: Json) -> tuple[str, str]:
    """Which button or window, and what it carries."""
    actions = payload.get("actions")
    if isinstance(actions, list) and actions:
        return str(actions[0].get("action_id")), str(actions[0].get("value") or "")
    view = payload.get("view") or {}
    named = payload.get("callback_id") or view.get("callback_id")
    return str(named), " ".join(_typed(view.get("state") or {}))


def _typed(state: Json) -> Iterator[str]:
    for block in (state.get("values") or {}).values():
        yield from (str(element["value"]) for element in block.values() if element.get("value"))
