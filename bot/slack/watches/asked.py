"""What somebody typed → what is to be watched, listed or stopped: after `/inspect`, a mention and in a DM. Pure.

watch URL [until indexed] | watches | unwatch URL | unwatch NUMBER
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from bot.errors import BadInput
from bot.inspection.model import Lookup
from bot.slack.asked import EXAMPLE, Read, read_command

HIGHEST = 2**31  # no watch has this number or one above it


class Verb(StrEnum):
    """What is to be done, by the word that says so."""

    WATCH = "watch"
    LIST = "watches"
    STOP = "unwatch"


_REQUEST = re.compile(
    r"\s*(?:(?P<list>watches)\s*|(?P<verb>watch|unwatch)(?!\S)(?P<rest>.*))", re.IGNORECASE | re.DOTALL
)
_UNTIL = re.compile(r"(?<!\S)until\s+(?:it\s+is\s+|it[’']s\s+)?index(?:ed|able)\s*[.!]*\s*$", re.IGNORECASE)
_NUMBER = re.compile(r"\s*#?(\d{1,10})\s*")


@dataclass(frozen=True, slots=True)
class Request:
    """One wish: WATCH has a lookup, STOP a lookup or a number, LIST neither."""

    verb: Verb
    lookup: Lookup | None = None
    number: int | None = None
    until_indexed: bool = False


def is_about_watches(text: str) -> bool:
    """Does it begin as a wish that has to do with watches?"""
    return _REQUEST.fullmatch(text) is not None


def read_request(text: str, read: Read) -> Request:
    """The wish. Raises BadInput where no page is named, or more than one."""
    match = _REQUEST.fullmatch(text)
    if match is None or match["list"]:
        return Request(Verb.LIST)
    verb, rest = Verb(match["verb"].lower()), match["rest"].replace("\u00a0", " ")
    number = _NUMBER.fullmatch(rest)
    if verb is Verb.STOP and number and int(number[1]) < HIGHEST:
        return Request(verb, number=int(number[1]))
    until = _UNTIL.search(rest) if verb is Verb.WATCH else None
    named = rest[: until.start()] if until else rest
    return Request(verb, _page(verb, named, read), until_indexed=until is not None)


def _page(verb: Verb, named: str, read: Read) -> Lookup:
    """The one page that is named."""
    example = f"Example: /inspect {verb} {EXAMPLE}"
    if not named.strip():
        raise BadInput(f"Read “{verb}” without the page that is meant. {example}")
    asked = read_command(named, read)
    if asked.site is not None or asked.as_of is not None or len(asked.lookups) + asked.left_out != 1:
        raise BadInput(f"One page at a time can be named after “{verb}”, and nothing else. {example}")
    return watchable(asked.lookups[0])


def watchable(lookup: Lookup) -> Lookup:
    """The lookup, where it is of one page. Raises BadInput for a bare root hash, which names a whole site."""
    if lookup.unparsed is None:
        raise BadInput(f"A root hash names a whole site; pages are watched. Example: /inspect {Verb.WATCH} {EXAMPLE}")
    return lookup
