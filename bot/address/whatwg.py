"""The one place that touches ada-url's C interface: one parse gives the href and where its parts begin.

ada-url's public `URL` object asks the library once for every attribute, at a fifth of the speed. The C interface below
it is what ada ships as `ada_c.h`; a test holds this module to the public object over the standard's own vectors.
"""

from __future__ import annotations

from typing import NamedTuple

from ada_url._ada_wrapper import ffi, lib

_OMITTED = 0xFFFFFFFF  # ada_c.h: ada_url_omitted, "this URL has no such part"

_parse, _free, _is_valid = lib.ada_parse, lib.ada_free, lib.ada_is_valid
_get_href, _get_components, _unpack = lib.ada_get_href, lib.ada_get_components, ffi.unpack


class Parts(NamedTuple):
    """A parsed URL. `port` is None where it is the scheme's default; `path_query` ends before the fragment."""

    scheme: str
    hostname: str
    port: int | None
    path_query: str


def split(text: str) -> Parts | None:
    """Parse an absolute URL by the WHATWG standard (https://url.spec.whatwg.org); None where that fails."""
    raw = _utf8(text)
    url = _parse(raw, len(raw))
    try:
        if not _is_valid(url):
            return None
        string = _get_href(url)
        parts = _get_components(url)
        href = _unpack(string.data, string.length).decode()
        host_start, port, hash_start = parts.host_start, parts.port, parts.hash_start
        return Parts(
            href[: parts.protocol_end - 1],
            # After credentials, ada lets the host begin with their "@".
            href[host_start : parts.host_end].removeprefix("@"),
            None if port == _OMITTED else port,
            href[parts.pathname_start :] if hash_start == _OMITTED else href[parts.pathname_start : hash_start],
        )
    finally:
        _free(url)


def _utf8(text: str) -> bytes:
    """The text's bytes; a lone surrogate becomes U+FFFD, as a browser does it (WebIDL's USVString)."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
