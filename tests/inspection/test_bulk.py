from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.errors import BadInput, StoreUnavailable
from bot.index.profile import IndexProfile
from bot.index.sample.load import sample_pages
from bot.inspection import chunks
from bot.inspection.bulk import inspect_many
from bot.inspection.model import Inspection, Lookup, RobotsVerdict, StepOutcome, Verdict
from bot.inspection.pipeline import Inspector
from bot.inspection.store import Query, Rows
from tests.inspection.scripted_store import ScriptedStore

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def timeless(inspection: Inspection) -> Inspection:
    """The inspection without what differs from run to run."""
    return replace(inspection, steps=tuple(replace(step, elapsed_ms=0) for step in inspection.steps))


def neighbours(url: str) -> Iterable[str]:
    """Addresses that are mostly not in the table, near one that is."""
    yield f"{url}{'&' if '?' in url else '?'}utm_source=chat"
    yield url.replace("https://", "http://", 1)
    yield f"{url}/nothing/here"


async def one_by_one(inspector: Inspector, lookups: Iterable[Lookup]) -> list[Inspection]:
    gate = asyncio.Semaphore(4)

    async def inspect(lookup: Lookup) -> Inspection:
        async with gate:
            return await inspector.inspect(lookup)

    return await asyncio.gather(*map(inspect, lookups))


async def together(inspector: Inspector, lookups: Iterable[Lookup | BadInput], **named: Any) -> list[Inspection]:
    return [item async for item in inspect_many(inspector, lookups, **named) if isinstance(item, Inspection)]


async def test_many_are_found_as_one_by_one(inspector: Inspector) -> None:
    """Every page of the sample, and addresses that are not there: verdicts, pages, near matches, every step's query and
    response are those of a single inspection."""
    pages = [spec.url for spec in sample_pages()]
    texts = pages + [text for url in pages[::40] for text in neighbours(url)]
    lookups = [inspector.read(text) for text in texts]
    many = await together(inspector, lookups, window=1_000)
    single = await one_by_one(inspector, lookups)

    assert len(many) == len(single) == len(texts)
    for found, expected in zip(many, single, strict=True):
        assert timeless(found) == timeless(expected)
