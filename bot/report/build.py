"""Inspection → Report: the order of everything, and the one place where text from the crawl is made readable."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from bot.index.profile import FieldKind, FieldSpec, IndexProfile
from bot.inspection.model import Deferred, FilterResult, Inspection, NearMatch, RobotsVerdict, Step
from bot.report import sentences
from bot.report.links import Links
from bot.report.model import (
    LAST_CRAWLED,
    TONE_OF_VERDICT,
    Badge,
    Cell,
    CellKind,
    FilterRow,
    Group,
    Line,
    NearLine,
    Report,
    StepView,
    Tone,
    Value,
)
from bot.report.subject import subject_of
from bot.report.words import age, elapsed, opens, readable

LOCATION = "Location"  # the group that the lookup's own facts stand in
HOST_LINE = "host"  # id of the line that comes from the lookup, not from the row


def build_report(inspection: Inspection, profile: IndexProfile, links: Links, *, replayed: bool = False) -> Report:
    """The report of an inspection; `replayed` where the asker fixed its instant."""
    lookup = inspection.lookup
    cause = inspection.filter(inspection.cause)
    title = lookup.url or lookup.unparsed or f"hash:{lookup.root_hash}"
    lines = _Lines(inspection, profile, links)
    return Report(
        title=readable(title),
        url=title if opens(title) else None,
        verdict=inspection.verdict,
        verdict_words=sentences.VERDICT_WORDS[inspection.verdict],
        badges=_badges(inspection),
        summary=readable(sentences.verdict_sentence(inspection, profile)),
        cause=readable(cause.title) if cause else None,
        filters=tuple(_filter_row(result) for result in inspection.filters),
        lines=lines,
        groups=Deferred(lambda: _groups(inspection, profile, lines)),
        steps=Deferred(lambda: tuple(_step_view(number, step) for number, step in enumerate(inspection.steps, 1))),
        near_heading=sentences.NEAR_SITE if lookup.unparsed is None else sentences.NEAR_ADDRESS,
        near_matches=tuple(_near_line(match) for match in inspection.near_matches),
        problems=tuple(map(readable, inspection.problems)),
        robots=readable(sentences.robots_sentence(inspection)),
        ban=readable(sentences.ban_sentence(inspection)),
        seen=readable(_capital(sentences.seen_sentence(inspection))),
        as_of=inspection.as_of,
        replayed=replayed,
        link=links.report(inspection),
        subject=subject_of(lookup, profile, inspection.as_of if replayed else None),
    )


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _badges(inspection: Inspection) -> tuple[Badge, ...]:
    stamp = _crawled_at(inspection)
    crawl_tone = {True: Tone.GOOD, False: Tone.BAD, None: Tone.UNSURE}[inspection.crawled]
    robots_tone = {
        RobotsVerdict.ALLOWED: Tone.GOOD,
        RobotsVerdict.DISALLOWED: Tone.BAD,
        RobotsVerdict.UNKNOWN: Tone.UNSURE,
    }[inspection.robots.verdict]
    return (
        Badge("index", inspection.index_badge, TONE_OF_VERDICT[inspection.verdict]),
        Badge("crawl", inspection.crawl_badge, crawl_tone, age(stamp, inspection.as_of) if stamp else ""),
        Badge("robots", inspection.robots_badge, robots_tone, sentences.robots_detail(inspection)),
    )


def _crawled_at(inspection: Inspection) -> datetime | None:
    stamp = (inspection.page or {}).get(LAST_CRAWLED)
    return stamp if isinstance(stamp, datetime) else None


def _filter_row(result: FilterResult) -> FilterRow:
    return FilterRow(
        result.id, readable(result.title), result.outcome, readable(result.condition), readable(result.details)
    )


class _Lines(Mapping[str, Line]):
    """The lines of a report by field id, each made when it is first read: a message shows few of them."""

    def __init__(self, inspection: Inspection, profile: IndexProfile, links: Links) -> None:
        self._inspection = inspection
        self._links = links
        self._made = _lines_of_lookup(inspection)
        self._specs = {} if inspection.page is None else {spec.id: spec for spec in profile.fields}

    def __getitem__(self, field_id: str) -> Line:
        if field_id not in self._made:
            self._made[field_id] = _line(self._specs[field_id], self._inspection, self._links)
        return self._made[field_id]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._made, *self._specs)))

    def __len__(self) -> int:
        return len(self._made.keys() | self._specs.keys())


def _groups(inspection: Inspection, profile: IndexProfile, lines: Mapping[str, Line]) -> tuple[Group, ...]:
    host = lines[HOST_LINE]
    if inspection.page is None:
        return (Group(LOCATION, tuple(lines.values())),)
    groups = []
    for title in profile.groups:
        own = tuple(lines[spec.id] for spec in profile.fields if spec.group == title)
        groups.append(Group(title, (host, *own) if title == LOCATION else own))
    if LOCATION not in profile.groups:
        groups.append(Group(LOCATION, (host,)))
    return tuple(groups)


def _lines_of_lookup(inspection: Inspection) -> dict[str, Line]:
    """The server asked; and where the row would be, if there were one."""
    lookup = inspection.lookup
    found = [Line(HOST_LINE, "Host ID", Cell(CellKind.TEXT, readable(f"{lookup.shard} ({lookup.host})")))]
    if inspection.page is None:
        unparsed = None if lookup.unparsed is None else readable(lookup.unparsed)
        found.append(Line("src_root_hash", "Root Hash", Cell(CellKind.CODE, str(lookup.root_hash))))
        found.append(Line("src_unparsed", "Unparsed URL", Cell(CellKind.CODE, unparsed)))
    return {line.id: line for line in found}


def _line(spec: FieldSpec, inspection: Inspection, links: Links) -> Line:
    if spec.heavy:
        cell = Cell(CellKind.HEAVY, None, link=links.heavy(inspection, spec.id))
    else:
        value = (inspection.page or {}).get(spec.id)
        cell = Cell(_KINDS[spec.kind], None) if value is None else _CELLS[spec.kind](value, inspection)
    return Line(spec.id, readable(spec.title), cell)


_KINDS: Mapping[FieldKind, CellKind] = {
    FieldKind.TEXT: CellKind.TEXT,
    FieldKind.CODE: CellKind.CODE,
    FieldKind.URL: CellKind.URL,
    FieldKind.KEY: CellKind.URL,
    FieldKind.INTEGER: CellKind.NUMBER,
    FieldKind.BOOLEAN: CellKind.BOOLEAN,
    FieldKind.TIME: CellKind.TIME,
    FieldKind.CLASSES: CellKind.CLASSES,
}


def _url_cell(value: Any, inspection: Inspection) -> Cell:
    address = str(value)
    return Cell(CellKind.URL, address) if opens(address) else Cell(CellKind.TEXT, readable(address))


def _classes_cell(value: Any, inspection: Inspection) -> Cell:
    ranked = sorted(value.items(), key=lambda item: (-item[1], item[0]))
    classes: Value = {readable(name): score for name, score in ranked}
    return Cell(CellKind.CLASSES, classes)


_CELLS: Mapping[FieldKind, Callable[[Any, Inspection], Cell]] = {
    FieldKind.TEXT: lambda value, _: Cell(CellKind.TEXT, readable(str(value), lines=True)),
    FieldKind.CODE: lambda value, _: Cell(CellKind.CODE, readable(str(value))),
    FieldKind.URL: _url_cell,
    FieldKind.KEY: _url_cell,
    FieldKind.INTEGER: lambda value, _: Cell(CellKind.NUMBER, int(value)),
    FieldKind.BOOLEAN: lambda value, _: Cell(CellKind.BOOLEAN, bool(value)),
    FieldKind.TIME: lambda value, inspection: Cell(CellKind.TIME, value, age(value, inspection.as_of)),
    FieldKind.CLASSES: _classes_cell,
}


def _step_view(number: int, step: Step) -> StepView:
    return StepView(
        number=number,
        id=step.id,
        title=readable(step.title),
        outcome=step.outcome,
        query=_many_lines(step.query),
        parameters=_many_lines(_parameters(step.parameters)),
        curl=_many_lines(step.curl),
        response=_many_lines(step.response),
        note=readable(step.note),
        elapsed=elapsed(step.elapsed_ms),
    )


def _parameters(parameters: Mapping[str, Any] | None) -> str | None:
    return json.dumps(parameters, ensure_ascii=False, default=str) if parameters else None


def _many_lines(text: str | None) -> str | None:
    return None if text is None else readable(text, lines=True)


def _near_line(match: NearMatch) -> NearLine:
    return NearLine(
        readable(match.url),
        match.url if opens(match.url) else None,
        readable(match.unparsed),
        readable(match.difference),
        match.verdict,
    )
