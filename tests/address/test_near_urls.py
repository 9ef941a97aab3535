"""Near matches: addresses that differ a little, each said with its difference."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.address.key import parse_key, url_key
from bot.address.variants import MAX_VARIANTS, near_urls
from bot.errors import BadUrl

EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "2000")) // 4  # each makes up to 64 keys

# What is asked, what the index may hold instead, and how the difference reads.
NEAR = (
    ("https://site.example/x", "http://site.example/x", "http instead of https"),
    ("http://site.example/x", "https://site.example/x", "https instead of http"),
    ("http://site.example:8080/x", "https://site.example:8080/x", "https instead of http"),
    ("https://www.site.example/x", "https://site.example/x", "without www"),
    ("https://site.example/x", "https://www.site.example/x", "with www"),
    ("https://site.example/x", "https://site.example/x/", "with a final slash"),
    ("https://site.example/x/?q", "https://site.example/x?q", "without the final slash"),
    ("https://site.example/About?Q=A", "https://site.example/about?Q=A", "lower-case path"),
    ("https://site.example/About?Q=A", "https://site.example/about?q=a", "lower-case path and query"),
    ("https://site.example/a/index.html", "https://site.example/a/", "without index.html"),
    ("https://site.example/a/", "https://site.example/a/index.php", "with index.php"),
    ("https://site.example/%7euser", "https://site.example/~user", "percent-encoding"),
    ("https://site.example/~user", "https://site.example/%7Euser", "percent-encoding"),
    ("https://site.example/%c3%bc", "https://site.example/%C3%BC", "percent-encoding"),
    ("https://site.example/%C3%BC", "https://site.example/%c3%bc", "percent-encoding"),
    ("https://site.example/a%28b%29%2Cc", "https://site.example/a(b),c", "percent-encoding"),
    ("https://site.example/a(b)", "https://site.example/a%28b%29", "percent-encoding"),
    ("https://site.example/?q=a+b", "https://site.example/?q=a%20b", "%20 for a space"),
    ("https://site.example/?utm_source=x&id=1", "https://site.example/?id=1", "without utm_source"),
    ("https://site.example/?gclid=1&fbclid=2", "https://site.example/", "without gclid and fbclid"),
    ("https://site.example/?id=1&PHPSESSID=abc", "https://site.example/?id=1", "without PHPSESSID"),
    ("https://site.example/a;jsessionid=1F?x", "https://site.example/a?x", "without jsessionid"),
    ("https://site.example/?b=2&a=1", "https://site.example/?a=1&b=2", "parameters in another order"),
    ("https://site.example/?d&c&b&a", "https://site.example/?a&b&c&d", "parameters in another order"),
    ("https://site.example/x?q=1", "https://site.example/x", "without the query"),
    ("https://straße.example/", "https://strasse.example/", "older spelling of the host name"),
    ("https://site.example/x", "http://www.site.example/x", "http instead of https, with www"),
    (
        "https://www.site.example/x?utm_medium=y",
        "http://www.site.example/x",
        "http instead of https, without utm_medium",
    ),
    ("https://www.site.example/X/", "https://site.example/x/", "without www, lower-case path"),
)


@pytest.mark.parametrize(("asked", "held", "difference"), NEAR)
def test_a_near_address_is_found_and_named(asked: str, held: str, difference: str) -> None:
    """The key under which the index holds the page is among the keys asked, with its difference in words."""
    found = {variant.unparsed: variant.difference for variant in near_urls(asked)}

    assert found.get(url_key(held).unparsed) == difference


@pytest.mark.parametrize("url", ["http://1.2.3.4/", "http://[::1]/", "http://localhost/"])
def test_no_www_where_there_can_be_none(url: str) -> None:
    """An address or a single label has no www."""
    assert [v for v in near_urls(url) if "www" in v.difference] == []


def test_single_differences_come_first() -> None:
    """What differs in one thing is likelier than what differs in two."""
    pairs = ["," in v.difference for v in near_urls("https://www.site.example/About/?b=2&a=1&gclid=3")]

    assert pairs == sorted(pairs)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.from_regex(r"https?://(www\.)?[a-z0-9.]{1,12}(:81)?(/[!-~]{0,12})?(\?[!-~]{0,20})?", fullmatch=True))
def test_variants_are_other_keys(url: str) -> None:
    """Few, distinct, never the page itself, and each a true key."""
    try:
        own = url_key(url)
    except BadUrl:
        return
    keys = [variant.unparsed for variant in near_urls(url)]

    assert len(keys) <= MAX_VARIANTS
    assert len(keys) == len({*keys, own.unparsed}) - 1
    assert [parse_key(key).unparsed for key in keys] == keys
