"""The Web API's chat, conversations, reactions and users methods, as functions of the state and the arguments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from bot.workspace.checks import Problem
from bot.workspace.model import (
    APP,
    BOT,
    BOT_USER,
    DOMAIN,
    TEAM,
    Channel,
    Json,
    Message,
    Offer,
    SlackError,
    Unfurl,
    User,
)
from bot.workspace.state import State
from bot.workspace.validator import check_message, check_unfurl

Answer = dict[str, Any]


class PayloadError(SlackError):
    """A payload with problems: the first one's error, every one's sentence."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems[0].error, *map(str, self.problems))


def refuse(problems: list[Problem]) -> None:
    """Raises PayloadError where there are any."""
    if problems:
        raise PayloadError(problems)


def would_unfurl(arguments: Json) -> bool:
    """May Slack put cards under the links of what is sent so? Only when both are off it may not."""
    return not (arguments.get("unfurl_links") is False and arguments.get("unfurl_media") is False)


def composed(arguments: Json, channel: str, ts: str, via: str, **more: Any) -> Message:
    """The message that a payload of the bot makes."""
    return Message(
        channel=channel,
        ts=ts,
        user=BOT_USER,
        text=arguments.get("text") or arguments.get("markdown_text") or "",
        via=via,
        blocks=tuple(arguments.get("blocks") or ()),
        attachments=tuple(arguments.get("attachments") or ()),
        metadata=arguments.get("metadata"),
        would_unfurl=would_unfurl(arguments),
        payload=arguments,
        **more,
    )


def post_message(state: State, arguments: Json) -> Answer:
    """chat.postMessage"""
    channel = state.joined(arguments["channel"])
    refuse(check_message(arguments))
    message = composed(
        arguments, channel.id, state.new_ts(), "chat.postMessage", thread_ts=arguments.get("thread_ts") or None
    )
    stored = state.add(message)
    return {"channel": channel.id, "ts": stored.ts, "message": stored.to_slack()}


def post_ephemeral(state: State, arguments: Json) -> Answer:
    """chat.postEphemeral: the bot and the reader must both be in the channel."""
    channel = state.joined(arguments["channel"])
    if arguments["user"] not in channel.members:
        raise SlackError("user_not_in_channel")
    refuse(check_message(arguments))
    thread_ts = arguments.get("thread_ts") or None
    message = composed(
        arguments,
        channel.id,
        state.new_ts(),
        "chat.postEphemeral",
        thread_ts=thread_ts,
        ephemeral_to=arguments["user"],
    )
    return {"message_ts": state.add(message).ts}


def update_message(state: State, arguments: Json) -> Answer:
    """chat.update: the bot's own messages only; ephemerals are not found."""
    message = state.message(state.channel(arguments["channel"]).id, arguments["ts"])
    if not message.from_bot:
        raise SlackError("cant_update_message")
    refuse(check_message(arguments))
    stored = state.change(edited(message, arguments, "chat.update"))
    return {"channel": stored.channel, "ts": stored.ts, "text": stored.text, "message": stored.to_slack()}


def edited(message: Message, arguments: Json, via: str) -> Message:
    """A message with the content of a new payload. Blocks and attachments that are not sent again are gone."""
    new = composed(arguments, message.channel, message.ts, via)
    return replace(
        message,
        text=new.text,
        blocks=new.blocks,
        attachments=new.attachments,
        metadata=new.metadata or message.metadata,
        would_unfurl=new.would_unfurl,
        payload=arguments,
        via=via,
        edited=True,
    )


def delete_message(state: State, arguments: Json) -> Answer:
    """chat.delete"""
    message = state.message(state.channel(arguments["channel"]).id, arguments["ts"])
    if not message.from_bot:
        raise SlackError("cant_delete_message")
    state.remove(message)
    return {"channel": message.channel, "ts": message.ts}


def unfurl(state: State, arguments: Json) -> Answer:
    """chat.unfurl: cards under the links that a link_shared event offered, keyed by the URL exactly as it came."""
    unfurls = arguments["unfurls"]
    if not isinstance(unfurls, dict):
        raise SlackError("invalid_arguments", "must provide an object [json-pointer:/unfurls]")
    offer = _offer(state, arguments)
    for url, content in unfurls.items():
        if url not in offer.urls:
            raise SlackError("cannot_unfurl_url")
        refuse(check_unfurl(content))
    for url, content in unfurls.items():
        blocks = list(state.with_ids(content.get("blocks") or ()))
        state.show_unfurl(Unfurl(url, offer.channel, offer.ts, {**content, "blocks": blocks}))
    return {}


def _offer(state: State, arguments: Json) -> Offer:
    if arguments.get("unfurl_id"):
        key = (str(arguments.get("source") or ""), str(arguments["unfurl_id"]))
    elif arguments.get("channel") and arguments.get("ts"):
        key = (str(arguments["channel"]), str(arguments["ts"]))
    else:
        raise SlackError("missing_channel")
    if key not in state.offers:
        known = arguments.get("channel") in state.channels
        raise SlackError("cannot_unfurl_message" if known else "cannot_find_channel")
    return state.offers[key]


def permalink(state: State, arguments: Json) -> Answer:
    """chat.getPermalink"""
    message = state.message(state.channel(arguments["channel"]).id, arguments["message_ts"])
    thread = f"?thread_ts={message.thread_ts}&cid={message.channel}" if message.thread_ts else ""
    link = f"https://{DOMAIN}.slack.com/archives/{message.channel}/p{message.ts.replace('.', '')}{thread}"
    return {"channel": message.channel, "permalink": link}


def replies(state: State, arguments: Json) -> Answer:
    """conversations.replies: a thread, oldest first."""
    channel = state.joined(arguments["channel"])
    root = arguments["ts"]
    if (channel.id, root) not in state.messages:
        raise SlackError("thread_not_found")
    thread = [m for m in _visible(state, channel) if root in (m.ts, m.thread_ts)]
    return _page([m for m in thread if m.ts == root or m.ts >= arguments.get("oldest", "0")], arguments)


def history(state: State, arguments: Json) -> Answer:
    """conversations.history: what stands in the channel itself, newest first."""
    channel = state.joined(arguments["channel"])
    top = [m for m in _visible(state, channel) if m.thread_ts in (None, m.ts)]
    between = [m for m in top if arguments.get("oldest", "0") <= m.ts <= (arguments.get("latest") or "9999999999")]
    return _page(between[::-1], arguments)


def _visible(state: State, channel: Channel) -> list[Message]:
    return [m for m in state.messages.values() if m.channel == channel.id and m.ephemeral_to is None]


def _page(messages: list[Message], arguments: Json) -> Answer:
    """`limit` messages from `cursor` on."""
    start = int(arguments.get("cursor") or 0)
    end = start + int(arguments.get("limit") or 100)
    more = end < len(messages)
    page = [message.to_slack() for message in messages[start:end]]
    return {"messages": page, "has_more": more, "response_metadata": {"next_cursor": str(end) if more else ""}}


def conversation_info(state: State, arguments: Json) -> Answer:
    """conversations.info"""
    return {"channel": conversation(state.channel(arguments["channel"]))}


def conversation(channel: Channel) -> Answer:
    """A channel as Slack sends it."""
    is_im = channel.kind == "im"
    return {
        "id": channel.id,
        "name": None if is_im else channel.name,
        "is_channel": not is_im,
        "is_im": is_im,
        "is_member": BOT_USER in channel.members,
        "is_private": is_im,
        "user": next(iter(channel.members - {BOT_USER})) if is_im else None,
    }


def open_conversation(state: State, arguments: Json) -> Answer:
    """conversations.open, with one user."""
    user = str(arguments["users"][0] if isinstance(arguments["users"], list) else arguments["users"])
    return {"channel": {"id": state.open_im(user).id}}


def add_reaction(state: State, arguments: Json) -> Answer:
    """reactions.add"""
    message = state.message(state.joined(arguments["channel"]).id, arguments["timestamp"])
    mark = (arguments["name"], BOT_USER)
    if mark in message.reactions:
        raise SlackError("already_reacted")
    state.change(replace(message, reactions=(*message.reactions, mark)), "reaction")
    return {}


def remove_reaction(state: State, arguments: Json) -> Answer:
    """reactions.remove"""
    message = state.message(state.joined(arguments["channel"]).id, arguments["timestamp"])
    mark = (arguments["name"], BOT_USER)
    if mark not in message.reactions:
        raise SlackError("no_reaction")
    state.change(replace(message, reactions=tuple(other for other in message.reactions if other != mark)), "reaction")
    return {}


def user_info(state: State, arguments: Json) -> Answer:
    """users.info, with the time zone."""
    user = state.users.get(arguments["user"])
    if user is None:
        raise SlackError("user_not_found")
    return {"user": person(user, state.clock())}


def person(user: User, now: float) -> Answer:
    """A user as Slack sends them; `tz_offset` in seconds at that moment."""
    moment = datetime.fromtimestamp(now, ZoneInfo(user.tz))
    offset = moment.utcoffset()
    return {
        "id": user.id,
        "team_id": TEAM,
        "name": user.name,
        "real_name": user.real_name,
        "is_bot": user.is_bot,
        "deleted": False,
        "tz": user.tz,
        "tz_label": moment.tzname(),
        "tz_offset": int(offset.total_seconds()) if offset is not None else 0,
        "profile": {"real_name": user.real_name, "display_name": user.name},
    }


def api_test(state: State, arguments: Json) -> Answer:
    """api.test"""
    return {"args": dict(arguments)}


def auth_test(state: State, arguments: Json) -> Answer:
    """auth.test"""
    return {
        "url": f"https://{DOMAIN}.slack.com/",
        "team": DOMAIN,
        "team_id": TEAM,
        "user": state.users[BOT_USER].name,
        "user_id": BOT_USER,
        "bot_id": BOT,
        "app_id": APP,
        "is_enterprise_install": False,
    }
