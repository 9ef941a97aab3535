"""The real bot over the sample crawl, used in the browser as a person would; and how it looks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from bot.commands.demo import FOLLOW_UPS, MENU, UNFURLED
from bot.index.sample import EXAMPLES
from bot.inspection.pipeline import Inspector
from bot.slack.followups.grammar import COMMANDS
from bot.state.state import State
from bot.workspace import Workspace
from bot.workspace.page import serving
from tests.slack.running import SECRET, TOKEN, Running, running
from tests.web.browser import CHROMIUM, Watched, chromium

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium: apt-get install chromium"),
]

SCREENSHOTS = Path(__file__).parents[2] / "screenshots"
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


@asynccontextmanager
async def at_the_demo(
    inspector: Inspector, state: State | None = None, **context: Any
) -> AsyncIterator[tuple[Page, Running]]:
    """The demo's page, watched: at its end nothing ran or was loaded from elsewhere, and Slack refused nothing."""
    async with (
        Workspace(signing_secret=SECRET, bot_token=TOKEN, unfurl_domains=(UNFURLED,)) as ws,
        running(inspector=inspector, state=state, ws=ws, changed={"unfurl_domains": (UNFURLED,)}) as bot,
        serving(ws, MENU) as url,
        chromium() as browser,
    ):
        window = await browser.new_context(**{"viewport": DESK, **context})
        watched = await Watched.opened(window, url)
        await watched.visit("/")
        await expect(watched.page.locator("#channel-title")).to_have_text("#general")
        yield watched.page, bot
        happened = await watched.page.evaluate("window.happened")
        refused = [(call.method, call.error, call.problems) for call in bot.ws.calls if not call.ok]

        assert (watched.faults, happened, refused) == ([], [], [])


async def send(page: Page, text: str, box: str = "composer") -> None:
    """Type and press Enter."""
    await page.locator(f"#{box}-text").fill(text)
    await page.keyboard.press("Enter")


async def picture(page: Page, name: str) -> None:
    """A screenshot, beside the checkout's own files but never among them."""
    SCREENSHOTS.mkdir(exist_ok=True)
    await page.screenshot(path=SCREENSHOTS / f"workspace-{name}.png")


@pytest.fixture
async def state(tmp_path: Path) -> AsyncIterator[State]:
    """A database of the bot's own."""
    opened = await State.open(f"sqlite:///{tmp_path / 'state.db'}")
    yield opened
    await opened.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_first_visit(inspector: Inspector, state: State, scheme: str) -> None:
    """Slash, paste, thread, follow-up, filter table, recheck, page text, raw queries, inspector: in both themes."""
    async with at_the_demo(inspector, state, color_scheme=scheme) as (page, _):
        await send(page, f"/inspect {EXAMPLES['indexable']}")
        answer = page.locator("article").filter(has_text="A page as it should be")
        await expect(answer.get_by_role("cell", name="download_http_code = 200")).to_be_visible()
        await picture(page, f"slash-{scheme}")
        await send(page, f"Can somebody check {EXAMPLES['canonical elsewhere']} please?")
        pasted = page.locator("#messages article").filter(has_text="Can somebody check")
        await pasted.get_by_text("1 reply").click()
        thread = page.locator("#thread")
        await expect(thread.get_by_text("Not indexable: Canonical.")).to_be_visible()
        await thread.get_by_role("button", name="Filter table").click()
        await expect(thread.get_by_role("cell", name="Points to https://cases.example/indexable")).to_be_visible()
        await send(page, "why", "reply")
        await expect(thread.locator("article")).to_have_count(5)
        await thread.get_by_role("button", name="links", exact=True).click()
        await expect(thread.locator("article")).to_have_count(7)
        await picture(page, f"thread-{scheme}")
        await answer.get_by_role("button", name="Recheck").click()
        await expect(answer.get_by_text("(edited)")).to_be_visible()
        await answer.get_by_role("button", name="Page text").click()
        await expect(page.get_by_role("dialog").get_by_text("Page 1 of 1")).to_be_visible()
        await picture(page, f"modal-{scheme}")
        await page.keyboard.press("Escape")
        await answer.get_by_role("button", name="Raw queries").click()
        await expect(page.get_by_role("dialog").get_by_text("Crawled Status Check")).to_be_visible()
        await page.keyboard.press("Escape")
        await answer.hover()
        await answer.get_by_label("Inspect the payload").click()
        await expect(page.get_by_text("The validator takes it: no problems.").first).to_be_visible()
        await picture(page, f"inspector-{scheme}")


async def test_on_a_phone(inspector: Inspector) -> None:
    """The same, narrow."""
    async with at_the_demo(inspector, viewport=PHONE, has_touch=True, is_mobile=True, device_scale_factor=2) as (
        page,
        _,
    ):
        await page.get_by_role("button", name="Everything fails").click()
        await expect(page.get_by_role("cell", name="download_http_code = 200")).to_be_visible()
        await picture(page, "phone-channel")
        await page.get_by_role("button", name="Several at once").click()
        await page.get_by_text("1 reply").click()
        await expect(page.locator("#thread").get_by_role("table")).to_be_visible()
        await picture(page, "phone-thread")

        assert await page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


async def test_settings_of_a_channel(inspector: Inspector, state: State) -> None:
    """`/inspect settings` opens a modal; once pastes are only answered on mention, a plain paste gets no reply."""
    async with at_the_demo(inspector, state) as (page, bot):
        await page.get_by_role("button", name="Settings", exact=True).click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Only where I am mentioned").check()
        await picture(page, "settings-light")
        await dialog.get_by_role("button", name="Save").click()
        await expect(page.get_by_text("Only visible to you")).to_be_visible()
        before = len(await bot.settled())
        await send(page, EXAMPLES["indexable"])
        await expect(page.locator("article").filter(has_text=EXAMPLES["indexable"])).to_be_visible()

        assert len(await bot.settled()) == before


async def test_the_lookup_form_and_home(inspector: Inspector, state: State) -> None:
    """A global shortcut opens the form; a wrong field is said under it; Home then lists the lookup."""
    async with at_the_demo(inspector, state) as (page, _):
        await page.locator("#composer-text").fill("/look")
        await page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Root hash").fill("many")
        await dialog.get_by_role("button", name="Look up").click()
        await expect(dialog.locator(".input-error")).to_be_visible()
        await picture(page, "form-light")
        await dialog.get_by_label("Root hash").fill("")
        await dialog.get_by_label("URL (optional)").fill(EXAMPLES["not found"])
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_text("HTTP 404").first).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)
        await page.get_by_role("button", name="Crawler Inspector", exact=True).click()
        await page.get_by_role("tab", name="Home").click()
        await expect(page.locator("#home")).to_contain_text(EXAMPLES["not found"])
        await picture(page, "home-light")


async def test_a_message_shortcut(inspector: Inspector) -> None:
    """The shortcut of a message answers the one who chose it, also where the app is not."""
    async with at_the_demo(inspector) as (page, bot):
        await bot.ws.post("C0OUTSIDE", f"see {EXAMPLES['spam']}")
        await page.get_by_role("button", name="outside").click()
        message = page.locator("article").filter(has_text="see ")
        await message.hover()
        await message.get_by_role("button", name="More actions").click()
        await page.get_by_role("menuitem", name="Inspect URLs in message").click()
        await expect(page.locator("article.ephemeral").filter(has_text="ml_spam_score=87")).to_be_visible()


async def test_a_link_gets_its_card(inspector: Inspector) -> None:
    """While it is written, and under the message."""
    async with at_the_demo(inspector) as (page, _):
        await page.locator("#composer-text").fill(f"https://{UNFURLED}/guide ")
        await expect(page.locator(".composer-preview")).to_contain_text("Indexable")
        await page.keyboard.press("Enter")
        await expect(page.locator("article .unfurl")).to_contain_text("Indexable")
        await picture(page, "unfurl-light")


def test_the_offered_follow_ups_are_commands() -> None:
    """Of the grammar's own names."""
    assert set(FOLLOW_UPS) <= {command.name for command in COMMANDS}


@pytest.mark.parametrize("prompt", MENU.prompts, ids=lambda prompt: prompt.title)
async def test_every_prompt_is_answered(inspector: Inspector, prompt: Any) -> None:
    """One click, one answer; nothing of a hostile title runs."""
    async with at_the_demo(inspector) as (page, bot):
        await page.get_by_role("button", name=prompt.title, exact=True).click()
        answer = page.locator("article.by-app, .thread-button, article .unfurl, dialog[open]").first
        await expect(answer).to_be_visible()
        await bot.settled()
