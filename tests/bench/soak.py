"""The bot at a steady load for a long while: does anything grow? Run: python -m tests.bench.soak --minutes 30

This process is Slack's end, the bot a process of its own over the embedded crawl. Looked at each second: its memory,
its open files and sockets, of which the first third is warming up. Looked at before and afterwards: what is in its
database and, while it rests, the tasks of its event loop. Prints the figures, and exits with 1 where one of them grows.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.bench.load import Loaded, loaded
from tests.bench.slack_end import Asked, slack_end, steady

RATE = 8.0  # requests a second
GROWTH_MB, GROWTH_FILES, GROWTH_TASKS = 16.0, 8.0, 8.0
REST, LOOKS = 3.0, 10  # seconds of rest before and afterwards
BYTES_A_REQUEST = 4_096  # that the database may take until it is swept


@dataclass(frozen=True)
class Sample:
    """One look at the process."""

    resident_mb: float
    files: int


@dataclass(frozen=True)
class Soak:
    """What was seen. Growth is the difference between the medians of the last third and the middle one.

    `tasks` is how many more there are at rest than before.
    """

    samples: Sequence[Sample]
    tasks: float
    asked: Sequence[Asked]
    unfinished: int
    database_bytes: int

    @property
    def unanswered(self) -> int:
        """Requests without an answer."""
        return sum(one.answered_at is None for one in self.asked)

    def growth(self, figure: Callable[[Sample], float]) -> float:
        """How much more there is of it in the last third than in the middle one."""
        third = len(self.samples) // 3
        middle, last = self.samples[third : 2 * third], self.samples[2 * third :]
        return statistics.median(map(figure, last)) - statistics.median(map(figure, middle))

    def grown(self) -> dict[str, tuple[float, float]]:
        """What grew by more than it may: how much, and how much it may."""
        most = {
            "memory, MB": (self.growth(lambda sample: sample.resident_mb), GROWTH_MB),
            "open files and sockets": (self.growth(lambda sample: sample.files), GROWTH_FILES),
            "tasks": (self.tasks, GROWTH_TASKS),
            "unfinished requests": (self.unfinished, 0),
            "requests without an answer": (self.unanswered, 0),
            "database, bytes a request": (self.database_bytes / max(1, len(self.asked)), BYTES_A_REQUEST),
        }
        return {name: (value, may) for name, (value, may) in most.items() if value > may}

    def __str__(self) -> str:
        last = self.samples[-1]
        return (
            f"{len(self.asked):,} requests: memory {last.resident_mb:.0f} MB "
            f"({self.growth(lambda sample: sample.resident_mb):+.1f} in the last third), {last.files} open files "
            f"({self.growth(lambda sample: sample.files):+.0f}); {self.tasks:+.0f} tasks at rest; "
            f"{self.unanswered} not answered, "
            f"{self.unfinished} unfinished, {self.database_bytes / max(1, len(self.asked)):.0f} bytes a request kept"
        )


async def soaked(folder: Path, seconds: float, rate: float = RATE, **changed: str) -> Soak:
    """Ask steadily for so long, and look."""
    async with slack_end() as end, loaded(end, folder, **changed) as bot:
        rested, before = await _tasks(bot), _database(folder)[1]
        watching = asyncio.create_task(_watch(bot, seconds))
        asked = await steady(bot.answered, rate, seconds)
        samples = await watching
        unfinished, kept = _database(folder)
        return Soak(samples, await _tasks(bot) - rested, asked, unfinished, kept - before)


async def _watch(bot: Loaded, seconds: float) -> list[Sample]:
    samples = []
    for _ in range(int(seconds)):
        samples.append(Sample(bot.bot.status("VmRSS") / 2**20, bot.bot.open_files()))
        await asyncio.sleep(1)
    return samples


async def _tasks(bot: Loaded) -> float:
    """How many there are at rest: the least of a few looks, as what has been answered may not have ended yet."""
    looks = []
    for _ in range(LOOKS):
        looks.append((await bot.bot.metrics())["crawler_inspector_tasks"])
        await asyncio.sleep(REST / LOOKS)
    return min(looks)


def _database(folder: Path) -> tuple[int, int]:
    """Requests that are recorded and not done, and the bytes of the file and its log."""
    with closing(sqlite3.connect(f"file:{folder / 'state.db'}?mode=ro", uri=True)) as connection:
        (unfinished,) = connection.execute("SELECT count(*) FROM bot_jobs WHERE due_at IS NOT NULL").fetchone()
        (size,) = connection.execute(
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        ).fetchone()
    return int(unfinished), int(size)


def main() -> int:
    """0 where nothing grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--rate", type=float, default=RATE)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        soak = asyncio.run(soaked(Path(name), 60 * chosen.minutes, chosen.rate))
    print(soak)
    grown = soak.grown()
    for name, (value, may) in grown.items():
        print(f"grows: {name}: {value:.1f}, more than {may:.0f}")
    return int(bool(grown))


if __name__ == "__main__":
    sys.exit(main())
