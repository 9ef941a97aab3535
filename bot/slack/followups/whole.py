"""The answers that a message may be too short for, as files: one row is one command. Pure.

A page's heavy text is none of them: it is long as a rule, nobody wants a file for every look at it, and the window that
its button opens has all of it, and sends it as a file to who asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.render.elements import actions, context
from bot.render.raw import step_bodies
from bot.report.words import plural, readable
from bot.slack.followups.answers import (
    Bodies,
    Found,
    Payload,
    curl_bodies,
    json_bodies,
    json_link,
    link_button,
    raw_steps,
    sentence_answer,
    sql_bodies,
)
from bot.slack.followups.reading import Followup

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class File:
    """The whole of an answer."""

    name: str
    text: str


def _raw_bodies(found: Found, argument: str) -> Bodies:
    steps = raw_steps(found, argument)
    return [(f"{step.number}. {step.title}: {name}", body) for step in steps for name, body in step_bodies(step)]


# The name of the file, what a comment begins with in it, and the texts that are in it.
FILES: Mapping[str, tuple[str, str, Callable[[Found, str], Bodies]]] = {
    "json": ("inspection.json", "", lambda found, _argument: json_bodies(found)),
    "sql": ("query.sql", "-- ", lambda found, _argument: sql_bodies(found)),
    "curl": ("query.sh", "# ", lambda found, _argument: curl_bodies(found)),
    "raw": ("queries.txt", "# ", _raw_bodies),
}


def whole(followup: Followup, found: Found, shown: Message) -> File | None:
    """The file that belongs beside an answer; None where the message shows all of it."""
    if followup.command.name not in FILES:
        return None
    name, comment, bodies_of = FILES[followup.command.name]
    bodies = bodies_of(found, followup.argument)
    complete = set(_texts(shown["blocks"]))
    if all(readable(body, lines=True) in complete for _, body in bodies):
        return None
    return File(name, "\n\n".join(f"{comment}{title}\n{body}" if comment else body for title, body in bodies) + "\n")


def _texts(value: Any) -> Iterator[str]:
    """Every text in blocks, at any depth."""
    if isinstance(value, Mapping):
        if isinstance(value.get("text"), str):
            yield value["text"]
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


def sent_answer(followup: Followup, found: Found, file: File) -> Payload:
    """What is said where the file has been taken: it is the answer."""
    size = plural(len(file.text), "character")
    said = sentence_answer(found.report, f"All of it is in {file.name}, in this thread: {size}.")
    return {**said, "blocks": [*said["blocks"], *actions(_buttons(followup, found))]}


def refused_answer(followup: Followup, found: Found, file: File, shown: Message, error: str) -> Payload:
    """The answer as far as a message holds it, and why there is no more; the whole by a link where there is one."""
    note = context(f"Slack took no {file.name} with all of it ({error}); this is as much as a message holds.")
    links = [] if followup.command.name == "json" else actions(_buttons(followup, found))  # its message has one
    return {**shown, "blocks": [*shown["blocks"], note, *links]}


def _buttons(followup: Followup, found: Found) -> list[Any]:
    if followup.command.name == "json":
        return json_link(found)
    return link_button(found.report.link, "All of it in the browser")
