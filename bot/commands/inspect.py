"""`crawler-inspector inspect`: lookups from the arguments or standard input, streamed in one of five forms."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from enum import StrEnum

from rich.console import Console

from bot.app import opened_inspector
from bot.commands.one_profile import settings_for
from bot.commands.progress import loading_progress
from bot.commands.standard_streams import input_lines
from bot.errors import BadInput
from bot.inspection.bulk import inspect_many
from bot.inspection.lookup import read_time
from bot.inspection.model import Inspection, Lookup
from bot.inspection.pipeline import Inspector
from bot.links import Links
from bot.render.blocks import summary_message
from bot.render.csv import csv_header, csv_row
from bot.render.json import to_json
from bot.render.terminal import inspection_view
from bot.report.build import build_report
from bot.settings import Settings

STDIN = "-"


class Form(StrEnum):
    """How an inspection is printed."""

    SUMMARY = "summary"
    JSON = "json"
    CSV = "csv"
    BLOCKS = "blocks"
    RAW = "raw"

    @classmethod
    def chosen(cls) -> tuple[Form, ...]:
        """Those that have an option, in the order of the options."""
        return (cls.JSON, cls.CSV, cls.BLOCKS, cls.RAW)


def run(lookups: Sequence[str], form: Form, as_of: str | None, shard: int | None, profile: str | None) -> bool:
    """Print every lookup's inspection, in order; whether all could be read. What could not is told on stderr."""
    settings = settings_for(profile)
    at = None if as_of is None else read_time(as_of)
    return asyncio.run(_run(settings, lookups, form, at, shard))


def _texts(lookups: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What was asked, and where it stands: "line 7: ", or nothing for an argument."""
    for text in lookups:
        if text == STDIN:
            lines = enumerate(map(str.strip, input_lines()), 1)
            yield from ((line, f"line {number}: ") for number, line in lines if line)
        else:
            yield text, ""


def _asked(texts: Iterator[tuple[str, str]], inspector: Inspector, shard: int | None) -> Iterator[Lookup | BadInput]:
    for text, place in texts:
        try:
            yield inspector.read(text, shard)
        except BadInput as error:
            yield BadInput(f"{place}{error}")


async def _run(
    settings: Settings, lookups: Sequence[str], form: Form, as_of: datetime | None, shard: int | None
) -> bool:
    """Whether all lookups could be read."""
    good = True
    async with opened_inspector(settings, loading_progress()) as inspector:
        printed = _Printed(inspector, Links.from_settings(settings), as_of is not None)
        if form is Form.CSV:
            print(csv_header(inspector.profile), end="")
        asked = _asked(_texts(lookups), inspector, shard)
        async with aclosing(inspect_many(inspector, asked, as_of, commands=form is not Form.CSV)) as found:
            async for item in found:
                if isinstance(item, Inspection):
                    printed.show(item, form)
                else:
                    print(item, file=sys.stderr)
                    good = False
    sys.stdout.flush()
    return good


class _Printed:
    """Inspections on standard output."""

    def __init__(self, inspector: Inspector, links: Links, replayed: bool) -> None:
        self._profile = inspector.profile
        self._links = links
        self._replayed = replayed

    def show(self, inspection: Inspection, form: Form) -> None:
        """Print one."""
        forms: Mapping[Form, Callable[[Inspection], None]] = {
            Form.JSON: self._json,
            Form.CSV: lambda found: print(csv_row(found, self._profile), end=""),
            Form.BLOCKS: self._blocks,
            Form.RAW: lambda found: self._view(found, raw=True),
            Form.SUMMARY: self._view,
        }
        forms[form](inspection)

    def _json(self, inspection: Inspection) -> None:
        print(json.dumps(to_json(inspection, self._profile, self._links), ensure_ascii=False))

    def _blocks(self, inspection: Inspection) -> None:
        report = build_report(inspection, self._profile, self._links, replayed=self._replayed)
        print(json.dumps({"blocks": summary_message(report)["blocks"]}, ensure_ascii=False, indent=2))

    def _view(self, inspection: Inspection, raw: bool = False) -> None:
        report = build_report(inspection, self._profile, self._links, replayed=self._replayed)
        Console().print(inspection_view(report, raw=raw))
