"""Text → a canonical http(s) URL, or one sentence that says why not.

Canonical is what the WHATWG URL standard serialises, without what does not name a page: fragment, user and password,
a lone `?` at the end, and a dot at the end of the host.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.address import whatwg
from bot.address.suffixes import suffix_list
from bot.errors import BadUrl

MAX_CHARACTERS = 8192  # of text and of canonical URL: longer than a crawl keeps; bounds what hostile text costs
SHOWN_CHARACTERS = 80
DEFAULT_PORTS = {"http": 80, "https": 443}
EXAMPLE = "https://example.com/page"

_SCHEME = re.compile(r"[\s\x00-\x1f]*([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_AUTHORITY = r"^\s*https?:[/\\]*"


@dataclass(frozen=True, slots=True)
class WebUrl:
    """A canonical URL. `port` is always given, `path_query` begins with a slash, an IPv6 hostname has its brackets."""

    href: str
    scheme: str
    hostname: str
    port: int
    path_query: str


def parse_url(text: str) -> WebUrl:
    """The canonical URL that `text` is. Raises BadUrl where it has no http(s) scheme or is no URL at all."""
    return WebUrl(*canonical_parts(text))


def parse_typed_url(text: str) -> WebUrl:
    """Like `parse_url`, and takes a bare domain typed on purpose (`example.com/a`) as https if its suffix is known."""
    stripped = text.strip()
    if _is_bare(stripped):
        try:
            url = parse_url(f"https://{stripped}")
        except BadUrl:
            return parse_url(text)
        if suffix_list().knows(url.hostname):
            return url
    return parse_url(text)


def canonical_parts(text: str) -> tuple[str, str, str, int, str]:
    """The fields of a WebUrl as a tuple: what bulk work needs, without an object for each. Raises BadUrl."""
    parts = whatwg.split(text) if len(text) <= MAX_CHARACTERS else None
    if parts is None:
        raise BadUrl(_sentence(text, _why_not(text)))
    scheme, hostname, port, path_query = parts
    default = DEFAULT_PORTS.get(scheme)
    if default is None:
        raise BadUrl(_sentence(text, _why_not(text)))
    if hostname.endswith("."):
        hostname = hostname[:-1]
    if not hostname or hostname[0] == "." or ".." in hostname or hostname[-1] == ".":
        raise BadUrl(_sentence(text, "a host name cannot have an empty part between its dots"))
    if path_query[-1] == "?" and path_query.find("?") == len(path_query) - 1:
        path_query = path_query[:-1]
    href = f"{scheme}://{hostname}{path_query}" if port is None else f"{scheme}://{hostname}:{port}{path_query}"
    if len(href) > MAX_CHARACTERS:
        raise BadUrl(_sentence(text, f"its canonical form is longer than {MAX_CHARACTERS} characters"))
    return href, scheme, hostname, default if port is None else port, path_query


def shown(text: str) -> str:
    """Typed text inside a sentence: shortened, and with control characters written out (`\\x00`, `\\u202e`)."""
    cut = text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in cut)


def _is_bare(text: str) -> bool:
    """A domain without a scheme, and not a mail address."""
    return "://" not in text and "@" not in re.split(r"[/?#\\]", text, maxsplit=1)[0]


def _sentence(text: str, reason: str) -> str:
    return f"“{shown(text)}” cannot be looked up: {reason}. Example: {EXAMPLE}"


# What is wrong with an http(s) text that the standard refuses: the first pattern that matches says it.
_REASONS = (
    (re.compile(_AUTHORITY + r"(?:[?#]|$)", re.I), "there is no host after the scheme"),
    (re.compile(_AUTHORITY + r"[^/\\?#]*\[(?![^/\\?#]*\])", re.I), "its IPv6 address is not closed by a “]”"),
    (re.compile(_AUTHORITY + r"[^/\\?#]*\[", re.I), "what stands in brackets is not an IPv6 address"),
    (re.compile(_AUTHORITY + r"[^/\\?#]*:\d+(?:[/\\?#]|$)", re.I), "its port must be a number from 0 to 65535"),
    (re.compile(_AUTHORITY + r"[^/\\?#]*:[^/\\?#]*(?:[/\\?#]|$)", re.I), "what follows its host is not a port number"),
    (re.compile(_AUTHORITY + r"[^/\\?#]*\s", re.I), "a host name cannot hold a space"),
    (re.compile(_AUTHORITY + r"(?:[^/\\?#]*\.)?(?:0x[0-9a-f]*|\d+)\.?(?:[/\\?#]|$)", re.I), "it is no IPv4 address"),
)


def _why_not(text: str) -> str:
    if not text.strip():
        return "it is empty"
    if len(text) > MAX_CHARACTERS:
        return f"it is longer than {MAX_CHARACTERS} characters"
    scheme = _SCHEME.match(text)
    if scheme is None:
        return "it is not a URL, as it does not begin with https:// or http://"
    if scheme[1].lower() not in DEFAULT_PORTS:
        return f"only http and https pages are crawled, and it begins with “{shown(scheme[1])}:”"
    return next((reason for pattern, reason in _REASONS if pattern.match(text)), "its host name cannot exist")
