"""Text becomes a canonical URL, or one sentence that says why not."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.address.url import MAX_CHARACTERS, parse_typed_url, parse_url
from bot.errors import BadUrl

EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "2000"))  # 100000 for the long run

CANONICAL = (
    ("https://example.com", "https://example.com/"),
    ("HTTP://WWW.Example.COM:80/A/../b?x=1&y=2#frag", "http://www.example.com/b?x=1&y=2"),
    ("https://me:secret@example.com./p", "https://example.com/p"),
    ("https://example.com/?", "https://example.com/"),
    ("https://example.com/?#", "https://example.com/"),
    ("https://example.com/??", "https://example.com/??"),
    ("https://example.com/a?b?", "https://example.com/a?b?"),
    ("https://example.com:0/", "https://example.com:0/"),
    ("http://0x7f.1/", "http://127.0.0.1/"),
    ("http://[::FFFF:1.2.3.4]:8080/", "http://[::ffff:102:304]:8080/"),
    (" \thttps://exa\nmple.com/ ", "https://example.com/"),
    ("https://example.com/\ud800", "https://example.com/%EF%BF%BD"),
    ("https:example.com", "https://example.com/"),
)

REFUSED = (
    ("", "it is empty"),
    (" \n", "it is empty"),
    ("not a url", "does not begin with https:// or http://"),
    ("example.com/x", "does not begin with https:// or http://"),
    ("ftp://example.com/x", "it begins with “ftp:”"),
    ("mailto:me@example.com", "it begins with “mailto:”"),
    ("javascript:alert(1)", "it begins with “javascript:”"),
    ("https://", "there is no host"),
    ("https://?q", "there is no host"),
    ("https://exa mple.com/", "cannot hold a space"),
    ("https://[::1", "not closed"),
    ("https://[::g]/", "not an IPv6 address"),
    ("http://a..b/", "empty part between its dots"),
    ("http://.example.com/", "empty part between its dots"),
    ("http://example.com../", "empty part between its dots"),
    ("http://./", "empty part between its dots"),
    ("https://example.com:99999/", "from 0 to 65535"),
    ("https://example.com:http/", "not a port number"),
    ("https://1.2.3.256/", "no IPv4 address"),
    ("https://exa%00mple.com/", "its host name cannot exist"),
    ("https://example.com/" + "a" * MAX_CHARACTERS, f"longer than {MAX_CHARACTERS}"),
    ("https://example.com/" + "ü" * (MAX_CHARACTERS // 2), "canonical form is longer"),
)


@pytest.mark.parametrize(("text", "expected"), CANONICAL)
def test_a_url_is_written_in_one_way(text: str, expected: str) -> None:
    """The standard's serialisation, less what names no page; and once canonical, always canonical."""
    assert parse_url(text).href == expected
    assert parse_url(expected).href == expected


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_what_cannot_be_looked_up_is_said_in_one_sentence(text: str, reason: str) -> None:
    """The sentence quotes what was read, gives the reason, and shows an example."""
    with pytest.raises(BadUrl) as caught:
        parse_url(text)
    sentence = str(caught.value)

    assert reason in sentence
    assert sentence.endswith("Example: https://example.com/page")
    assert len(sentence) < 400


def test_control_characters_are_made_visible() -> None:
    """Right-to-left marks and NUL do not reach the reader as such."""
    with pytest.raises(BadUrl, match=re.escape(r"“no\x00t\u202e a url\udc00”")):
        parse_url("no\x00t\u202e a url\udc00")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("example.com/a", "https://example.com/a"),
        (" Example.co.uk ", "https://example.co.uk/"),
        ("example.com:8080/x?y", "https://example.com:8080/x?y"),
        ("bücher.de", "https://xn--bcher-kva.de/"),
        ("example.com/login@home", "https://example.com/login@home"),
        ("http://example.com", "http://example.com/"),
    ],
)
def test_a_domain_typed_on_purpose_needs_no_scheme(text: str, expected: str) -> None:
    """After a command, a bare domain is an https URL."""
    assert parse_typed_url(text).href == expected


@pytest.mark.parametrize(
    "text", ["hello", "why?", "me@example.com", "mailto:me@example.com", "file.unknownsuffix", "1.2"]
)
def test_words_are_not_domains(text: str) -> None:
    """A word without a known public suffix stays a word."""
    with pytest.raises(BadUrl, match=re.escape(f"“{text}”")):
        parse_typed_url(text)


def web_rows(shared: Path) -> list[dict[str, Any]]:
    """The standard's own rows whose input is an absolute web URL, or that are to be refused without a base."""
    rows = json.loads((shared / "vectors/urltestdata.json").read_text(encoding="utf-8"))
    return [
        row
        for row in rows
        if isinstance(row, dict) and (row.get("base") is None or re.match(r"\s*https?://", row["input"], re.I))
    ]


def expected_href(row: dict[str, Any]) -> str | None:
    """The standard's href less fragment, user, lone `?` and final dot; None where we refuse."""
    if row.get("failure") or row["protocol"] not in ("http:", "https:"):
        return None
    host = row["hostname"].removesuffix(".")
    if "" in host.split("."):
        return None
    port = f":{row['port']}" if row["port"] else ""
    return f"{row['protocol']}//{host}{port}{row['pathname']}{row['search'].removesuffix('?') or ''}"


def href_or_none(text: str) -> str | None:
    """What parse_url says, its refusal as None."""
    try:
        return parse_url(text).href
    except BadUrl:
        return None


def test_the_url_standards_vectors(shared: Path) -> None:
    """Absolute http and https rows of urltestdata.json, accepted and refused alike."""
    rows = web_rows(shared)
    assert len([row for row in rows if expected_href(row)]) > 170

    wrong = [(r["input"], href_or_none(r["input"]), expected_href(r)) for r in rows]

    assert [row for row in wrong if row[1] != row[2]] == []


def test_the_url_standards_host_vectors(shared: Path) -> None:
    """toascii.json: hosts in every script, as the standard spells them."""
    rows = [row for row in json.loads((shared / "vectors/toascii.json").read_text(encoding="utf-8")) if "input" in row]
    assert len(rows) > 80

    def expected(row: dict[str, Any]) -> str | None:
        host = (row["output"] or "").removesuffix(".")
        return None if "" in host.split(".") else f"https://{host}/x"

    wrong = [(r["input"], href_or_none(f"https://{r['input']}/x"), expected(r)) for r in rows]

    assert [row for row in wrong if row[1] != row[2]] == []


def test_the_handed_bad_urls_are_refused(json_lines: Callable[[str], list[dict[str, Any]]]) -> None:
    """Both ways of reading refuse each of them."""
    for row in json_lines("cases/bad_urls.jsonl"):
        for read in (parse_url, parse_typed_url):
            with pytest.raises(BadUrl):
                read(row["text"])


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.one_of(st.text(), st.text().map("https://".__add__), st.from_regex(r"https?://[!-~]{1,40}[/?#:@\[\]!,]?.*")))
def test_any_text_is_a_url_or_a_bad_url(text: str) -> None:
    """Nothing else is ever raised, and a canonical URL reads back as itself."""
    for read in (parse_url, parse_typed_url):
        try:
            url = read(text)
        except BadUrl:
            continue
        assert parse_url(url.href) == url
