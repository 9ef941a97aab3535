"""What a person sees while the sample crawl is loaded: a bar for each table, on standard error."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.progress import Progress, TaskID


def loading_progress() -> Callable[[str, int, int], None]:
    """A callback (table, rows done, rows in all) that draws a bar a table; shows nothing until it is called."""
    bars: dict[str, TaskID] = {}
    progress = Progress(console=Console(stderr=True))

    def advance(table: str, done: int, total: int) -> None:
        if table not in bars:
            progress.start()
            bars[table] = progress.add_task(f"Loading {table}", total=total)
        progress.update(bars[table], completed=done)
        if progress.finished:
            progress.stop()

    return advance
