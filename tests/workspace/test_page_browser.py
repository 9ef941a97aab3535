"""The page in a real browser, over an app that sends every block: what people see, click, type and hear."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Page, expect

from bot.workspace.page import Menu, Prompt
from tests.web.browser import CHROMIUM, Watched, chromium
from tests.workspace.page_app import MENU, Opened, opened

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium: apt-get install chromium"),
]

PHONE = {"width": 390, "height": 844}
PATIENCE = 20.0  # seconds: a busy machine draws late


@dataclass
class Seen:
    """A person at the page."""

    page: Page
    app: Opened
    watched: Watched

    async def type(self, text: str, box: str = "composer") -> None:
        """Type and press Enter."""
        await self.page.locator(f"#{box}-text").fill(text)
        await self.page.keyboard.press("Enter")

    def message(self, words: str) -> Any:
        """The message with these words."""
        return self.page.locator("article.message").filter(has_text=words)

    async def shown(self, *words: str) -> None:
        """Wait until each stands in a message."""
        for part in words:
            await expect(self.message(part).first).to_be_visible()

    async def tool(self, message: Any, name: str) -> None:
        """A button of a message's toolbar."""
        await message.hover()
        await message.get_by_role("button", name=name).click()

    async def until(self, condition: str) -> None:
        """Wait for a condition in the page; its policy forbids Playwright's own way, which is eval."""
        look = f"const look = () => ({condition}) ? done() : requestAnimationFrame(look)"
        async with asyncio.timeout(PATIENCE):
            await self.page.evaluate(f"() => new Promise(done => {{ {look}; look(); }})")

    async def faults(self) -> list[str]:
        """What went wrong since the page was opened."""
        return [*self.watched.faults, *await self.page.evaluate("window.happened")]


@asynccontextmanager
async def at_the_page(menu: Menu = MENU, **context: Any) -> AsyncIterator[Seen]:
    async with opened(menu) as app, chromium() as browser:
        window = await browser.new_context(**{"viewport": {"width": 1400, "height": 900}, **context})
        watched = await Watched.opened(window, app.url)
        await watched.visit("/")
        await expect(watched.page.locator("#channel-title")).to_have_text("#general")
        seen = Seen(watched.page, app, watched)
        yield seen
        assert await seen.faults() == []


async def heard(seen: Seen, found: Callable[[], bool]) -> None:
    """Wait until the app was told."""
    async with asyncio.timeout(PATIENCE):
        while not found():
            seen.app.heard.more.clear()
            await seen.app.heard.more.wait()


async def test_every_block_is_drawn() -> None:
    """Words, marks, lists, tables, dates in the reader's zone; an address that could run is words; the rest is JSON."""
    async with at_the_page() as seen:
        await seen.page.get_by_role("button", name="Show everything").click()
        await seen.shown("Every 👀 block", "small print", "more of it")
        shown = seen.message("Every 👀 block")
        drawn = {
            css: await shown.locator(css).all_inner_texts()
            for css in ("strong", "em", "s", "code", ".mention", "li", "blockquote", "pre:not(.json)", "td", "summary")
        }
        links = [await a.get_attribute("href") for a in await shown.locator("a").all()]
        words = await shown.inner_text()

    assert drawn["strong"] == ["strong", "Key", "bold", "strong"]
    assert (drawn["em"], drawn["s"]) == (["soft", " italic"], [" struck"])
    assert drawn["code"] == ["x < y", " code", "download_http_code = 200"]
    assert drawn[".mention"] == ["@ben", "@ann"]
    assert drawn["li"] == ["one", "two", "item strong"]
    assert drawn["blockquote"] == ["quoted"]
    assert drawn["pre:not(.json)"] == ["SELECT 1\n  FROM x", "code"]
    assert drawn["td"] == ["HTTP status", "200", "download_http_code = 200"]
    assert drawn["summary"] == ["video: not drawn here"]
    assert "2026-04-06 10:00 PM" in words  # Berlin, for Ann
    assert "plain *words*" in words
    assert links == [
        "https://docs.example/?a=1&b=2",
        "https://docs.example/",
        "https://images.example/x.png",
        "http://127.0.0.1:9/report",
    ]


HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<javascript:alert(1)|click>",
    "<https://x.example/&quot;onclick=alert(1)|x>",
    "*<svg onload=alert(1)>*",
    "`</code><script>alert(1)</script>`",
    "<!date^1^{date}^javascript:alert(1)|x>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    ":constructor: :__proto__: <!__proto__|x> <@__proto__>",
    "\u202eevil\u202c \u0000 \ud83d\udd77",
)


async def test_what_is_crawled_does_not_run() -> None:
    """Mark-up in every kind of text is text: no script, no load, no element of its own."""
    blocks: list[dict[str, Any]] = []
    for text in HOSTILE:
        blocks += [
            {"type": "section", "text": {"type": "mrkdwn", "text": text}},
            {"type": "context", "elements": [{"type": "plain_text", "text": text}]},
            {
                "type": "rich_text",
                "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}],
            },
            {"type": "markdown", "text": text},
        ]
    async with at_the_page() as seen:
        await post_as_app(seen, text="hostile", blocks=blocks)
        await seen.shown("<svg onload=alert(1)>", "<script>alert(1)</script>")
        inside = seen.page.locator("article .content").locator("script, svg, img, iframe, [onerror], [onload]")
        hrefs = [await a.get_attribute("href") for a in await seen.page.locator("article a").all()]

        assert await inside.count() == 0
        assert [href for href in hrefs if href and not href.startswith(("http://", "https://"))] == []


async def post_as_app(seen: Seen, **arguments: Any) -> None:
    """chat.postMessage, as the app would."""
    import aiohttp

    headers = {"Authorization": f"Bearer {seen.app.ws.installation.bot_token}"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(f"{seen.app.ws.api_url}chat.postMessage", json={"channel": "C0GENERAL", **arguments}) as response,
    ):
        assert (await response.json())["ok"]


async def test_the_composer_completes_commands_and_people_by_keyboard() -> None:
    """`/` and arrow keys choose a command, `@` a mention; Enter sends, Shift+Enter does not, Esc closes the list."""
    async with at_the_page() as seen:
        box, keys = seen.page.locator("#composer-text"), seen.page.keyboard
        await box.focus()
        await keys.type("/")
        offered = await seen.page.locator("#composer-list").get_by_role("option").all_inner_texts()
        await keys.press("ArrowDown")
        await keys.press("ArrowDown")
        active = await box.get_attribute("aria-activedescendant")
        await keys.press("Enter")
        completed = await box.input_value()
        await keys.press("Enter")
        await seen.shown("Psst: <b>")
        await keys.type("@craw")
        await keys.press("Tab")
        await keys.type("one")
        await keys.press("Shift+Enter")
        await keys.type("two @")
        await keys.press("Escape")
        closed = await seen.page.get_by_role("listbox").count()
        await keys.press("Enter")
        await seen.shown("@Crawler Inspector one")
        sent = [message for message in seen.app.ws.messages("C0GENERAL") if message.via == "user"]

    assert [text.split("\n")[0].strip() for text in offered] == [
        "/show [in_channel]",
        "/form",
        "/secret",
        "Open the form",
    ]
    assert (active, completed) == ("composer-list-2", "/secret ")
    assert closed == 0
    assert [message.text for message in sent] == ["<@U0BOT> one\ntwo @"]


async def test_what_only_one_person_sees() -> None:
    """An ephemeral message is marked, and is not there for somebody else."""
    async with at_the_page() as seen:
        await seen.type("/secret")
        await seen.shown("Only visible to you")
        await seen.page.locator("#user").select_option("U0BEN")

        await expect(seen.page.get_by_text("Only visible to you")).to_have_count(0)


async def test_commands_that_slack_does_not_run() -> None:
    """An unknown command, and any command in a thread, are refused by the client, as in Slack."""
    async with at_the_page() as seen:
        await seen.type("/nothing here")
        await expect(seen.page.get_by_text("/nothing is not a valid command.")).to_be_visible()
        await seen.page.locator("#composer-text").fill("")
        await seen.type("@Crawler Inspector hello")
        await seen.message("Crawler Inspector hello").get_by_text("1 reply").click()
        await seen.type("/show", "reply")
        await expect(seen.page.get_by_text("/show is not supported in threads")).to_be_visible()

        assert [row.kind for row in seen.app.ws.deliveries if row.kind == "command"] == []


async def test_a_thread_beside_the_channel() -> None:
    """Opened by its button, answered in it, closed by Esc, which gives the focus back to its first message."""
    async with at_the_page() as seen:
        await seen.type("@Crawler Inspector hello")
        await seen.message("@Crawler Inspector hello").get_by_text("1 reply").click()
        await seen.type("@Crawler Inspector again", "reply")
        await expect(seen.page.locator("#thread article")).to_have_count(4)
        await expect(seen.page.locator("#messages").get_by_text("3 replies")).to_be_visible()
        await seen.page.keyboard.press("Escape")
        await expect(seen.page.locator("#thread")).to_be_hidden()
        focused = await seen.page.evaluate("document.activeElement.dataset.key")

        assert focused == f"C0GENERAL/{seen.app.ws.messages('C0GENERAL')[0].ts}"


async def test_elements_in_a_message_tell_the_app() -> None:
    """A button edits its message and keeps the focus; a menu, a select and a confirmation say what was chosen."""
    async with at_the_page() as seen:
        await seen.type("/show")
        message, clicks = seen.message("Every 👀 block"), seen.app.heard.clicks
        await message.get_by_role("combobox").select_option("blue")
        await message.get_by_role("button", name="More actions").last.focus()
        await message.locator(".overflow").click()
        await seen.page.keyboard.press("ArrowDown")
        await seen.page.keyboard.press("Enter")
        await message.get_by_role("button", name="Sweep").click()
        await seen.page.get_by_role("dialog").get_by_role("button", name="No").click()
        await message.get_by_role("button", name="Sweep").click()
        await seen.page.get_by_role("dialog").get_by_role("button", name="Yes").click()
        await heard(seen, lambda: len(clicks) == 3)
        await message.get_by_role("button", name="Count").focus()
        await seen.page.keyboard.press("Enter")
        await expect(seen.page.get_by_text("(edited)")).to_be_visible()
        focused = await seen.page.evaluate("document.activeElement.textContent")

    assert clicks == [("pick", "blue"), ("more", "second"), ("sweep", None), ("count", None)]
    assert focused == "Count"


async def test_a_modal_from_opening_to_submission() -> None:
    """Focus stays inside; required fields, the app's errors and a pushed view; what was typed is kept and sent."""
    async with at_the_page() as seen:
        await seen.type("/form")
        dialog, submitted = seen.page.get_by_role("dialog"), seen.app.heard.submitted
        await expect(dialog.get_by_label("Url")).to_be_focused()
        for _ in range(16):
            await seen.page.keyboard.press("Tab")
        trapped = await seen.page.evaluate("document.querySelector('#app').contains(document.activeElement)")
        await dialog.get_by_role("button", name="Go").click()
        await expect(dialog.get_by_text("Please complete this required field.")).to_have_count(2)
        await dialog.get_by_label("Colour").select_option("red")
        await dialog.get_by_label("Fast").check()
        await dialog.get_by_label("Moment").fill("2026-04-07T09:30")
        await dialog.get_by_label("Url").fill("bad")
        await seen.page.keyboard.press("Enter")
        await expect(dialog.get_by_text("That is no URL.")).to_be_visible()
        await dialog.get_by_label("Url").fill("more")
        await seen.page.keyboard.press("Enter")
        await expect(dialog.get_by_text("2 of 3 views")).to_be_visible()
        await seen.page.keyboard.press("Escape")
        await expect(dialog.get_by_label("Url")).to_have_value("more")
        await dialog.get_by_label("Url").fill("good")
        await dialog.get_by_role("button", name="Go").click()
        await expect(dialog).to_have_count(0)
        focused = await seen.page.evaluate("document.activeElement.id")

    values = submitted[-1]
    assert (trapped, focused) == (False, "composer-text")
    assert [values["url"]["value"] for values in submitted] == ["bad", "more", "good"]
    assert values["colour"]["selected_option"]["value"] == "red"
    assert [option["value"] for option in values["extras"]["selected_options"]] == ["fast"]
    assert values["mode"]["selected_option"]["value"] == "never"
    assert values["moment"]["selected_date_time"] == 1_775_547_000  # 09:30 in Berlin
    assert values["notes"]["value"] is None


async def test_shortcuts_of_messages_and_of_the_composer() -> None:
    """In a message's menu, and after `/`."""
    async with at_the_page() as seen:
        await seen.type("look here")
        await seen.tool(seen.message("look here"), "More actions")
        await seen.page.get_by_role("menuitem", name="Look at this message").click()
        await expect(seen.page.get_by_role("dialog")).to_be_visible()
        await seen.page.keyboard.press("Escape")
        await expect(seen.page.get_by_role("dialog")).to_have_count(0)
        await seen.page.locator("#composer-text").fill("/open the")
        await seen.page.locator("#composer-text").fill("/open")
        await seen.page.keyboard.press("Tab")
        await expect(seen.page.get_by_role("dialog")).to_be_visible()
        kinds = [row.payload.get("type") for row in seen.app.ws.deliveries if row.kind == "interaction"]

    assert kinds[0] == "message_action"
    assert kinds[-1] == "shortcut"


async def test_home_and_direct_messages() -> None:
    """The app's conversation has two tabs; visiting Home asks the app for it, once for each person."""
    async with at_the_page() as seen:
        await seen.page.get_by_role("button", name="Crawler Inspector", exact=True).click()
        await seen.page.get_by_role("tab", name="Home").click()
        await expect(seen.page.get_by_text("Welcome home")).to_be_visible()
        await seen.page.locator("#home").get_by_role("button", name="Count").click()
        await heard(seen, lambda: ("count", None) in seen.app.heard.clicks)
        await seen.page.locator("#user").select_option("U0BEN")
        await expect(seen.page.get_by_text("Welcome home")).to_be_visible()

        assert set(seen.app.ws.state.homes) == {"U0ANN", "U0BEN"}


async def test_links_unfurl_while_they_are_written_and_when_they_are_sent() -> None:
    """A card above the composer, then one under the message; its button works."""
    async with at_the_page() as seen:
        await seen.page.locator("#composer-text").fill("see https://docs.example/a ")
        await expect(seen.page.locator(".composer-preview").get_by_text("card")).to_be_visible()
        await seen.page.keyboard.press("Enter")
        await expect(seen.page.locator(".composer-preview")).to_be_hidden()
        await seen.message("see https://docs.example/a").get_by_role("button", name="Open").click()
        await heard(seen, lambda: ("card", None) in seen.app.heard.clicks)


async def test_files_are_attached_and_linked() -> None:
    """Chosen, shown as a chip, sent with the message, opened as text."""
    async with at_the_page() as seen:
        file = {"name": "urls.txt", "mimeType": "text/plain", "buffer": b"https://docs.example/a\n"}
        await seen.page.locator("main input[type=file]").set_input_files(file)  # type: ignore[arg-type]  # a payload
        await expect(seen.page.get_by_role("button", name="Remove urls.txt")).to_be_visible()
        await seen.type("inspect these")
        await seen.shown("urls.txt · 23 B")
        href = await seen.message("inspect these").locator("a.file").get_attribute("href")

        assert href == f"/ui/files/{seen.app.ws.files[0].id}"
        assert "file_share" in seen.app.heard.events


async def test_an_edit_in_place() -> None:
    """One's own message, by its menu; Enter saves, and the app is told."""
    async with at_the_page() as seen:
        await seen.type("tpyo")
        await seen.tool(seen.message("tpyo"), "More actions")
        await seen.page.get_by_role("menuitem", name="Edit message").click()
        await seen.page.get_by_label("Edit message").fill("typo")
        await seen.page.keyboard.press("Enter")
        await seen.shown("typo", "(edited)")
        await heard(seen, lambda: "message_changed" in seen.app.heard.events)


async def test_the_inspector_shows_requests_and_the_validators_word() -> None:
    """For a message: what made it; for everything: all calls, the refused ones with their reasons."""
    async with at_the_page() as seen:
        await seen.type("/show")
        await seen.tool(seen.message("Every 👀 block"), "Inspect the payload")
        pane = seen.page.locator("#inspector")
        await expect(pane.get_by_text("The validator takes it: no problems.")).to_be_visible()
        shown = json.loads(await pane.get_by_label("Payload of response_url").inner_text())
        refused = {"channel": "C0GENERAL", "text": "x", "blocks": [{"type": "sparkle"}]}
        with pytest.raises(AssertionError):
            await post_as_app(seen, **refused)
        await pane.get_by_role("tab", name="Web API calls").click()
        await pane.locator("summary").filter(has_text="chat.postMessage").click()
        await expect(pane.get_by_text("✕ Refused: invalid_blocks")).to_be_visible()
        await expect(pane.get_by_text("/blocks/0/type")).to_be_visible()
        await seen.page.keyboard.press("Escape")
        await expect(pane).to_be_hidden()

    assert shown == next(call.payload for call in seen.app.ws.calls if call.method == "response_url")


async def test_arrow_keys_walk_through_the_messages() -> None:
    """The list is one stop of the Tab key."""
    async with at_the_page() as seen:
        for words in ("first", "second", "third"):
            await seen.type(words)
        await seen.shown("first", "second", "third")
        await seen.message("third").focus()
        await seen.page.keyboard.press("ArrowUp")
        await seen.page.keyboard.press("ArrowUp")
        focused = await seen.page.evaluate("document.activeElement.querySelector('.content').textContent")
        stops = await seen.page.locator("article.message[tabindex='0']").count()

    assert (focused, stops) == ("first", 1)


async def test_screen_readers_hear_what_the_app_says() -> None:
    """The message's text, as Slack's notifications have it, in a live region; one's own messages are not repeated."""
    async with at_the_page() as seen:
        await seen.type("@Crawler Inspector hello")

        await expect(seen.page.locator("#announcer")).to_have_text("Crawler Inspector: Hello, @Crawler Inspector hello")


async def test_the_newest_message_stays_in_sight() -> None:
    """When messages come and when a pane opens; who reads older ones is left there."""
    at_end = "(({scrollHeight, scrollTop, clientHeight}) => scrollHeight - scrollTop - clientHeight < 2)(messages)"
    async with at_the_page() as seen:
        for _ in range(3):
            await seen.type("/show")
        await expect(seen.message("Every 👀 block")).to_have_count(3)
        await seen.until(at_end)
        tool = seen.message("Every 👀 block").last.get_by_role(
            "button", name="Inspect the payload", include_hidden=True
        )
        await tool.dispatch_event("click")  # a mouse would scroll to the tool first, and be a reader of older ones
        await seen.until(at_end)
        await seen.page.locator("#messages").hover()
        await seen.page.mouse.wheel(0, -1500)
        await seen.until(f"!{at_end}")
        await seen.app.ws.post("C0GENERAL", "later")
        await expect(seen.message("later")).to_be_attached()

        assert not await seen.page.evaluate(at_end)


async def opened_form(seen: Seen) -> None:
    await seen.type("/form")
    await expect(seen.page.get_by_role("dialog")).to_be_visible()


async def opened_panes(seen: Seen) -> None:
    await seen.type("/show")
    await seen.type("/secret")
    await seen.shown("Psst")
    await seen.tool(seen.message("Every 👀 block"), "Inspect the payload")


async def opened_home(seen: Seen) -> None:
    await seen.page.get_by_role("button", name="Crawler Inspector", exact=True).click()
    await seen.page.get_by_role("tab", name="Home").click()
    await expect(seen.page.get_by_text("Welcome home")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("scene", [opened_form, opened_panes, opened_home])
async def test_nobody_is_left_out(scene: Callable[[Seen], Awaitable[None]], scheme: str) -> None:
    """axe finds nothing: names, roles, contrast, landmarks, in both themes."""
    async with at_the_page(color_scheme=scheme) as seen:
        await scene(seen)
        await seen.page.evaluate(AXE_SCRIPT)
        found = await seen.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        broken = [
            (rule["id"], node["html"][:120], node["failureSummary"])
            for rule in found["violations"]
            for node in rule["nodes"]
        ]

    assert broken == [], "\n".join(map(str, broken))


async def test_the_theme_is_the_systems_until_somebody_chooses() -> None:
    """Auto, light, dark; the choice outlives a reload."""
    async with at_the_page(color_scheme="dark") as seen:
        background = "getComputedStyle(document.body).backgroundColor"
        shades = [await seen.page.evaluate(background)]
        await seen.page.get_by_role("button", name="Theme: auto").click()
        shades.append(await seen.page.evaluate(background))
        await seen.watched.visit("/")
        shades.append(await seen.page.evaluate(background))
        await seen.page.get_by_role("button", name="Theme: light").click()
        shades.append(await seen.page.evaluate(background))

    dark, light = "rgb(22, 25, 29)", "rgb(255, 255, 255)"
    assert shades == [dark, light, light, dark]


async def test_on_a_phone() -> None:
    """Nothing is wider than the screen; channels are in a drawer, the thread and the inspector over the channel."""
    async with at_the_page(viewport=PHONE, has_touch=True, is_mobile=True) as seen:
        width = "document.documentElement.scrollWidth"
        await seen.type("/show")
        await seen.type("@Crawler Inspector hello")
        await seen.message("@Crawler Inspector hello").get_by_text("1 reply").click()
        await expect(seen.page.locator("#thread")).to_be_visible()
        widths = [await seen.page.evaluate(width)]
        await seen.page.get_by_label("Close the thread").click()
        await seen.message("Every 👀 block").get_by_label("Inspect the payload").click()
        widths.append(await seen.page.evaluate(width))
        await seen.page.get_by_label("Close the inspector").click()
        await seen.page.get_by_role("button", name="Channels").click()
        await seen.page.get_by_role("button", name="random").click()
        await expect(seen.page.locator("#channel-title")).to_have_text("#random")
        await expect(seen.page.locator("#sidebar")).to_be_hidden()

    assert widths == [390, 390]


async def test_a_channel_that_nobody_looks_at_counts_what_is_new() -> None:
    """Until it is visited."""
    async with at_the_page() as seen:
        await seen.app.ws.post("C0RANDOM", "elsewhere")
        channel = seen.page.locator("#sidebar").get_by_role("button", name="random")
        await expect(channel).to_contain_text("1 new")
        await channel.click()

        await expect(channel).not_to_contain_text("new")


async def test_the_page_says_when_the_demo_has_ended() -> None:
    """And an action then fails in words."""
    async with chromium() as browser:
        window = await browser.new_context()
        async with opened(Menu(prompts=(Prompt("x", "y"),))) as app:
            watched = await Watched.opened(window, app.url)
            await watched.visit("/")
            await expect(watched.page.locator("#channel-title")).to_have_text("#general")
        await expect(watched.page.locator("#connection")).to_have_text("Not connected")
        await watched.page.get_by_role("button", name="x", exact=True).click()

        await expect(watched.page.get_by_text("The workspace does not answer.")).to_be_visible()
