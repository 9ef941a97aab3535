"""One answer for one request: Slack delivers again what it thinks was lost, and sends a mention as two events."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

SECONDS = 2 * 60 * 60.0  # Slack's own retries end after some 6 minutes, its first "delayed" one comes after an hour
REMEMBERED = 50_000


class Once:
    """Remembers keys for a while."""

    def __init__(
        self, seconds: float = SECONDS, remembered: int = REMEMBERED, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._remembered = remembered
        self._clock = clock
        self._met: OrderedDict[Hashable, float] = OrderedDict()  # key → when it is forgotten, the soonest first

    def first(self, *keys: Hashable) -> bool:
        """Is none of these keys known? All of them are, from now on."""
        now = self._clock()
        self._forget(now)
        new = not any(key in self._met for key in keys)
        for key in keys:
            self._met.setdefault(key, now + self._seconds)
        return new

    def knows(self, key: Hashable) -> bool:
        """Was it met, and not too long ago?"""
        self._forget(self._clock())
        return key in self._met

    def forget(self, key: Hashable) -> None:
        """As if it had never been met."""
        self._met.pop(key, None)

    def _forget(self, now: float) -> None:
        while self._met and (len(self._met) > self._remembered or next(iter(self._met.values())) <= now):
            self._met.popitem(last=False)
