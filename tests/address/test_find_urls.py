"""The web URLs in a Slack message, or in the text of a command."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.address.find import find_urls, find_urls_in_text
from bot.address.url import parse_url

EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "2000"))  # 100000 for the long run

A, B = "https://a.example/x", "https://b.example/y"

TEXTS: tuple[tuple[str, list[str]], ...] = (
    # Slack's tokens
    (f"<{A}>", [A]),
    (f"<{A}|{B}>", [A]),  # the target, not the label
    ("<https://a.example/?x=1&amp;y=2>", ["https://a.example/?x=1&y=2"]),
    ("https://a.example/?a=1&amp;copy=2&amp;lt=5&amp;amp;", ["https://a.example/?a=1&copy=2&lt=5&amp"]),
    ("&lt;https://a.example/x&gt;", [A]),
    ("<@U123|ann> <#C1|general> <!here> <!subteam^S1|https://a.example/>", []),
    (f"<mailto:me@example.com|{A}> <tel:123|{A}>", []),
    ("<google.com|google.com>", ["https://google.com/"]),
    ("<https://a.example/x and more", [A]),
    (f"<div>{A}</div>", [A]),
    # what Slack made a link of
    ("<http://example.com|example.com>", ["http://example.com/"]),
    ("<http://README.md|README.md> <http://table.id|table.id>", []),
    ("<http://README.md|README.md >", []),
    ("<http://youtu.be/abc|youtu.be/abc>", ["http://youtu.be/abc"]),
    ("<http://README.md>", ["http://readme.md/"]),  # a scheme that was typed is meant
    # punctuation around
    (f"see {A}, {B}.", [A, B]),
    (f"({A})", [A]),
    (f"[docs]({A})!", [A]),
    ("https://a.example/P_(l)", ["https://a.example/P_(l)"]),
    ("(see https://a.example/P_(l))", ["https://a.example/P_(l)"]),
    ("https://a.example/?q=[1]&r={2}", ["https://a.example/?q=[1]&r={2}"]),
    (f"“{A}” '{A}' `{A}` «{A}»", [A]),
    (f"*{A}* _{A}_ ~{A}~", [A]),
    ("https://a.example/x_ and https://a.example/*", ["https://a.example/x_", "https://a.example/*"]),
    (f"```\n{A}\n```", [A]),
    (f"看{A}，谢谢。{B}。", [A, B]),
    (f"\u200b{A}\u200b \ufeff{B}\u202c", [A, B]),
    (f"{A}…", [A]),
    # several at once, and one within another
    (f"{A},{B};{A}", [A, B]),
    (f"{A}|{B}", [A, B]),
    ("https://a.example/2020/https://b.example/y", ["https://a.example/2020/https://b.example/y"]),
    ("url=https://a.example/x&z", ["https://a.example/x&z"]),
    ("git+https://a.example/x HTTPS://A.EXAMPLE/x", [A]),
    # no web URL
    ("ftp://a.example/x ssh://a.example", []),
    ("https:// http:/// https://. https://a..b/", []),
    ("", []),
    # bare domains, only where nothing has a scheme
    ("is example.com/a in?", ["https://example.com/a"]),
    ("www.example.com, example.co.uk/x?y=1.", ["https://www.example.com/", "https://example.co.uk/x?y=1"]),
    (f"example.com {A}", [A]),
    ("me@example.com", []),
    ("README.md main.py build.sh archive.zip lib.rs table.id node.name done.So it", []),
    ("docs.rs/serde www.docs.rs", ["https://docs.rs/serde", "https://www.docs.rs/"]),
    ("version 1.2.3, 10.0.0.1, e.g. this, i.e. that", []),
)


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_urls_in_text(text: str, expected: list[str]) -> None:
    """Canonical, in order, each once."""
    assert find_urls_in_text(text) == expected
    assert find_urls({"text": text}) == expected


def test_raw_text_has_no_entities() -> None:
    """A code block or a file holds `&lt;` as itself."""
    assert find_urls_in_text("https://a.example/?a&lt;b", entities=False) == ["https://a.example/?a&lt;b"]


@pytest.mark.parametrize("index", range(16))
def test_the_handed_messages(index: int, json_lines: Callable[[str], list[dict[str, Any]]]) -> None:
    """Each handed message gives its URLs."""
    row = json_lines("cases/messages.jsonl")[index]

    assert (row["case"], find_urls(row["message"])) == (row["case"], row["urls"])


def rich_text(*elements: dict[str, Any]) -> dict[str, Any]:
    """A message whose text says another thing than its block."""
    return {"text": "<https://text.example/>", "blocks": [{"type": "rich_text", "elements": list(elements)}]}


def part(kind: str, *elements: dict[str, Any]) -> dict[str, Any]:
    """A container of a rich_text block."""
    return {"type": kind, "elements": list(elements)}


def link(url: str, **more: str) -> dict[str, Any]:
    """A link element."""
    return {"type": "link", "url": url, **more}


def words(text: str) -> dict[str, Any]:
    """A text element."""
    return {"type": "text", "text": text}


SECTION = "rich_text_section"
RICH: tuple[tuple[dict[str, Any], list[str]], ...] = (
    (rich_text(part(SECTION, words("see "), link(A, text="click"))), [A]),
    (rich_text(part(SECTION, link(A, text=B))), [A]),
    (rich_text(part(SECTION, link("https://a.example/?q=1&amp;r"))), ["https://a.example/?q=1&amp;r"]),
    (rich_text(part("rich_text_quote", link(A)), part("rich_text_preformatted", link(B))), [A, B]),
    (rich_text(part("rich_text_preformatted", words(f"curl {A} -> {B}"))), [A, B]),
    (rich_text(part("rich_text_list", part(SECTION, link(A)), part(SECTION, part("x", link(B))))), [A, B]),
    (rich_text(part(SECTION, words("https://a.exam"), words("ple/x"))), [A]),  # styled apart
    (rich_text(part(SECTION, words(A)), part(SECTION, words("z"))), [A]),
    (rich_text(part(SECTION, words(A), {"type": "emoji", "name": "eyes"}, words("z"))), [A]),
    (rich_text(part(SECTION, link("mailto:me@example.com"))), []),
    (
        rich_text(part(SECTION, link("http://README.md", text="README.md"), words(" and example.com"))),
        ["https://example.com/"],
    ),
    (rich_text(part(SECTION, words("is example.com there?"))), ["https://example.com/"]),
    ({"text": f"<{A}>", "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": B}}]}, [A]),
    ({"text": f"<{A}>", "blocks": [{"type": "rich_text"}]}, [A]),
    ({"text": f"<{A}>", "blocks": {"type": "rich_text"}}, [A]),
    ({"text": f"<{A}>", "blocks": [None, "rich_text", 7]}, [A]),
    ({"text": None, "blocks": None}, []),
    ({}, []),
)


@pytest.mark.parametrize(("message", "expected"), RICH)
def test_rich_text_wins_over_text(message: dict[str, Any], expected: list[str]) -> None:
    """Links at any depth of any rich_text block; `text` only where no such block says anything."""
    assert find_urls(message) == expected


HOSTILE = (
    "https://" * 40_000,
    "https://a.b/," * 25_000,
    "https://a.b/" + ")" * 300_000,
    "https://a.b/" + "(" * 4_000 + ")" * 4_000,
    "<" * 300_000,
    "<https://a|" * 30_000,
    "&amp;" * 60_000,
    "a." * 150_000,
    "a.co " * 60_000,
    "a.com/(" * 40_000,
    "a@" * 150_000,
    "www." * 75_000,
    "-" * 300_000 + ".com",
    "https://[::1]/" * 20_000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_hostile_text_costs_bounded_time(text: str) -> None:
    """300 KB, seven times what Slack sends, in the time of a reply; quadratic work would take minutes."""
    start = time.perf_counter()
    find_urls_in_text(text)

    assert time.perf_counter() - start < 5


def test_nesting_is_no_limit() -> None:
    """A block nested deeper than Python's stack is read like any other."""
    element = link(A)
    for _ in range(50_000):
        element = part(SECTION, element)

    assert find_urls(rich_text(element)) == [A]


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.sampled_from(["rich_text", "link", "text", A, "a.com"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["type", "text", "url", "elements", "blocks", "x"]), inner, max_size=5)
    ),
    max_leaves=25,
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.dictionaries(st.sampled_from(["text", "blocks", "type"]), JSON, max_size=3))
def test_no_message_raises(message: dict[str, Any]) -> None:
    """Any JSON in place of a message; what is found is canonical."""
    urls = find_urls(message)

    assert [parse_url(url).href for url in urls] == urls


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.one_of(st.text(), st.from_regex(r"[<(*]?(https?://)?[a-z.]{1,9}[!-~]{0,20}")), st.booleans())
def test_no_text_raises(text: str, entities: bool) -> None:
    """Any text in place of a command's; each URL once."""
    urls = find_urls_in_text(text, entities=entities)

    assert len(urls) == len(set(urls))
