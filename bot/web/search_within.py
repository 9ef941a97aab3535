"""Search within a heavy column: read piece by piece, so that its size is no limit; the places with what is around."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.inspection.heavy import HeavyText
from bot.report.words import readable
from bot.web.templating import page

LONGEST_QUERY = 200  # characters
MOST = 100  # places that are listed
AROUND = 90  # bytes shown before and after


@dataclass(frozen=True, slots=True)
class Match:
    """One place: its byte in the text, and what stands there."""

    at: int
    before: str
    found: str
    after: str
    url: str


async def find(text: HeavyText, query: str, url_of: Callable[[int], str]) -> str:
    """The places of `query` as HTML; `url_of` gives the address of the part that holds a byte."""
    matches: list[Match] = []
    pattern = _bytes_pattern(query)
    start, kept, seen = 0, b"", 0
    async for piece in text.pieces():
        window = kept + piece
        found = await asyncio.to_thread(_scan, pattern, window, start - len(kept), seen, url_of)
        matches += found
        seen = matches[-1].at + 1 if matches else 0
        start += len(piece)
        kept = window[-(AROUND + 4 * LONGEST_QUERY) :]
        if len(matches) > MOST:
            break
    return page("heavy_found.html", matches=matches[:MOST], more=len(matches) > MOST, q=readable(query))


def marked(text: str, query: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, and whether each is what is searched for."""
    if not query.strip():
        yield text, False
        return
    end = 0
    for found in re.finditer(re.escape(readable(query)), text, re.IGNORECASE):
        yield text[end : found.start()], False
        yield found[0], True
        end = found.end()
    yield text[end:], False


def _bytes_pattern(query: str) -> re.Pattern[bytes]:
    """Bytes are searched, so that a place is exact; letters beyond ASCII in their usual cases."""
    spellings = dict.fromkeys((query, query.lower(), query.upper(), query.title()))
    return re.compile(b"|".join(re.escape(word.encode("utf-8", "replace")) for word in spellings), re.IGNORECASE)


def _scan(
    pattern: re.Pattern[bytes], window: bytes, offset: int, seen: int, url_of: Callable[[int], str]
) -> list[Match]:
    """The matches of a window that begins at byte `offset` of the text, those before byte `seen` left out."""
    matches = []
    for found in pattern.finditer(window, max(0, seen - offset)):
        at = offset + found.start()
        before, after = (
            window[max(0, found.start() - AROUND) : found.start()],
            window[found.end() : found.end() + AROUND],
        )
        matches.append(Match(at, _words(before), _words(found[0]), _words(after), url_of(at)))
        if len(matches) > MOST:
            break
    return matches


def _words(text: bytes) -> str:
    return readable(text.decode("utf-8", "ignore"))
