"""SIGTERM while people ask: what was acknowledged is answered within the grace time, or by the next process."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from bot.app import DRAIN_SECONDS
from tests.chaos.bot_process import Bot, serving, surroundings
from tests.chaos.traffic import BusyWorkspace, Traffic
from tests.cluster.proxy import Fault, proxied

SLOW = 0.3  # seconds that an answer of the crawl is late
CLOSES = 8.0  # seconds besides, for what is closed after the requests
QUIET = 15.0  # seconds without a new answer after which none is waited for
SETTLES = 1.0  # seconds in which a second answer would come


async def test_a_process_that_is_told_to_end_drains_and_the_next_one_goes_on(
    ws: BusyWorkspace, crawl_port: int, tmp_path: Path
) -> None:
    """It ends with 0 and in time; those who asked meanwhile are served by its successor."""
    async with (
        proxied(crawl_port, Fault(delay=SLOW)) as crawl,
        serving(Bot(tmp_path / "bot", surroundings(ws, crawl.port))) as bot,
    ):
        ws.connect(bot.url)
        traffic = Traffic(ws, ws.busy)
        asking = asyncio.create_task(traffic.steadily(60, rate=20))
        await asyncio.sleep(1.5)
        taken = sum(request.acknowledged for request in traffic.requests)
        begun = time.monotonic()
        code = await bot.stop()
        took = time.monotonic() - begun
        await bot.start()
        await asking
        await traffic.answered(QUIET)
        await asyncio.sleep(SETTLES)

    assert taken > 0
    assert code == 0
    assert took < DRAIN_SECONDS + CLOSES
    assert (traffic.missing(), traffic.doubled()) == ([], [])
