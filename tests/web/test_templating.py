"""What templates do to values."""

from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from bot.web.templating import STATIC, anchor, breakable, environment, fitting, static_url


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "abc"),
        ("日本", 6, "日本"),
        ("日本", 3, "日"),
        ("<" * 10, 40, "<" * 10),  # each is &lt;
        ("<" * 10, 20, "<" * 5),
        ("", 0, ""),
    ],
)
def test_what_fits_is_measured_as_it_is_sent(text: str, most: int, shown: str) -> None:
    """Bytes of escaped UTF-8 count, not letters."""
    assert fitting(text, most) == shown


def test_class_paths_break_where_they_may() -> None:
    """Before a slash and after an underscore; mark-up in them is text."""
    assert breakable("/A_b/<i>") == "/A_<wbr>b<wbr>/&lt;i&gt;"


def test_anchors_are_words() -> None:
    """A group's title, as Slack may link to it."""
    assert anchor("ML Classification") == "ml-classification"


def test_a_value_that_is_missing_is_an_error() -> None:
    """A template never shows an empty place for a mistyped name."""
    with pytest.raises(UndefinedError):
        environment().from_string("{{ nothing }}").render()


def test_text_is_escaped_everywhere() -> None:
    """Also in templates that are not named .html."""
    assert environment().from_string("{{ text }}").render(text="<b>") == "&lt;b&gt;"


def test_files_are_named_by_their_content() -> None:
    """So that they may be kept for ever."""
    assert len({static_url(name) for name in STATIC}) == len(STATIC)
    assert all(url.startswith("../static/") for url in map(static_url, STATIC))
