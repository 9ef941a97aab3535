"""What site was asked for → where it lives: a registered domain, a host, or everything below a path."""

from __future__ import annotations

from dataclasses import dataclass

from bot.address.key import url_key
from bot.errors import BadUrl
from bot.index.profile import IndexProfile
from bot.inspection.lookup import key_lookup
from bot.inspection.model import Lookup

EXAMPLE = "example.com, www.example.com, example.com/blog/"


@dataclass(frozen=True, slots=True)
class SiteTarget:
    """A set of pages: those of one registered domain whose keys start with `prefix`, whatever their scheme and port.

    `host` is None where every host of the domain belongs to it. `lookup` is that of its first address.
    """

    name: str
    prefix: str
    host: str | None
    lookup: Lookup


def read_site(text: str, profile: IndexProfile) -> SiteTarget:
    """A bare registered domain means all of its hosts; with a path, or as another host, that host alone. Raises BadUrl.

    A URL means its host, or what its path is the beginning of: https://example.com/blog/.
    """
    asked = text.strip()
    url = asked if "://" in asked else f"https://{asked}"
    try:
        key = url_key(url)
    except BadUrl:
        raise BadUrl(f"Read “{asked[:80]}” as a site, which is a host or the beginning of a URL: {EXAMPLE}") from None
    lookup = key_lookup(key, text, profile)
    prefix = key.unparsed.rpartition(" ")[0]
    if not prefix.endswith(",/"):
        name = key.url.partition("://")[2]
        return SiteTarget(name, prefix, key.hostname, lookup)
    whole = "://" not in asked and key.unparsed.startswith(f"{key.root},")
    if whole:
        return SiteTarget(key.hostname, key.root, None, lookup)
    return SiteTarget(key.hostname, prefix.removesuffix("/"), key.hostname, lookup)
