"""The bot under load. Run: python -m tests.bench.load

This process is Slack's end: it signs commands and takes the answers; the bot is a process of its own, as it is served.

(a) answers a second, as many as the bot can, against the same queries put to the engine by a process without a bot;
(b) the acknowledgement of a command at 80 % of that load, and at three times it, where the surplus is told "busy";
(c) what recording a request adds to its acknowledgement, and answers a second with recording against without;
(d) one person's single page while another's 10,000 run, against the same without them.

The rivals are taken in turn, round by round; medians of one run. `--seconds` and `--rounds` say how long each lasts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.index.profile import load_profile
from bot.inspection.pipeline import utc_now
from bot.store.embedded import prepare
from tests.bench.engine_alone import PAGES
from tests.bench.slack_end import PEOPLE, Asked, SlackEnd, quantile, saturating, slack_end, steady
from tests.chaos.bot_process import Bot, serving
from tests.cluster.cluster import ROOT
from tests.slack.running import SECRET, TOKEN

AT_ONCE = 16  # CRAWLER_INSPECTOR_CONCURRENCY, and what the rival runs at once
DURABLE = "CRAWLER_INSPECTOR_DURABLE"
LIST, SINGLES = 10_000, 40
LIST_DONE = "files.completeUploadExternal"


@dataclass(frozen=True)
class Row:
    """One figure; where there is a rival: ours, its, and the ratio."""

    what: str
    figure: str
    aim: str

    def show(self) -> None:
        """As a line of the table."""
        print(f"{self.what:<74} {self.figure:>34}   (aim: {self.aim})", flush=True)


class Loaded:
    """A bot at work, and how it is asked."""

    def __init__(self, end: SlackEnd, bot: Bot) -> None:
        self.end = end
        self.bot = bot

    async def ask(self, number: int) -> Asked:
        """One of the pages, by the next person; acknowledged."""
        return await self.end.ask(self.bot.url, PAGES[number % len(PAGES)], number % PEOPLE)

    async def answered(self, number: int) -> Asked:
        """The same, answered."""
        return await self.end.answered(self.bot.url, PAGES[number % len(PAGES)], number % PEOPLE)

    async def answers_a_second(self, seconds: float) -> float:
        """As many as it can; to be told that it is busy is no answer."""

        async def one(number: int) -> bool:
            asked = await self.answered(number)
            return asked.answered_at is not None and not asked.busy

        return await saturating(one, 2 * AT_ONCE, seconds)

    async def acknowledgements(self, count: int) -> list[float]:
        """Milliseconds, one command after another's answer."""
        return [(await self.answered(number)).ack_ms for number in range(count)]


@asynccontextmanager
async def loaded(end: SlackEnd, folder: Path, **changed: str) -> AsyncIterator[Loaded]:
    """A bot over the embedded crawl of its folder."""
    environment = {
        "PATH": os.environ["PATH"],
        "SLACK_BOT_TOKEN": TOKEN,
        "SLACK_SIGNING_SECRET": SECRET,
        "CRAWLER_INSPECTOR_SLACK_API_URL": end.api_url,
        "CRAWLER_INSPECTOR_CONCURRENCY": str(AT_ONCE),
        **changed,
    }
    async with serving(Bot(folder, environment)) as bot:
        at_work = Loaded(end, bot)
        await at_work.answers_a_second(1.0)  # what is asked first is slow
        yield at_work


async def engine_alone(folder: Path, seconds: float) -> float:
    """Pages a second of the rival, which opens the engine for itself."""
    command = (sys.executable, "-m", "tests.bench.engine_alone", str(folder), "--at-once", str(AT_ONCE))
    rival = await asyncio.create_subprocess_exec(
        *command, "--seconds", str(seconds), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await rival.communicate()
    return float(json.loads(said))


async def bench_throughput(durable: Loaded, plain: Loaded, crawl: Path, seconds: float, rounds: int) -> float:
    """(a), and the second half of (c): the answers a second of the bot as it is served."""
    ours, without, rival, ratios, costs = [], [], [], [], []
    for _ in range(rounds):
        ours.append(await durable.answers_a_second(seconds))
        rival.append(await engine_alone(crawl, seconds))
        without.append(await plain.answers_a_second(seconds))
        ratios.append(ours[-1] / rival[-1])
        costs.append(ours[-1] / without[-1])
    answers, queries, bare = map(statistics.median, (ours, rival, without))
    figure = f"{answers:.0f}/s  {queries:.0f}/s  {statistics.median(ratios):.2f}×"
    Row("(a) answers a second, against their queries without a bot", figure, "≥ 0.6×").show()
    figure = f"{answers:.0f}/s  {bare:.0f}/s  {statistics.median(costs):.2f}×"
    Row("(c) answers a second, recorded first, against not recorded", figure, "≥ 0.5×").show()
    return answers


async def bench_recording(durable: Loaded, plain: Loaded, count: int) -> None:
    """(c) Both in turn, so that what else the machine does meets both."""
    ours, rival = [], []
    for _ in range(4):
        ours += await durable.acknowledgements(count // 4)
        rival += await plain.acknowledgements(count // 4)
    added = statistics.median(ours) - statistics.median(rival)
    figure = f"{statistics.median(ours):.1f} ms  {statistics.median(rival):.1f} ms  +{added:.1f} ms"
    Row("(c) acknowledgement one by one, recorded first, against not, p50", figure, "≤ +10 ms").show()


async def bench_acknowledgement(bot: Loaded, saturation: float, share: float, seconds: float, aim: str) -> None:
    """(b)"""
    asked = await steady(bot.ask, share * saturation, seconds)
    await settled(asked, seconds)
    times = [one.ack_ms for one in asked]
    busy, failed = sum(one.busy for one in asked), sum(one.acknowledged is None for one in asked)
    silent = sum(one.answered_at is None for one in asked) - failed
    figure = f"p50 {quantile(times, 0.5):.0f} ms  p99 {quantile(times, 0.99):.0f} ms"
    Row(f"(b) acknowledgement at {share:g}× the saturating load", figure, aim).show()
    print(
        f"      of {len(asked)}: {busy} told busy, {failed} not acknowledged, {silent} not answered in time", flush=True
    )


async def settled(asked: list[Asked], seconds: float) -> None:
    """Wait for the answers to what was acknowledged, not for longer than the asking took."""
    deadline = time.perf_counter() + seconds
    for one in asked:
        if one.acknowledged:
            try:
                async with asyncio.timeout(max(0.0, deadline - time.perf_counter())):
                    await one.answered.wait()
            except TimeoutError:
                return


async def bench_fairness(bot: Loaded) -> None:
    """(d)"""
    alone = [(await bot.answered(number)).reply_ms for number in range(SINGLES)]
    listed = "\n".join(f"https://cases.example/listed/{number}" for number in range(LIST))
    before = bot.end.calls.count(LIST_DONE)
    started = time.perf_counter()
    if (await bot.end.ask(bot.bot.url, listed, PEOPLE + 1)).acknowledged is None:
        raise SystemExit("the list of 10,000 was not taken, so there is nothing to measure")
    beside: list[float] = []
    while bot.end.calls.count(LIST_DONE) == before and time.perf_counter() - started < 60:
        beside.append((await bot.answered(len(beside))).reply_ms)
    took = time.perf_counter() - started
    ours, rival = statistics.median(beside), statistics.median(alone)
    figure = f"{ours:.0f} ms  {rival:.0f} ms  {ours / rival:.2f}×"
    Row(f"(d) one page beside another's {LIST:,} ({took:.0f} s), against alone, p50", figure, "≤ 3×").show()


async def main(seconds: float, rounds: int) -> None:
    """Print every figure."""
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name) / part for part in ("durable", "plain", "alone")]
        prepare(folders[0] / "crawl", load_profile(), lambda *_: None, utc_now())
        for folder in folders[1:]:
            shutil.copytree(folders[0] / "crawl", folder / "crawl", symlinks=True)
        async with AsyncExitStack() as stack:
            end = await stack.enter_async_context(slack_end())
            durable = await stack.enter_async_context(loaded(end, folders[0]))
            plain = await stack.enter_async_context(loaded(end, folders[1], **{DURABLE: "off"}))
            saturation = await bench_throughput(durable, plain, folders[2] / "crawl", seconds, rounds)
            await bench_recording(durable, plain, 200)
            await bench_fairness(durable)
            await bench_acknowledgement(durable, saturation, 0.8, 2 * seconds, "p99 < 300 ms")
            await bench_acknowledgement(durable, saturation, 3.0, 2 * seconds, "p99 < 1 s, the surplus told busy")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement of a round")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    asyncio.run(main(chosen.seconds, chosen.rounds))
