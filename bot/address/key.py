"""URL ↔ key ↔ root hash: where a page lives in the index.

The key ("unparsed URL") of https://www.example.co.uk/a?b is `uk,co,example!www,/a?b s443`: labels of the host reversed
and joined by commas, `!` after the registered domain, the labels below it, a comma, path and query, a space, `s` or `h`
for the scheme, the port. An IP address stays whole before its `!`; so does a host without a registered domain.
The root is the key up to and with its `!`; its fingerprint, the root hash, decides the shard.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from bot.address.fingerprint import fingerprint64
from bot.address.suffixes import SuffixList, suffix_list
from bot.address.url import WebUrl, canonical_parts, shown
from bot.errors import BadKey, BadUrl

EXAMPLE = "com,example!www,/page s443"

_KEY = re.compile(r"([^!/\s]+)!([^!/\s]*),(/\S*) ([hs])([0-9]{1,5})")
_MEANT_AS_KEY = re.compile(r"[^\s/!]+!(?:[^\s/]*/|.* [hs][0-9]+$)")
_SCHEME_LETTERS = {"https": "s", "http": "h"}
_SCHEMES = {letter: scheme for scheme, letter in _SCHEME_LETTERS.items()}
# The standard lets these two stand in a host name, where they would read as a key's own marks. "%" cannot stand in a
# host name, so these escapes mean nothing else, and a URL parser takes them back.
_MARKS = {"!": "%21", ",": "%2C"}


@dataclass(frozen=True, slots=True)
class UrlKey:
    """A page's key. `url` is canonical; `root` ends in `!`; `root_hash` is an unsigned 64-bit number."""

    url: str
    unparsed: str
    root: str
    root_hash: int
    hostname: str


class _Place(NamedTuple):
    root: str
    prefix: str  # the key up to its path
    root_hash: int


def url_key(text: str) -> UrlKey:
    """The key of the page that `text` is the URL of. Raises BadUrl."""
    return _key(*canonical_parts(text), suffix_list())


def key_of(url: WebUrl) -> UrlKey:
    """The key of a parsed URL."""
    return _key(url.href, url.scheme, url.hostname, url.port, url.path_query, suffix_list())


def parse_key(unparsed: str) -> UrlKey:
    """The page that a key names. Raises BadKey, also where the page's own key is another than `unparsed`."""
    match = _KEY.fullmatch(unparsed)
    if match is None:
        raise BadKey(f"“{shown(unparsed)}” is not an unparsed key. Example: {EXAMPLE}")
    root, below, path_query, letter, port = match.groups()
    hostname = ".".join(reversed((f"{root},{below}" if below else root).split(",")))
    try:
        key = url_key(f"{_SCHEMES[letter]}://{hostname}:{port}{path_query}")
    except BadUrl as error:
        raise BadKey(f"“{shown(unparsed)}” is the key of no URL. Example: {EXAMPLE}") from error
    if key.unparsed != unparsed:
        raise BadKey(f"“{shown(unparsed)}” is not how that page's key is written: it is “{shown(key.unparsed)}”.")
    return key


def looks_like_key(text: str) -> bool:
    """Whether `text` is meant as a key, if a wrong one: a `!` in its host part, where no URL has one."""
    return _MEANT_AS_KEY.match(text) is not None


def _key(href: str, scheme: str, hostname: str, port: int, path_query: str, suffixes: SuffixList) -> UrlKey:
    root, prefix, root_hash = _place(hostname, suffixes)
    return UrlKey(href, f"{prefix}{path_query} {_SCHEME_LETTERS[scheme]}{port}", root, root_hash, hostname)


@lru_cache(maxsize=65_536)  # lists of URLs name each host many times
def _place(hostname: str, suffixes: SuffixList) -> _Place:
    if is_ip_address(hostname):
        root, below = hostname, ""
    else:
        labels = [_escape_marks(label) for label in reversed(hostname.split("."))]
        cut = suffixes.suffix_labels(hostname) + 1
        root, below = ",".join(labels[:cut]), ",".join(labels[cut:])
    root += "!"
    return _Place(root, f"{root}{below},", fingerprint64(root.encode()))


def is_ip_address(hostname: str) -> bool:
    """Whether a canonical host is an address: IPv6 has brackets, and a host that ends in a number is IPv4 (WHATWG)."""
    return hostname.startswith("[") or hostname.rpartition(".")[2].isdigit()


def _escape_marks(label: str) -> str:
    for mark, escape in _MARKS.items():
        label = label.replace(mark, escape)
    return label
