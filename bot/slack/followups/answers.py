"""An inspection → the answer to one follow-up: short, to the point, and named by its page. Pure.

An answer has no metadata of its own: what a thread is about is said by the inspections in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.errors import BadInput
from bot.index.profile import IndexProfile
from bot.inspection.literal import literal_sql
from bot.inspection.model import Inspection, Outcome, Step
from bot.render import limits
from bot.render.actions import ACTION_REPORT
from bot.render.blocks import as_of, filters_message
from bot.render.elements import (
    BREAK,
    Element,
    actions,
    bullets,
    button,
    escaped_size,
    fair_share,
    lines,
    link,
    message,
    plain,
    preformatted,
    rich,
    section,
    text,
)
from bot.render.json import to_json
from bot.render.limits import cut
from bot.render.raw import raw_blocks
from bot.render.text import spoken
from bot.report.build import LOCATION
from bot.report.links import Links
from bot.report.model import FIRST_INDEXED, LAST_CRAWLED, SYMBOLS, CellKind, Group, Line, Report, StepView
from bot.report.words import NULL_CHAT, number, plural, readable
from bot.slack.followups.grammar import STEP_NAMES
from bot.slack.followups.reading import Followup

Payload = dict[str, Any]
Facts = Sequence[tuple[str, str]]
Bodies = list[tuple[str, str]]  # long texts, by name

SENTENCE, FACT, TITLE = 2_500, 400, 60  # characters of a sentence, of a value, of its name
ADDRESS = 1_000  # of the page's address above an answer
FAILING_SHOWN = 10
NOTE = 200  # of the words above a preformatted block
FRAME = ADDRESS + 4 * NOTE + 4 * limits.BLOCK_COST  # what an answer takes beside its bodies
GROUPS = {"links": "Links", "perf": "Performance"}  # titles of the profile's groups
JSON_TWIN = ".json"  # after the address of a report: the same as JSON
NO_SERVER = "There is no server to ask from a shell: this crawl is embedded. “sql” has the query."
NOT_ASKED = "Nothing was asked of the table."


@dataclass(frozen=True, slots=True)
class Found:
    """What an answer is made of."""

    inspection: Inspection
    report: Report
    profile: IndexProfile
    links: Links


def answer(followup: Followup, found: Found) -> Payload:
    """The answer to a follow-up that needs the page's inspection only. Raises BadInput for a step that there is not."""
    return ANSWERS[followup.command.name](found, followup.argument)


def sentence_answer(report: Report, sentence: str) -> Payload:
    """One sentence about the page."""
    return _titled(report, sentence, [section([text(readable(sentence), SENTENCE)])])


def _titled(report: Report, words: str, parts: Sequence[Element]) -> Payload:
    """An answer under the address that it is about."""
    about = section([link(report.url, report.title, ADDRESS), *as_of(report), BREAK])
    return message(spoken(f"{cut(report.title, FACT)}\n{words}"), [rich(about, *parts)])


def _facts(report: Report, facts: Facts) -> Payload:
    rows = [[text(f"{title}: ", TITLE, bold=True), text(value, FACT)] for title, value in facts]
    return _titled(report, "\n".join(f"{title}: {cut(value, FACT)}" for title, value in facts), [lines(rows)])


def _why(found: Found, _argument: str) -> Payload:
    """The verdict's sentence, and every rule that fails with its text and value."""
    report = found.report
    failing = [row for row in report.filters if row.outcome is not Outcome.PASS][:FAILING_SHOWN]
    most = fair_share([len(row.condition) for row in failing], SENTENCE)
    items = [
        [
            text(f"{SYMBOLS[row.tone]} {row.title}: ", TITLE, bold=True),
            text(f"{row.details} — ", FACT),
            text(row.condition, most, code=True),
        ]
        for row in failing
    ]
    verdict = section([text(f"{SYMBOLS[report.tone]} {report.summary}", SENTENCE)])
    return _titled(report, report.summary, [verdict, *([bullets(items)] if items else [])])


def _filters(found: Found, _argument: str) -> Payload:
    if not found.report.filters:
        return sentence_answer(found.report, found.report.summary)
    return {name: part for name, part in filters_message(found.report).items() if name != "metadata"}


def _details(found: Found, _argument: str) -> Payload:
    """Every property in its group, each value as long as all together allow."""
    groups = found.report.groups
    values = [line.cell.text(NULL_CHAT) for group in groups for line in group.lines]
    names = sum(escaped_size(cut(line.title, TITLE)) + 3 for group in groups for line in group.lines)
    fixed = FRAME + names + len(groups) * (TITLE + limits.BLOCK_COST)
    most = fair_share(map(escaped_size, values), max(len(values), limits.BLOCKS_TOTAL - fixed))
    parts = [part for group in groups for part in _group(group, most)]
    spoken_words = "\n".join(f"{group.title}: {plural(len(group.lines), 'value')}" for group in groups)
    return _titled(found.report, spoken_words, parts)


def _group(group: Group, most: int) -> list[Element]:
    rows = [[text(f"{line.title}: ", TITLE), *_value(line, most)] for line in group.lines]
    return [lines([[text(group.title, TITLE, bold=True)], *rows, [text(" ", 1)]])]


def _value(line: Line, most: int) -> list[Element]:
    if line.cell.kind is CellKind.URL and isinstance(line.cell.value, str):
        return [link(line.cell.value, line.cell.value, most)]
    if line.cell.kind is CellKind.HEAVY and line.cell.link:
        return [link(line.cell.link, line.cell.text(), most)]
    return [text(readable(line.cell.text(NULL_CHAT)), most)]


def _crawled(found: Found, _argument: str) -> Payload:
    ids = (LAST_CRAWLED, FIRST_INDEXED, "download_http_code")
    facts = [(line.title, readable(line.cell.text(NULL_CHAT))) for line in map(found.report.line, ids) if line]
    return _facts(found.report, facts) if facts else sentence_answer(found.report, found.report.summary)


def _robots(found: Found, _argument: str) -> Payload:
    badge = next(badge for badge in found.report.badges if badge.id == "robots")
    return sentence_answer(found.report, f"{SYMBOLS[badge.tone]} {badge.label}: {found.report.robots}")


def _spam(found: Found, _argument: str) -> Payload:
    own = [(line.title, line.cell.text(NULL_CHAT)) for line in _lines(found.report, ("fh_dont_index", "ml_spam_score"))]
    rule = [(row.title, f"{SYMBOLS[row.tone]} {row.details}") for row in found.report.filters if row.id == "spam-ban"]
    return _facts(found.report, [("Host", found.report.ban), *own, *rule])


def _seen(found: Found, _argument: str) -> Payload:
    """The frontier is not asked about a crawled page; its own times say when it was met."""
    times = _lines(found.report, (FIRST_INDEXED, LAST_CRAWLED))
    facts = [(line.title, readable(line.cell.text(NULL_CHAT))) for line in times]
    return _facts(found.report, [("Frontier", found.report.seen), *facts])


def _host(found: Found, _argument: str) -> Payload:
    """The shard and the keys, robots.txt and the host's standing."""
    places = [line for group in found.report.groups if group.title == LOCATION for line in group.lines]
    facts = [(line.title, readable(line.cell.text(NULL_CHAT))) for line in places]
    return _facts(found.report, [*facts, ("Robots", found.report.robots), ("Standing", found.report.ban)])


def _lines(report: Report, ids: Sequence[str]) -> list[Line]:
    return [line for line in map(report.line, ids) if line]


def _of_group(name: str) -> Callable[[Found, str], Payload]:
    """One group of the profile, value by value."""

    def of_group(found: Found, _argument: str) -> Payload:
        title = GROUPS[name]
        group = [line for group in found.report.groups if group.title == title for line in group.lines]
        if not group:
            return sentence_answer(found.report, _nothing_stored(found, title))
        return _facts(found.report, [(line.title, readable(line.cell.text(NULL_CHAT))) for line in group])

    return of_group


def _nothing_stored(found: Found, what: str) -> str:
    if found.inspection.page is None:
        return found.report.summary
    return f"This index stores nothing under “{what}”."


def _class(found: Found, _argument: str) -> Payload:
    """Every classification, the highest scores first."""
    classes = [line for group in found.report.groups for line in group.lines if line.cell.kind is CellKind.CLASSES]
    if not classes:
        return sentence_answer(found.report, _nothing_stored(found, "classes"))
    return _facts(found.report, [(line.title, line.cell.text(NULL_CHAT)) for line in classes])


def _raw(found: Found, argument: str) -> Payload:
    """Every step, or the one named by its number or id."""
    report = replace(found.report, steps=raw_steps(found, argument))
    names = "\n".join(f"{step.number}. {step.title}: {step.note or step.outcome}" for step in report.steps)
    return message(spoken(f"{cut(report.title, FACT)}\n{names}"), raw_blocks(report))


def raw_steps(found: Found, argument: str) -> Sequence[StepView]:
    """Every step, or the one that is named. Raises BadInput."""
    steps = found.report.steps
    return (steps[_step_number(argument, len(steps)) - 1],) if argument else steps


def _step_number(argument: str, count: int) -> int:
    named = STEP_NAMES.index(argument) + 1 if argument in STEP_NAMES else int(argument[:6])
    if not 1 <= named <= count:
        names = ", ".join(f"{index} {name}" for index, name in enumerate(STEP_NAMES[:count], 1))
        raise BadInput(f"There is no step {argument[:20]}; the steps are {names}. Example: raw 2")
    return named


def _sql(found: Found, _argument: str) -> Payload:
    """The query of the crawled status: as it ran, its parameters, and with these written into it."""
    step = _crawled_step(found)
    bodies = sql_bodies(found)
    if not bodies:
        return sentence_answer(found.report, step.note if step and step.note else NOT_ASKED)
    return _bodies(found.report, bodies)


def sql_bodies(found: Found) -> Bodies:
    """The query in its forms; none where nothing was asked."""
    step = _crawled_step(found)
    if step is None or step.query is None:
        return []
    bound = json.dumps(step.parameters, ensure_ascii=False, default=str) if step.parameters else ""
    bodies = [
        ("As it runs, parameters bound by the server", step.query),
        ("Parameters", bound),
        ("To paste, parameters written into it", literal_sql(step.query, step.parameters)),
    ]
    return [(name, body) for name, body in bodies if body]


def _curl(found: Found, _argument: str) -> Payload:
    bodies = curl_bodies(found)
    return _bodies(found.report, bodies) if bodies else sentence_answer(found.report, NO_SERVER)


def curl_bodies(found: Found) -> Bodies:
    """The command; none where there is no server."""
    step = _crawled_step(found)
    return [(step.title, step.curl)] if step and step.curl else []


def _json(found: Found, _argument: str) -> Payload:
    """As much as a message holds, and the whole by a link where there is one."""
    payload = _bodies(found.report, json_bodies(found))
    return {**payload, "blocks": [*payload["blocks"], *actions(json_link(found))]}


def json_bodies(found: Found) -> Bodies:
    """The inspection as `inspect --json` prints it, indented."""
    return [("JSON", json.dumps(to_json(found.inspection, found.profile, found.links), ensure_ascii=False, indent=1))]


def json_link(found: Found) -> list[Element]:
    """A button that opens it in the browser, where there are links."""
    return link_button(found.report.link + JSON_TWIN if found.report.link else None, "All of the JSON")


def link_button(url: str | None, label: str) -> list[Element]:
    """A button that opens a page; none where there is no page, or its address is too long for a button."""
    if url is None or len(url) > limits.URL:
        return []
    return [{**button(ACTION_REPORT, url=url), "text": plain(label, limits.BUTTON_TEXT)}]


def _crawled_step(found: Found) -> Step | None:
    return next((step for step in found.inspection.steps if step.id == "crawled"), None)


def _bodies(report: Report, bodies: Sequence[tuple[str, str]]) -> Payload:
    """Texts in one width, which share the room of a message; what is cut names its whole length."""
    shown = [(name, readable(body, lines=True)) for name, body in bodies]
    most = fair_share((escaped_size(body) for _, body in shown), limits.BLOCKS_TOTAL - FRAME)
    parts = [part for name, body in shown for part in _body(name, body, most)]
    return _titled(report, "\n".join(f"{name}:\n{cut(body, SENTENCE)}" for name, body in shown), parts)


def _body(name: str, body: str, most: int) -> list[Element]:
    shown = preformatted(body, most)
    size = len(shown["elements"][0]["text"])
    cut_words = f" (the first {number(size - 1)} of {plural(len(body), 'character')})" if size < len(body) else ""
    return [section([text(name + cut_words, NOTE, bold=True)]), shown]


ANSWERS: Mapping[str, Callable[[Found, str], Payload]] = {
    "why": _why,
    "filters": _filters,
    "details": _details,
    "crawled": _crawled,
    "robots": _robots,
    "spam": _spam,
    "seen": _seen,
    "raw": _raw,
    "sql": _sql,
    "curl": _curl,
    "json": _json,
    "links": _of_group("links"),
    "class": _class,
    "perf": _of_group("perf"),
    "host": _host,
}
