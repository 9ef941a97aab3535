"""How long a whole inspection may take, beside what each of its queries may.

Whoever begins one says so once (`within`); every query that is asked inside keeps to what is left of it, and those that
find nothing left are not asked at all. An inspection has one deadline, and so has a site. A list has one for each
thousand lookups of a window (`bulk`), since its queries wait for each other.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """An instant of the monotonic clock, and how many seconds before it the whole began."""

    at: float = math.inf
    seconds: float = math.inf

    @property
    def left(self) -> float:
        """Seconds until then; never less than none."""
        return max(0.0, self.at - time.monotonic())


_deadline: ContextVar[Deadline] = ContextVar("deadline", default=Deadline())  # noqa: B039 - it is frozen


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Queries that are asked inside, by the tasks that are begun inside too, end within `seconds` from now."""
    token = _deadline.set(Deadline(time.monotonic() + seconds, seconds))
    try:
        yield
    finally:
        _deadline.reset(token)


def current_deadline() -> Deadline:
    """The one that is set here; none is endless."""
    return _deadline.get()
