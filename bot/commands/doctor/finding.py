"""What a check of `doctor` found, and what several checks need and is got once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar


class Outcome(StrEnum):
    """How a check ended. Only FAIL fails the command: a warning is what works less well, or is not set up yet."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found, and what to do about it."""

    outcome: Outcome
    detail: str
    remedy: str = ""


def ok(detail: str) -> Finding:
    """Nothing to do."""
    return Finding(Outcome.OK, detail)


def warn(detail: str, remedy: str) -> Finding:
    """It works, less well."""
    return Finding(Outcome.WARN, detail, remedy)


def fail(detail: str, remedy: str) -> Finding:
    """Something that is needed does not work."""
    return Finding(Outcome.FAIL, detail, remedy)


Value = TypeVar("Value")


class Shared(Generic[Value]):
    """A value that is got when first asked for, and then given to all; what getting it raised is raised to all.

    Who gives up waiting does not end it for the others.
    """

    def __init__(self, get: Callable[[], Awaitable[Value]]) -> None:
        self._get = get
        self._getting: asyncio.Future[Value] | None = None

    async def __call__(self) -> Value:
        """The value."""
        if self._getting is None:
            self._getting = asyncio.ensure_future(self._get())
        return await asyncio.shield(self._getting)

    async def end(self) -> Value | None:
        """Wait for it no longer; the value, where there is one."""
        if self._getting is None:
            return None
        self._getting.cancel()
        await asyncio.gather(self._getting, return_exceptions=True)
        failed = self._getting.cancelled() or self._getting.exception() is not None
        return None if failed else self._getting.result()
