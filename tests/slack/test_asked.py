from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import BadInput
from bot.index.profile import load_profile
from bot.inspection.lookup import read_lookup
from bot.slack.asked import Asked, read_command, read_message, read_paste

read = partial(read_lookup, profile=load_profile())
A, B = "https://a.example/1", "https://b.example/2"


def texts(asked: Asked) -> list[str]:
    return [lookup.url or lookup.text for lookup in asked.lookups]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{A} {B}", [A, B]),
        (f"{A},{B}", [A, B]),
        (f"{A} {A}#top", [A]),
        ("https://a.example/?x=1&y=2", ["https://a.example/?x=1&y=2"]),
        ("<https://a.example/?x=1&amp;y=2>", ["https://a.example/?x=1&y=2"]),
        ("https://a.example/?x=1&amp;y=2", ["https://a.example/?x=1&amp;y=2"]),
        ("example,a!,/1 s443", [A]),
        (f"example,a!,/1 s443 and {B}", [A, B]),
        ("example,a!,/1 s443 example,b!,/2 s443", [A, B]),
        ("hash:5", ["hash:5"]),
        ("https://a.example/x!y,/z s443", ["https://a.example/x!y,/z"]),
        ("\u00a0https://a.example/1\u00a0", [A]),
        ("example.com", ["https://example.com/"]),
        ("https://a.example/as/of/2026", ["https://a.example/as/of/2026"]),
    ],
)
def test_a_command_names_its_lookups_in_order_and_each_once(text: str, expected: list[str]) -> None:
    """Keys and hashes first, then URLs. Entities are read only where Slack marked the text up."""
    assert texts(read_command(text, read)) == expected


@pytest.mark.parametrize(
    ("suffix", "as_of"),
    [
        ("as of 2026-04-06", datetime(2026, 4, 6, tzinfo=UTC)),
        ("as of 2026-04-06T20:00Z", datetime(2026, 4, 6, 20, tzinfo=UTC)),
        ("As Of 2026-04-06 20:00", datetime(2026, 4, 6, 20, tzinfo=UTC)),
        ("as of 2026-04-06T20:00+02:00  ", datetime(2026, 4, 6, 18, tzinfo=UTC)),
        ("", None),
    ],
)
@pytest.mark.parametrize("lookup", [A, "example,a!,/1 s443", f"look at {A}, please,"])
def test_a_time_in_the_past_may_follow_any_lookup(lookup: str, suffix: str, as_of: datetime | None) -> None:
    """UTC, unless it says otherwise."""
    asked = read_command(f"{lookup} {suffix}", read)

    assert (texts(asked), asked.as_of) == ([A], as_of)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"text": f"<@U0BOT> <{A}>"}, [A]),
        ({"text": f"<{A}> <@U0BOT> <@U0BEN>"}, [A]),
        ({"text": "<@U0BOT> example,a!,/1?a=1&amp;b=2 s443"}, ["https://a.example/1?a=1&b=2"]),
        ({"text": "<@U0BOT>"}, []),
        ({"text": "<@U0BOT> help "}, []),
        ({"text": None}, []),
    ],
)
def test_a_mention_is_no_part_of_what_was_said(message: Mapping[str, Any], expected: list[str]) -> None:
    """Without a lookup it asks for help."""
    assert texts(read_message(message, "U0BOT", read)) == expected


def test_a_paste_asks_for_its_urls_only() -> None:
    """No keys, no hashes, no times: people did not speak to the bot."""
    asked = read_paste({"text": f"hash:5 example,a!,/1 s443 <{B}> as of 2026-04-06"}, read)

    assert (texts(asked), asked.as_of) == ([B], None)


@pytest.mark.parametrize(
    "unit",
    [" ", "as of ", "as of 1", "as  ", "hash: ", "a!", "a!,/", "a!,/b s4 ", "a:", "<", "&amp;", "!", "\u00a0", "h"],
)
def test_a_text_of_40_000_characters_is_read_in_no_time(unit: str) -> None:
    """Linear in its length: a quadratic pattern would take minutes."""
    started = time.perf_counter()
    with contextlib.suppress(BadInput):
        read_command((unit * 40_000)[:40_000], read)

    assert time.perf_counter() - started < 3


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.text(alphabet="htps:/.!,<>|&;a1 #@\u202e"), st.from_regex(r"\S*![^/]*,/\S* [hs]\d*")))
def test_no_text_raises_anything_but_one_sentence(text: str) -> None:
    """Whatever is typed."""
    try:
        said = str(read_command(text, read))
    except BadInput as error:
        said = str(error)

    assert said


@pytest.mark.parametrize(
    ("text", "site", "as_of"),
    [
        ("site example.com", "example.com", None),
        (" Site\texample.com/blog/ ", "example.com/blog/", None),
        ("site example.com as of 2026-04-06", "example.com", datetime(2026, 4, 6, tzinfo=UTC)),
        ("site <http://example.com|example.com>", "example.com", None),
        ("site <https://example.com/a?b=1&amp;c=2>", "https://example.com/a?b=1&c=2", None),
        ("site <https://example.com/blog/|https://example.com/blog/>", "https://example.com/blog/", None),
        (f"site of {A}", None, None),
        (f"site {A} {B}", None, None),
    ],
)
def test_a_site_is_named_alone_after_its_word(text: str, site: str | None, as_of: datetime | None) -> None:
    """As it was typed: `http://` before a bare name was put there by Slack. With other words it is about pages."""
    asked = read_message({"text": f"<@U0BOT> {text}"}, "U0BOT", read)

    assert (asked.site, asked.as_of) == (site, as_of)
    assert bool(asked.lookups) == (site is None)
