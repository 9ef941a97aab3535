"""What Slack's payloads hold, as far as Bolt and our listeners rely on it. One row is one member. Pure.

https://docs.slack.dev/apis/events-api and https://docs.slack.dev/reference/interaction-payloads
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]

ID_LENGTH = 255
LAST_MOMENT = 2**33  # in the year 2242


def _text(value: object) -> bool:
    return isinstance(value, str)


def _word(value: object) -> bool:
    """An id, or an empty string in its place. Printable: a database takes no NUL and no half of a character."""
    return isinstance(value, str) and len(value) <= ID_LENGTH and value.isprintable()


def _id(value: object) -> bool:
    return _word(value) and bool(value)


def _object(value: object) -> bool:
    return isinstance(value, dict)


def _objects(value: object) -> bool:
    return isinstance(value, list) and all(map(_object, value))


def _some_objects(value: object) -> bool:
    return _objects(value) and bool(value)


def _id_or_object(value: object) -> bool:
    """A user, team or channel: its id, or an object that may hold it."""
    named = value.get("id") if isinstance(value, dict) else value
    return named is None or _word(named)


def _tokens(value: object) -> bool:
    """https://docs.slack.dev/reference/events/tokens_revoked: lists of user ids, by kind of token."""
    lists = value.values() if isinstance(value, dict) else [None]
    return all(users is None or (isinstance(users, list) and all(map(_id, users))) for users in lists)


def _urls(value: object) -> bool:
    """The `response_urls` of a submission."""
    members = ("response_url", "channel_id")
    return isinstance(value, list) and all(
        isinstance(place, dict) and all(_text(place.get(member)) for member in members) for place in value
    )


def _fields(value: object) -> bool:
    """The `values` of a form: block id → action id → element."""
    blocks = value.values() if isinstance(value, dict) else [None]
    elements = [block.values() if isinstance(block, dict) else [None] for block in blocks]
    return all(_is_element(element) for block in elements for element in block)


def _is_element(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    typed, moment = value.get("value"), value.get("selected_date_time")
    return (typed is None or _text(typed)) and (moment is None or (type(moment) is int and 0 <= moment < LAST_MOMENT))


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a payload: where it stands, what it holds, and whether it may be missing or null."""

    path: str
    holds: Callable[[object], bool]
    needed: bool = False

    def fits(self, payload: Json) -> bool:
        """Does a payload hold it as it should be? Each part before the last is an object, or missing."""
        value: Any = payload
        for part in self.path.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        return not self.needed if value is None else self.holds(value)


def _needed(path: str, holds: Callable[[object], bool] = _id) -> Member:
    return Member(path, holds, needed=True)


def _optional(holds: Callable[[object], bool], *paths: str) -> tuple[Member, ...]:
    return tuple(Member(path, holds) for path in paths)


# Bolt reads these of any payload, and those of an event, before any listener is asked.
ANY = (
    *_optional(_text, "type", "command", "text", "callback_id", "action_id", "block_id", "event_id", "response_url"),
    *_optional(_word, "team_id", "user_id", "channel_id", "enterprise_id", "trigger_id"),
    *_optional(_id_or_object, "team", "user", "channel", "enterprise"),
    *_optional(_object, "event", "view", "message", "container"),
    *_optional(_objects, "authorizations", "actions"),
    *_optional(_urls, "response_urls"),
)
EVENT = (
    _needed("event", _object),
    _needed("event.type"),
    *_optional(_text, "event.subtype", "event.bot_id", "event.thread_ts"),
    *_optional(_id_or_object, "event.user", "event.channel", "event.team", "event.enterprise"),
    *_optional(_object, "event.message", "event.previous_message"),
)
MESSAGE = _optional(_text, *(f"event.{name}" for name in ("user", "channel", "ts", "text", "channel_type")))
LINKS = _optional(_text, *(f"event.{name}" for name in ("user", "channel", "message_ts", "unfurl_id", "source")))
HOME = (_needed("event.user"), *_optional(_text, "event.tab"))

PRESSED = (_needed("user", _object), _needed("user.id"))
CONTAINER = _optional(_word, *(f"container.{name}" for name in ("channel_id", "message_ts", "thread_ts")))
PLACE = (*_optional(_object, "channel"), *CONTAINER)
VIEW = (
    *PRESSED,
    _needed("view", _object),
    _needed("view.id"),
    _needed("view.type"),
    _needed("view.callback_id", _text),
    *_optional(_text, "view.private_metadata", "view.hash"),
    *_optional(_object, "view.state"),
    *_optional(_fields, "view.state.values"),
)
CLICK = (
    *PRESSED,
    *PLACE,
    _needed("actions", _some_objects),
    _needed("trigger_id"),
    *_optional(_text, "view.id", "view.hash", "view.private_metadata"),
)
ON_MESSAGE = (*PRESSED, _needed("trigger_id"), _needed("callback_id"), _needed("channel.id"))
COMMAND = (_needed("channel_id"), _needed("user_id"), _needed("trigger_id"))

BY_TYPE: Mapping[str, tuple[Member, ...]] = {
    "event_callback": EVENT,
    "block_actions": CLICK,
    "interactive_message": (_needed("actions", _some_objects), _needed("callback_id", _text)),
    "block_suggestion": (_needed("action_id", _text),),
    "workflow_step_edit": (_needed("workflow_step", _object),),
    "view_submission": VIEW,
    "view_closed": VIEW,
    "shortcut": (*PRESSED, _needed("trigger_id"), _needed("callback_id")),
    "message_action": ON_MESSAGE,
}
BY_EVENT: Mapping[str, tuple[Member, ...]] = {
    "message": MESSAGE,
    "app_mention": MESSAGE,
    "link_shared": LINKS,
    "app_home_opened": HOME,
    "tokens_revoked": (_needed("event.tokens", _tokens),),
}
ACTION = (_needed("action_id", _text), *_optional(_text, "block_id", "value", "type"))


def misshapen(payload: Json) -> str | None:
    """The path of the first member that is missing or of another type than Slack sends; None where all is well."""
    if wrong := _first(payload, ANY):
        return wrong
    kind = payload.get("type") or ""
    if wrong := _first(payload, BY_TYPE.get(kind, COMMAND if payload.get("command") else ())):
        return wrong
    if kind == "block_actions":
        return next((f"actions.{wrong}" for action in payload["actions"] if (wrong := _first(action, ACTION))), None)
    return _first(payload, BY_EVENT.get(payload["event"]["type"], ())) if kind == "event_callback" else None


def _first(payload: Json, members: Iterable[Member]) -> str | None:
    return next((member.path for member in members if not member.fits(payload)), None)
