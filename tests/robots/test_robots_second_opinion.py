"""protego as second opinion: the same verdict on generated files, but for differences that are known and shown here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from bot.robots import decide

AGENTS = ("FooBot", "BarBot", "BazBot")

# (reason, file, URL, what we say for FooBot). protego says the other.
KNOWN_DIFFERENCES = [
    ("a name ends at its first space", "User-agent: FooBot Bar\nDisallow: /\n", "/a", False),
    ("an unknown line ends no group", "User-agent: FooBot\nNoindex: /\nUser-agent: BarBot\nDisallow: /\n", "/a", False),
    ("Crawl-delay ends no group", "User-agent: FooBot\nCrawl-delay: 1\nUser-agent: BarBot\nDisallow: /\n", "/a", False),
    ("a URL is escaped by who asks", "User-agent: *\nDisallow: /ツ\n", "/ツ", True),
    ("an escape in a rule stays", "User-agent: *\nDisallow: /%62\n", "/b", True),
    (
        "a rule that is a URL matches no path",
        "User-agent: *\nDisallow: http://a.example/\n",
        "/http://a.example/",
        True,
    ),
    ("a long line is cut", f"User-agent: *\nDisallow: /{'a' * 17_000}\n", f"/{'a' * 16_700}", False),
    ("a field is known by its start", "User-agent: *\nDisallowed: /\n", "/a", False),
    ("index.htm is an index page too", "User-agent: *\nDisallow: /\nAllow: /a/index.htm\n", "/a/", True),
    ("octets are counted as written", "User-agent: *\nDisallow: /*??\nAllow: /aaaa\n", "/aaaa??", True),
    ("a $ in the middle is one octet", "User-agent: *\nDisallow: /a$b\nAllow: /a*b*\n", "/a$b", True),
    ("a line separator of Unicode ends no line", "User-agent: *\nSitemap: /\u2028Disallow: /\n", "/a", True),
    ("a byte order mark is no part of a name", "\ufeffUser-agent: *\nDisallow: /\n", "/a", False),
]

_paths = st.text("/ab.", max_size=6).map("/{}".format)
_patterns = st.builds(str.__add__, st.text("/ab.*", max_size=6).map("/{}".format), st.sampled_from(["", "", "$"]))
_rules = st.builds(
    "{}{}{}".format, st.sampled_from(["Allow:", "Disallow: ", "disallow :"]), _patterns, st.just(" # why")
)
_empty_rules = st.sampled_from(["Allow:", "Disallow: "])
_agents = st.sampled_from([f"User-agent: {name}" for name in ("*", "FooBot", "barbot", "BAZBOT")])
_others = st.sampled_from(["", "# Disallow: /", "Sitemap: https://example.com/s.xml"])
_lines = st.lists(_agents | _agents | _rules | _rules | _rules | _empty_rules | _others, max_size=14)
_files = st.builds(str.join, st.sampled_from(["\n", "\r\n", "\r"]), _lines)


@given(body=_files, agent=st.sampled_from(AGENTS), path=_paths)
def test_protego_agrees_on_generated_files(body: str, agent: str, path: str) -> None:
    """Groups in any order, stars, anchors, empty rules, comments, any line end: one verdict."""
    url = f"https://example.com{path}"
    ours = decide(body, agent, url)

    assert ours.allowed == Protego.parse(body).can_fetch(url, agent), ours


@pytest.mark.parametrize(
    ("body", "path", "allowed"),
    [
        pytest.param(*row, marks=pytest.mark.xfail(strict=True, reason=f"protego differs: {reason}"), id=reason)
        for reason, *row in KNOWN_DIFFERENCES
    ],
)
def test_protego_says_the_same_where_it_is_known_to_differ(body: str, path: str, allowed: bool) -> None:
    """Each known difference, so that one which a new protego mends is taken off the list."""
    assert Protego.parse(body).can_fetch(f"https://example.com{path}", "FooBot") == allowed


@pytest.mark.parametrize(
    ("body", "path", "allowed"), [row[1:] for row in KNOWN_DIFFERENCES], ids=[row[0] for row in KNOWN_DIFFERENCES]
)
def test_ours_is_what_google_or_the_rfc_says_there(body: str, path: str, allowed: bool) -> None:
    """The other half of each known difference."""
    assert decide(body, "FooBot", f"https://example.com{path}").allowed == allowed
