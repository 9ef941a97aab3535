"""Slack takes one message a second in a channel, with short bursts. https://docs.slack.dev/apis/web-api/rate-limits"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

SECONDS_APART = 1.0
BURST = 5
REMEMBERED = 1_000  # channels, before those at rest are forgotten


class Pace:
    """Tells how long a message must wait for its turn in its channel. The first `burst` of them go at once."""

    def __init__(
        self, apart: float = SECONDS_APART, burst: int = BURST, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._apart = apart
        self._slack = apart * (burst - 1)
        self._clock = clock
        self._due: dict[str, float] = {}  # channel → when it would be at rest again

    def reserve(self, channel: str) -> float:
        """Take the next turn in `channel`; the seconds until it comes."""
        now = self._clock()
        due = max(self._due.get(channel, now), now)
        self._due[channel] = due + self._apart
        if len(self._due) > REMEMBERED:
            self._due = {name: rest for name, rest in self._due.items() if rest > now}
        return max(0.0, due - self._slack - now)

    async def turn(self, channel: str) -> None:
        """Wait for a turn; returns at once where there is none to wait for."""
        wait = self.reserve(channel)
        if wait:
            await asyncio.sleep(wait)
