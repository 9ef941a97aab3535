"""Domains without a scheme in running text (`see example.com/a`), and what only looks like one (`README.md`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from bot.address.url import parse_typed_url
from bot.errors import BadUrl

MAX_SCANNED = 40_000  # characters: Slack cuts a message's text there
MAX_WORD = 1_000  # linkify's time grows with the square of a word's length (`a.com/(a.com/(…`)

# Top-level domains that are more often the end of a file name or of a field name (`table.id`) where nothing follows.
_FILE_EXTENSIONS = "ai app bz cab cc cfd gdn gz java kt md ml mm mov pl pm ps pub py rs sc sh so ts zip"
_FIELD_NAMES = "am as by do id is me my name no to"
STOP_TLDS = frozenset(_FILE_EXTENSIONS.split()) | frozenset(_FIELD_NAMES.split())

_HOST = re.compile(r"[^/?#:\s]+")


def find_bare_domains(text: str) -> Iterator[str]:
    """https URLs for the bare domains in `text` whose public suffix is known; no file names, no mail addresses."""
    scanned = " ".join(word for word in text[:MAX_SCANNED].split() if "." in word and len(word) <= MAX_WORD)
    if not scanned:
        return
    for match in _linkify().match(scanned) or ():
        if not match.schema and is_bare_domain(match.raw):
            yield parse_typed_url(match.raw).href


def is_bare_domain(text: str) -> bool:
    """Whether text without a scheme is a domain with a known suffix, and no likely file or field name."""
    host = _HOST.match(text)
    if host is None or "." not in host[0] or (host[0] == text and _is_likely_a_name(text.lower())):
        return False
    try:
        parse_typed_url(text)
    except BadUrl:
        return False
    return True


def _is_likely_a_name(host: str) -> bool:
    return host.rpartition(".")[2] in STOP_TLDS and not host.startswith("www.")


@cache
def _linkify() -> Any:
    """linkify-it with its own short list of top-level domains: with all of them, it links more file names."""
    from linkify_it.main import LinkifyIt

    untyped: Any = LinkifyIt
    return untyped()
