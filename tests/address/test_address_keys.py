"""URL ↔ key ↔ root hash."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.address.key import UrlKey, key_of, looks_like_key, parse_key, url_key
from bot.address.suffixes import icann_rules
from bot.address.url import parse_url
from bot.errors import BadKey, BadUrl

EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "2000"))  # 100000 for the long run

# Frozen: a key that moves after an update of the URL parser or of the suffix list no longer finds its page.
GOLDEN = (
    ("https://example.com/", "com,example!,/ s443", 10498508768431069694),
    ("http://www.example.com:8080/b?x=1&y=2#f", "com,example!www,/b?x=1&y=2 h8080", 10498508768431069694),
    ("https://a.b.c.co.uk/", "uk,co,c!b,a,/ s443", 3286120559401931615),
    ("https://co.uk/", "uk,co!,/ s443", 13268656419033284716),
    ("https://a.b.city.kobe.jp/", "jp,kobe,city!b,a,/ s443", 16595343393672784598),
    ("https://a.b.c.kobe.jp/", "jp,kobe,c,b!a,/ s443", 18370475707355741466),
    ("https://user.github.io/x", "io,github!user,/x s443", 2566890010099092343),
    ("https://unlisted.test/x", "test,unlisted!,/x s443", 10630548468903560846),
    ("http://localhost/", "localhost!,/ h80", 4773826262224854187),
    ("http://192.168.0.1:8080/x", "192.168.0.1!,/x h8080", 16955066305691573253),
    ("http://[2001:DB8::1]/y", "[2001:db8::1]!,/y h80", 549545607612879672),
    ("https://bücher.example/ü", "example,xn--bcher-kva!,/%C3%BC s443", 786345401042371190),
    ("https://site.example/a^b|c{d}`e", "example,site!,/a%5Eb|c%7Bd%7D%60e s443", 8114468172074032890),
    ("https://site.example/%7e%41?'\"<>", "example,site!,/%7e%41?%27%22%3C%3E s443", 8114468172074032890),
    ("https://narrow-fabrics-manufacturers.com/", "com,narrow-fabrics-manufacturers!,/ s443", 12301933422934600879),
    ("https://a,b!c.example/", "example,a%2Cb%21c!,/ s443", 17870124377300798403),
)

NOT_KEYS = (
    "",
    "com,example",
    "com,example!/x s443",  # no comma before the path
    "com,example!,/x",  # no scheme and port
    "com,example!,/x x443",
    "com,example!,x s443",
    "com,example!,/x s99999",
    "com,example!,/x s0443",
    "com,example,www!,/x s443",  # the mark is in the wrong place
    "com!example,/x s443",
    "com,Example!,/x s443",  # not canonical
    "com,example!,/a/../x s443",
    "com,example!,/x#f s443",
    "com,example!,/ü s443",
    "com,,example!,/ s443",
    "com,example!,,/ s443",
    "1,0,168,192!,/ h80",
    "com,example!,/x s443\n",
)


@pytest.mark.parametrize(("text", "unparsed", "root_hash"), GOLDEN)
def test_golden_keys_do_not_move(text: str, unparsed: str, root_hash: int) -> None:
    """Every kind of host has the key and the root hash that it had when the index was built."""
    key = url_key(text)

    assert (key.unparsed, key.root_hash) == (unparsed, root_hash)
    assert key.root == unparsed[: unparsed.index("!") + 1]


def test_the_handed_keys(json_lines: Callable[[str], list[dict[str, Any]]]) -> None:
    """Canonical URL, key, root and root hash of each case."""
    for row in json_lines("cases/keys.jsonl"):
        expected = UrlKey(
            row["canonical"], row["unparsed"], row["root"], int(row["root_hash"]), parse_url(row["url"]).hostname
        )

        assert url_key(row["url"]) == expected
        assert parse_key(row["unparsed"]) == expected
        assert int(row["root_hash"]) % 200 == row["shard"]


@pytest.mark.parametrize("unparsed", NOT_KEYS)
def test_what_is_no_key_is_refused(unparsed: str) -> None:
    """A key is taken only as the index writes it; another spelling would silently find nothing."""
    with pytest.raises(BadKey, match="key"):
        parse_key(unparsed)


def test_a_misplaced_mark_is_put_right() -> None:
    """The refusal says how the page's key is written."""
    with pytest.raises(BadKey, match="it is “com,example!www,/x s443”"):
        parse_key("com,example,www!,/x s443")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("com,example!www,/x s443", True),
        ("com,example!/x s443", True),
        ("[2001:db8::1]!,/y h80", True),
        ("com,example! s443", True),
        ("https://example.com/wow!,/x", False),
        ("example.com/wow! s443", False),
        ("stop! please", False),
        ("", False),
    ],
)
def test_keys_are_told_from_urls(text: str, expected: bool) -> None:
    """A `!` in the host part is the mark of a key."""
    assert looks_like_key(text) is expected


def assert_round_trip(key: UrlKey) -> None:
    """Key → URL → key, and URL → key → URL."""
    assert parse_key(key.unparsed) == key
    assert url_key(key.url) == key
    assert key_of(parse_url(key.url)) == key


def test_every_suffix_round_trips() -> None:
    """A key of each rule reads back as itself."""
    for suffix, _ in icann_rules():
        assert_round_trip(url_key(f"http://www.d.{suffix}:81/a?b"))


def test_the_url_standards_vectors_round_trip(shared: Path) -> None:
    """Whatever urltestdata.json, toascii.json and test_psl.txt hold that has a key."""
    rows = json.loads((shared / "vectors/urltestdata.json").read_text(encoding="utf-8"))
    hosts = json.loads((shared / "vectors/toascii.json").read_text(encoding="utf-8"))
    psl = (shared / "vectors/test_psl.txt").read_text(encoding="utf-8").split("'")[1::2]
    texts = [row["input"] for row in rows if isinstance(row, dict)]
    texts += [f"https://{row['input']}/x" for row in hosts if "input" in row]
    texts += [f"https://{host}/x" for host in psl]

    count = 0
    for text in texts:
        try:
            key = url_key(text)
        except BadUrl:
            continue
        assert_round_trip(key)
        count += 1
    assert count > 350


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.one_of(st.text(), st.from_regex(r"https?://[!-~]{1,40}(/[!-~]*)?")))
def test_any_key_made_reads_back(text: str) -> None:
    """Random text has a key that round-trips, or is a BadUrl."""
    try:
        key = url_key(text)
    except BadUrl:
        return
    assert_round_trip(key)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.one_of(st.text(), st.from_regex(r"[a-z,.\[\]:%]{1,30}![a-z,!]{0,10},/[!-~]* [hs][0-9]{1,6}")))
def test_any_text_is_a_key_or_a_bad_key(text: str) -> None:
    """Nothing else is ever raised; a key that is taken is the key as written."""
    looks_like_key(text)
    try:
        key = parse_key(text)
    except BadKey:
        return
    assert key.unparsed == text


def test_importing_keys_is_light() -> None:
    """The suffix list, linkify and the engine are not read before they are needed."""
    script = "import sys, bot.address.key, bot.address.find; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()

    assert {"publicsuffixlist", "linkify_it", "pydantic", "clickhouse_connect"} & set(loaded) == set()
