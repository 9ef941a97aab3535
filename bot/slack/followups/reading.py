"""What somebody wrote in the thread of an inspection → a follow-up, or the nearest ones. Pure.

Words are compared as they stand, then with small typing errors forgiven (rapidfuzz: optimal string alignment, which
counts two letters in the wrong order as one error, as people make it; difflib knows no such distance). A message runs
a command only where every word of it is explained; otherwise the likeliest commands are named and nothing runs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from bot.address.find import find_urls_in_text
from bot.errors import BadInput
from bot.inspection.lookup import read_time
from bot.slack.followups.grammar import (
    AS_OF,
    BY_NAME,
    COMMANDS,
    FILLER,
    INSPECT,
    NOT_TYPOS,
    POLITE,
    STEP_NAMES,
    UNWATCH,
    WATCH,
    WATCH_UNTIL,
    Argument,
    Command,
)

SUGGESTED = 3
LONGEST = 400  # characters that are read; a command is short
WORDS_READ = 40
ALIKE = 55.0  # percent of likeness from which a name is worth suggesting
NO_TIME = "Read no time after “as of”; examples: as of 2026-04-06, as of 2026-04-06T20:00Z."
RECHECK = "recheck"
COMPARE, OF_WATCHES = "compare", (UNWATCH, WATCH_UNTIL, WATCH)

_MENTION = re.compile(r"<@([A-Z0-9]+)(?:\|[^>]*)?>")
_TOKEN = re.compile(r"<[^<>]*>")
_WEB = re.compile(r"https?://\S+", re.IGNORECASE)
# A key has a "!" before its first "/", where no URL has one; it ends in " s443" or the like.
_KEY = re.compile(r"(?<!\S)(?:[^\s/!]+![^\s/]*,/\S* [hs]\d{1,5}|hash:\s*\d+)(?!\S)", re.IGNORECASE)
_AS_OF = re.compile(r"(?<!\S)as\s+of\b\s*(?P<time>.*?)\s*$", re.IGNORECASE | re.DOTALL)
_WORD = re.compile(r"(?<!\S)[-–−]\d+(?!\S)|[^\W_]+(?:[.-][^\W_]+)*")
_QUOTES = {**dict.fromkeys(map(ord, "‘’'´"), None), **dict.fromkeys(map(ord, '`“”„«»"\u00a0*_~'), " ")}
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


@dataclass(frozen=True, slots=True)
class Followup:
    """A command of the grammar. `argument`: a URL or key (inspect, compare), a step's number or name (raw), or "".

    `as_of` fixes the instant that the page is judged at.
    """

    command: Command
    argument: str = ""
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Unclear:
    """Not understood: the likeliest commands, best first."""

    suggestions: tuple[Command, ...]


def read_followup(text: str, bot_user: str | None = None) -> Followup | Unclear | None:
    """What a message in the thread asks; None where it asks nothing: thanks, or words to somebody else.

    `text` is mrkdwn as Slack sends it. Raises BadInput for a time that cannot be read, or a missing address.
    """
    named = bool(bot_user) and f"<@{bot_user}" in text
    if not named and _MENTION.match(text.strip()):
        return None
    said = _MENTION.sub(" ", text)
    targets, rest = _targets(said)
    rest, as_of, now = _as_of(rest)
    words = _words(rest)
    if targets:
        return Followup(BY_NAME[_about(words)], targets[0], as_of)
    if (as_of or now) and not _content(words):
        return Followup(BY_NAME[AS_OF], as_of=as_of) if as_of else Followup(BY_NAME[RECHECK])
    return _command(words, as_of) if words or "?" in rest else None


def _targets(text: str) -> tuple[list[str], str]:
    """The keys and URLs in a text, and the text without them."""
    keys = [_unescaped(key) for key in _KEY.findall(text)]
    text = _KEY.sub(" ", text)
    urls = find_urls_in_text(text)
    text = _WEB.sub(" ", _TOKEN.sub(" ", text))
    rest = [part for part in text.split() if not (urls and find_urls_in_text(part))]
    return keys + urls, _unescaped(" ".join(rest))


def _as_of(text: str) -> tuple[str, datetime | None, bool]:
    """The text without `as of TIME`, that time, and whether it is now. Raises BadInput."""
    match = _AS_OF.search(text.translate(_QUOTES))
    if match is None:
        return text, None, False
    rest, time = text.translate(_QUOTES)[: match.start()], match["time"].strip(" .!?")
    if not time:
        raise BadInput(NO_TIME)
    if time.lower() == "now":
        return rest, None, True
    return rest, read_time(re.sub(r"\s+", "T", time)), False


def _unescaped(text: str) -> str:
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text


def _words(text: str) -> list[str]:
    """Lower-case words without quotes, apostrophes and marks; full-width letters are plain ones."""
    plain = unicodedata.normalize("NFKC", text[:LONGEST]).casefold().translate(_QUOTES)
    return _WORD.findall(plain)[:WORDS_READ]


def _content(words: Iterable[str]) -> list[str]:
    """The words that say something, as they are spelt in the grammar."""
    return [_spelt(word) for word in words if word not in FILLER and word not in POLITE]


def _strong(words: Iterable[str], command: Command) -> list[str]:
    return [word for word in map(_spelt, words) if word in command.words]


def _about(words: Sequence[str]) -> str:
    """The command that an address is named for. What begins or ends something must explain every word beside it."""
    if _strong(words, BY_NAME[COMPARE]):
        return COMPARE
    content = _content(words)
    explaining = (name for name in OF_WATCHES if _strong(words, BY_NAME[name]) and _explains(BY_NAME[name], content))
    return next(explaining, INSPECT)


def _explains(command: Command, content: Sequence[str]) -> bool:
    return all(word in command.words or word in command.beside for word in content)


def _command(words: Sequence[str], as_of: datetime | None) -> Followup | Unclear | None:
    """The one command that explains every word, the likeliest ones, or nothing."""
    if words and all(word in POLITE for word in words):
        return None
    content = [word for word in _content(words) if not word.isdecimal()]
    fitting = _fitting(content)
    numbers = [word for word in words if word.isdecimal()]
    if len(fitting) != 1 or (numbers and fitting[0].argument is not Argument.STEP):
        return Unclear(_likeliest(content, fitting))
    command = fitting[0]
    if command.argument is Argument.URL:
        raise BadInput(f"“{command.name}” needs an address; example: {command.example}")
    if command.argument is Argument.TIME:
        raise BadInput(NO_TIME)
    return Followup(command, _step(command, [*numbers, *content]), as_of)


def _fitting(content: Sequence[str]) -> list[Command]:
    """The commands that explain every word; of several, those that the most words name."""
    explaining = {command: len(_strong(content, command)) for command in COMMANDS if _explains(command, content)}
    most = max(explaining.values(), default=0)
    fitting = [command for command, count in explaining.items() if count == most and count]
    named = [command for command in fitting if command.name in content]
    return named if len(named) == 1 else fitting


def _step(command: Command, words: Sequence[str]) -> str:
    """The step that a command for one step names."""
    if command.argument is not Argument.STEP:
        return ""
    return next((word for word in words if word.isdecimal() or word in STEP_NAMES), "")


def _likeliest(content: Sequence[str], fitting: Sequence[Command]) -> tuple[Command, ...]:
    """The commands that a message comes nearest to; the most used ones where it comes near none."""
    offered = [command for command in COMMANDS if command.words]
    ranked = sorted(offered, key=lambda command: (command not in fitting, -_nearness(content, command)))
    return tuple(ranked[:SUGGESTED])


def _nearness(content: Sequence[str], command: Command) -> float:
    """How near a message comes to a command: words that name it, words beside it, likeness to its name."""
    strong = sum(word in command.words for word in content)
    beside = sum(word in command.beside for word in content)
    like = max((fuzz.ratio(word, command.name) for word in content), default=0.0)
    return strong * 200 + beside * 100 + (like if like >= ALIKE else 0)


def _spelling() -> Iterator[tuple[str, int]]:
    """Every word that is looked for, and the shortest word that may stand for it by mistake."""
    for command in COMMANDS:
        yield from ((word, 3) for word in command.words)
        yield from ((word, 6) for word in command.beside)


SPELLING = {word: min(size for other, size in _spelling() if other == word) for word, _ in _spelling()}
KNOWN = frozenset(SPELLING) | FILLER | POLITE | NOT_TYPOS


def _spelt(word: str) -> str:
    """The word of the grammar that was meant, or the word itself."""
    if word in KNOWN or not word.isascii() or not 3 <= len(word) <= 20:
        return word
    near = {
        other: OSA.distance(word, other)
        for other, size in SPELLING.items()
        if len(word) >= size and _is_slip(word, other)
    }
    best = [other for other, distance in near.items() if distance == min(near.values())]
    return best[0] if best and _same_meaning(best) else word


def _is_slip(word: str, meant: str) -> bool:
    """Is one a mistyping of the other? Two errors in a long word, one in a short one, in the shortest only a swap."""
    shorter = min(len(word), len(meant))
    if shorter < 4:
        return sorted(word) == sorted(meant) and OSA.distance(word, meant) == 1
    return OSA.distance(word, meant, score_cutoff=2) <= (2 if shorter >= 7 else 1)


def _same_meaning(words: Sequence[str]) -> bool:
    """Do these words name the same commands?"""
    return len({tuple(command.name for command in COMMANDS if word in command.words) for word in words}) == 1
