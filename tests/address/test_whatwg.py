"""Our one use of ada-url's C interface agrees with its public object."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ada_url import URL

from bot.address import whatwg

TEXTS = (
    "https://user:pw@example.com:8443/a/b?c=d#e",
    "http://user@example.com/",
    "https://:pw@example.com/?#",
    "http://[2001:db8::1]:80/x",
    "http://0x7f.1/",
    "https://bücher.example/ü?ü#ü",
    "HTTP://EXAMPLE.com:80?q",
    "https://",
    "",
    "\ud800",
    "http://a.example/\ud83d\ude00\udc00",
)


def public(text: str) -> whatwg.Parts | None:
    """The same parts through ada-url's documented attributes: the href less user and fragment begins with the host."""
    try:
        url = URL(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    except ValueError:
        return None
    url.username = url.password = url.hash = ""
    path_query = url.href.removeprefix(f"{url.protocol}//{url.host}")
    return whatwg.Parts(url.protocol[:-1], url.hostname, int(url.port) if url.port else None, path_query)


@pytest.mark.parametrize("text", TEXTS)
def test_parts_are_those_of_the_public_object(text: str) -> None:
    """Offsets into the href and the documented attributes say the same."""
    assert whatwg.split(text) == public(text)


def test_parts_agree_over_the_standards_vectors(shared: Path) -> None:
    """Every web URL among the standard's own inputs, whatever the library's version does with it."""
    rows = json.loads((shared / "vectors/urltestdata.json").read_text(encoding="utf-8"))
    inputs = [row["input"] for row in rows if isinstance(row, dict)]
    web = [text for text in inputs if (parts := whatwg.split(text)) and parts.scheme in ("http", "https")]
    assert len(web) > 180

    different = [(text, whatwg.split(text), public(text)) for text in web if whatwg.split(text) != public(text)]

    assert different == []
