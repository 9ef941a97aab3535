"""What Slack does with an app's answer to a command or a submitted view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from bot.workspace.checks import Problem
from bot.workspace.model import SLACKBOT, Ack, Call, Channel, Delivery, Json, Message, User, View
from bot.workspace.response_url import reply
from bot.workspace.state import State
from bot.workspace.validator import check_message, check_view

CONTENT = ("text", "blocks", "attachments")
# What a person is told, by what went wrong on the way.
ERRORS = {"http_timeout": "operation_timeout", "http_error": "dispatch_failed", "connection_failed": "dispatch_failed"}


def acknowledged(delivery: Delivery, trigger: str, error: str | None = None) -> Ack:
    """A delivery as the person sees it."""
    shown = error or (ERRORS[delivery.error] if delivery.error else None)
    return Ack(delivery.status, delivery.body, delivery.elapsed_ms, trigger, shown)


def after_command(state: State, delivery: Delivery, token: str, channel: Channel, user: User) -> str | None:
    """Show what the app answered to a command, or why it failed. Returns Slack's name of the failure."""
    error = ERRORS[delivery.error] if delivery.error else None
    if error is None:
        error = _show_reply(state, delivery.body, token)
    if error is not None:
        sentence = f'{delivery.payload["command"]} failed with the error "{error}"'
        state.add(Message(channel.id, state.new_ts(), SLACKBOT, sentence, "slack", ephemeral_to=user.id))
    return error


def _show_reply(state: State, body: object, token: str) -> str | None:
    payload = body if isinstance(body, Mapping) else {"text": body}
    if not any(payload.get(name) for name in CONTENT):
        return None  # an empty answer, or one that only says response_type
    problems = check_message(payload)
    state.record(Call("ack", payload, not problems, problems[0].error if problems else None, tuple(problems)))
    if problems:
        return "invalid_command_response"
    url = state.response_urls[token]
    sent = state.add(reply(state, url, payload, "ack"))
    state.response_urls[token] = replace(state.response_urls[token], message_ts=sent.ts)
    return None


def after_submission(state: State, delivery: Delivery, view: View) -> str | None:
    """Close the view, or do what `response_action` says. Returns Slack's name of the failure."""
    if delivery.error:
        return ERRORS[delivery.error]
    body = delivery.body
    if not body:
        state.close(view.user, 1)
        return None
    act = RESPONSE_ACTIONS.get(str(body.get("response_action"))) if isinstance(body, Mapping) else None
    if act is None:
        return "invalid_response_action"
    return act(state, view, body)


def _errors(state: State, view: View, body: Json) -> str | None:
    """Sentences under inputs, by block_id. Each must be an input's."""
    errors = body.get("errors") or {}
    inputs = {block["block_id"] for block in view.blocks if block.get("type") == "input"}
    unknown = sorted(set(errors) - inputs)
    problems = tuple(Problem("invalid_arguments", "no such input block", f"/errors/{name}") for name in unknown)
    failed = bool(problems) or not errors
    state.record(Call("response_action", body, not failed, "invalid_arguments" if failed else None, problems))
    if failed:
        return "invalid_response_action"
    state.keep_view(replace(view, errors=errors))
    return None


def _update(state: State, view: View, body: Json) -> str | None:
    refused = _refused(state, body)
    if refused is None:
        state.replace_view(view, body["view"])
    return refused


def _push(state: State, view: View, body: Json) -> str | None:
    refused = _refused(state, body)
    if refused is None:
        state.show(state.new_view(view.user, body["view"], view))
    return refused


def _clear(state: State, view: View, body: Json) -> str | None:
    state.close(view.user)
    return None


def _refused(state: State, body: Json) -> str | None:
    problems = check_view(body.get("view") or {})
    state.record(
        Call("response_action", body, not problems, "invalid_arguments" if problems else None, tuple(problems))
    )
    return "invalid_response_action" if problems else None


RESPONSE_ACTIONS: Mapping[str, Callable[[State, View, Json], str | None]] = {
    "errors": _errors,
    "update": _update,
    "push": _push,
    "clear": _clear,
}
