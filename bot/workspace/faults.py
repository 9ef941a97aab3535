"""What can go wrong with an answer of Slack's, as rows: `workspace.fail_next("chat.postMessage", FaultKind.RESET)`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

Next = Callable[[], Awaitable[web.StreamResponse]]  # what would have happened


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One way to fail. Those with a number or a name have a constructor; the others are constants below."""

    name: str
    argument: Any = None

    @property
    def error_name(self) -> str:
        """How the call stands in the workspace's record."""
        return str(self.argument) if self.name == "error" else self.name

    @classmethod
    def ratelimited(cls, retry_after: float | str = 1) -> FaultKind:
        """429 with `Retry-After`, in seconds."""
        return cls("ratelimited", retry_after)

    @classmethod
    def error(cls, error: str) -> FaultKind:
        """200 with `{"ok": false, "error": …}`; 404 at a response_url."""
        return cls("error", error)

    @classmethod
    def http(cls, status: int) -> FaultKind:
        """Another status, with the HTML page of a proxy."""
        return cls("http", status)


HTTP_500_HTML = FaultKind.http(500)
TIMEOUT = FaultKind("timeout")  # nothing is done and nothing is said until the workspace closes
RESET = FaultKind("reset")  # nothing is done and the connection is cut
ANSWER_LOST = FaultKind("answer_lost")  # it is done, but the connection is cut before the answer
NOT_JSON = FaultKind("not_json")  # 200, and a body that is not JSON though it says so


class Faults:
    """The faults that wait for a method; each is used once. "*" stands for every method."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[FaultKind]] = {}
        self.closing = asyncio.Event()

    def add(self, method: str, kind: FaultKind, times: int = 1) -> None:
        """Let the next `times` calls of a method fail."""
        self._waiting.setdefault(method, []).extend([kind] * times)

    def take(self, method: str) -> FaultKind | None:
        """The fault of the call that begins now."""
        queue = self._waiting.get(method) or self._waiting.get("*")
        return queue.pop(0) if queue else None

    async def answer(self, kind: FaultKind, request: web.Request, happen: Next) -> web.StreamResponse:
        """Fail in that way."""
        return await KINDS[kind.name](self, kind, request, happen)


async def _ratelimited(faults: Faults, kind: FaultKind, request: web.Request, happen: Next) -> web.StreamResponse:
    headers = {"Retry-After": str(kind.argument)}
    return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)


async def _error(faults: Faults, kind: FaultKind, request: web.Request, happen: Next) -> web.StreamResponse:
    status = 200 if request.path.startswith("/api/") else 404
    return web.Response(
        text=json.dumps({"ok": False, "error": kind.argument}), status=status, content_type="application/json"
    )


async def _http(faults: Faults, kind: FaultKind, request: web.Request, happen: Next) -> web.StreamResponse:
    page = "<html><body><h1>Server Error</h1></body></html>"
    return web.Response(text=page, status=kind.argument, content_type="text/html")


async def _timeout(faults: Faults, kind: FaultKind, request: web.Request, happen: Next) -> web.StreamResponse:
    await faults.closing.wait()
    return _cut(request)


async def _reset(faults: Faults, kind: FaultKind, request: web.Request, happen: Next) -> web.StreamResponse:
    return _cut(request)


async def _answer_lost(faults: Faults, kind: FaultKind, request: web.Request, happen: Next) -> web.StreamResponse:
    await happen()
    return _cut(request)


async def _not_json(faults: Faults, kind: FaultKind, request: web.Request, happen: Next) -> web.StreamResponse:
    return web.Response(text="upstream closed", content_type="application/json")


def _cut(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=500)


KINDS: Mapping[str, Callable[[Faults, FaultKind, web.Request, Next], Awaitable[web.StreamResponse]]] = {
    "ratelimited": _ratelimited,
    "error": _error,
    "http": _http,
    "timeout": _timeout,
    "reset": _reset,
    "answer_lost": _answer_lost,
    "not_json": _not_json,
}
