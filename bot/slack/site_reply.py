"""A whole site in one message, with its charts as a picture where Slack takes one."""

from __future__ import annotations

import asyncio
from datetime import datetime

from bot.errors import DeliveryFailed
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.inspection.site import inspect_site
from bot.render.chart import to_png
from bot.render.site_blocks import site_message
from bot.report.links import Links
from bot.report.site import SiteView, build_site
from bot.slack import wording
from bot.slack.gateway import Gateway, Target

FILE = "site.png"
LOOKS, SECONDS_APART = 6, 0.5  # at an uploaded picture, until Slack has processed it


class SiteReplies:
    """Answers `site example.com`."""

    def __init__(self, indexes: Indexes, links: Links, gateway: Gateway) -> None:
        self._indexes = indexes
        self._links = links
        self._gateway = gateway

    async def answer(
        self, inspector: Inspector, site: str, as_of: datetime | None, target: Target, *, everyone: bool
    ) -> None:
        """Count the site's pages and tell it. Raises BadUrl where no site is named, DeliveryFailed."""
        view = build_site(await inspect_site(inspector, site, as_of), self._links)
        picture = await self._picture(view)
        message = wording.of_index(site_message(view, picture), inspector.profile.name, self._indexes)
        await self._gateway.answer(target, message, everyone=everyone)

    async def _picture(self, view: SiteView) -> str | None:
        """The uploaded charts; None where there is nothing to draw, or Slack does not take it."""
        if not any(bar.pages for chart in view.charts for bar in chart.bars):
            return None
        drawn = await asyncio.to_thread(to_png, view.charts)
        try:
            return await self._processed(await self._gateway.upload(FILE, drawn))
        except DeliveryFailed:
            return None  # the gateway logged it

    async def _processed(self, file: str) -> str | None:
        """A message with a picture that Slack does not know yet is refused."""
        for look in range(LOOKS):
            if look:
                await asyncio.sleep(SECONDS_APART)
            if await self._gateway.is_processed(file):
                return file
        return None
