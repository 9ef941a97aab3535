"""Markdown of crawled pages as HTML: what is kept, what becomes words, what is left out, and how long it takes."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
import turbohtml

from bot.render.html_markdown import LARGEST, rendered

PAGE = "https://page.example/a/b"

CASES = [
    ("# Title", "<h3>Title</h3>"),  # the page has the headings above
    ("*a* **b** `c`", "<p><em>a</em> <strong>b</strong> <code>c</code></p>"),
    ("- [x] done\n- [ ] open", "<ul>\n<li>☑ done</li>\n<li>☐ open</li>\n</ul>"),
    (
        "![an image](https://img.example/x.png)",
        '<p><span class="image">Image: an image (https://img.example/x.png)</span></p>',
    ),
    ("a <b onclick=x>raw</b> c", "<p>a raw c</p>"),
    ("[x](javascript:alert(1))", "<p>x</p>"),
    ("[x](data:text/html,x)", "<p>x</p>"),
    ("[x](#place)", "<p>x</p>"),
    ("[x](vbscript:x)", "<p>x</p>"),
    ("a\u202eb\0c", "<p>a⟨U+202E⟩b⟨U+0000⟩c</p>"),
    ("half \ud83d a character", "<p>half \ufffd a character</p>"),
]


@pytest.mark.parametrize(("markdown", "html"), CASES)
def test_markdown_becomes_harmless_html(markdown: str, html: str) -> None:
    """Structure stays; what loads, runs or hides becomes words or goes."""
    assert rendered(markdown, PAGE).strip() == html


@pytest.mark.parametrize(
    ("target", "href"),
    [
        ("https://other.example/x", "https://other.example/x"),
        ("/top", "https://page.example/top"),
        ("next?x=1", "https://page.example/a/next?x=1"),
        ("//other.example/y", "https://other.example/y"),
        ("mailto:ann@example.com", "mailto:ann@example.com"),
    ],
)
def test_links_lead_where_the_page_led(target: str, href: str) -> None:
    """Relative links are read against the page, so that none leads to us; the target shows, and gets no referrer."""
    link = turbohtml.parse_fragment(rendered(f"[x]({target})", PAGE)).find("a")

    assert link is not None
    assert (link.attrs["href"], link.attrs["title"]) == (href, href)
    assert set(link.attrs["rel"] or ()) == {"noopener", "noreferrer", "nofollow", "ugc"}


@pytest.mark.parametrize("page", [None, "not an address"])
def test_without_a_page_relative_links_are_words(page: str | None) -> None:
    """A link that would lead into our own pages is none."""
    assert rendered("[x](/top)", page).strip() == "<p>x</p>"


ALLOWED_TAGS = {
    *("p", "br", "hr", "pre", "blockquote", "ul", "ol", "li", "h3", "h4", "h5", "h6"),
    *("a", "strong", "em", "del", "code", "sup", "span"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ALLOWED_ATTRIBUTES = {"href", "title", "rel", "class", "start"}


def test_known_payloads_leave_nothing(shared: Path) -> None:
    """The payloads of DOMPurify's tests, as Markdown and as its parts: no tag, attribute or scheme off the list."""
    payloads = json.loads((shared / "vectors" / "dompurify_payloads.json").read_text(encoding="utf-8"))
    assert len(payloads) > 200
    for case in payloads:
        text = case["payload"]
        for markdown in (
            text,
            f"[x]({text})",
            f"![{text}]({text})",
            f"<{text}>",
            f"`{text}`",
            f"| a |\n|-|\n| {text} |",
        ):
            for element in turbohtml.parse_fragment(rendered(markdown, PAGE)).find_all():
                assert element.tag in ALLOWED_TAGS, markdown
                assert set(element.attrs) <= ALLOWED_ATTRIBUTES, markdown
                href = str(element.attrs.get("href", "https:"))
                assert href.startswith(("http://", "https://", "mailto:", "https:")), markdown


SLOW = {
    "brackets": "[",
    "images": "![](x)",
    "links": "[a](b)",
    "quotes": "> ",
    "lists": "- ",
    "emphasis": "**a ",
    "stars": "*a_",
    "back-ticks": "`a``b",
    "tags": "<div>",
    "comments": "<!--",
    "entities": "&amp;",
    "pipes": "|a",
}


@pytest.mark.parametrize("name", SLOW)
def test_hostile_markdown_takes_a_moment(name: str) -> None:
    """As much of it as is rendered at all takes less than 5 s on a busy machine (0.8 s here at worst)."""
    text = (SLOW[name] * LARGEST)[:LARGEST]
    start = time.perf_counter()
    rendered(text, PAGE)

    assert time.perf_counter() - start < 5
