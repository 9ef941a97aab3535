"""`crawler-inspector audit`: who asked what, where and when, and what became of it."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta
from typing import Any

from bot.app import opened_state
from bot.inspection.lookup import read_time
from bot.inspection.pipeline import utc_now
from bot.settings import load_settings
from bot.state.records import TrailEntry

A_DAY = timedelta(days=1)


def run(since: str | None, user: str | None) -> None:
    """Print the trail, one JSON object a line, oldest first. Raises BadInput, BadSetting, StoreUnavailable."""
    asyncio.run(_print_trail(read_time(since) if since else utc_now() - A_DAY, user))


async def _print_trail(since: datetime, user: str | None) -> None:
    async with opened_state(load_settings()) as state:
        async for entry in state.jobs.trail(since):
            if user in (None, entry.user):
                print(json.dumps(_line(entry), ensure_ascii=False))


def _line(entry: TrailEntry) -> dict[str, Any]:
    return {
        "at": entry.taken_at.isoformat(timespec="seconds"),
        "team": entry.team,
        "channel": entry.channel,
        "user": entry.user,
        "kind": entry.kind,
        "asked": entry.asked,
        "outcome": entry.state,
        "tries": entry.attempts,
        "seconds": (entry.done_at - entry.taken_at).total_seconds() if entry.done_at else None,
        "request": entry.request_id,
    }
