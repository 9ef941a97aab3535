"""Messages in threads: is this one of ours, what is asked, and the answer, in the thread."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol

from bot.errors import BadInput, DeliveryFailed
from bot.inspection.heavy import HeavyText
from bot.inspection.indexes import Indexes
from bot.inspection.model import Lookup
from bot.policy import Policy
from bot.report.build import build_report
from bot.report.links import Links
from bot.report.subject import Subject
from bot.slack.admission import check_raw
from bot.slack.asked import read_message
from bot.slack.changes import change_sentence, facts_of, noted
from bot.slack.followups import talk
from bot.slack.followups.answers import Found, answer, sentence_answer
from bot.slack.followups.grammar import AS_OF, HELP, INSPECT, UNWATCH, WATCH_UNTIL, WATCHES, Needs
from bot.slack.followups.other_pages import (
    PART_BYTES,
    compare_answer,
    heavy_answer,
    heavy_field,
    no_target_sentence,
    target_of,
)
from bot.slack.followups.reading import RECHECK, Followup, Unclear, read_followup
from bot.slack.followups.subjects import GONE, Known, NoSubject, RootGone, Subjects
from bot.slack.followups.whole import refused_answer, sent_answer, whole
from bot.slack.gateway import Gateway, Target
from bot.slack.replies import Replies
from bot.slack.watches.asked import Verb
from bot.slack.watches.commands import WatchCommands

Json = Mapping[str, Any]
Work = Coroutine[Any, Any, None]
Read = Followup | Unclear | BadInput | None
NO_SUCH_TEXT = "This index stores no such text of a page."
NO_TEXT = "No such text is stored for this page."


class ThreadLinks(Links, Protocol):
    """The links of answers in a thread."""

    def compare(self, subject: Subject, other: Subject | None = None) -> str | None:
        """The page of two inspections side by side."""


class Conversation:
    """Answers what is said in the threads of inspections, and leaves every other thread alone."""

    def __init__(
        self,
        indexes: Indexes,
        links: ThreadLinks,
        gateway: Gateway,
        replies: Replies,
        subjects: Subjects,
        watches: WatchCommands,
        policy: Policy,
    ) -> None:
        self._indexes = indexes
        self._links = links
        self._gateway = gateway
        self._replies = replies
        self._subjects = subjects
        self._watches = watches
        self._policy = policy

    async def heard(self, event: Json, target: Target, bot_user: str | None, *, to_us: bool) -> Work | None:
        """What a message in a thread asks for; None where it is to be read as a message anywhere else.

        Raises BadInput with what is missing in a message that is to us.
        """
        read = _read(str(event.get("text") or ""), bot_user)
        ours = to_us or (bot_user is not None and event.get("parent_user_id") == bot_user)
        command = isinstance(read, Followup) and not _is_address(read)
        try:
            thread_ts = target.thread_ts or ""
            known = await self._subjects.find(target.channel, thread_ts, bot_user, ask_slack=ours or command)
        except RootGone:
            if to_us and command:
                raise BadInput(talk.ROOT_GONE) from None
            return None
        except NoSubject:
            return None if read is None or _is_address(read) else self._foreign(read, target)
        if known:
            return self._in_thread(read, known, event, target, bot_user, to_us=to_us)
        return self._foreign(read, target) if ours and command else None

    async def _foreign(self, read: Read, target: Target) -> None:
        """A command in a thread that is about no page: help is given, and what needs no page or names one."""
        if isinstance(read, Followup) and read.command.needs is Needs.WATCH:
            await self._watch(read, None, target)
            return
        if not (isinstance(read, Followup) and read.command.name == HELP):
            raise BadInput(talk.NO_SUBJECT)
        await self._gateway.answer(target, talk.help_answer())

    async def _in_thread(
        self, read: Read, known: Known, event: Json, target: Target, bot_user: str | None, *, to_us: bool
    ) -> None:
        match read:
            case BadInput():
                raise read
            case Unclear():
                await self._gateway.answer(target, talk.unclear_answer(read), everyone=False)
            case Followup() if _is_address(read):
                inspector = self._indexes.of(known.subject.index)
                asked = read_message(event, bot_user, inspector.read)
                await self._replies.to_mention(asked, target, event["ts"])
            case Followup():
                await self._told(read, known, target)
            case None if to_us and not _said(event, bot_user):
                await self._gateway.answer(target, talk.help_answer())

    async def _told(self, followup: Followup, known: Known, target: Target) -> None:
        """Answer in the thread; where Slack has the thread no more, say so beside it."""
        try:
            await self._follow(followup, known, target)
        except DeliveryFailed as failure:
            if failure.error not in GONE:
                raise
            beside = replace(target, thread_ts=None)
            await self._gateway.answer(beside, talk.sentence(talk.ROOT_GONE), everyone=False)

    async def _follow(self, followup: Followup, known: Known, target: Target) -> None:
        """The answer to one command."""
        name, needs = followup.command.name, followup.command.needs
        if followup.command.raw:
            check_raw(self._policy, target.user, target.channel)
        subject = replace(known.subject, as_of=followup.as_of or known.subject.as_of)
        if name == HELP:
            await self._gateway.answer(target, talk.help_answer())
        elif name == RECHECK:
            await self._recheck(replace(subject, as_of=None), known, target)
        elif name == AS_OF:
            await self._inspect(self._lookup(subject), subject.as_of, target)
        elif needs is Needs.WATCH:
            await self._watch(followup, subject, target)
        elif needs is Needs.HEAVY:
            await self._heavy(name, subject, target)
        elif name == "compare":
            await self._compare(followup, subject, target)
        elif needs is Needs.OTHER:
            await self._target(name, subject, target)
        else:
            await self._shown(followup, await self._found(subject), target)

    async def _shown(self, followup: Followup, found: Found, target: Target) -> None:
        """The answer; what a message has no room for goes into the thread as a file before it."""
        shown = answer(followup, found)
        if file := whole(followup, found, shown):
            try:
                await self._gateway.upload(file.name, file.text.encode("utf-8", "replace"), target)
                shown = sent_answer(followup, found, file)
            except DeliveryFailed as failure:
                if failure.error in GONE:
                    raise
                shown = refused_answer(followup, found, file, shown, failure.error)
        await self._gateway.answer(target, shown)

    async def _watch(self, followup: Followup, subject: Subject | None, target: Target) -> None:
        """Watch the page that is named or that the thread is about. Raises BadInput where there is none."""
        name = followup.command.name
        verb = {UNWATCH: Verb.STOP, WATCHES: Verb.LIST}.get(name, Verb.WATCH)
        page = (
            self._indexes.of(subject.index if subject else None).read(followup.argument) if followup.argument else None
        )
        if verb is Verb.WATCH and page is None:
            if subject is None:
                raise BadInput(talk.NO_SUBJECT)
            page = self._lookup(subject)
        await self._watches.in_thread(verb, page, target, until_indexed=name == WATCH_UNTIL)

    async def _recheck(self, subject: Subject, known: Known, target: Target) -> None:
        found = await self._found(subject)
        sentence = change_sentence(known.facts, facts_of(found.report))
        await self._gateway.answer(target, noted(self._replies.summary(found.report), sentence))

    async def _heavy(self, name: str, subject: Subject, target: Target) -> None:
        """The first part of a heavy column, in two queries that never read the whole."""
        found = await self._found(subject)
        field, lookup = heavy_field(found.profile, name), found.inspection.lookup
        if field is None or lookup.unparsed is None or not found.inspection.crawled:
            sentence = NO_SUCH_TEXT if field is None else found.report.summary
            await self._gateway.answer(target, sentence_answer(found.report, sentence))
            return
        text = self._indexes.of(lookup.index).heavy_text(lookup, field.id)
        head = await text.head()
        if head is None or not head.size:
            await self._gateway.answer(target, sentence_answer(found.report, NO_TEXT))
            return
        url = self._links.heavy(found.inspection, field.id)
        await self._gateway.answer(target, heavy_answer(found.report, field, await _start(text), head.size, url))

    async def _compare(self, followup: Followup, subject: Subject, target: Target) -> None:
        other = self._indexes.of(subject.index).read(followup.argument)
        left, right = await asyncio.gather(self._found(subject), self._inspected(other, subject.as_of))
        url = self._links.compare(left.report.subject, right.report.subject)
        await self._gateway.answer(target, compare_answer(left.report, right.report, url))

    async def _target(self, name: str, subject: Subject, target: Target) -> None:
        """Inspect the page that this one leads to."""
        found = await self._found(subject)
        address = target_of(found.inspection, name)
        if address is None:
            sentence = no_target_sentence(found.inspection, name)
            await self._gateway.answer(target, sentence_answer(found.report, sentence))
            return
        await self._inspect(self._indexes.of(subject.index).read(address), subject.as_of, target)

    async def _inspect(self, lookup: Lookup, as_of: datetime | None, target: Target) -> None:
        found = await self._inspected(lookup, as_of)
        await self._gateway.answer(target, self._replies.summary(found.report))

    async def _found(self, subject: Subject) -> Found:
        return await self._inspected(self._lookup(subject), subject.as_of)

    async def _inspected(self, lookup: Lookup, as_of: datetime | None) -> Found:
        inspector = self._indexes.of(lookup.index)
        inspection = await inspector.inspect(lookup, as_of)
        report = build_report(inspection, inspector.profile, self._links, replayed=as_of is not None)
        return Found(inspection, report, inspector.profile, self._links)

    def _lookup(self, subject: Subject) -> Lookup:
        return self._indexes.of(subject.index).read(subject.text, subject.shard)


def _read(text: str, bot_user: str | None) -> Read:
    """What a message asks, or the sentence that says what it lacks: whose thread this is, is not known yet."""
    try:
        return read_followup(text, bot_user)
    except BadInput as lacking:
        return lacking


def _is_address(read: Read) -> bool:
    """Is this a page to inspect, which needs no subject?"""
    return isinstance(read, Followup) and read.command.name == INSPECT


def _said(event: Json, bot_user: str | None) -> str:
    return str(event.get("text") or "").replace(f"<@{bot_user}>", "").strip()


async def _start(text: HeavyText) -> str:
    """The first characters of a heavy column; the last one may have been cut, and is left out then."""
    return (await text.read(0, PART_BYTES)).decode("utf-8", "replace").rstrip("\ufffd")
