"""Inspection → the JSON that `inspect --json` prints: one object, these keys, this order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from bot.index.profile import FieldSpec, IndexProfile
from bot.inspection.model import FilterResult, Inspection, Lookup, NearMatch, Step
from bot.report.links import Links
from bot.report.words import iso_time

MAX_SAFE = 2**53 - 1  # RFC 8259 §6: whole numbers beyond this lose digits in many readers, so they are strings here

_HALVES = re.compile("[\ud800-\udfff]")  # half a character, which no UTF-8 holds


def to_json(inspection: Inspection, profile: IndexProfile, links: Links) -> dict[str, Any]:
    """The inspection as JSON values: times in ISO 8601 UTC, whole numbers beyond 53 bits as strings."""
    found = {
        "lookup": _lookup(inspection.lookup),
        "as_of": iso_time(inspection.as_of),
        "verdict": inspection.verdict.value,
        "cause": inspection.cause,
        "badges": {
            "index": inspection.index_badge,
            "crawl": inspection.crawl_badge,
            "robots": inspection.robots_badge,
        },
        "filters": [_filter(result) for result in inspection.filters],
        "page": _page(inspection, profile, links),
        "steps": [_step(step) for step in inspection.steps],
        "near_matches": [_near(match) for match in inspection.near_matches],
    }
    return {name: safe(part) for name, part in found.items()}


def _lookup(lookup: Lookup) -> dict[str, Any]:
    return {
        "text": lookup.text,
        "url": lookup.url,
        "unparsed": lookup.unparsed,
        "root": lookup.root,
        "root_hash": str(lookup.root_hash),
        "shard": lookup.shard,
        "host": lookup.host,
    }


def _filter(result: FilterResult) -> dict[str, Any]:
    return {
        "id": result.id,
        "title": result.title,
        "outcome": result.outcome.value,
        "condition": result.condition,
        "details": result.details,
    }


def _page(inspection: Inspection, profile: IndexProfile, links: Links) -> dict[str, Any] | None:
    if inspection.page is None:
        return None
    return {spec.id: _field(spec, inspection, links) for spec in profile.fields}


def _field(spec: FieldSpec, inspection: Inspection, links: Links) -> Any:
    if spec.heavy:
        return {"heavy": True, "url": links.heavy(inspection, spec.id)}
    return (inspection.page or {}).get(spec.id)


def _step(step: Step) -> dict[str, Any]:
    return {
        "id": step.id,
        "title": step.title,
        "outcome": step.outcome.value,
        "query": step.query,
        "parameters": step.parameters,
        "curl": step.curl,
        "response": step.response,
        "note": step.note,
        "elapsed_ms": round(step.elapsed_ms, 3),
    }


def _near(match: NearMatch) -> dict[str, Any]:
    return {
        "url": match.url,
        "unparsed": match.unparsed,
        "difference": match.difference,
        "verdict": match.verdict.value,
    }


def safe(value: Any) -> Any:
    """A decoded value as JSON holds it without loss."""
    match value:
        case datetime():
            return iso_time(value)
        case int() if abs(value) > MAX_SAFE:
            return str(value)
        case Mapping():
            return {str(name): safe(part) for name, part in value.items()}
        case str():
            return _HALVES.sub("\ufffd", value)
        case Sequence():
            return [safe(part) for part in value]
        case _:
            return value
