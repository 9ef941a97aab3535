"""The bot is killed every two seconds while people ask. Run: python -m tests.chaos.kill --requests 1000

Real processes: a server of the test cluster, the bot, and this one, which is Slack. Both are slow, so that each kill
strikes inspections that run, and messages that Slack took without the bot having heard so. With `--replicas 2` they
share a Postgres server, and one after the other is killed. Prints what was asked, and how often it was answered.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.chaos.bot_process import Bot, serving, surroundings
from tests.chaos.traffic import BusyWorkspace, Traffic, empty_crawl
from tests.cluster.proxy import Fault, proxied
from tests.state.postgres_server import running_postgres

LIVES = 2.0  # seconds between the moment that the bot listens and its end
RATE = 10.0  # requests a second
SETTLES = 3.0  # seconds in which a second answer would come
SLOW = 0.3  # seconds that an answer of the crawl, and of Slack, is late
QUIET = 60.0  # seconds without a new answer after which none is waited for: longer than a lease


@dataclass(frozen=True)
class Outcome:
    """What came of it."""

    acknowledged: int
    missing: int
    doubled: int
    kills: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.acknowledged:,} requests acknowledged, {self.kills} kills in {self.seconds:.0f} s: "
            f"{self.missing} not answered, {self.doubled} answered twice"
        )


async def killed_while_asked(
    folder: Path,
    crawl_port: int,
    requests: int,
    *,
    rate: float = RATE,
    database: str = "",
    replicas: int = 1,
    again: bool = True,
    quiet: float = QUIET,
) -> Outcome:
    """Ask so many times while the replicas are killed in turn; then wait for the answers.

    Not `again`: only the first is killed, and it does not come back.
    """
    begun = time.monotonic()
    changed = {"CRAWLER_INSPECTOR_DATABASE_URL": database} if database else {}
    async with AsyncExitStack() as stack:
        ws = await stack.enter_async_context(BusyWorkspace())
        ws.state.origin, slow_port = await stack.enter_async_context(_slowly(ws, crawl_port))
        bots = [Bot(folder / f"bot{number}", surroundings(ws, slow_port, **changed)) for number in range(replicas)]
        for bot in bots:
            await stack.enter_async_context(serving(bot))
            ws.connect(bot.url)
        traffic = Traffic(ws, ws.busy)
        killing = asyncio.create_task(_kill_in_turn(bots) if again else _kill_one(bots[0]))
        await traffic.steadily(requests, rate)
        killing.cancel()
        await asyncio.gather(killing, return_exceptions=True)
        for bot in bots if again else ():
            if not bot.alive:
                await bot.start()
        await traffic.answered(quiet)
        await asyncio.sleep(SETTLES)
        return Outcome(
            sum(request.acknowledged for request in traffic.requests),
            len(traffic.missing()),
            len(traffic.doubled()),
            sum(bot.kills for bot in bots),
            time.monotonic() - begun,
        )


@asynccontextmanager
async def _slowly(ws: BusyWorkspace, crawl_port: int) -> AsyncIterator[tuple[str, int]]:
    """The address of Slack and the port of the crawl, whose answers come late."""
    slack_port = urlsplit(ws.state.origin).port or 0
    async with proxied(slack_port, Fault(delay=SLOW)) as slack, proxied(crawl_port, Fault(delay=SLOW)) as crawl:
        yield f"http://127.0.0.1:{slack.port}", crawl.port


async def _kill_in_turn(bots: Sequence[Bot]) -> None:
    for bot in itertools.cycle(bots):
        await asyncio.sleep(LIVES)
        await bot.kill()
        await bot.start()


async def _kill_one(bot: Bot) -> None:
    await asyncio.sleep(LIVES)
    await bot.kill()


@contextmanager
def _database(replicas: int) -> Iterator[str]:
    """Postgres where several share it; "" for the SQLite file of a single one."""
    with ExitStack() as stack:
        yield stack.enter_context(running_postgres()).url("postgres") if replicas > 1 else ""


def main() -> int:
    """0 where each request was answered once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=1_000)
    parser.add_argument("--replicas", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, _database(chosen.replicas) as database:
        folder = Path(name)
        with empty_crawl(folder / "crawl") as port:
            run = killed_while_asked(folder, port, chosen.requests, database=database, replicas=chosen.replicas)
            outcome = asyncio.run(run)
    print(outcome)
    return int(bool(outcome.missing or outcome.doubled))


if __name__ == "__main__":
    sys.exit(main())
