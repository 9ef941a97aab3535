"""A circuit breaker: a server that failed several times in a row is left alone for a while, then asked once."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum


class State(StrEnum):
    """Closed: asked as usual. Open: not asked. Half-open: one query is let through to see."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


class Breaker:
    """Counts one server's failures in a row. `clock` tells seconds that only grow."""

    def __init__(self, *, failures: int, cooldown: float, clock: Callable[[], float]) -> None:
        self._limit = failures
        self._cooldown = cooldown
        self._clock = clock
        self._failed = 0
        self._opened_at: float | None = None
        self._probing = False

    @property
    def state(self) -> State:
        """Where the breaker stands now."""
        if self._opened_at is None:
            return State.CLOSED
        return State.HALF_OPEN if self.seconds_left <= 0 else State.OPEN

    @property
    def seconds_left(self) -> float:
        """How long it stays open; 0 or less where it is not."""
        return 0.0 if self._opened_at is None else self._opened_at + self._cooldown - self._clock()

    def admit(self) -> bool:
        """May a query go through now? In the half-open state the first one takes the only place."""
        if self.state is State.HALF_OPEN and not self._probing:
            self._probing = True
            return True
        return self.state is State.CLOSED

    def succeeded(self) -> None:
        """The server answered: closed again."""
        self._failed, self._opened_at, self._probing = 0, None, False

    def failed(self) -> None:
        """The server did not answer. A failed probe opens it for another while."""
        self._failed += 1
        if self._probing or self._failed >= self._limit:
            self._opened_at = self._clock()
        self._probing = False

    def abandoned(self) -> None:
        """The query was given up by who asked it: nothing is learnt of the server, and the place is free again."""
        self._probing = False
