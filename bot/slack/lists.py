"""Lists: more URLs than are answered at once. They run beside everything else, and of one person one at a time."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import aclosing, suppress
from dataclasses import dataclass
from weakref import WeakValueDictionary

from bot.errors import BadInput, DeliveryFailed
from bot.index.profile import IndexProfile
from bot.inspection.bulk import inspect_many
from bot.inspection.indexes import Indexes
from bot.inspection.model import Inspection
from bot.inspection.pace import Pace
from bot.render.csv import csv_header, csv_row
from bot.render.limits import TABLE_ROWS
from bot.render.list_blocks import Tally, list_message, progress_message
from bot.report.build import build_report
from bot.report.kept_list import KeptList, list_row
from bot.report.links import Links
from bot.report.words import number, readable
from bot.slack import wording
from bot.slack.asked import Asked
from bot.slack.board import Board
from bot.slack.gateway import Gateway, Target
from bot.slack.memory import Memory
from bot.slack.runs import current_run
from bot.slack.tasks import Tasks
from bot.slack.workspaces import current_workspace
from bot.state.records import Cancelling

FEW = 20  # lookups that are answered at once, without progress
AT_ONCE = 4  # lists of all people
OF_A_SERVER = 2  # queries of all lists at once; the others are for those who ask for one page
OF_ONE_PERSON = 5  # lists that run or wait
# A list is asked for in about so many windows, that its progress is seen; a large one would hold everyone else up.
STEPS, WINDOW_LEAST, WINDOW_MOST = 10, 250, 500
SECONDS_APART = 1.5  # between two edits of a message: Slack takes about 50 chat.update a minute
LAST_WORDS_SECONDS = 2.0  # for telling that the bot stops
FILE = "inspections.csv"
LETTER = "The list that you asked for:"
NOT_RUNNING = "This list is not being looked up any more."
NOT_YOURS = "Only the one who asked for this list can cancel it."
TOO_MANY = f"You have {OF_ONE_PERSON} lists here that are not done. Wait for one of them, or cancel it."
STOPPED = "The bot was stopped before it was through with this list. Ask again."
HANDED_OVER = "The bot is being restarted, and then begins this list anew."


def window_of(total: int) -> int:
    """How many of a list's lookups are asked for together."""
    return min(WINDOW_MOST, max(WINDOW_LEAST, total // STEPS))


@dataclass(frozen=True, slots=True)
class _Run:
    user: str
    reading: asyncio.Task[None]


class Lists:
    """Looks lists up, shows how far they are, and lets their askers cancel them."""

    def __init__(
        self,
        indexes: Indexes,
        links: Links,
        gateway: Gateway,
        tasks: Tasks,
        memory: Memory,
        *,
        seconds_apart: float,
    ) -> None:
        self._indexes = indexes
        self._links = links
        self._gateway = gateway
        self._tasks = tasks
        self._memory = memory
        self._seconds_apart = seconds_apart
        self._running: dict[str, _Run] = {}
        self._places = asyncio.Semaphore(AT_ONCE)
        self._pace = Pace(queries_per_server=OF_A_SERVER, others=lambda: tasks.at_work)
        self._turns: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    def start(self, asked: Asked, target: Target, *, everyone: bool) -> None:
        """Answer at `target`, some time; it takes no place from those who ask for one page.

        Raises BadInput where the asker has too many lists already.
        """
        if sum(run.user == target.user for run in self._running.values()) >= OF_ONE_PERSON:
            raise BadInput(TOO_MANY)
        board = Board(self._gateway, target, everyone=everyone)
        self._tasks.start(self._answer(asked, target.user, board), board.fail, aside=True)

    async def cancel(self, list_id: str, target: Target) -> None:
        """Look up no more of it, where its asker wants it so; it may run here or on another replica."""
        run = self._running.get(list_id)
        if run and run.user == target.user:
            run.reading.cancel()
            return
        told = Cancelling.NOT_YOURS if run else await self._memory.cancel_list(list_id, target.user)
        if told is Cancelling.MARKED:
            return
        sentence = NOT_YOURS if told is Cancelling.NOT_YOURS else NOT_RUNNING
        await self._gateway.answer(target, wording.words_message(sentence), everyone=False)

    async def _answer(self, asked: Asked, user: str, board: Board) -> None:
        list_id, tally, run = secrets.token_hex(16), Tally(len(asked.lookups)), current_run()
        reading = asyncio.create_task(self._in_turn(asked, user, tally))
        self._running[list_id] = _Run(user, reading)
        try:
            await self._memory.list_started(list_id, user)
            await board.open(progress_message(tally, list_id))
            await self._watch(reading, list_id, tally, board)
        except asyncio.CancelledError:
            with suppress(DeliveryFailed, TimeoutError):
                async with asyncio.timeout(LAST_WORDS_SECONDS):
                    await board.fail(HANDED_OVER if run and run.recorded else STOPPED)
            raise
        finally:
            del self._running[list_id]
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        if not reading.cancelled():
            reading.result()  # raises what it raised
        await self._finish(asked, tally, board, await self._page(asked, tally, list_id))

    async def _page(self, asked: Asked, tally: Tally, list_id: str) -> str | None:
        """Keep what came of it for as long as a link works; the link to its page, where there is one."""
        page = self._links.kept_list(list_id)
        index = asked.lookups[0].index
        kept = KeptList(
            tally.total,
            asked.as_of or self._indexes.of(index).now(),
            asked.as_of is not None,
            tuple(tally.rows),
            index,
        )
        is_kept = await self._memory.list_done(list_id, kept if page and tally.rows else None, self._links.works_for)
        return page if is_kept else None

    async def _watch(self, reading: asyncio.Task[None], list_id: str, tally: Tally, board: Board) -> None:
        """Show how far it is until it is done or cancelled. The reading goes on while Slack takes an edit."""
        shown = 0
        while True:
            await asyncio.wait({reading}, timeout=self._seconds_apart)
            if reading.done():
                return
            if await self._memory.list_cancelled(list_id):
                reading.cancel()
                continue
            if tally.done > shown:
                shown = tally.done
                await board.progress(progress_message(tally, list_id), shown / tally.total)

    async def _in_turn(self, asked: Asked, user: str, tally: Tally) -> None:
        turn = self._turns.setdefault((current_workspace().team, user), asyncio.Lock())
        async with turn, self._places:
            await self._read(asked, tally)

    async def _read(self, asked: Asked, tally: Tally) -> None:
        inspector, window = self._indexes.of(asked.lookups[0].index), window_of(tally.total)
        profile = inspector.profile
        tally.lines.append(csv_header(profile))
        together = inspect_many(inspector, asked.lookups, asked.as_of, window=window, pace=self._pace)
        async with aclosing(together) as found:
            async for item in found:
                tally.lines.append(csv_row(item, profile))
                if isinstance(item, Inspection):
                    self._count(item, tally, profile)

    def _count(self, item: Inspection, tally: Tally, profile: IndexProfile) -> None:
        tally.verdicts[item.verdict] += 1
        if cause := item.filter(item.cause):
            tally.causes[cause.title] += 1
        tally.rows.append(list_row(item))
        tally.problems.update(map(readable, item.problems))
        if len(tally.reports) < TABLE_ROWS - 1:
            tally.reports.append(build_report(item, profile, self._links, replayed=item.replayed))

    async def _finish(self, asked: Asked, tally: Tally, board: Board, page: str | None) -> None:
        notes = [await self._attached(tally, board)] if tally.done else []
        if tally.done < tally.total:
            notes.append(f"Cancelled: {number(tally.done)} of {number(tally.total)} URLs were looked up.")
        if asked.left_out:
            notes.append(wording.left_out_sentence(tally.total, asked.left_out))
        message = list_message(tally, notes, page) if tally.done else wording.words_message(notes[0])
        await board.finish(wording.of_index(message, asked.lookups[0].index, self._indexes))

    async def _attached(self, tally: Tally, board: Board) -> str:
        """Upload the whole as CSV; the sentence that says where it is."""
        rows = f"All {number(tally.done)} rows"
        try:
            content = "".join(tally.lines).encode()
            directly = await board.attach(FILE, content, wording.words_message(LETTER))
        except DeliveryFailed as failure:
            return f"{rows} were to be a CSV file, which Slack did not take: {failure.error}."
        return f"{rows} are in {FILE}, " + ("sent to you in a direct message." if directly else "in this thread.")
