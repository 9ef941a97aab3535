"""What a response_url takes: https://docs.slack.dev/interactivity/handling-user-interaction#message_responses"""

from __future__ import annotations

from bot.workspace.conversation_methods import composed, edited, refuse
from bot.workspace.model import Call, Json, Message, ResponseUrl, SlackError
from bot.workspace.state import State
from bot.workspace.validator import check_message

METHOD = "response_url"  # how its uses stand in the record of calls


def respond(state: State, token: str, payload: Json) -> SlackError | None:
    """Use a response_url once; what Slack refuses is returned. A refused payload does not count as a use."""
    try:
        url = state.use_response_url(token)
        _apply(state, url, payload)
    except SlackError as refusal:
        state.record(Call(METHOD, payload, False, refusal.error, getattr(refusal, "problems", ())))
        return refusal
    state.record(Call(METHOD, payload, True))
    return None


def _apply(state: State, url: ResponseUrl, payload: Json) -> None:
    original = state.messages.get((url.channel, url.message_ts or ""))
    if payload.get("delete_original"):
        if original is not None:
            state.remove(original)
        state.response_urls[url.token] = url.used(None)
        return
    refuse(check_message(payload))
    if payload.get("replace_original") and original is not None and original.from_bot:
        state.response_urls[url.token] = url.used(state.change(edited(original, payload, METHOD)).ts)
        return
    sent = state.add(reply(state, url, payload, METHOD))
    state.response_urls[url.token] = url.used(None if url.message_ts else sent.ts)


def reply(state: State, url: ResponseUrl, payload: Json, via: str) -> Message:
    """The message that a payload makes where the interaction was: for its user only, unless it says in_channel."""
    everyone = payload.get("response_type") == "in_channel"
    return composed(
        payload,
        url.channel,
        state.new_ts(),
        via,
        thread_ts=payload.get("thread_ts") or url.thread_ts,
        ephemeral_to=None if everyone else url.user,
    )
