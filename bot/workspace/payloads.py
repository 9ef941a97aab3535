"""The payloads that Slack sends, as functions of what happened. Shapes: https://docs.slack.dev/reference/interaction-payloads"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from bot.workspace.model import APP, BOT, BOT_USER, DOMAIN, TEAM, Channel, Json, Message, Unfurl, User, View

VERIFICATION_TOKEN = "verification-token"  # noqa: S105 - Slack still sends one; nothing may rely on it


def command(name: str, text: str, channel: Channel, user: User, trigger: str, response_url: str) -> dict[str, str]:
    """A slash command's form."""
    return {
        "token": VERIFICATION_TOKEN,
        "team_id": TEAM,
        "team_domain": DOMAIN,
        "channel_id": channel.id,
        "channel_name": channel.name,
        "user_id": user.id,
        "user_name": user.name,
        "command": name,
        "text": text,
        "api_app_id": APP,
        "is_enterprise_install": "false",
        "response_url": response_url,
        "trigger_id": trigger,
    }


def event_callback(event: Json, event_id: str, now: float) -> dict[str, Any]:
    """The outer envelope of an event."""
    return {
        "token": VERIFICATION_TOKEN,
        "team_id": TEAM,
        "context_team_id": TEAM,
        "api_app_id": APP,
        "event": event,
        "type": "event_callback",
        "event_id": event_id,
        "event_time": int(now),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": TEAM,
                "user_id": BOT_USER,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
        "event_context": f"4-{event_id}",
    }


def message_event(message: Message, channel: Channel, client_msg_id: str) -> dict[str, Any]:
    """A message that a person wrote."""
    subtype = {"subtype": "file_share", "upload": False} if message.files else {}
    place = {
        "channel": channel.id,
        "channel_type": "im" if channel.kind == "im" else "channel",
        "event_ts": message.ts,
        "client_msg_id": client_msg_id,
    }
    return {**message.to_slack(), **place, **subtype}


def app_mention(message: Message, channel: Channel, client_msg_id: str) -> dict[str, Any]:
    """The same message again, as it names the bot: same ts, and no channel_type."""
    event = message_event(message, channel, client_msg_id)
    return {**{name: value for name, value in event.items() if name != "channel_type"}, "type": "app_mention"}


def message_changed(before: Message, after: Message, ts: str) -> dict[str, Any]:
    """An edit: hidden, with both versions inside."""
    return {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "channel": after.channel,
        "channel_type": "im" if after.channel.startswith("D") else "channel",
        "ts": ts,
        "event_ts": ts,
        "message": after.to_slack(),
        "previous_message": before.to_slack(),
    }


def link_shared(
    channel: Channel, user: str, ts: str, urls: Iterable[str], unfurl_id: str, *, composer: bool, thread_ts: str | None
) -> dict[str, Any]:
    """Links that the app may unfurl, in a message or still in the composer."""
    event = {
        "type": "link_shared",
        "channel": "COMPOSER" if composer else channel.id,
        "is_bot_user_member": BOT_USER in channel.members,
        "user": user,
        "message_ts": unfurl_id if composer else ts,
        "unfurl_id": unfurl_id,
        "source": source(composer),
        "links": [{"url": url, "domain": urlsplit(url).hostname or ""} for url in urls],
        "event_ts": ts,
    }
    return event | ({"thread_ts": thread_ts} if thread_ts else {})


def source(composer: bool) -> str:
    """Where a shared link stands, in Slack's words."""
    return "composer" if composer else "conversations_history"


def file_shared(file: Json, channel: str, ts: str) -> dict[str, Any]:
    """A file that a person shared; the app asks files.info for more."""
    ids = {"file_id": file["id"], "user_id": file["user"], "channel_id": channel}
    return {"type": "file_shared", **ids, "file": {"id": file["id"]}, "event_ts": ts}


def app_home_opened(user: str, channel: str, home: View | None, tab: str, ts: str) -> dict[str, Any]:
    """A visit to the app's Home or Messages tab."""
    view = {"view": home.to_slack()} if home else {}
    return {"type": "app_home_opened", "user": user, "channel": channel, "tab": tab, "event_ts": ts, **view}


def interaction(kind: str, user: User, trigger: str, **more: Any) -> dict[str, Any]:
    """What every interaction has in common."""
    return {
        "type": kind,
        "token": VERIFICATION_TOKEN,
        "api_app_id": APP,
        "team": {"id": TEAM, "domain": DOMAIN},
        "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": TEAM},
        "enterprise": None,
        "is_enterprise_install": False,
        "trigger_id": trigger,
        **more,
    }


def in_message(message: Message, channel: Channel, response_url: str) -> dict[str, Any]:
    """Where an action in a message happened. An ephemeral message itself is not sent."""
    ephemeral = message.ephemeral_to is not None
    container = {
        "type": "message",
        "message_ts": message.ts,
        "channel_id": channel.id,
        "is_ephemeral": ephemeral,
        **({"thread_ts": message.thread_ts} if message.thread_ts else {}),
    }
    place = {"container": container, "channel": named(channel), "response_url": response_url}
    return place if ephemeral else {**place, "message": message.to_slack()}


def in_unfurl(card: Unfurl, channel: Channel, response_url: str) -> dict[str, Any]:
    """Where an action in an unfurl happened: no message, but the card."""
    container = {
        "type": "message_attachment",
        "message_ts": card.ts,
        "attachment_id": 1,
        "channel_id": channel.id,
        "is_ephemeral": False,
        "is_app_unfurl": True,
        "app_unfurl_url": card.url,
    }
    app_unfurl = {"id": 1, "app_unfurl_url": card.url, "is_app_unfurl": True, "bot_id": BOT, "app_id": APP}
    return {
        "container": container,
        "channel": named(channel),
        "response_url": response_url,
        "app_unfurl": {**app_unfurl, "blocks": list(card.blocks)},
    }


def in_view(view: View) -> dict[str, Any]:
    """Where an action in a modal or a Home happened."""
    return {"container": {"type": "view", "view_id": view.id}, "view": view.to_slack()}


def named(channel: Channel) -> dict[str, str]:
    """A channel in an interaction."""
    return {"id": channel.id, "name": channel.name}
