"""A TCP proxy that does harm on purpose, after Toxiproxy's toxics: between the store and one server of the cluster."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

CHUNK = 16 * 1024


@dataclass(frozen=True)
class Fault:
    """What happens to responses. Nothing by default."""

    delay: float = 0.0  # seconds before a response starts
    cut_after: int | None = None  # bytes of responses after which the connection is closed
    reset: bool = False  # such a close is a reset (RST)
    rate: float | None = None  # bytes a second
    replace: bytes | None = None  # sent instead of what the server says, once a request, then closed
    refuse: bool = False  # connections are reset before anything is read
    hang: bool = False  # nothing is ever said
    longest_line: int | None = None  # bytes of a request line; longer ones are refused, as by servers in front

    def answer(self, asked: bytes) -> bytes | None:
        """What is said to a client instead of the server's answer; None where it is asked."""
        if self.longest_line and asked.startswith((b"GET ", b"POST ")) and b"\r\n" not in asked[: self.longest_line]:
            return http(b"", "414 URI Too Long")
        return self.replace


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
        if self.fault.refuse:
            _reset(writer)
            return
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        try:
            await asyncio.gather(self._ask(reader, back, writer), self._answer(there, writer))
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

    async def _ask(
        self, reader: asyncio.StreamReader, back: asyncio.StreamWriter, writer: asyncio.StreamWriter
    ) -> None:
        while chunk := await reader.read(CHUNK):
            self.requests += 1
            if self.fault.refuse:
                _reset(writer)
                break
            if (answer := self.fault.answer(chunk)) is not None:
                writer.write(answer)
                await writer.drain()
                writer.close()
                break
            if self.fault.hang:
                continue
            back.write(chunk)
            await back.drain()
        back.close()

    async def _answer(self, there: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sent = 0
        while chunk := await there.read(CHUNK):
            fault = self.fault
            await asyncio.sleep(fault.delay)
            if fault.cut_after is not None and sent + len(chunk) >= fault.cut_after:
                writer.write(chunk[: max(0, fault.cut_after - sent)])
                await writer.drain()
                if fault.reset:
                    _reset(writer)
                break
            sent += len(chunk)
            await _write(writer, chunk, fault.rate)
        writer.close()


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
