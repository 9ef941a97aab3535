"""Slack takes one message a second in a channel, and one a second at a response_url, with short bursts.

https://docs.slack.dev/apis/web-api/rate-limits
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

SECONDS_APART = 1.0
BURST = 5
REMEMBERED = 1_000  # places, before those at rest are forgotten


class Pace:
    """Tells how long a message must wait for its turn in its place. The first `burst` of them go at once."""

    def __init__(
        self, apart: float = SECONDS_APART, burst: int = BURST, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._apart = apart
        self._slack = apart * (burst - 1)
        self._clock = clock
        self._due: dict[str, float] = {}  # place → when it would be at rest again

    def reserve(self, place: str) -> float:
        """Take the next turn at `place`: a channel, or a response_url; the seconds until it comes."""
        now = self._clock()
        due = max(self._due.get(place, now), now)
        self._due[place] = due + self._apart
        if len(self._due) > REMEMBERED:
            self._due = {name: rest for name, rest in self._due.items() if rest > now}
        return max(0.0, due - self._slack - now)

    def is_free(self, place: str) -> bool:
        """Would a message go at once?"""
        return self._due.get(place, 0.0) - self._slack <= self._clock()

    async def turn(self, place: str) -> None:
        """Wait for a turn; returns at once where there is none to wait for."""
        wait = self.reserve(place)
        if wait:
            await asyncio.sleep(wait)
