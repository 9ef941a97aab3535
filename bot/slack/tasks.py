"""Work that goes on after Slack was answered: tracked, bounded, never silent when it fails, finished at shutdown."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from bot.errors import BadInput, DeliveryFailed, GaveUp, InspectorError
from bot.inspection.query_id import current_request
from bot.slack.places import Places
from bot.slack.runs import MOST_BEGINNINGS, Outcome, Run, current_run

log = logging.getLogger(__name__)

Tell = Callable[[str], Awaitable[None]]  # says one sentence to the one who asked
WAITING = 200  # pieces that wait for a place


class Tasks:
    """Runs at most `concurrency` pieces of work at once; the others wait, at most `waiting` where one looks at `full`.

    Each piece is work of the request in whose context it starts.
    """

    def __init__(self, concurrency: int, waiting: int = WAITING) -> None:
        self._running: set[asyncio.Task[None]] = set()  # asyncio itself keeps no strong reference: cpython #91887
        self._places = Places(concurrency)
        self._most_waiting = waiting

    def __len__(self) -> int:
        """How many pieces run or wait."""
        return len(self._running)

    @property
    def full(self) -> bool:
        """Do so many wait, that one more would wait for too long?"""
        return self._places.waiting >= self._most_waiting

    @property
    def at_work(self) -> bool:
        """Does anybody wait for an answer, beside those whose work goes on aside?"""
        return self._places.taken

    @property
    def room(self) -> int:
        """How many pieces more would find a place at once."""
        return 0 if self._places.waiting else self._places.free

    def start(self, work: Coroutine[Any, Any, None], tell: Tell, *, aside: bool = False) -> None:
        """Run `work` soon. Whatever it raises becomes one sentence, told by `tell`.

        `aside`: it takes no place from the others, as long work does that has a limit of its own.
        """
        run = current_run()
        if run:
            run.hold()
        place = nullcontext() if aside else self._places.place(*(run.asker if run else ()))
        task = asyncio.create_task(self._run(work, tell, place, run))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def drain(self, seconds: float) -> None:
        """Wait until all work is done, that which starts meanwhile too, at most so long; what is left is cancelled."""
        deadline = asyncio.get_running_loop().time() + seconds
        while self._running and (left := deadline - asyncio.get_running_loop().time()) > 0:
            await asyncio.wait(self._running, timeout=left)
        late = tuple(self._running)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        if late:
            log.warning("%d unfinished requests were given up at shutdown", len(late))

    async def _run(
        self, work: Coroutine[Any, Any, None], tell: Tell, place: AbstractAsyncContextManager[None], run: Run | None
    ) -> None:
        outcome = Outcome.CUT
        try:
            async with place:
                outcome = await self._worked(work, tell, run)
        finally:
            work.close()  # cancelled before its turn: it was never awaited
            if run:
                run.release(outcome)

    async def _worked(self, work: Coroutine[Any, Any, None], tell: Tell, run: Run | None) -> Outcome:
        try:
            if run and run.attempt > MOST_BEGINNINGS:
                raise GaveUp(f"The bot began this {MOST_BEGINNINGS} times, and stopped each time before it was done.")
            await work
        except Exception as error:  # the last line of defence: nobody awaits this task
            return _later(error, run) or await _report(error, tell, run)
        return Outcome.ANSWERED


async def _report(error: Exception, tell: Tell, run: Run | None) -> Outcome:
    """Log what happened and tell it; where that cannot be told either, the log has both."""
    try:
        await tell(str(error) if isinstance(error, BadInput) else _logged(error))
    except DeliveryFailed as failure:
        log.error("a sentence was not delivered: %s", failure)
        return _later(failure, run) or Outcome.LOST
    return Outcome.FAILED


def _later(error: Exception, run: Run | None) -> Outcome | None:
    """Is it worth another try of the whole request, as Slack takes nothing just now?"""
    if run and run.tries_left and isinstance(error, DeliveryFailed) and error.is_passing:
        log.warning("the request is tried again later: %s", error)
        return Outcome.LATER
    return None


def _logged(error: Exception) -> str:
    """The sentence for an error that is not the asker's; the log has the rest under the same id."""
    number = current_request() or secrets.token_hex(4)
    known = isinstance(error, InspectorError)
    log.error("error %s: %s", number, error, exc_info=None if known else error, extra={"error": number})
    reason = str(error) if known else "Something went wrong here, and the answer could not be made."
    return f"{reason.removesuffix('.')}. Try again in a moment; if it stays, report error {number}."
