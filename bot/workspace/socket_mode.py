"""Socket Mode: payloads travel in envelopes over a WebSocket that the app opened, and are acknowledged by envelope_id.

https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from aiohttp import WSMsgType, web

from bot.render import limits
from bot.workspace.model import APP, Delivery, Json
from bot.workspace.sender import COMMAND, EVENT, INTERACTION
from bot.workspace.state import State

ENVELOPES = {COMMAND: "slash_commands", EVENT: "events_api", INTERACTION: "interactive"}


class Sockets:
    """The open connections; an envelope goes to one of them, the newest."""

    def __init__(self, state: State, ack_seconds: float = limits.ACK_SECONDS) -> None:
        self._state = state
        self._ack_seconds = ack_seconds
        self._open: list[web.WebSocketResponse] = []
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._changed = asyncio.Event()

    @property
    def count(self) -> int:
        """How many connections are open."""
        return len(self._open)

    async def accept(self, request: web.Request) -> web.WebSocketResponse:
        """One connection, from hello to its end."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._open.append(socket)
        hello = {"type": "hello", "num_connections": self.count, "connection_info": {"app_id": APP}}
        await socket.send_json({**hello, "debug_info": {"host": "workspace", "approximate_connection_time": 3600}})
        self._changed.set()
        try:
            async for frame in socket:
                if frame.type == WSMsgType.TEXT:
                    self._acknowledge(json.loads(frame.data))
        finally:
            self._forget(socket)
        return socket

    def _forget(self, socket: web.WebSocketResponse) -> None:
        if socket in self._open:
            self._open.remove(socket)

    def _acknowledge(self, answer: Any) -> None:
        waiting = self._waiting.pop(str(answer.get("envelope_id")), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer.get("payload", ""))

    async def connected(self, timeout: float = 5, beyond: int = 0) -> None:  # noqa: ASYNC109 - a deadline is the point
        """Wait until more than `beyond` connections are open. Raises TimeoutError."""
        async with asyncio.timeout(timeout):
            while self.count <= beyond:
                self._changed.clear()
                await self._changed.wait()

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Say goodbye to every connection and close it; an app connects again."""
        for socket in tuple(self._open):
            await socket.send_json({"type": "disconnect", "reason": reason, "debug_info": {"host": "workspace"}})
            self._forget(socket)
            await socket.close()

    async def carry(self, kind: str, payload: Json, retry: int = 0, reason: str = "") -> Delivery:
        """Send one envelope and wait for its acknowledgement."""
        envelope_id = self._state.new_id("envelope-")
        envelope = {
            "envelope_id": envelope_id,
            "type": ENVELOPES[kind],
            "payload": payload,
            "accepts_response_payload": kind != EVENT,
        }
        if kind == EVENT:
            envelope |= {"retry_attempt": retry, "retry_reason": reason}
        answer = self._waiting[envelope_id] = asyncio.get_running_loop().create_future()
        started = time.perf_counter()
        try:
            await self._open[-1].send_json(envelope)
            body = await asyncio.wait_for(answer, self._ack_seconds)
        except (TimeoutError, ConnectionError) as failure:
            error = "http_timeout" if isinstance(failure, TimeoutError) else "connection_failed"
            return Delivery(kind, payload, None, "", (time.perf_counter() - started) * 1000, error, retry)
        finally:
            self._waiting.pop(envelope_id, None)
        return Delivery(kind, payload, 200, body, (time.perf_counter() - started) * 1000, None, retry)
