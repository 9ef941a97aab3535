"""A Bolt app that sends every block and element that the page draws, and a page over a workspace with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.workspace import Workspace
from bot.workspace.page import Command, Menu, Prompt, Shortcut, serving
from tests.workspace.small_app import SECRET, TOKEN
from tests.workspace.small_app import serving as app_serving

MENU = Menu(
    commands=(
        Command("/show", "Shows every block", "[in_channel]"),
        Command("/form", "Opens every input"),
        Command("/secret", "For one person only"),
    ),
    shortcuts=(
        Shortcut("everywhere", "Open the form", "From anywhere"),
        Shortcut("on_message", "Look at this message", "Of one message", on_message=True),
    ),
    prompts=(Prompt("Show everything", "/show"), Prompt("Say hello", "@Crawler Inspector hello")),
)
MOMENT = 1_775_505_600  # 2026-04-06 20:00:00 UTC


def plain(words: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": words}


def mrkdwn(words: str) -> dict[str, Any]:
    return {"type": "mrkdwn", "text": words}


def options(*names: str) -> list[dict[str, Any]]:
    return [{"text": plain(name), "value": name.lower()} for name in names]


def leaf(words: str, **style: bool) -> dict[str, Any]:
    return {"type": "text", "text": words, **({"style": style} if style else {})}


def section(*leaves: dict[str, Any]) -> dict[str, Any]:
    return {"type": "rich_text_section", "elements": list(leaves)}


def button(words: str, action_id: str, **more: Any) -> dict[str, Any]:
    return {"type": "button", "text": plain(words), "action_id": action_id, **more}


CONFIRM = {"title": plain("Sure?"), "text": plain("It cannot be undone."), "confirm": plain("Yes"), "deny": plain("No")}
RICH_TEXT = {
    "type": "rich_text",
    "elements": [
        section(
            leaf("bold", bold=True),
            leaf(" italic", italic=True),
            leaf(" struck", strike=True),
            leaf(" code", code=True),
            leaf("\nsecond line "),
            {"type": "link", "url": "https://docs.example/", "text": "a link"},
            {"type": "emoji", "name": "wave"},
            {"type": "user", "user_id": "U0ANN"},
            {"type": "date", "timestamp": MOMENT, "format": "{date_num} {time}", "fallback": "then"},
            {"type": "link", "url": "javascript:alert(1)", "text": "a bad link"},
        ),
        {"type": "rich_text_list", "style": "bullet", "elements": [section(leaf("one")), section(leaf("two"))]},
        {"type": "rich_text_quote", "elements": [leaf("quoted")]},
        {"type": "rich_text_preformatted", "elements": [leaf("SELECT 1\n  FROM x")]},
    ],
}
TABLE = {
    "type": "table",
    "column_settings": [None, {"align": "right"}, {"is_wrapped": True}],
    "rows": [
        [{"type": "raw_text", "text": name} for name in ("Filter", "Number", "Words")],
        [
            {"type": "raw_text", "text": "HTTP status"},
            {"type": "raw_number", "value": 200, "text": "200"},
            {"type": "rich_text", "elements": [section(leaf("download_http_code = 200", code=True))]},
        ],
    ],
}
ACTIONS = {
    "type": "actions",
    "block_id": "row",
    "elements": [
        button("Count", "count", value="1"),
        button("Sweep", "sweep", style="danger", confirm=CONFIRM),
        button("Report", "report", url="http://127.0.0.1:9/report", style="primary"),
        {"type": "static_select", "action_id": "pick", "placeholder": plain("Pick"), "options": options("Red", "Blue")},
        {"type": "overflow", "action_id": "more", "options": options("First", "Second")},
    ],
}
GALLERY: list[dict[str, Any]] = [
    {"type": "header", "text": plain("Every :eyes: block")},
    {
        "type": "section",
        "text": mrkdwn("*strong* _soft_ `x &lt; y` <https://docs.example/?a=1&amp;b=2|label> :tada: <@U0BEN>"),
        "fields": [mrkdwn("*Key*\nvalue"), plain("plain *words*")],
        "accessory": button("Aside", "aside"),
    },
    {"type": "divider"},
    RICH_TEXT,
    TABLE,
    {"type": "context", "elements": [mrkdwn("small print"), plain("more of it")]},
    {"type": "image", "image_url": "https://images.example/x.png", "alt_text": "a picture", "title": plain("Picture")},
    {"type": "markdown", "text": "# Heading\n\n- item **strong**\n\n```\ncode\n```\n[bad](javascript:alert(1))"},
    {
        "type": "video",
        "alt_text": "v",
        "title": plain("v"),
        "thumbnail_url": "https://x.example",
        "video_url": "https://x.example",
    },
    ACTIONS,
]


def asked(name: str, element: dict[str, Any], **more: Any) -> dict[str, Any]:
    row = {"type": "input", "block_id": name, "label": plain(name.title()), "element": {**element, "action_id": name}}
    return {**row, **more}


ALWAYS, NEVER = options("Always", "Never")
INPUTS: list[dict[str, Any]] = [
    asked("url", {"type": "plain_text_input", "placeholder": plain("https://…")}, hint=plain("The whole of it")),
    asked("notes", {"type": "plain_text_input", "multiline": True}, optional=True),
    asked("colour", {"type": "static_select", "options": options("Red", "Blue"), "placeholder": plain("Pick")}),
    asked("extras", {"type": "checkboxes", "options": options("Fast", "Deep")}, optional=True),
    asked("mode", {"type": "radio_buttons", "options": [ALWAYS, NEVER], "initial_option": NEVER}),
    asked("moment", {"type": "datetimepicker", "initial_date_time": MOMENT}),
    asked("number", {"type": "number_input", "is_decimal_allowed": False}, optional=True),
]


def modal(title: str, blocks: list[dict[str, Any]], submit: str | None = None) -> dict[str, Any]:
    view = {"type": "modal", "callback_id": "form", "title": plain(title), "close": plain("Back"), "blocks": blocks}
    return view | ({"submit": plain(submit)} if submit else {})


FORM = modal("Every input", INPUTS, "Go")
HOME = {"type": "home", "blocks": [{"type": "header", "text": plain("Welcome home")}, ACTIONS]}


@dataclass
class Heard:
    """What the app was told, for the tests."""

    clicks: list[tuple[str, Any]] = field(default_factory=list)
    submitted: list[dict[str, Any]] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    more: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, record: list[Any], entry: Any) -> None:
        """Keep it, and wake who waits for it."""
        record.append(entry)
        self.more.set()


def build(ws: Workspace, session: aiohttp.ClientSession, heard: Heard) -> AsyncApp:
    """The app."""
    app = AsyncApp(signing_secret=SECRET, client=AsyncWebClient(token=TOKEN, base_url=ws.api_url, session=session))

    @app.command("/show")
    async def show(ack: Any, respond: Any) -> None:
        await ack()
        await respond(
            text="Everything", blocks=GALLERY, response_type="in_channel", unfurl_links=False, unfurl_media=False
        )

    @app.command("/secret")
    async def secret(ack: Any) -> None:
        await ack("Psst: &lt;b&gt;")

    @app.command("/form")
    async def form(ack: Any, client: Any, body: Any) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    @app.event("app_mention")
    async def mention(event: Any, say: Any) -> None:
        await say(text=f"Hello, {event['text']}", thread_ts=event.get("thread_ts") or event["ts"])

    @app.event("message")
    @app.event("file_shared")
    async def message(event: Any) -> None:
        heard.note(heard.events, event.get("subtype") or event["type"])

    @app.event("link_shared")
    async def link_shared(event: Any, client: Any) -> None:
        card = {"blocks": [{"type": "section", "text": mrkdwn("a *card*"), "accessory": button("Open", "card")}]}
        unfurls = {link["url"]: card for link in event["links"]}
        await client.chat_unfurl(unfurl_id=event["unfurl_id"], source=event["source"], unfurls=unfurls)

    @app.event("app_home_opened")
    async def home(event: Any, client: Any) -> None:
        await client.views_publish(user_id=event["user"], view=HOME)

    @app.action("count")
    async def count(ack: Any, body: Any, client: Any) -> None:
        await ack()
        heard.note(heard.clicks, ("count", None))
        if "message" in body:
            place = {"channel": body["channel"]["id"], "ts": body["message"]["ts"]}
            await client.chat_update(**place, text="Counted", blocks=[ACTIONS])

    @app.action("sweep")
    @app.action("report")
    @app.action("aside")
    @app.action("card")
    @app.action("pick")
    @app.action("more")
    async def clicked(ack: Any, action: Any) -> None:
        await ack()
        heard.note(heard.clicks, (action["action_id"], (action.get("selected_option") or {}).get("value")))

    @app.view("form")
    async def submitted(ack: Any, view: Any) -> None:
        values = {name: state for inputs in view["state"]["values"].values() for name, state in inputs.items()}
        heard.note(heard.submitted, values)
        url = (values.get("url") or {}).get("value")
        if url == "bad":
            await ack(response_action="errors", errors={"url": "That is no URL."})
        elif url == "more":
            await ack(response_action="push", view=modal("More", [ACTIONS]))
        else:
            await ack()

    @app.shortcut("everywhere")
    @app.shortcut("on_message")
    async def shortcut(ack: Any, body: Any, client: Any) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    return app


@dataclass
class Opened:
    """A workspace with the app in it and the page over it."""

    ws: Workspace
    heard: Heard
    url: str


@asynccontextmanager
async def opened(menu: Menu = MENU) -> AsyncIterator[Opened]:
    """All of it, on loopback."""
    heard = Heard()
    async with (
        Workspace(signing_secret=SECRET, bot_token=TOKEN, unfurl_domains=["docs.example"]) as ws,
        aiohttp.ClientSession() as session,
        app_serving(build(ws, session, heard)) as app_url,
        serving(ws, menu) as url,
    ):
        ws.connect(app_url)
        yield Opened(ws, heard, url)
