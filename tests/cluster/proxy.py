"""A TCP proxy that does harm on purpose, after Toxiproxy's toxics: between the store and one server of the cluster.

A fault may be kept to some steps of an inspection: the id of a query names its step (`bot.inspection.query_id`).
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

CHUNK = 16 * 1024
HEAD_END = b"\r\n\r\n"
# The first line of a request, with the step that its query's id names, where it has one of ours.
_REQUEST = re.compile(rb"(?:GET|POST) [^\r\n]*? HTTP/1\.1\r\n")
_STEP = re.compile(rb"query_id=crawler-inspector-\w+-([\w.]+)-\d+")


@dataclass(frozen=True)
class Fault:
    """What happens to responses. Nothing by default."""

    delay: float = 0.0  # seconds before a response starts
    cut_after: int | None = None  # bytes of responses after which the connection is closed
    cut_rows: int | None = None  # bytes of a response's body after which it is
    reset: bool = False  # such a close is a reset (RST)
    rate: float | None = None  # bytes a second
    replace: bytes | None = None  # sent instead of what the server says, once a request, then closed
    headers: tuple[tuple[bytes, bytes], ...] = ()  # of requests: what they begin with, and what stands there instead
    refuse: bool = False  # connections are reset before anything is answered, or before anything is read
    hang: bool = False  # nothing is ever said
    longest_line: int | None = None  # bytes of a request line; longer ones are refused, as by servers in front
    steps: frozenset[str] = frozenset()  # whose queries alone it happens to; none named: to everything

    def answer(self, asked: bytes) -> bytes | None:
        """What is said to a client instead of the server's answer; None where it is asked."""
        if self.longest_line and asked.startswith((b"GET ", b"POST ")) and b"\r\n" not in asked[: self.longest_line]:
            return http(b"", "414 URI Too Long")
        return self.replace

    @property
    def lasts(self) -> bool:
        """Is it told only by the time that it takes?"""
        return self.hang or self.delay > 0 or self.rate is not None


WELL = Fault()


def http(body: bytes, status: str = "200 OK", headers: str = "") -> bytes:
    """A whole HTTP response, for `Fault.replace`."""
    return f"HTTP/1.1 {status}\r\n{headers}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body


class Proxy:
    """Forwards `port` to `target`. `fault` may be changed at any time; it holds for open connections too."""

    def __init__(self, target: int, fault: Fault) -> None:
        self.fault = fault
        self.connections = 0  # that were ever opened
        self.requests = 0  # chunks that clients sent: at least one a request
        self.port = 0
        self._target = target
        self._open: set[asyncio.Task[None]] = set()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of a client."""
        self.connections += 1
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        if self.fault.refuse and not self.fault.steps:
            _reset(writer)
            return
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        try:
            await _Connection(self, reader, writer, there, back).forward()
        except (ConnectionError, asyncio.CancelledError):
            pass  # one side went away, or the proxy ends: nobody waits for this task
        finally:
            for end in (writer, back):
                end.transport.abort()

    async def end(self) -> None:
        """Close every connection."""
        for task in tuple(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def fault_of(self, step: str) -> Fault:
        """What happens now to a query of that step."""
        return self.fault if not self.fault.steps or step in self.fault.steps else WELL


class _Connection:
    """A client and the server, one request after the other."""

    def __init__(
        self,
        proxy: Proxy,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        there: asyncio.StreamReader,
        back: asyncio.StreamWriter,
    ) -> None:
        self._proxy = proxy
        self._reader = reader
        self._writer = writer
        self._there = there
        self._back = back
        self._step = ""
        self._sent = 0  # bytes of all responses
        self._rows = -1  # bytes of this response's body; -1 while its head is awaited

    async def forward(self) -> None:
        """Until one side closes."""
        await asyncio.gather(self._ask(), self._answer())

    @property
    def _fault(self) -> Fault:
        return self._proxy.fault_of(self._step)

    async def _ask(self) -> None:
        while chunk := await self._reader.read(CHUNK):
            self._proxy.requests += 1
            if _REQUEST.match(chunk):
                named = _STEP.search(chunk)
                self._step, self._rows = named[1].decode() if named else "", -1
            fault = self._fault
            if fault.refuse:
                _reset(self._writer)
                break
            if (answer := fault.answer(chunk)) is not None:
                self._writer.write(answer)
                await self._writer.drain()
                self._writer.close()
                break
            if fault.hang:
                continue
            self._back.write(_with_headers(chunk, fault.headers))
            await self._back.drain()
        self._back.close()

    async def _answer(self) -> None:
        while chunk := await self._there.read(CHUNK):
            fault = self._fault
            await asyncio.sleep(fault.delay)
            most = self._most(chunk, fault)
            if most is not None and most <= len(chunk):
                self._writer.write(chunk[:most])
                await self._writer.drain()
                if fault.reset:
                    _reset(self._writer)
                break
            self._sent += len(chunk)
            await _write(self._writer, chunk, fault.rate)
        self._writer.close()

    def _most(self, chunk: bytes, fault: Fault) -> int | None:
        """How much of a piece of a response is sent before the connection is cut; None: it is not."""
        if fault.cut_after is not None:
            return max(0, fault.cut_after - self._sent)
        if fault.cut_rows is None:
            return None
        start = 0 if self._rows >= 0 else chunk.find(HEAD_END) + len(HEAD_END)
        most = start + fault.cut_rows - max(0, self._rows)
        self._rows = max(0, self._rows) + len(chunk) - start
        return most


def _with_headers(chunk: bytes, changed: Iterable[tuple[bytes, bytes]]) -> bytes:
    lines = chunk.split(b"\r\n") if changed else [chunk]
    for begin, instead in changed:
        lines = [instead if line.startswith(begin) else line for line in lines]
    return b"\r\n".join(lines)


async def _write(writer: asyncio.StreamWriter, chunk: bytes, rate: float | None) -> None:
    step = max(1, int(rate / 20)) if rate else len(chunk)
    for start in range(0, len(chunk), step):
        writer.write(chunk[start : start + step])
        await writer.drain()
        if rate:
            await asyncio.sleep(step / rate)


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with RST: no lingering."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@asynccontextmanager
async def proxied(target: int, fault: Fault | None = None, tls: ssl.SSLContext | None = None) -> AsyncIterator[Proxy]:
    """A proxy before the server on port `target`, on a free port; with `tls`, clients must speak TLS to it."""
    proxy = Proxy(target, fault or Fault())
    server = await asyncio.start_server(proxy.handle, "127.0.0.1", 0, ssl=tls)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        await proxy.end()


def closed_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
