"""A long text in parts of so many bytes, none of which begins or ends inside a character."""

from __future__ import annotations

from bot.inspection.heavy import HeavyText

PART = 256 * 1024  # bytes: what a browser lays out at once, even as a single line
_LONGEST = 3  # bytes by which a character may reach over an edge


def part_count(size: int) -> int:
    """How many parts a text of `size` bytes has."""
    return max(1, -(-size // PART))


def part_of(at: int) -> int:
    """The part, counted from 1, that holds byte `at`."""
    return at // PART + 1


async def read_part(text: HeavyText, part: int) -> str:
    """One part; bytes that are no UTF-8 become U+FFFD. Raises StoreUnavailable."""
    start = (part - 1) * PART
    return whole_characters(await text.read(start, PART + _LONGEST), PART, first=part == 1)


def whole_characters(window: bytes, size: int, *, first: bool) -> str:
    """The characters that begin in the first `size` bytes of `window`, which holds a few bytes more.

    >>> whole_characters("aé".encode(), 2, first=True), whole_characters("aé".encode()[2:], 2, first=False)
    ('aé', '')
    """
    begin = 0 if first else _continuing(window, 0)
    end = size + _continuing(window, size)
    return window[begin:end].decode("utf-8", "replace")


def _continuing(window: bytes, at: int) -> int:
    """How many bytes from `at` on belong to a character that began before it."""
    return next((n for n in range(_LONGEST) if not 0x80 <= window[at + n : at + n + 1].ljust(1)[0] < 0xC0), _LONGEST)
