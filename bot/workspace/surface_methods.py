"""The Web API's views, files, apps and oauth methods, as functions of the state and the arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.workspace.conversation_methods import Answer, refuse
from bot.workspace.model import APP, BOT_USER, DOMAIN, TEAM, File, Json, Message, SlackError
from bot.workspace.state import State
from bot.workspace.validator import check_view


def _checked(arguments: Json, *types: str) -> Any:
    """The `view` argument, which must be of one of the types and right."""
    view = arguments["view"]
    if not isinstance(view, dict):
        raise SlackError("invalid_arguments", "must provide an object [json-pointer:/view]")
    if view.get("type") not in types:
        raise SlackError("invalid_arguments", f"unsupported type: {view.get('type')} [json-pointer:/view/type]")
    refuse(check_view(view))
    return view


def open_view(state: State, arguments: Json) -> Answer:
    """views.open: a new stack of one."""
    trigger = state.use_trigger(arguments["trigger_id"])
    view = state.new_view(trigger.user, _checked(arguments, "modal"))
    state.stacks[trigger.user] = []
    state.show(view)
    return {"view": view.to_slack()}


def push_view(state: State, arguments: Json) -> Answer:
    """views.push: one more on the stack, three at most."""
    trigger = state.use_trigger(arguments["trigger_id"])
    stack = state.stack(trigger.user)
    if not stack:
        raise SlackError("not_found")
    view = state.new_view(trigger.user, _checked(arguments, "modal"), stack[-1])
    state.show(view)
    return {"view": view.to_slack()}


def update_view(state: State, arguments: Json) -> Answer:
    """views.update, by view_id or external_id; `hash` guards against a race."""
    if not (arguments.get("view_id") or arguments.get("external_id")):
        raise SlackError("invalid_arguments", "must provide `view_id` or `external_id`")
    view = state.find_view(arguments.get("view_id"), arguments.get("external_id"))
    content = _checked(arguments, str(view.payload["type"]))
    return {"view": state.replace_view(view, content, arguments.get("hash")).to_slack()}


def publish_view(state: State, arguments: Json) -> Answer:
    """views.publish: the Home tab of a user."""
    user = arguments["user_id"]
    if user not in state.users:
        raise SlackError("user_not_found")
    content = _checked(arguments, "home")
    home = state.homes.get(user) or state.new_view(user, content)
    return {"view": state.replace_view(home, content, arguments.get("hash")).to_slack()}


def get_upload_url(state: State, arguments: Json) -> Answer:
    """files.getUploadURLExternal: where to send the bytes."""
    file = File(state.new_id("F"), arguments["filename"], BOT_USER)
    state.files[file.id] = file
    return {"file_id": file.id, "upload_url": f"{state.origin}/upload/{file.id}"}


def complete_upload(state: State, arguments: Json) -> Answer:
    """files.completeUploadExternal: share what was uploaded, as one message in the channel where one is named."""
    channel = state.joined(arguments["channel_id"]) if arguments.get("channel_id") else None
    finished = [_finish(state, entry, channel.id if channel else None) for entry in arguments["files"]]
    described = [file.to_slack(state.origin) for file in finished]
    if channel:
        state.add(
            Message(
                channel=channel.id,
                ts=state.new_ts(),
                user=BOT_USER,
                text=arguments.get("initial_comment") or "",
                via="files.completeUploadExternal",
                thread_ts=arguments.get("thread_ts") or None,
                files=tuple(described),
                payload=arguments,
            )
        )
    return {"files": described}


def _finish(state: State, entry: Json, channel: str | None) -> File:
    file = state.files.get(str(entry.get("id")))
    if file is None or file.content is None:
        raise SlackError("file_not_found" if file is None else "file_upload_incomplete")
    done = replace(file, title=entry.get("title") or file.name, channels=(channel,) if channel else ())
    state.files[file.id] = done
    state.emit("file", done)
    return done


def file_info(state: State, arguments: Json) -> Answer:
    """files.info"""
    file = state.files.get(arguments["file"])
    if file is None:
        raise SlackError("file_not_found")
    return {"file": file.to_slack(state.origin)}


def open_connection(state: State, arguments: Json) -> Answer:
    """apps.connections.open: the address of a Socket Mode WebSocket."""
    address = state.origin.replace("http://", "ws://", 1)
    return {"url": f"{address}/link/?ticket={state.new_id('ticket')}&app_id={APP}"}


def oauth_access(state: State, arguments: Json) -> Answer:
    """oauth.v2.access: a code of ours, once, for the bot's token."""
    installation = state.installation
    if arguments.get("client_id") != installation.client_id:
        raise SlackError("invalid_client_id")
    if arguments.get("client_secret") != installation.client_secret:
        raise SlackError("bad_client_secret")
    if arguments.get("code") not in state.codes:
        raise SlackError("invalid_code")
    state.codes.remove(arguments["code"])
    return {
        "access_token": state.installation.bot_token,
        "token_type": "bot",
        "scope": ",".join(sorted(state.installation.scopes)),
        "bot_user_id": BOT_USER,
        "app_id": APP,
        "team": {"id": TEAM, "name": DOMAIN},
        "enterprise": None,
        "is_enterprise_install": False,
        "authed_user": {"id": "U0ANN"},
    }
