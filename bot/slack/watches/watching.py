"""The loop behind watches: what is due is claimed, inspected in one go, compared, and told where it changed.

A check has a number, and its message carries the watch's and the check's in its metadata. The message goes out first
and is written down then: a replica that dies between the two leaves the check to another, which begins it anew under
the same number once the lease has run out.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import timedelta

from bot import metrics
from bot.errors import BadInput, DeliveryFailed, IndexGone, InspectorError
from bot.index.profile import IndexProfile
from bot.inspection.bulk import inspect_many
from bot.inspection.indexes import Indexes
from bot.inspection.model import Inspection, Lookup, Verdict
from bot.report.build import build_report
from bot.report.links import Links
from bot.report.model import Report
from bot.slack import wording
from bot.slack.gateway import Gateway, Message, Target
from bot.slack.runs import Run, entered
from bot.slack.watches import words
from bot.slack.watches.commands import CLOSED, jittered, thread_of
from bot.slack.watches.news import News, Standing, watched_facts, weigh
from bot.slack.watches.words import Terms
from bot.slack.workspaces import Workspace, working_for
from bot.state.records import Watch
from bot.state.state import State
from bot.state.watches import Checked

log = logging.getLogger(__name__)

Place = tuple[str, str]  # enterprise, team
WorkspaceOf = Callable[[str, str], Awaitable[Workspace | None]]  # of a place; None where the app was removed

TICK = 15.0  # seconds between two looks for what is due
BATCH = 500  # checks that are claimed at once; they are asked with few queries for each server
A_DAY = 86_400.0  # seconds for which a check's message is looked for
AT_ONCE = 4  # messages that are on their way at once: few, as answers wait for their turn in the same channels
# After so long a message that Slack did not take is tried again, then after twice as long, at most so many times twice.
AGAIN, DOUBLINGS = timedelta(minutes=5), 8


@dataclass(frozen=True, slots=True)
class Found:
    """One check: the page as it is, what stands once it is told, and its news; `indexed` where that ends the watch."""

    watch: Watch
    report: Report
    standing: Standing
    news: News | None
    indexed: bool

    @property
    def message(self) -> Message | None:
        """What is to be told, if anything is."""
        if self.indexed:
            return words.last_word(self.report, self.watch)
        return words.news_message(self.report, self.watch, self.news) if self.news else None


class Watching:
    """Makes the checks that are due. Any number of replicas may do so over one database: each check is made once."""

    def __init__(
        self,
        state: State,
        indexes: Indexes,
        links: Links,
        gateway: Gateway,
        workspace_of: WorkspaceOf,
        terms: Terms,
    ) -> None:
        self._watches = state.watches
        self._clock = state.clock
        self._indexes = indexes
        self._links = links
        self._gateway = gateway
        self._workspace_of = workspace_of
        self._terms = terms
        self._stopping = asyncio.Event()
        self._places = asyncio.Semaphore(AT_ONCE)
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Look for what is due, from now on."""
        self._running = asyncio.create_task(self._run())

    async def stop(self, seconds: float) -> None:
        """Begin no more checks, and finish those that are under way within so many seconds."""
        self._stopping.set()
        if self._running:
            await asyncio.wait({self._running}, timeout=seconds)
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def turn(self) -> int:
        """Make the checks that are due now, one batch at most; how many. Raises InspectorError."""
        now, due = self._clock(), await self._watches.first_due()
        metrics.watch_lag(max(0.0, (now - due).total_seconds()) if due else 0.0)
        claimed = await self._watches.claim(BATCH) if due and due <= now else []
        workspaces = await self._workspaces(claimed)
        here = [watch for watch in claimed if workspaces[_place(watch)]]
        for gone in (watch for watch in claimed if not workspaces[_place(watch)]):
            await self._watches.end(gone.number)  # the app was removed from there: nobody can be told
        for profile in {watch.profile for watch in here}:
            await self._check([watch for watch in here if watch.profile == profile], workspaces)
        return len(claimed)

    async def _run(self) -> None:
        while not self._stopping.is_set():
            if not await self._turned():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), TICK)

    async def _turned(self) -> bool:
        """Was anything due? What fails is claimed by nobody else until its lease has run out."""
        try:
            return await self.turn() > 0
        except InspectorError as error:
            log.warning("watches were not checked: %s", error)
        except Exception:  # the last line of defence: nobody awaits this task, and it must not end
            log.exception("watches were not checked")
        return False

    async def _workspaces(self, claimed: Iterable[Watch]) -> Mapping[Place, Workspace | None]:
        return {place: await self._workspace_of(*place) for place in {_place(watch) for watch in claimed}}

    async def _check(self, claimed: Sequence[Watch], workspaces: Mapping[Place, Workspace | None]) -> None:
        """Inspect pages of one index, write down what is quiet, and tell the rest."""
        quiet: list[Checked] = []
        loud: list[tuple[Watch, Found | BadInput]] = []
        asked, watches = [_asked(watch, self._indexes) for watch in claimed], iter(claimed)
        # Where the index is gone there is nothing to look up, and any inspector hands that back.
        inspector = self._indexes.default if isinstance(asked[0], IndexGone) else self._indexes.of(claimed[0].profile)
        async with aclosing(inspect_many(inspector, asked)) as inspections:
            async for item in inspections:
                watch = next(watches)
                found = self._judged(watch, item, inspector.profile)
                if isinstance(found, Found) and found.message is None:
                    quiet.append(self._checked(found))
                elif found:
                    loud.append((watch, found))
        await self._watches.checked(quiet)
        metrics.watch_check("quiet", len(quiet))
        telling = (self._told(watch, found, workspaces[_place(watch)]) for watch, found in loud)
        for outcome in await asyncio.gather(*telling, return_exceptions=True):
            metrics.watch_check(outcome if isinstance(outcome, str) else "failed")
            if isinstance(outcome, BaseException):
                log.error("a watch was not told of: %s", outcome, exc_info=outcome)

    def _judged(self, watch: Watch, item: Inspection | BadInput, profile: IndexProfile) -> Found | BadInput | None:
        """None where our own code fails: logged, and tried again once the lease has run out. The others go on."""
        try:
            return item if isinstance(item, BadInput) else self._found(watch, item, profile)
        except Exception:
            metrics.watch_check("failed")
            log.exception("watch %d was not judged", watch.number)
            return None

    def _found(self, watch: Watch, inspection: Inspection, profile: IndexProfile) -> Found:
        report = build_report(inspection, profile, self._links)
        before = Standing.decode(watch.standing)
        standing, news = weigh(before, watched_facts(report), self._clock(), self._terms.interval)
        indexed = watch.until_indexed and inspection.verdict is Verdict.INDEXABLE
        return Found(watch, report, standing, news, indexed)

    def _checked(self, found: Found) -> Checked:
        return Checked(found.watch, found.standing.encode(), jittered(self._clock(), self._terms))

    async def _told(self, watch: Watch, found: Found | BadInput, workspace: Workspace | None) -> str:
        """Tell it and write it down; how that ended, for the metrics. Raises StoreUnavailable."""
        async with self._places:
            if workspace is None or not await self._watches.holds(watch):
                return "ended"  # somebody stopped it meanwhile, or another replica took it up
            with working_for(workspace):
                return await self._tell(watch, found)

    async def _tell(self, watch: Watch, found: Found | BadInput) -> str:
        message = wording.words_message(words.UNREADABLE) if isinstance(found, BadInput) else found.message
        try:
            await self._say(watch, message or {})
        except DeliveryFailed as failure:
            if failure.error not in CLOSED:
                await self._watches.put_off(watch, self._clock() + AGAIN * 2 ** min(watch.tries - 1, DOUBLINGS))
                return "not_delivered"
            await self._close(watch, found)
            return "ended"
        if isinstance(found, BadInput) or found.indexed:
            await self._watches.end(watch.number)
            return "ended"
        await self._watches.checked([self._checked(found)])
        return "told"

    async def _say(self, watch: Watch, message: Message) -> None:
        """Post into the watch's thread, or begin one where there is none yet. Raises DeliveryFailed.

        Where `watch.tries` is more than 1, somebody began this check before and may have posted its message: the
        gateway then looks for it first, by what the check is called.
        """
        check = Run(check_name(watch), watch.tries, since=time.time() - A_DAY)
        with entered(check):
            ts = await self._gateway.answer(thread_of(watch), message)
        if not watch.thread_ts and ts:
            await self._watches.placed(watch.number, ts)

    async def _close(self, watch: Watch, found: Found | BadInput) -> None:
        """The channel takes nothing any more: the watch ends, and its owner hears of it, where Slack lets us."""
        await self._watches.end(watch.number)
        if isinstance(found, Found):
            with suppress(DeliveryFailed):  # the gateway logged it, and there is nobody else to tell
                await self._gateway.answer(Target(watch.user, watch.user), words.closed_message(found.report))


def check_name(watch: Watch) -> str:
    """Of the check that is due, the same whoever makes it."""
    return f"w{watch.number}.{watch.checks + 1}"


def _place(watch: Watch) -> Place:
    return watch.enterprise, watch.team


def _asked(watch: Watch, indexes: Indexes) -> Lookup | BadInput:
    """The page, read anew: the profile may have changed since."""
    try:
        return indexes.of(watch.profile).read(watch.key, watch.shard)
    except BadInput as unreadable:
        return unreadable
