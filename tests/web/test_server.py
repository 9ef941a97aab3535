from __future__ import annotations

import asyncio
import logging

import pytest
from aiohttp import web

from bot.web.server import runner_of


async def answer(_request: web.Request) -> web.Response:
    raise RuntimeError("a mistake of ours")


async def without_end(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b"x" * 10_000)


async def status_of(octets: bytes) -> int:
    """What a server with one broken page answers."""
    application = web.Application()
    application.add_routes([web.get("/", answer), web.get("/long", without_end)])
    runner = runner_of(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", runner.addresses[0][1])
        writer.write(octets)
        line = await reader.readline()
        writer.close()
    finally:
        await runner.cleanup()
    return int(line.split()[1])


@pytest.mark.parametrize(
    "octets",
    [
        b"GET / HTTP/1.1\r\nHost: bot.example]\n\r\nplanted",
        b"GET / HTTP/1.1\r\nHo st: planted\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: planted\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: planted\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"planted" * 5_000 + b"\r\n\r\n",
    ],
    ids=["line end", "header", "version", "length", "long"],
)
async def test_what_is_no_http_request_is_400_and_one_line_of_the_log(
    octets: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """Found by fuzzing: aiohttp writes a traceback with the octets of any stranger."""
    caplog.set_level(logging.INFO)

    assert await status_of(octets) == 400
    assert "planted" not in caplog.text
    [line] = [record for record in caplog.records if record.name == "bot.web.server"]
    assert (line.levelno, line.exc_info) == (logging.INFO, None)
    assert line.getMessage().startswith("refused what is no HTTP request (127.0.0.1): ")


async def test_a_mistake_of_ours_keeps_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    """It is 500, and the log says why."""
    assert await status_of(b"GET / HTTP/1.1\r\nHost: bot.example\r\n\r\n") == 500
    assert "a mistake of ours" in caplog.text


async def test_a_reader_who_leaves_is_one_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """Found by fuzzing: a traceback for every page that is closed too early."""
    caplog.set_level(logging.INFO)

    assert await status_of(b"GET /long HTTP/1.1\r\nHost: bot.example\r\n\r\n") == 200
    [line] = [record for record in caplog.records if record.name == "bot.web.server"]
    assert (line.levelno, line.exc_info) == (logging.INFO, None)
    assert line.getMessage().startswith("a reader left before the end (127.0.0.1): ")
