"""Markdown from the open web → HTML that loads nothing, runs nothing and leads nowhere by itself.

cmark leaves raw HTML out, images become words, links are made absolute, and turbohtml's sanitizer keeps what is on the
list below and nothing else. All of it stays linear on hostile input; none of it can be interrupted, so the caller keeps
to LARGEST and runs it in a thread.
"""

from __future__ import annotations

from urllib.parse import urljoin

import cmarkgfm
import turbohtml
from markupsafe import Markup
from turbohtml.clean import OnDisallowed, Policy, Sanitizer, Transform

from bot.report.words import opens, readable

LARGEST = 256 * 1024  # bytes of source; past it the source itself is shown
REL = frozenset({"noopener", "noreferrer", "nofollow", "ugc"})
IMAGE = "image"  # class of the words that stand for an image

_BLOCKS = {"p", "br", "hr", "pre", "blockquote", "ul", "ol", "li", "h3", "h4", "h5", "h6"}
_INLINE = {"a", "strong", "em", "del", "code", "sup", "span"}
_TABLES = {"table", "thead", "tbody", "tr", "th", "td"}
# The page itself has the headings above these.
_LOWERED: dict[str, Transform | str] = {
    "h1": "h3",
    "h2": "h4",
    "h3": "h5",
    "h4": "h6",
    "h5": "h6",
    "h6": "h6",
}
_SANITIZER = Sanitizer(
    Policy(
        tags=frozenset(_BLOCKS | _INLINE | _TABLES),
        attributes={"a": frozenset({"href", "title"}), "span": frozenset({"class"}), "ol": frozenset({"start"})},
        attribute_values={"span": {"class": frozenset({IMAGE})}},
        url_schemes=frozenset({"http", "https", "mailto"}),
        allow_relative_urls=False,
        on_disallowed_tag=OnDisallowed.STRIP,
        remove_with_content=frozenset({"script", "style", "template", "svg", "math", "iframe", "object"}),
        add_link_rel=REL,
        transform_tags=_LOWERED,
        allow_svg=False,
        allow_mathml=False,
    )
)


def rendered(markdown: str, page_url: str | None) -> Markup:
    """The HTML of a Markdown text; relative links are read against the page's own URL."""
    html: str = cmarkgfm.github_flavored_markdown_to_html(readable(markdown, lines=True))  # type: ignore[no-untyped-call]  # it ships no types
    fragment = turbohtml.parse_fragment(html)
    _name_images(fragment)
    _mark_tasks(fragment)
    _resolve_links(fragment, page_url)
    return Markup(_SANITIZER.sanitize(fragment))  # noqa: S704 - this is the sanitised text


def _name_images(fragment: turbohtml.Element) -> None:
    for image in list(fragment.find_all("img")):
        words = " ".join(filter(None, (_attribute(image, "alt"), f"({_attribute(image, 'src')})")))
        image.replace_with(turbohtml.E("span", {"class": IMAGE}, f"Image: {words}"))


def _mark_tasks(fragment: turbohtml.Element) -> None:
    for box in list(fragment.find_all("input")):
        box.replace_with(turbohtml.Text("☑" if "checked" in box.attrs else "☐"))


def _resolve_links(fragment: turbohtml.Element, page_url: str | None) -> None:
    """A link that leads to our own pages, or shows another target than it has, is none."""
    for link in list(fragment.find_all("a")):
        target = _resolved(_attribute(link, "href"), page_url)
        if target is None:
            link.unwrap()
        else:
            link.attrs["href"] = target
            link.attrs["title"] = target


def _resolved(href: str, page_url: str | None) -> str | None:
    if not href or href.startswith("#"):
        return None
    try:
        target = urljoin(page_url or "", href)
    except ValueError:
        return None
    return target if opens(target) or target.startswith("mailto:") else None


def _attribute(element: turbohtml.Element, name: str) -> str:
    value = element.attrs.get(name)
    return value if isinstance(value, str) else ""
