"""`crawler-inspector inspect`: lookups from the arguments or standard input, in one of four forms."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum

from rich.console import Console

from bot.app import opened_inspector
from bot.commands.progress import loading_progress
from bot.errors import BadInput
from bot.inspection.lookup import read_time
from bot.inspection.model import Inspection
from bot.inspection.pipeline import Inspector
from bot.links import Links
from bot.render.blocks import summary_message
from bot.render.json import to_json
from bot.render.terminal import inspection_view
from bot.report.build import build_report
from bot.settings import Settings, load_settings


class Form(StrEnum):
    """How an inspection is printed."""

    SUMMARY = "summary"
    RAW = "raw"
    JSON = "json"
    BLOCKS = "blocks"


def run(lookups: Sequence[str], form: Form, as_of: str | None, shard: int | None) -> None:
    """Print every lookup's inspection. Raises the InspectorError of a lookup that cannot be read."""
    settings = load_settings()
    at = read_time(as_of) if as_of else None
    asyncio.run(_run(settings, list(_texts(lookups)), form, at, shard))


def _texts(lookups: Sequence[str]) -> Iterator[str]:
    for text in lookups:
        if text == "-":
            yield from (line for line in map(str.strip, sys.stdin) if line)
        else:
            yield text


async def _run(settings: Settings, texts: Sequence[str], form: Form, as_of: datetime | None, shard: int | None) -> None:
    async with opened_inspector(settings, loading_progress()) as inspector:
        links = Links.from_settings(settings)
        bad: list[str] = []
        for text in texts:
            try:
                lookup = inspector.read(text, shard)
            except BadInput as error:
                bad.append(str(error))
                continue
            _print(await inspector.inspect(lookup, as_of), form, inspector, links, as_of is not None)
    if bad:
        raise BadInput("\n".join(bad))


def _print(inspection: Inspection, form: Form, inspector: Inspector, links: Links, replayed: bool) -> None:
    if form is Form.JSON:
        print(json.dumps(to_json(inspection, inspector.profile, links), ensure_ascii=False))
        return
    report = build_report(inspection, inspector.profile, links, replayed=replayed)
    if form is Form.BLOCKS:
        print(json.dumps({"blocks": summary_message(report)["blocks"]}, ensure_ascii=False, indent=2))
    else:
        Console().print(inspection_view(report, raw=form is Form.RAW))
