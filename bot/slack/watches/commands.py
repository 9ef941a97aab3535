"""The work behind the words: begin a watch, list watches, stop them. Raises InspectorError; `tasks` tells it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from bot.errors import BadInput, DeliveryFailed
from bot.inspection.indexes import Indexes
from bot.inspection.model import Lookup, Verdict
from bot.report.build import build_report
from bot.report.links import Links
from bot.report.model import Report
from bot.report.words import readable
from bot.slack import wording
from bot.slack.channel_settings import index_of_channel
from bot.slack.gateway import Gateway, Target
from bot.slack.memory import Memory
from bot.slack.watches import words
from bot.slack.watches.asked import Request, Verb, read_request, watchable
from bot.slack.watches.news import first_standing, watched_facts
from bot.slack.watches.words import Terms
from bot.slack.workspaces import current_workspace
from bot.state.records import Added, NewWatch, Watch
from bot.state.state import State

# What Slack says where nothing can be posted, now or later. https://docs.slack.dev/reference/methods/chat.postMessage
CLOSED = frozenset(
    {"not_in_channel", "channel_not_found", "is_archived", "account_inactive", "thread_not_found", "restricted_action"}
)
SPREAD = 0.1  # of the interval, either way, so that what began together does not stay together


def jittered(now: datetime, terms: Terms) -> datetime:
    """When the next check is due."""
    return now + terms.interval * random.uniform(1 - SPREAD, 1 + SPREAD)  # noqa: S311 - spreads load, guards nothing


def title_of(watch: Watch, indexes: Indexes) -> str:
    """The address of a watched page, as it can be shown; its key where that cannot be read any more."""
    with suppress(BadInput):
        return readable(indexes.of(watch.profile).read(watch.key).url or watch.key)
    return readable(watch.key)


def thread_of(watch: Watch) -> Target:
    """Where a watch tells what changes."""
    return Target(watch.channel, watch.user, thread_ts=watch.thread_ts or None)


class WatchCommands:
    """Each method is one thing that people ask of watches."""

    def __init__(self, indexes: Indexes, links: Links, gateway: Gateway, memory: Memory, terms: Terms) -> None:
        self._indexes = indexes
        self._links = links
        self._gateway = gateway
        self._memory = memory
        self._terms = terms

    async def asked(self, text: str, target: Target) -> None:
        """Do what was typed after `/inspect`, or said to the bot. Raises BadInput, StoreUnavailable, DeliveryFailed."""
        inspector = await index_of_channel(target.channel, self._indexes, self._memory)
        await self._do(read_request(text, inspector.read), target)

    async def in_thread(self, verb: Verb, page: Lookup | None, target: Target, *, until_indexed: bool) -> None:
        """Do what was said in a thread; without a page, STOP means every watch of the thread. Raises as `asked`."""
        if verb is Verb.STOP and page is None:
            await self._stop_thread(target)
        else:
            await self._do(Request(verb, page and watchable(page), until_indexed=until_indexed), target)

    async def stop_button(self, value: str, target: Target) -> None:
        """The button under a watch's message: for everyone who can see it. Raises as `asked`."""
        watch = await self._find(int(value)) if value.isdecimal() and len(value) < 10 else None
        if watch and watch.channel == target.channel and await self._ended(watch, target.user):
            return
        await self._gateway.answer(target, wording.words_message(words.NOT_WATCHED), everyone=False)

    async def _do(self, request: Request, target: Target) -> None:
        match request:
            case Request(Verb.WATCH, Lookup() as page):
                await self._begin(page, request.until_indexed, target)
            case Request(Verb.STOP, Lookup() as page):
                await self._stop(await self._state.watches.of_page(_team(), page.unparsed or "", page.index), target)
            case Request(Verb.STOP, None, int() as number):
                watch = await self._find(number)
                await self._stop([watch] if watch else [], target)
            case _:
                await self._list(target)

    async def _begin(self, page: Lookup, until_indexed: bool, target: Target) -> None:
        report = await self._report(page)
        if until_indexed and report.verdict is Verdict.INDEXABLE:
            await self._answer(words.INDEXED_ALREADY, target)
            return
        here = current_workspace()
        new = NewWatch(
            enterprise=here.enterprise,
            team=here.team,
            channel=target.channel,
            thread_ts=target.thread_ts or "",
            user=target.user,
            key=page.unparsed or "",
            standing=first_standing(watched_facts(report)).encode(),
            until_indexed=until_indexed,
            shard=report.subject.shard,
            profile=page.index,
        )
        await self._announce(await self._kept(new), report)

    async def _kept(self, new: NewWatch) -> Watch:
        """The watch, in the database. One that never got as far as its message is taken up again by its owner."""
        terms = self._terms
        outcome, watch = await self._state.watches.add(
            new, jittered(self._state.clock(), terms), per_user=terms.per_user, per_channel=terms.per_channel
        )
        if watch is None:
            full = {Added.USER_FULL: words.user_is_full, Added.CHANNEL_FULL: words.channel_is_full}[outcome]
            raise BadInput(full(terms))
        if outcome is Added.EXISTS and (watch.thread_ts or watch.user != new.user):
            raise BadInput(words.watched_already(watch))
        return watch

    async def _announce(self, watch: Watch, report: Report) -> None:
        """Say that it is watched. What cannot be told where it was asked for is not watched."""
        try:
            ts = await self._gateway.answer(thread_of(watch), words.watching_message(report, watch, self._terms))
        except DeliveryFailed as failure:
            await self._state.watches.end(watch.number)
            if failure.error in CLOSED:
                raise BadInput(words.NOT_HERE) from failure
            raise
        if not watch.thread_ts and ts:
            await self._state.watches.placed(watch.number, ts)

    async def _list(self, target: Target) -> None:
        """To the asker all that is theirs or the channel's; where others read too, the channel's alone."""
        found = await self._state.watches.near(_team(), target.channel, target.user)
        private = target.response_url is not None or target.channel.startswith("D")
        shown = [watch for watch in found if private or watch.channel == target.channel]
        titled = [(watch, title_of(watch, self._indexes)) for watch in shown]
        await self._gateway.answer(target, words.list_message(titled, target.user), everyone=not target.response_url)

    async def _stop(self, found: Sequence[Watch], target: Target) -> None:
        """Stop those that are the user's own, or told in this channel."""
        theirs = [watch for watch in found if watch.user == target.user or watch.channel == target.channel]
        stopped = [watch for watch in theirs if await self._ended(watch, target.user)]
        if stopped and all(replace(thread_of(watch), user=target.user) == target for watch in stopped):
            return  # said in this very thread
        await self._answer(words.stopped_sentence([title_of(watch, self._indexes) for watch in stopped]), target)

    async def _stop_thread(self, target: Target) -> None:
        found = await self._state.watches.in_thread(_team(), target.channel, target.thread_ts or "")
        if not found:
            await self._gateway.answer(target, wording.words_message(words.NONE_IN_THREAD), everyone=False)
        for watch in found:
            await self._ended(watch, target.user)

    async def _ended(self, watch: Watch, user: str) -> bool:
        """End it and say so in its thread; False where it had ended."""
        if not await self._state.watches.end(watch.number):
            return False
        with suppress(DeliveryFailed):  # the gateway logged it; there is nothing more to be told there
            message = words.stopped_message(title_of(watch, self._indexes), user)
            await self._gateway.answer(thread_of(watch), message)
        return True

    async def _answer(self, sentence: str, target: Target) -> None:
        """To the asker alone where they typed a command, else where they wrote."""
        await self._gateway.answer(target, wording.words_message(sentence), everyone=not target.response_url)

    async def _find(self, number: int) -> Watch | None:
        return await self._state.watches.find(_team(), number)

    async def _report(self, page: Lookup) -> Report:
        inspector = self._indexes.of(page.index)
        return build_report(await inspector.inspect(page), inspector.profile, self._links)

    @property
    def _state(self) -> State:
        """Raises BadInput where nothing can be kept."""
        if self._memory.state is None:
            raise BadInput(words.NO_DATABASE)
        return self._memory.state


def _team() -> str:
    return current_workspace().team
