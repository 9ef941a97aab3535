"""What is typed of watches: pages, numbers, and what is missing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BadInput
from bot.index.profile import load_profile
from bot.inspection.pipeline import Inspector
from bot.slack.watches.asked import Verb, is_about_watches, read_request
from tests.inspection.scripted_store import ScriptedStore
from tests.slack.running import URL

READ = Inspector(ScriptedStore(), load_profile()).read


@pytest.mark.parametrize(
    ("text", "verb", "url", "number", "until"),
    [
        (f"watch {URL}", Verb.WATCH, URL, None, False),
        (f"  Watch   {URL}  ", Verb.WATCH, URL, None, False),
        (f"watch <{URL}>", Verb.WATCH, URL, None, False),
        (f"watch\u00a0{URL}", Verb.WATCH, URL, None, False),
        (f"watch the page {URL} please", Verb.WATCH, URL, None, False),
        ("watch example,docs!,/guide s443", Verb.WATCH, URL, None, False),
        (f"watch {URL} until indexed", Verb.WATCH, URL, None, True),
        (f"watch {URL} until it is indexed.", Verb.WATCH, URL, None, True),
        (f"watch <{URL}|docs.example/guide> until indexable", Verb.WATCH, URL, None, True),
        ("watches", Verb.LIST, None, None, False),
        (" WATCHES ", Verb.LIST, None, None, False),
        (f"unwatch {URL}", Verb.STOP, URL, None, False),
        ("unwatch 17", Verb.STOP, None, 17, False),
        ("unwatch #17", Verb.STOP, None, 17, False),
    ],
)
def test_what_is_read(text: str, verb: Verb, url: str | None, number: int | None, until: bool) -> None:
    """After `/inspect`, and in a message as Slack marks it up."""
    read = read_request(text, READ)

    assert (read.verb, read.lookup and read.lookup.url, read.number, read.until_indexed) == (verb, url, number, until)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("watch", "Read “watch” without the page that is meant. Example: /inspect watch https://example.com/page"),
        ("unwatch", "Read “unwatch” without the page"),
        ("watch until indexed", "Read “watch” without the page"),
        ("watch https://a.example/ https://b.example/", "One page at a time"),
        (f"watch {URL} as of 2026-04-06", "One page at a time"),
        ("watch site example.com", "One page at a time"),
        ("watch help", "One page at a time"),
        ("watch hash:892221456919234349", "A root hash names a whole site"),
        ("watch my back", "Read “my back” and found no URL"),
        ("watch ftp://a.example/x", "ftp"),
        ("unwatch 99999999999", "99999999999"),
    ],
)
def test_what_is_missing_is_told_with_an_example(text: str, says: str) -> None:
    """One sentence."""
    with pytest.raises(BadInput) as caught:
        read_request(text, READ)

    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "help",
        URL,
        f"{URL} watch",
        "watchmaker.example/x",
        "watch.example/x",
        "watches https://a.example/",
        "site watch.example",
    ],
)
def test_what_is_not_about_watches(text: str) -> None:
    """A page may have the word in its address."""
    assert not is_about_watches(text)


@given(st.sampled_from(["watch ", "unwatch ", "watches", "watch", ""]), st.text(max_size=60))
def test_whatever_is_typed_is_read_or_refused_as_bad_input(verb: str, rest: str) -> None:
    """No other exception; and what was read is whole."""
    text = verb + rest
    if not is_about_watches(text):
        return
    try:
        request = read_request(text, READ)
    except BadInput:
        return

    assert (request.lookup is not None or request.number is not None) is (request.verb is not Verb.LIST)
