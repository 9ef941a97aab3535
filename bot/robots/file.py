"""A robots.txt, parsed into groups of rules; and which of its lines decides about one URL.

Read as Google's parser reads: typos and forgotten colons that it accepts, all three line ends, a byte order mark or
the start of one, lines and files cut where it cuts them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from bot.robots.pattern import Pattern, compile_pattern, path_of, spellings

MAX_BYTES = 512_000  # 500 KiB: RFC 9309 §2.5 asks for no less, Google reads no more
LINE_BYTES = 2083 * 8 - 1  # what Google keeps of a line; the rest of it is not read
ROBOTS_PATH = b"/robots.txt"
EVERYONE = "*"
_BOM = b"\xef\xbb\xbf"


class Field(Enum):
    """The fields that decide. All others (Sitemap, Crawl-delay, what nobody knows) are passed over."""

    USER_AGENT = auto()
    ALLOW = auto()
    DISALLOW = auto()


# A field is known by how it starts, in any letter case; the misspellings are those that Google accepts.
_FIELDS: tuple[tuple[Field, tuple[bytes, ...]], ...] = (
    (Field.USER_AGENT, (b"user-agent", b"useragent", b"user agent")),
    (Field.ALLOW, (b"allow",)),
    (Field.DISALLOW, (b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw")),
)
_BLANKS = re.compile(rb"[ \t]+")
_EVERYONE = re.compile(rb"\*(?!\S)")
# RFC 9309 §2.2.1 knows letters, `_` and `-`; agents with digits or dots exist and are named in real files.
_TOKENS = (re.compile(rb"[A-Za-z_-]+"), re.compile(rb"[A-Za-z0-9._-]+"))


@dataclass(frozen=True, slots=True)
class RobotsDecision:
    """What robots.txt says about one URL, and why.

    `line` (1-based) and `rule` (the line as written, without its comment) are None where no rule matched; `group` is
    the agent's name as the group has it, `*` for the group of everyone, None where no group is for this agent.
    """

    allowed: bool
    line: int | None = None
    rule: str | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One line with a field that decides. `written` is the line without comment and outer blanks."""

    number: int
    field: Field
    value: bytes
    written: bytes


@dataclass(frozen=True, slots=True)
class Rule:
    """An Allow or Disallow line, ready to match."""

    line: Line
    pattern: Pattern

    @property
    def allows(self) -> bool:
        """Does a match mean yes? An empty Disallow forbids nothing."""
        return self.line.field is Field.ALLOW or not self.pattern.octets

    @property
    def rank(self) -> tuple[int, bool, int]:
        """The highest rank decides: most octets, then Allow over Disallow, then the earlier line."""
        return self.pattern.octets, self.line.field is Field.ALLOW, -self.line.number


@dataclass(frozen=True, slots=True)
class Group:
    """The rules that one run of User-agent lines is followed by. `names`: lower-case token → as written."""

    names: Mapping[str, str]
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class AgentRules:
    """The rules for one agent, each with its group's name for it, the highest rank first: the first match decides."""

    group: str | None
    ranked: tuple[tuple[Rule, str], ...]
    cut: bool  # the file was longer than we read

    def decide(self, url_or_path: str) -> RobotsDecision:
        """Judge one URL, escaped as it would be fetched."""
        path = path_of(url_or_path)
        if path == ROBOTS_PATH:  # implicitly allowed: RFC 9309 §2.2.2
            return RobotsDecision(allowed=True)
        paths = spellings(path)
        for rule, group in self.ranked:
            if any(map(rule.pattern.matches, paths)):
                return RobotsDecision(rule.allows, rule.line.number, _text(rule.line.written), group)
        return RobotsDecision(allowed=True, group=self.group)


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """A parsed robots.txt; keep it for all URLs of its host. `cut` says that the file was longer than we read."""

    groups: tuple[Group, ...]
    cut: bool = False

    def decide(self, agent: str, url_or_path: str) -> RobotsDecision:
        """Judge one URL, escaped as it would be fetched, for the product token `agent`."""
        return self.rules_for(agent).decide(url_or_path)

    def rules_for(self, agent: str) -> AgentRules:
        """What counts for one agent: all groups that name it, read as one; failing these, all that are for everyone."""
        token = agent.partition("/")[0].strip().lower()  # "ExampleBot/1.0": the version is not part of the token
        name = token if any(token in group.names for group in self.groups) else EVERYONE
        groups = [group for group in self.groups if name in group.names]
        rules = ((rule, group.names[name]) for group in groups for rule in group.rules)
        ranked = sorted(rules, key=lambda each: each[0].rank, reverse=True)
        return AgentRules(groups[0].names[name] if groups else None, tuple(ranked), self.cut)


def parse(body: bytes | str) -> RobotsFile:
    """Parse a robots.txt; any octets will do. Reads the first 512,000 bytes, in time linear in what it reads."""
    octets = body[: MAX_BYTES + 1].encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    numbered = enumerate(_whole_lines(octets[: MAX_BYTES + 1]), start=1)
    lines = (_read_line(number, line[:LINE_BYTES]) for number, line in numbered if line)
    return RobotsFile(tuple(_group(line for line in lines if line)), cut=len(octets) > MAX_BYTES)


def decide(body: bytes | str, agent: str, url_or_path: str) -> RobotsDecision:
    """Parse and judge at once; for many URLs of one host, `parse` once."""
    return parse(body).decide(agent, url_or_path)


def _whole_lines(octets: bytes) -> list[bytes]:
    """Lines without byte order mark. One that the end of reading falls into is dropped: its half says another thing."""
    if len(octets) > MAX_BYTES:
        octets = octets[: 1 + max(octets.rfind(b"\n"), octets.rfind(b"\r"))]
    mark = next((size for size in (3, 2, 1) if octets.startswith(_BOM[:size])), 0)
    return octets[mark:].splitlines()  # of bytes: at \n, \r and \r\n only


def _read_line(number: int, line: bytes) -> Line | None:
    written = line.partition(b"#")[0].strip()
    name, value = _name_and_value(written)
    start = name.lower()
    field = next((field for field, spelled in _FIELDS if start.startswith(spelled)), None)
    return Line(number, field, value, written) if field else None


def _name_and_value(written: bytes) -> tuple[bytes, bytes]:
    name, colon, value = written.partition(b":")
    if colon:
        return name.rstrip(), value.lstrip()
    words = _BLANKS.split(written, maxsplit=2)  # a forgotten colon is forgiven where there are exactly two words
    return (words[0], words[1]) if len(words) == 2 else (b"", b"")


def _group(lines: Iterable[Line]) -> Iterator[Group]:
    """User-agent lines in a row share the rules after them; rules that follow no name belong to nobody."""
    names: dict[str, str] = {}
    rules: list[Rule] = []
    for line in lines:
        if line.field is not Field.USER_AGENT:
            rules.extend(_rules(line) if names else ())
            continue
        if rules:
            yield Group(names, tuple(rules))
            names, rules = {}, []
        names.update(_names(line.value))
    if names:
        yield Group(names, tuple(rules))


def _names(value: bytes) -> dict[str, str]:
    """The agents that a User-agent line names: what stands before the first octet that no token has."""
    if _EVERYONE.match(value):
        return {EVERYONE: EVERYONE}
    tokens = [_text(found[0]) for token in _TOKENS if (found := token.match(value))]
    return {token.lower(): token for token in tokens}


def _rules(line: Line) -> Iterator[Rule]:
    yield Rule(line, compile_pattern(line.value))
    folder, slash, page = line.value.rpartition(b"/")
    if line.field is Field.ALLOW and slash and page.startswith(b"index.htm"):
        yield Rule(line, compile_pattern(folder + b"/$"))  # Google: who allows the index page allows its folder


def _text(octets: bytes) -> str:
    return octets.decode("utf-8", "replace")
