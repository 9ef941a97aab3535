"""A small Bolt app for the scenarios: one listener for each thing that a workspace can send."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.workspace import Workspace

SECRET, TOKEN = "signing-secret", "xoxb-test"
BUTTON = {"type": "button", "text": {"type": "plain_text", "text": "Again"}, "action_id": "again", "value": "page-1"}
ACTIONS = {"type": "actions", "block_id": "row", "elements": [BUTTON]}
FIELD = {
    "type": "input",
    "block_id": "address",
    "label": {"type": "plain_text", "text": "URL"},
    "element": {"type": "plain_text_input", "action_id": "url"},
}
MODAL = {
    "type": "modal",
    "callback_id": "ask",
    "title": {"type": "plain_text", "text": "Inspect"},
    "submit": {"type": "plain_text", "text": "Go"},
    "blocks": [FIELD],
}


def title_of(view: dict[str, Any], title: str) -> dict[str, Any]:
    return {**view, "title": {"type": "plain_text", "text": title}}


def build_app(ws: Workspace, session: aiohttp.ClientSession, signing_secret: str = SECRET) -> AsyncApp:
    """The app: one listener for each thing that a workspace can send."""
    client = AsyncWebClient(token=TOKEN, base_url=ws.api_url, session=session)
    app = AsyncApp(signing_secret=signing_secret, client=client)

    @app.command("/inspect")
    async def inspect(ack: Any, respond: Any, command: Any) -> None:
        await ack(f"Looking at {command['text']}")
        await respond(text="INDEXABLE", blocks=[ACTIONS], replace_original=True)

    @app.command("/silent")
    async def silent(ack: Any) -> None:
        await ack()

    @app.command("/broken")
    async def broken(ack: Any) -> None:
        await ack(blocks=[{"type": "sparkle"}])

    @app.command("/modal")
    async def modal(ack: Any, client: Any, body: Any) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=MODAL)

    @app.event("app_mention")
    async def mention(event: Any, say: Any) -> None:
        await say(text=f"You said {event['text']}", thread_ts=event.get("thread_ts") or event["ts"])

    @app.event("message")
    async def message(event: Any) -> None:
        pass

    @app.event("file_shared")
    async def file_shared(event: Any) -> None:
        pass

    @app.event("link_shared")
    async def link_shared(event: Any, client: Any) -> None:
        section = {"type": "section", "text": {"type": "mrkdwn", "text": "a card"}, "accessory": BUTTON}
        cards = {link["url"]: {"blocks": [section]} for link in event["links"]}
        await client.chat_unfurl(unfurl_id=event["unfurl_id"], source=event["source"], unfurls=cards)

    @app.event("app_home_opened")
    async def home(event: Any, client: Any) -> None:
        await client.views_publish(user_id=event["user"], view={"type": "home", "blocks": [ACTIONS]})

    @app.action("again")
    async def again(ack: Any, body: Any, client: Any, action: Any) -> None:
        await ack()
        if "message" in body:
            place = {"channel": body["channel"]["id"], "ts": body["message"]["ts"]}
            await client.chat_update(**place, text=f"again {action['value']}")

    @app.view("ask")
    async def ask(ack: Any, view: Any) -> None:
        url = view["state"]["values"]["address"]["url"]["value"]
        answers = {"bad": {"response_action": "errors", "errors": {"address": "Not a URL."}}}
        answers["more"] = {"response_action": "push", "view": title_of(MODAL, "More")}
        answers["new"] = {"response_action": "update", "view": title_of(MODAL, "New")}
        answers["odd"] = {"response_action": "errors", "errors": {"nowhere": "?"}}
        await ack(**answers.get(url, {}))

    @app.shortcut("global")
    @app.shortcut("on_message")
    async def shortcut(ack: Any, body: Any, client: Any) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=MODAL)

    return app


@asynccontextmanager
async def serving(app: AsyncApp) -> AsyncIterator[str]:
    """The app's request URL, on loopback."""

    async def events(request: web.Request) -> web.Response:
        return await to_aiohttp_response(await app.async_dispatch(await to_bolt_request(request)))

    site = web.Application()
    site.router.add_post("/slack/events", events)
    runner = web.AppRunner(site, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    await runner.cleanup()
