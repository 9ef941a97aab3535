"""The work behind shortcuts, App Home, unfurls, files and channel settings. Raises InspectorError; `tasks` tells it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from bot.errors import BadInput, DeliveryFailed
from bot.inspection.indexes import Indexes
from bot.inspection.pulse import IndexPulse
from bot.report.model import Report
from bot.report.subject import payload
from bot.slack import wording
from bot.slack.asked import Asked, Read, read_paste, read_urls
from bot.slack.channel_settings import TITLE as SETTINGS_TITLE
from bot.slack.channel_settings import Place, index_of_channel, read_settings, saved_sentence, settings_view
from bot.slack.files import LARGEST, TextFile, urls_in
from bot.slack.gateway import Gateway, OpenView, Target
from bot.slack.home import home_view
from bot.slack.lookup_modal import TITLE as FORM_TITLE
from bot.slack.lookup_modal import Form, form_view, result_view
from bot.slack.memory import Memory
from bot.slack.replies import Replies
from bot.slack.unfurls import (
    card,
    gets_thread_answer,
    place_of,
    shared_urls,
    stands_in_message,
    told_of_message,
)
from bot.state.records import Answerer, PasteMode

Json = Mapping[str, Any]

# Slack shows the view of an acknowledgement only once it has read it; a views.update that overtakes it would be lost.
SETTLED_SECONDS = 0.5
LOOKS, SECONDS_APART = 15, 0.1  # at whether the message of a card is a question: its own event comes about now


class Surfaces:
    """Each method is one kind of work."""

    def __init__(
        self, indexes: Indexes, gateway: Gateway, replies: Replies, memory: Memory, unfurl_domains: Sequence[str]
    ) -> None:
        self._unfurl_domains = unfurl_domains
        self._indexes = indexes
        self._gateway = gateway
        self._replies = replies
        self._memory = memory
        self._pulses = {inspector.profile.name: IndexPulse(inspector) for inspector in indexes}

    async def inspect_message(self, message: Json, target: Target) -> None:
        """The URLs of a message, for the one who chose its shortcut. Raises BadInput where there are none."""
        inspector = await index_of_channel(target.channel, self._indexes, self._memory)
        asked = read_paste(message, inspector.read)
        if not asked.lookups:
            raise BadInput(wording.NO_URL_IN_MESSAGE)
        await self._replies.to_command(asked, target, everyone=False)

    async def to_files(self, files: Sequence[TextFile], urls: Sequence[str], target: Target, ts: str) -> None:
        """The URLs of the message `ts` and of its files, in one answer."""
        read = (await index_of_channel(target.channel, self._indexes, self._memory)).read
        contents = [await self._gateway.download(file.url, LARGEST) for file in files]
        asked = await asyncio.to_thread(_asked, urls, contents, read)  # megabytes take a second
        if not asked.lookups:
            names = ", ".join(file.name for file in files)
            raise BadInput(f"Read {names} and found no URL. A file holds one URL a line, or a column of them.")
        await self._replies.to_mention(asked, target, ts)

    # the form for one page

    async def open_form(self, trigger_id: str) -> None:
        """The empty form: it needs nothing that could be waited for."""
        await self._gateway.open_view(trigger_id, form_view(self._indexes.names))

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
        feeling = asyncio.gather(*(pulse.feel() for pulse in self._pulses.values()))
        recent, felt = await asyncio.gather(self._memory.last(user), feeling)
        pulses = dict(zip(self._pulses, felt, strict=True))
        await self._gateway.publish_home(user, home_view(recent, pulses, self._indexes.default.now()))

    # links that others shared

    async def unfurl(self, event: Json) -> None:
        """Cards under the links of an event that no thread answers. What cannot be is logged: nobody asked."""
        channel, sent = str(event.get("channel")), stands_in_message(event)
        if sent and not await self._may_answer(channel, event.get("thread_ts")):
            return
        inspector = await index_of_channel(channel, self._indexes, self._memory)
        read = {written: read_urls([meant], inspector.read).lookups for written, meant in shared_urls(event).items()}
        shared = {
            written: lookups[0]
            for written, lookups in read.items()
            if lookups and not gets_thread_answer(event, lookups[0].url or "", self._unfurl_domains)
        }
        if not shared or not await self._is_left_to_cards(event):
            return
        reports = {written: await self._replies.report(lookup) for written, lookup in shared.items()}
        try:
            cards = {written: card(report, clickable=sent) for written, report in reports.items()}
            await self._gateway.unfurl(place_of(event), cards)
        except DeliveryFailed:  # the gateway logged it
            await self._instead_of_cards(Asked(tuple(shared.values())), event)
        else:
            await self._remember_cards([*reports.values()], event)

    async def _may_answer(self, channel: str, thread_ts: str | None) -> bool:
        """Not where the channel wants pasted URLs left alone, nor in a thread of ours, where a URL is a question."""
        if (await self._memory.channel(channel)).paste is not PasteMode.ALWAYS:
            return False
        return thread_ts is None or not await self._memory.knows_thread(channel, thread_ts)

    async def _is_left_to_cards(self, event: Json) -> bool:
        """Not where the message asks the bot, which its own event tells: wait a moment for what comes of that."""
        if not told_of_message(event):
            return True
        place = str(event.get("channel")), str(event.get("message_ts"))
        for _ in range(LOOKS):
            if await self._memory.answerer(*place):
                break
            await asyncio.sleep(SECONDS_APART)
        return await self._memory.claim(*place, Answerer.CARD) is Answerer.CARD

    async def _instead_of_cards(self, asked: Asked, event: Json) -> None:
        if told_of_message(event):
            target = Target(
                str(event["channel"]), str(event["user"]), thread_ts=event.get("thread_ts") or event["message_ts"]
            )
            await self._replies.to_paste(asked, target)

    async def _remember_cards(self, reports: Sequence[Report], event: Json) -> None:
        """They are lookups as any other; a message with one of them begins a thread about it."""
        if not stands_in_message(event):
            return
        await self._memory.looked_up(str(event["user"]), reports)
        if len(reports) == 1 and not event.get("thread_ts"):
            subject = payload(reports[0].subject)
            await self._memory.begin_thread(str(event["channel"]), str(event["message_ts"]), subject)

    # settings

    async def open_settings(self, trigger_id: str, place: Place) -> None:
        """How the bot behaves in the channel, to be changed."""
        shown = await self._gateway.open_view(trigger_id, wording.waiting_view(SETTINGS_TITLE))
        settings = await self._memory.channel(place.channel)
        await self._gateway.update_view(shown, settings_view(settings, place, self._indexes.names))

    async def save_settings(self, view: Json, user: str) -> None:
        """From now on it behaves so; told to the one who saved it."""
        place = Place.decode(str(view.get("private_metadata") or ""))
        settings = read_settings(view, self._indexes.names)
        await self._memory.set_channel(place.channel, settings, user)
        target = Target(place.channel, user, response_url=place.response_url)
        await self._gateway.answer(target, wording.words_message(saved_sentence(settings)), everyone=False)


def _asked(urls: Sequence[str], contents: Sequence[bytes], read: Read) -> Asked:
    found = [*urls, *(url for content in contents for url in urls_in(content))]
    return read_urls([*dict.fromkeys(found)], read)
