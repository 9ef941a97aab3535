"""The request that is being worked on: which it is, how often it was begun, and when all of its work is done.

A context variable carries it, as the work of a request runs in tasks that inherit it.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum

from bot.inspection.query_id import query_names
from bot.state.records import REQUEST_ID

MOST_TRIES = 6
MOST_BEGINNINGS = 20  # of a request at whose work the bot has died every time
SLACKS_CLOCK = 300.0  # seconds by which it may differ from ours; more, and no signature would hold


class Outcome(IntEnum):
    """How a piece of work ended. Of a request's pieces, the greatest counts."""

    NOTHING = 0  # nobody asked us for anything
    ANSWERED = 1
    FAILED = 2  # the asker was told why
    LOST = 3  # the asker could not be told
    LATER = 4  # Slack did not take the answer now, and may take it later
    CUT = 5  # the bot stops, and the work is handed over


class Run:
    """One try of one request. It is done when nobody holds it any more; `done` hears how it ended."""

    def __init__(
        self,
        request_id: str | None = None,
        attempt: int = 1,
        done: Callable[[Run], None] | None = None,
        *,
        asker: tuple[str, str] = ("", ""),
        recorded: bool = False,
        since: float | None = None,
        doubtful: Callable[[], bool] = lambda: False,
    ) -> None:
        self.request_id = (request_id or secrets.token_hex(REQUEST_ID // 2))[:REQUEST_ID]
        self.attempt = attempt
        self.asker = asker  # user, channel
        self.recorded = recorded
        self.outcome = Outcome.NOTHING
        self.heard = False  # does a listener have it?
        self.spoke = False  # has Slack taken anything of it?
        self.since = time.time() - SLACKS_CLOCK if since is None else since
        self.started = time.perf_counter()
        self._done = done
        self._doubtful = doubtful
        self._holders = 1
        self._posted = 0

    @property
    def repeated(self) -> bool:
        """May an earlier try, or another replica, have answered already?"""
        return self.attempt > 1 or self._doubtful()

    @property
    def tries_left(self) -> bool:
        """Is it worth another try, later?"""
        return self.recorded and self.attempt < MOST_TRIES

    def hold(self) -> None:
        """Another piece of work has begun."""
        self._holders += 1

    def release(self, outcome: Outcome = Outcome.NOTHING) -> None:
        """A piece of work has ended."""
        self.outcome = max(self.outcome, outcome)
        self._holders -= 1
        if self._holders:
            return
        if self.outcome is Outcome.ANSWERED and not self.spoke:
            self.outcome = Outcome.NOTHING
        if self._done:
            self._done(self)

    def next_stamp(self) -> str:
        """What tells the next message that everyone sees from every other of the bot: the same in every try."""
        self._posted += 1
        return f"{self.request_id}-{self._posted}"


_current: ContextVar[Run | None] = ContextVar("run", default=None)


def current_run() -> Run | None:
    """The request whose work this is; None for what nobody asked for, such as a check of health."""
    return _current.get()


@contextmanager
def entered(run: Run) -> Iterator[None]:
    """What begins inside is work of this request, its queries and log lines too."""
    token = _current.set(run)
    try:
        with query_names(request=run.request_id):
            yield
    finally:
        _current.reset(token)
