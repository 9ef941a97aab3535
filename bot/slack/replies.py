"""The work behind the listeners: inspect, and answer in the right form. Raises InspectorError; `tasks` tells it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from bot.errors import BadInput, BadKey, DeliveryFailed, InspectorError
from bot.inspection.bulk import inspect_many
from bot.inspection.indexes import Indexes
from bot.inspection.model import Inspection, Lookup
from bot.render.blocks import compact_message, many_message, summary_message
from bot.render.elements import context
from bot.render.raw import text_view
from bot.report.build import build_report
from bot.report.links import Links
from bot.report.model import Report
from bot.report.subject import Subject, decode, encode
from bot.slack import wording
from bot.slack.asked import Asked
from bot.slack.changes import change_sentence, facts_of, noted, remembered, remembering
from bot.slack.channel_settings import index_of_channel
from bot.slack.followups.other_pages import field_of
from bot.slack.gateway import Gateway, OpenView, Target, View
from bot.slack.lists import FEW, SECONDS_APART, Lists
from bot.slack.memory import Memory
from bot.slack.repeats import Repeat, repeats_block, repeats_message
from bot.slack.site_reply import SiteReplies
from bot.slack.tasks import Tasks
from bot.slack.unfurls import without_cards
from bot.state.records import Answerer, PasteMode, Visibility

PAGE_DIGITS = 9  # of a page's number; Python reads no number of more than 4,300
PATIENCE = 1.5  # seconds before a command's asker is told that it takes longer

Content = Callable[[], Awaitable[View]]  # of a modal
Form = Callable[[Report], dict[str, Any]]  # how an answer about one lookup looks


@dataclass(frozen=True, slots=True)
class TextPage:
    """One page of a heavy text, as a modal keeps it in its private_metadata."""

    subject: Subject
    field_id: str
    channel: str = ""  # of the message whose button opened it; "" where there is none, as in Home
    thread_ts: str | None = None

    def encode(self) -> str:
        """For private_metadata, at most 3,000 characters: a subject takes 2,000."""
        place = {"channel": self.channel, "thread": self.thread_ts}
        return json.dumps({"subject": encode(self.subject), "field": self.field_id, **place})

    @classmethod
    def decode(cls, state: str) -> TextPage:
        """Raises BadKey where a modal holds no such thing."""
        try:
            parts = json.loads(state)
            channel, thread = parts.get("channel", ""), parts.get("thread")
            if not (isinstance(channel, str) and isinstance(thread, str | None)):
                raise TypeError("a place is text")
            return cls(decode(parts["subject"]), str(parts["field"]), channel, thread)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise BadKey("This window no longer says which text it shows; open it again.") from error


def _page_number(value: str) -> int:
    """Of a button's value, which may have been altered: then the first."""
    return int(value) if value.isdecimal() and len(value) <= PAGE_DIGITS else 1


def _answer_key(lookup: Lookup) -> str:
    """What an answer is found again by: the page, in its index."""
    return f"{lookup.index} {lookup.unparsed}"


class Replies:
    """Answers requests. Each method is one kind of work, and sends one answer."""

    def __init__(
        self,
        indexes: Indexes,
        links: Links,
        gateway: Gateway,
        tasks: Tasks,
        *,
        patience: float = PATIENCE,
        memory: Memory | None = None,
        unfurl_domains: Sequence[str] = (),
    ) -> None:
        self._unfurl_domains = unfurl_domains
        self._indexes = indexes
        self._links = links
        self._gateway = gateway
        self._tasks = tasks
        self._patience = patience
        self._memory = memory or Memory()
        self._lists = Lists(indexes, links, gateway, tasks, self._memory, seconds_apart=SECONDS_APART)
        self._sites = SiteReplies(indexes, links, gateway)

    async def to_command(self, asked: Asked, target: Target, *, everyone: bool | None = None) -> None:
        """Answer `/inspect`: to everyone, or to its asker, who may share it. None: as the channel is set."""
        if asked.wants_help:
            await self._gateway.answer(target, wording.help_message(), everyone=False)
            return
        if everyone is None:
            everyone = (await self._memory.channel(target.channel)).visibility is Visibility.CHANNEL
        if len(asked.lookups) > FEW:
            self._lists.start(asked, target, everyone=everyone)
            return
        with self._saying_that_it_takes_long(target):
            if asked.site:
                await self._site(asked.site, asked.as_of, target, everyone=everyone)
                return
            reports = await self._reports(asked.lookups, asked.as_of)
        await self._send(target, asked, reports, partial(self.summary, share=not everyone), everyone=everyone)

    async def to_mention(self, asked: Asked, target: Target, ts: str) -> None:
        """Answer the message `ts`, which is to the bot, in its thread; cards are left out then (`unfurls`).

        Raises BadInput where the channel wants commands only.
        """
        if asked.wants_help:
            await self._gateway.answer(target, wording.help_message())
            return
        if (await self._memory.channel(target.channel)).paste is PasteMode.NEVER:
            raise BadInput(wording.ONLY_COMMANDS)
        asked = await self._beside_cards(asked, target.channel, ts, Answerer.THREAD)
        if asked.site:
            await self._site(asked.site, asked.as_of, target, everyone=True)
        elif len(asked.lookups) > FEW:
            self._lists.start(asked, target, everyone=True)
        elif asked.lookups:
            await self._send(target, asked, await self._reports(asked.lookups, asked.as_of), self.summary)

    async def to_paste(self, asked: Asked, target: Target, ts: str | None = None) -> None:
        """Answer pasted URLs shortly, in the message's thread; by a link where they were answered a short while ago.

        Those of the message `ts` that get a card are left to it; without one, all are answered here.
        """
        if (await self._memory.channel(target.channel)).paste is not PasteMode.ALWAYS:
            return
        asked = await self._beside_cards(asked, target.channel, ts, Answerer.CARD) if ts else asked
        if not asked.lookups:
            return
        if len(asked.lookups) > FEW:
            self._lists.start(asked, target, everyone=True)
            return
        repeats = await self._answered_already(asked, target.channel)
        new = replace(asked, lookups=tuple(lookup for lookup in asked.lookups if lookup not in repeats))
        if not new.lookups:
            await self._gateway.answer(target, repeats_message([*repeats.values()]))
            return
        await self._send(target, new, await self._reports(new.lookups, None), self._compact, [*repeats.values()])

    async def _beside_cards(self, asked: Asked, channel: str, ts: str, by: Answerer) -> Asked:
        """What of the message `ts` is left to its thread once its links are claimed for `by`, or were for the other.

        A card shows no site, and nothing of the past.
        """
        rest = without_cards(asked, self._unfurl_domains)
        if not self._unfurl_domains or (by is Answerer.CARD and rest == asked):
            return asked
        won = await self._memory.claim(channel, ts, by)
        shown = won is Answerer.CARD and not asked.site and not asked.as_of
        return rest if shown else asked

    async def _site(self, site: str, as_of: datetime | None, target: Target, *, everyone: bool) -> None:
        inspector = await index_of_channel(target.channel, self._indexes, self._memory)
        await self._sites.answer(inspector, site, as_of, target, everyone=everyone)

    async def cancel_list(self, list_id: str, target: Target) -> None:
        """Look up no more of a list, where its asker wants it so."""
        await self._lists.cancel(list_id, target)

    async def recheck(self, value: str, target: Target) -> None:
        """Look again, put the answer in the place of the old one, and say what changed."""
        report = await self._again(decode(value))
        sentence = change_sentence(remembered(value), facts_of(report))
        await self._gateway.replace(target, noted(self.summary(report), sentence))

    async def in_full(self, value: str, target: Target) -> None:
        """The whole answer, in the thread of the short one."""
        await self._gateway.answer(target, self.summary(await self._again(decode(value))))

    async def raw(self, value: str, trigger_id: str) -> None:
        """Every query and response, in a modal."""

        async def content() -> View:
            return wording.raw_view(await self._again(decode(value)))

        await self._in_modal(trigger_id, wording.RAW_TITLE, content)

    async def text(self, value: str, trigger_id: str, target: Target) -> None:
        """The first page of the page's text, in a modal."""

        async def content() -> View:
            return await self._first_text(decode(value), field_of(value), target)

        await self._in_modal(trigger_id, wording.TEXT_TITLE, content)

    async def turn(self, shown: OpenView, state: str, number: str) -> None:
        """Another page of the text that a modal shows."""

        async def content() -> View:
            page = TextPage.decode(state)
            text = await self._text_of(page)
            return self._text_view(page, text, _page_number(number))

        await self.fill(shown, wording.TEXT_TITLE, content)

    async def text_file(self, shown: OpenView, state: str, number: str, user: str) -> None:
        """The whole of the text that a modal shows, as a file into the thread of its message."""

        async def content() -> View:
            page = TextPage.decode(state)
            text = await self._text_of(page) or ""
            try:
                name = f"{page.field_id}.{'md' if 'markdown' in page.field_id else 'txt'}"
                target = Target(page.channel, user, page.thread_ts)
                await self._gateway.upload(name, text.encode("utf-8", "replace"), target)
                note = wording.FILE_SENT
            except DeliveryFailed as failure:
                note = wording.file_refused(failure.error)
            return self._text_view(page, text, _page_number(number), note)

        await self.fill(shown, wording.TEXT_TITLE, content)

    def summary(self, report: Report, *, share: bool = False) -> dict[str, Any]:
        """The whole answer, which a recheck can compare with a later one."""
        message = remembering(summary_message(report, share=share), facts_of(report))
        return wording.of_index(message, report.subject.index, self._indexes)

    def _compact(self, report: Report) -> dict[str, Any]:
        return wording.of_index(compact_message(report), report.subject.index, self._indexes)

    def _many(self, reports: Sequence[Report]) -> dict[str, Any]:
        return wording.of_index(many_message(reports), reports[0].subject.index, self._indexes)

    async def _send(
        self,
        target: Target,
        asked: Asked,
        reports: Sequence[Report],
        form: Form,
        repeats: Sequence[Repeat] = (),
        *,
        everyone: bool = True,
    ) -> None:
        """Send one report in `form`, several in one table; remember who asked, and which message answered what."""
        answer = form(reports[0]) if len(reports) == 1 and not asked.left_out else self._many(reports)
        if asked.left_out:
            answer["blocks"].append(context(wording.left_out_sentence(len(asked.lookups), asked.left_out)))
        if repeats:
            answer["blocks"].append(repeats_block(repeats))
        ts = await self._gateway.answer(target, answer, everyone=everyone)
        await self._memory.looked_up(target.user, reports)
        if asked.as_of is None:
            keys = [_answer_key(lookup) for lookup in asked.lookups if lookup.unparsed]
            await self._memory.answered(target.channel, ts, keys)

    async def _answered_already(self, asked: Asked, channel: str) -> dict[Lookup, Repeat]:
        """The lookups that were answered in the channel a short while ago, and where."""
        repeats = {}
        for lookup in asked.lookups:
            answer = await self._memory.answer_of(channel, _answer_key(lookup)) if lookup.unparsed else None
            if answer is None:
                continue
            try:
                repeats[lookup] = Repeat(
                    lookup.url or lookup.text, await self._gateway.permalink(channel, answer.message_ts)
                )
            except DeliveryFailed:  # somebody deleted it
                await self._memory.forget_answer(channel, answer.message_ts)
        return repeats

    async def _reports(self, lookups: Sequence[Lookup], as_of: datetime | None) -> list[Report]:
        """One lookup step by step; several with one query for each server."""
        if len(lookups) == 1:
            return [await self.report(lookups[0], as_of)]
        inspector = self._indexes.of(lookups[0].index)
        async with aclosing(inspect_many(inspector, lookups, as_of)) as found:
            return [self._report(item, as_of) async for item in found if isinstance(item, Inspection)]

    async def report(self, lookup: Lookup, as_of: datetime | None = None) -> Report:
        """One lookup, inspected now."""
        return self._report(await self._indexes.of(lookup.index).inspect(lookup, as_of), as_of)

    def _report(self, inspection: Inspection, as_of: datetime | None) -> Report:
        profile = self._indexes.of(inspection.lookup.index).profile
        return build_report(inspection, profile, self._links, replayed=as_of is not None)

    async def _again(self, subject: Subject) -> Report:
        return await self.report(self._lookup(subject), subject.as_of)

    def _lookup(self, subject: Subject) -> Lookup:
        return self._indexes.of(subject.index).read(subject.text, subject.shard)

    async def _text_of(self, page: TextPage) -> str | None:
        return await self._indexes.of(page.subject.index).heavy(self._lookup(page.subject), page.field_id)

    async def _first_text(self, subject: Subject, field_id: str | None, target: Target) -> View:
        """That heavy field, or the first one that holds anything."""
        lookup, inspector = self._lookup(subject), self._indexes.of(subject.index)
        wanted = [field for field in inspector.profile.heavy_fields if field_id in (None, field.id)]
        fields = wanted if lookup.unparsed else []
        for field in fields:
            text = await inspector.heavy(lookup, field.id)
            if text:
                channel = "" if target.channel == target.user else target.channel
                return self._text_view(TextPage(subject, field.id, channel, target.thread_ts), text, 1)
        return wording.sentence_view(wording.TEXT_TITLE, wording.NO_TEXT)

    def _text_view(self, page: TextPage, text: str | None, number: int, note: str = "") -> View:
        field = self._indexes.of(page.subject.index).profile.field(page.field_id)
        title = field.title if field else wording.TEXT_TITLE
        lookup = self._lookup(page.subject)
        about, content = lookup.url or page.subject.text, text or ""
        return text_view(title, about, content, number, page.encode(), note=note, fileable=bool(page.channel))

    async def _in_modal(self, trigger_id: str, title: str, content: Content) -> None:
        """Open a waiting modal first: the trigger lives 3 seconds, and a query may take longer."""
        await self.fill(await self._gateway.open_view(trigger_id, wording.waiting_view(title)), title, content)

    async def fill(self, shown: OpenView, title: str, content: Content) -> None:
        """Put the content into an open modal; whatever goes wrong, the modal does not stay as it is."""
        try:
            view = await content()
        except InspectorError as error:
            view = wording.sentence_view(title, str(error))
        except Exception:
            await self._gateway.update_view(shown, wording.sentence_view(title, wording.BROKEN))
            raise
        await self._gateway.update_view(shown, view)

    @contextmanager
    def _saying_that_it_takes_long(self, target: Target) -> Iterator[None]:
        answered = asyncio.Event()

        async def say() -> None:
            if not answered.is_set():
                await self._gateway.answer(target, wording.words_message(wording.WAITING), everyone=False)

        async def nobody(_sentence: str) -> None:
            """A note that cannot be delivered is not told of."""

        loop = asyncio.get_running_loop()
        timer = loop.call_later(self._patience, lambda: self._tasks.start(say(), nobody))
        try:
            yield
        finally:
            timer.cancel()
            answered.set()
