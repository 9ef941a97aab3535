"""The Web API: one table of methods, and what happens around each: arguments, token, scope, errors as Slack words them.

https://docs.slack.dev/reference/methods
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from bot.workspace import conversation_methods as conversation
from bot.workspace import surface_methods as surface
from bot.workspace.conversation_methods import Answer, PayloadError
from bot.workspace.model import Call, Installation, Json, SlackError
from bot.workspace.state import State, refuse_missing

BOT_TOKEN, APP_TOKEN, NO_TOKEN = "bot", "app", "none"
JSON_ARGUMENTS = ("attachments", "blocks", "files", "metadata", "unfurls", "view")  # strings of JSON in a form


@dataclass(frozen=True, slots=True)
class Method:
    """One row: the function, the scope it needs, the arguments it needs, and whose token."""

    run: Callable[[State, Json], Answer]
    scope: str | None = None
    required: tuple[str, ...] = ()
    token: str = BOT_TOKEN


METHODS: Mapping[str, Method] = {
    "api.test": Method(conversation.api_test, token=NO_TOKEN),
    "apps.connections.open": Method(surface.open_connection, token=APP_TOKEN),
    "auth.test": Method(conversation.auth_test),
    "chat.delete": Method(conversation.delete_message, "chat:write", ("channel", "ts")),
    "chat.getPermalink": Method(conversation.permalink, None, ("channel", "message_ts")),
    "chat.postEphemeral": Method(conversation.post_ephemeral, "chat:write", ("channel", "user")),
    "chat.postMessage": Method(conversation.post_message, "chat:write", ("channel",)),
    "chat.unfurl": Method(conversation.unfurl, "links:write", ("unfurls",)),
    "chat.update": Method(conversation.update_message, "chat:write", ("channel", "ts")),
    "conversations.history": Method(conversation.history, "channels:history", ("channel",)),
    "conversations.info": Method(conversation.conversation_info, "channels:read", ("channel",)),
    "conversations.open": Method(conversation.open_conversation, "im:write", ("users",)),
    "conversations.replies": Method(conversation.replies, "channels:history", ("channel", "ts")),
    "files.completeUploadExternal": Method(surface.complete_upload, "files:write", ("files",)),
    "files.getUploadURLExternal": Method(surface.get_upload_url, "files:write", ("filename", "length")),
    "files.info": Method(surface.file_info, "files:read", ("file",)),
    "oauth.v2.access": Method(surface.oauth_access, token=NO_TOKEN),
    "reactions.add": Method(conversation.add_reaction, "reactions:write", ("channel", "name", "timestamp")),
    "reactions.remove": Method(conversation.remove_reaction, "reactions:write", ("channel", "name", "timestamp")),
    "users.info": Method(conversation.user_info, "users:read", ("user",)),
    "views.open": Method(surface.open_view, None, ("trigger_id", "view")),
    "views.publish": Method(surface.publish_view, None, ("user_id", "view")),
    "views.push": Method(surface.push_view, None, ("trigger_id", "view")),
    "views.update": Method(surface.update_view, None, ("view",)),
}


def answer(state: State, name: str, body: str, content_type: str, query: Mapping[str, str], given: Json) -> Answer:
    """Answer a request; `given` are the arguments that its Authorization header holds: a token, or an app's secrets."""
    try:
        arguments = {**read_arguments(body, content_type, query), **given}
    except SlackError as refusal:
        state.record(Call(name, {}, False, refusal.error))
        return refused(refusal)
    return call(state, name, arguments, arguments.pop("token", None))


def call(state: State, name: str, arguments: Json, token: str | None) -> Answer:
    """Run a method and record the call. Never raises for what the app did: a refusal is `{"ok": false, "error": …}`."""
    shown = {key: value for key, value in arguments.items() if key != "client_secret"}
    try:
        done = _run(state, name, arguments, token)
    except SlackError as refusal:
        problems = refusal.problems if isinstance(refusal, PayloadError) else ()
        state.record(Call(name, shown, False, refusal.error, problems))
        return refused(refusal)
    state.record(Call(name, shown, True))
    return {"ok": True, **done}


def _run(state: State, name: str, arguments: Json, token: str | None) -> Answer:
    method = METHODS.get(name)
    if method is None:
        raise SlackError("unknown_method", req_method=name)
    _authorise(state.installation, method, token)
    refuse_missing(arguments, method.required)
    return method.run(state, arguments)


def _authorise(installation: Installation, method: Method, token: str | None) -> None:
    if method.token == NO_TOKEN:
        return
    if not token:
        raise SlackError("not_authed")
    kinds = {installation.bot_token: BOT_TOKEN, installation.app_token: APP_TOKEN}
    if token not in kinds:
        raise SlackError("invalid_auth")
    if kinds[token] != method.token:
        raise SlackError("not_allowed_token_type")
    if method.scope and method.scope not in installation.scopes:
        raise SlackError("missing_scope", needed=method.scope, provided=",".join(sorted(installation.scopes)))


def refused(refusal: SlackError) -> Answer:
    """A refusal as Slack answers it."""
    body: Answer = {"ok": False, "error": refusal.error, **refusal.more}
    if refusal.messages:
        body["errors"] = list(refusal.messages)
        body["response_metadata"] = {"messages": [f"[ERROR] {message}" for message in refusal.messages]}
    return body


def read_arguments(body: str, content_type: str, query: Mapping[str, str]) -> dict[str, Any]:
    """The arguments of a call, from JSON, a form, or the query. Raises SlackError where they cannot be read."""
    if content_type == "application/json":
        return {**query, **_read_json(body)}
    form = {**query, **dict(parse_qsl(body, keep_blank_values=True))}
    return {name: _read_value(name, value) for name, value in form.items()}


def _read_json(body: str) -> dict[str, Any]:
    try:
        arguments = json.loads(body or "{}")
    except json.JSONDecodeError:
        raise SlackError("invalid_json") from None
    if not isinstance(arguments, dict):
        raise SlackError("json_not_object")
    return {name: _read_value(name, value) for name, value in arguments.items()}


def _read_value(name: str, value: Any) -> Any:
    """slack_sdk sends objects as strings of JSON and booleans as 0 and 1, in forms and in JSON bodies alike."""
    if name in JSON_ARGUMENTS and isinstance(value, str):
        try:
            return json.loads(value) if value else None
        except json.JSONDecodeError:
            raise SlackError("invalid_blocks_format" if name == "blocks" else "invalid_arguments") from None
    if name.startswith("unfurl_") and name != "unfurl_id":
        return {"1": True, "true": True, "0": False, "false": False}.get(str(value).lower(), value)
    return value
