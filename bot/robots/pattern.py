"""Paths and patterns as octets: how each is spelled for comparison, and when a pattern matches a path.

RFC 9309 §2.2.2 wants both sides normalised; Google's published tests want the URL already escaped by its caller and
leave escapes of a pattern as they are. Taken together:

| written | in a pattern | in a URL |
|---|---|---|
| octet outside ASCII | escaped: `ツ` is `%E3%83%84` | left as it is, so it matches no pattern (Google) |
| `%e3` | `%E3` | `%E3` |
| `%2A`, `%24` | a literal `*`, `$` (RFC 9309 §2.2.3) | `*`, `$` |
| `%62`, an escape that was not needed | left as it is (Google) | compared both as it is and as `b` (RFC 9309 §2.2.2) |
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_END = b"\xff"  # stands after every path, so that `$` is an octet to find; neither UTF-8 nor a pattern holds it
_ESCAPE = re.compile(rb"%[0-9A-Fa-f]{2}")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_SPECIAL = {b"%2A": b"*", b"%24": b"$"}
_UNRESERVED = re.compile(rb"[A-Za-z0-9._~-]")  # RFC 3986 §2.3

# Scheme and authority, both optional, then the path with its query, up to the fragment.
_URL = re.compile(r"(?://|[^/?;#]*?://)?[^/?;#]*(?P<path>[/?;][^#]*)?")


def path_of(url_or_path: str) -> bytes:
    """Path and query of a URL as octets, starting with `/`; a host alone, or nothing, gives `/`.

    `//host/path` is a URL without its scheme and `host/path` one without both, as Google reads them.
    """
    found = _URL.match(url_or_path)
    path = (found["path"] if found else None) or "/"
    return (path if path.startswith("/") else f"/{path}").encode("utf-8", "surrogatepass")


def spellings(path: bytes) -> tuple[bytes, ...]:
    """The one or two spellings of a path that patterns are compared with, each ending in the end mark."""
    if b"%" not in path:
        return (path + _END,)
    as_given = _fold(path)
    as_read = _ESCAPE.sub(_decode_unreserved, as_given)
    return tuple(dict.fromkeys((as_given + _END, as_read + _END)))


@dataclass(frozen=True, slots=True)
class Pattern:
    """A rule's pattern: literal pieces with anything between them. `octets` is its weight: the longest match wins."""

    pieces: tuple[bytes, ...]
    octets: int

    def matches(self, path: bytes) -> bool:
        """Does the pattern match one spelling of a path? Each piece is found once, leftmost: no backtracking."""
        if not path.startswith(self.pieces[0]):
            return False
        position = len(self.pieces[0])
        for piece in self.pieces[1:]:
            found = path.find(piece, position)
            if found < 0:
                return False
            position = found + len(piece)
        return True


def compile_pattern(written: bytes) -> Pattern:
    """A pattern from the value of an Allow or Disallow line; `$` ends it only as its last octet."""
    escaped = _NOT_ASCII.sub(lambda octet: b"%%%02X" % octet[0][0], written)
    body = escaped.removesuffix(b"$")
    *pieces, last = [_fold(piece) for piece in body.split(b"*")]
    end = b"" if body == escaped else _END
    return Pattern((*pieces, last + end), octets=len(escaped))


def _fold(text: bytes) -> bytes:
    return _ESCAPE.sub(lambda escape: _SPECIAL.get(escape[0].upper(), escape[0].upper()), text)


def _decode_unreserved(escape: re.Match[bytes]) -> bytes:
    octet = bytes.fromhex(escape[0][1:].decode("ascii"))
    return octet if _UNRESERVED.match(octet) else escape[0]
