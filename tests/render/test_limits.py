"""Slack's numbers and the two functions that keep text within them."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render import limits
from bot.render.limits import Limit, cut, escape_mrkdwn

TABLE = {name: value for name, value in vars(limits).items() if isinstance(value, Limit)}
PUBLISHED = ("https://docs.slack.dev/", "https://github.com/slackapi/")


def test_every_limit_names_the_page_it_obeys() -> None:
    """A number without a source cannot be checked when Slack changes it."""
    unsourced = [name for name, limit in TABLE.items() if not limit.page.startswith(PUBLISHED)]

    assert len(TABLE) > 60
    assert unsourced == []


def test_the_examples_in_the_docstrings_run() -> None:
    """They are what a reader copies."""
    assert doctest.testmod(limits) == doctest.TestResults(failed=0, attempted=2)


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("", 10, "–"),
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("abcd", 1, "…"),
        ("xe\u0301y", 2, "x…"),  # e and its accent are one sign
        ("a👍🏽bc", 3, "a…"),  # thumb and its skin tone
        ("a👩\u200d💻bc", 4, "a…"),  # woman, joiner, laptop
        ("a\ud83d\udc4dbc", 3, "a…"),  # a surrogate pair that was never joined
        ("ab&amp;cd", 5, "ab…"),
        ("ab&amp;cd", 8, "ab&amp;…"),
        ("e" + "\u0301" * 10, 4, "e\u0301\u0301…"),  # one endless sign has to be cut somewhere
    ],
)
def test_cut_ends_in_an_ellipsis_and_never_halves_a_sign(text: str, limit: int, expected: str) -> None:
    """What is cut says so, fits, and stays readable."""
    assert cut(text, limit) == expected


@given(st.text(), st.integers(1, 50))
def test_what_is_cut_fits_and_is_never_empty(text: str, limit: int) -> None:
    """Slack refuses a text that is too long, and one that is empty."""
    assert 1 <= len(cut(text, limit)) <= limit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!channel> & co", "&lt;!channel&gt; &amp; co"),
        ("a&amp;b", "a&amp;amp;b"),
        ("*bold* _it_ `c` \"q\" 'q'", "*bold* _it_ `c` \"q\" 'q'"),
    ],
)
def test_exactly_three_characters_are_escaped(text: str, expected: str) -> None:
    """Slack decodes three entities and no more."""
    assert escape_mrkdwn(text) == expected
