"""What somebody typed → what to look up. Pure; the same grammar after `/inspect`, after a mention and in a DM.

help | site HOST[/PREFIX] [as of TIME] | [words] URL… [words] [as of TIME] | KEY | hash:ROOT_HASH
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.address.find import find_urls, find_urls_in_text
from bot.address.key import looks_like_key
from bot.errors import BadInput
from bot.inspection.lookup import HASH_PREFIX, read_time
from bot.inspection.model import Lookup

Read = Callable[[str], Lookup]  # raises BadInput

MOST = 10_000  # lookups of one list
SHOWN = 80  # characters of what was read, in a sentence about it
EXAMPLE = "https://example.com/page"
SITE_EXAMPLE = "site example.com/blog/"

_AS_OF = re.compile(r"(?<!\S)as\s+of\s+(?P<time>\d\S*(?:\s+\d\d:\d\d(?::\d\d)?)?)\s*$", re.IGNORECASE)
# A key has a "!" before its first "/", where no URL has one; it ends in " s443" or the like.
_EXPLICIT = re.compile(rf"(?<!\S)(?:[^\s/!]+![^\s/]*,/\S* [hs]\d{{1,5}}|{HASH_PREFIX}\s*\S+)(?!\S)", re.IGNORECASE)
_SITES = re.compile(r"\s*site(?:\s+\S+\.\w\S*){2,}\s*", re.IGNORECASE)
_SITE = re.compile(r"\s*site(?:\s+(?P<site>\S+))?\s*", re.IGNORECASE)
# A link as Slack marks it up; what it wrote itself before a bare name is no part of what was typed.
_LINK = re.compile(r"<(?P<url>https?://[^|>]+)(?:\|(?P<typed>[^>]*))?>", re.IGNORECASE)
_SCHEME = re.compile(r"(?<!\S)[a-z][a-z0-9+.-]*:\S+", re.IGNORECASE)
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))  # "&amp;" last: each is read once


@dataclass(frozen=True, slots=True)
class Asked:
    """What to look up: pages, or one `site`. `left_out` counts the pages past the first MOST."""

    lookups: tuple[Lookup, ...] = ()
    as_of: datetime | None = None
    left_out: int = 0
    site: str | None = None

    @property
    def wants_help(self) -> bool:
        """Nothing was named."""
        return not self.lookups and self.site is None


def read_command(text: str, read: Read) -> Asked:
    """The text after a slash command. Raises BadInput.

    Slack sends it as typed, or marked up with entities where the app's manifest says `should_escape`.
    """
    marked_up = "<" in text
    return _read(text, lambda rest: find_urls_in_text(rest, entities=marked_up), read)


def read_message(message: Mapping[str, Any], bot_user: str | None, read: Read) -> Asked:
    """A message to the bot: its mention is no part of what was said. Raises BadInput."""
    said = words_in(message, bot_user)

    def urls(rest: str) -> list[str]:
        return find_urls_in_text(rest) if _EXPLICIT.search(said) else find_urls({**message, "text": rest})

    return _read(said, urls, read)


def names_site(message: Mapping[str, Any], bot_user: str | None) -> bool:
    """Is this message to the bot about a site, whatever else its thread is about?"""
    match = _SITE.fullmatch(_AS_OF.sub("", words_in(message, bot_user)))
    return bool(match and match["site"])


def read_paste(message: Mapping[str, Any], read: Read) -> Asked:
    """The URLs of a message that is not to the bot. None: nothing to say."""
    return read_urls(find_urls(message), read)


def read_urls(urls: Sequence[str], read: Read) -> Asked:
    """URLs that nobody typed to the bot: those that no crawl could hold are passed over."""
    return _first([url for url in urls if _reads(url, read)], None, read)


def words_in(message: Mapping[str, Any], bot_user: str | None) -> str:
    """What a message says, without the mention of the bot."""
    return str(message.get("text") or "").replace(f"<@{bot_user}>", " ")


def _read(text: str, urls_of: Callable[[str], Sequence[str]], read: Read) -> Asked:
    said, as_of = _split_time(text.replace("\u00a0", " "))
    if said.strip().lower() in ("", "help"):
        return Asked()
    if site := _SITE.fullmatch(said):
        return Asked(as_of=as_of, site=_site(site["site"]))
    explicit = [_unescaped(match) for match in _EXPLICIT.findall(said)]
    texts = [*explicit, *urls_of(_EXPLICIT.sub(" ", said))]
    if not texts:
        texts = [_best_guess(said, read)]
    return _first(texts, as_of, read)


def _split_time(text: str) -> tuple[str, datetime | None]:
    """The text without its `as of TIME`, and that time. Raises BadInput."""
    match = _AS_OF.search(text)
    if match is None:
        return text, None
    return text[: match.start()], read_time(re.sub(r"\s+", "T", match["time"]))


def _site(named: str | None) -> str:
    """The site as it was typed. Raises BadInput where none was."""
    if named is None:
        raise BadInput(f"Read “site” without the site that is meant. Example: /inspect {SITE_EXAMPLE}")
    link = _LINK.fullmatch(named)
    return _unescaped((link["typed"] or link["url"]) if link else named)


def _best_guess(said: str, read: Read) -> str:
    """The part of a text without URLs that was meant to be one. Raises BadInput with what is wrong with it."""
    if _SITES.fullmatch(said):
        raise BadInput(f"Read “{_shown(said)}”; one site at a time is taken. Example: /inspect {SITE_EXAMPLE}")
    text = _unescaped(said).strip()
    scheme = _SCHEME.search(text)
    meant = text if looks_like_key(text) or not re.search(r"\s", text) else scheme and scheme[0]
    if meant:
        read(meant)
        return meant
    raise BadInput(f"Read “{_shown(text)}” and found no URL, key or root hash in it. Example: /inspect {EXAMPLE}")


def _shown(text: str) -> str:
    text = _unescaped(text).strip()
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def _first(texts: Sequence[str], as_of: datetime | None, read: Read) -> Asked:
    """The lookups of the first texts, each once."""
    distinct = {(lookup.unparsed, lookup.root_hash): lookup for lookup in map(read, texts)}
    lookups = tuple(distinct.values())
    return Asked(lookups[:MOST], as_of, len(lookups[MOST:]))


def _reads(url: str, read: Read) -> bool:
    """Whether a URL has a key. In a paste, one that has none is passed over: nobody asked."""
    try:
        read(url)
    except BadInput:
        return False
    return True


def _unescaped(text: str) -> str:
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text
