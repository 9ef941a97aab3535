"""Debian's chromium, driven by Playwright, and what must never happen in it."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, BrowserContext, Page, Request, async_playwright

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WATCH = """
window.happened = [];
for (const name of ["alert", "confirm", "prompt", "print", "open"])
  window[name] = (...values) => { window.happened.push(name + ": " + values.join(" ")); };
document.addEventListener("securitypolicyviolation", event =>
  window.happened.push("policy: " + event.violatedDirective + " " + event.blockedURI + " " + event.sample));
"""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A running browser."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


class Watched:
    """A page that keeps what went wrong in it: dialogs, requests to elsewhere, errors, forbidden loads."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.origin = origin
        self.faults: list[str] = []
        page.on("dialog", self._dialog)
        page.on("request", self._request)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("popup", lambda popup: self.faults.append(f"popup: {popup.url}"))

    @classmethod
    async def opened(cls, context: BrowserContext, origin: str) -> Watched:
        """A new page that is watched from its first script on."""
        page = await context.new_page()
        await page.add_init_script(WATCH)
        return cls(page, origin)

    async def visit(self, path: str) -> list[str]:
        """Open a page of ours; what went wrong in it."""
        self.faults.clear()
        await self.page.goto(self.origin + path, wait_until="load")
        self.faults += await self.page.evaluate("window.happened")
        if self.page.url.partition("#")[0] != self.origin + path.partition("#")[0]:
            self.faults.append(f"went to {self.page.url}")
        return list(self.faults)

    async def _dialog(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        await dialog.dismiss()

    def _request(self, request: Request) -> None:
        if not request.url.startswith(self.origin + "/"):
            self.faults.append(f"request: {request.url}")
