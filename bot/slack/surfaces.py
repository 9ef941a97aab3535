"""The work behind shortcuts, App Home, unfurls, files and channel settings. Raises InspectorError; `tasks` tells it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from bot.errors import BadInput, DeliveryFailed
from bot.inspection.pipeline import Inspector
from bot.inspection.pulse import IndexPulse
from bot.slack import wording
from bot.slack.asked import Asked, read_paste, read_urls
from bot.slack.channel_settings import TITLE as SETTINGS_TITLE
from bot.slack.channel_settings import Place, read_settings, saved_sentence, settings_view
from bot.slack.files import LARGEST, TextFile, urls_in
from bot.slack.gateway import Gateway, OpenView, Target
from bot.slack.home import home_view
from bot.slack.lookup_modal import TITLE as FORM_TITLE
from bot.slack.lookup_modal import Form, form_view, result_view
from bot.slack.memory import Memory
from bot.slack.replies import Replies
from bot.slack.unfurls import COMPOSER, card, place_of, shared_urls

Json = Mapping[str, Any]

# Slack shows the view of an acknowledgement only once it has read it; a views.update that overtakes it would be lost.
SETTLED_SECONDS = 0.5


class Surfaces:
    """Each method is one kind of work."""

    def __init__(self, inspector: Inspector, gateway: Gateway, replies: Replies, memory: Memory) -> None:
        self._inspector = inspector
        self._gateway = gateway
        self._replies = replies
        self._memory = memory
        self._pulse = IndexPulse(inspector)

    @property
    def profiles(self) -> Sequence[str]:
        """The crawl indexes that a channel may choose from, the default first."""
        return (self._inspector.profile.name,)

    async def inspect_message(self, message: Json, target: Target) -> None:
        """The URLs of a message, for the one who chose its shortcut. Raises BadInput where there are none."""
        asked = read_paste(message, self._inspector.read)
        if not asked.lookups:
            raise BadInput(wording.NO_URL_IN_MESSAGE)
        await self._replies.to_command(asked, target, everyone=False)

    async def to_files(self, files: Sequence[TextFile], urls: Sequence[str], target: Target) -> None:
        """The URLs of a message and of its files, in one answer."""
        contents = [await self._gateway.download(file.url, LARGEST) for file in files]
        asked = await asyncio.to_thread(self._asked, urls, contents)  # megabytes take a second
        if not asked.lookups:
            names = ", ".join(file.name for file in files)
            raise BadInput(f"Read {names} and found no URL. A file holds one URL a line, or a column of them.")
        await self._replies.to_mention(asked, target)

    def _asked(self, urls: Sequence[str], contents: Sequence[bytes]) -> Asked:
        found = [*urls, *(url for content in contents for url in urls_in(content))]
        return read_urls([*dict.fromkeys(found)], self._inspector.read)

    # the form for one page

    async def open_form(self, trigger_id: str) -> None:
        """The empty form: it needs nothing that could be waited for."""
        await self._gateway.open_view(trigger_id, form_view())

    async def look_up(self, form: Form, view_id: str, user: str, response_urls: Sequence[Json]) -> None:
        """Show the answer in the form's place, and post it where the form says."""

        async def content() -> Json:
            try:
                return await self._looked_up(form, user, response_urls)
            finally:
                await asyncio.sleep(SETTLED_SECONDS)

        await self._replies.fill(OpenView(view_id, ""), FORM_TITLE, content)

    async def _looked_up(self, form: Form, user: str, response_urls: Sequence[Json]) -> Json:
        report = await self._replies.report(form.lookup, form.as_of)
        await self._memory.looked_up(user, [report])
        for place in response_urls:
            target = Target(str(place.get("channel_id")), user, response_url=place.get("response_url"))
            await self._gateway.answer(target, self._replies.summary(report))
        return result_view(report, posted=bool(response_urls))

    # Home

    async def show_home(self, user: str) -> None:
        """The user's Home, as things are now."""
        recent, pulse = await asyncio.gather(self._memory.last(user), self._pulse.feel())
        await self._gateway.publish_home(user, home_view(recent, pulse, self._inspector.now()))

    # links that others shared

    async def unfurl(self, event: Json) -> None:
        """Cards under the links of an event. What cannot be is logged: nobody asked."""
        cards = {}
        for written, meant in shared_urls(event).items():
            asked = read_urls([meant], self._inspector.read)
            for lookup in asked.lookups:
                cards[written] = card(await self._replies.report(lookup), clickable=event.get("source") != COMPOSER)
        if not cards:
            return
        try:
            await self._gateway.unfurl(place_of(event), cards)
        except DeliveryFailed:
            return  # the gateway logged it

    # settings

    async def open_settings(self, trigger_id: str, place: Place) -> None:
        """How the bot behaves in the channel, to be changed."""
        shown = await self._gateway.open_view(trigger_id, wording.waiting_view(SETTINGS_TITLE))
        settings = await self._memory.channel(place.channel)
        await self._gateway.update_view(shown, settings_view(settings, place, self.profiles))

    async def save_settings(self, view: Json, user: str) -> None:
        """From now on it behaves so; told to the one who saved it."""
        place = Place.decode(str(view.get("private_metadata") or ""))
        settings = read_settings(view, self.profiles)
        await self._memory.set_channel(place.channel, settings, user)
        target = Target(place.channel, user, response_url=place.response_url)
        await self._gateway.answer(target, wording.words_message(saved_sentence(settings)), everyone=False)
