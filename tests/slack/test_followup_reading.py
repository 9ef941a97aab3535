"""The grammar of follow-ups: what is understood, what is forgiven, what is only suggested."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BadInput
from bot.slack.followups.grammar import BY_NAME, COMMANDS, FILLER, NOT_TYPOS, POLITE
from bot.slack.followups.reading import SPELLING, Followup, Unclear, read_followup

BOT = "U0BOT"

UNDERSTOOD = [
    # as the table has them
    *((command.typed, command.name) for command in COMMANDS),
    *((command.name, command.name) for command in COMMANDS if not command.argument),
    ("raw", "raw"),
    # however they are dressed
    ("WHY", "why"),
    ("why?!", "why"),
    ("  why  ", "why"),
    ("`why`", "why"),
    ("“why”", "why"),
    ("*why*", "why"),
    ("_why_", "why"),
    ("ｗｈｙ", "why"),
    ("why\u00a0please", "why"),
    ("please, why?", "why"),
    ("hey bot, why? thanks!", "why"),
    ("<@U0BOT> why", "why"),
    ("<@U0BOT|inspector> why", "why"),
    ("why <@U0BOT>", "why"),
    ("/why", "why"),
    ("raw", "raw"),
    # plain questions
    ("why is it not indexed?", "why"),
    ("why isn’t this page in the index?", "why"),
    ("Why isn't it indexable", "why"),
    ("what's the reason?", "why"),
    ("is it indexed", "why"),
    ("what stopped it?", "why"),
    ("which rule stopped it?", "why"),
    ("when was it crawled", "crawled"),
    ("when was this page last crawled?", "crawled"),
    ("was it crawled", "crawled"),
    ("when was it first indexed?", "crawled"),
    ("is robots ok", "robots"),
    ("what does robots.txt say", "robots"),
    ("is it allowed by robots?", "robots"),
    ("why is robots.txt blocking it?", "robots"),
    ("blocked by robots?", "robots"),
    ("when was robots.txt fetched?", "robots"),
    ("show me the markdown", "markdown"),
    ("can you show me the markdown please?", "markdown"),
    ("give me the page text", "text"),
    ("what's the content of the page?", "text"),
    ("the readable markdown", "readable"),
    ("which filters fail?", "filters"),
    ("show all filters", "filters"),
    ("all details", "details"),
    ("tell me everything about it", "details"),
    ("is it spam?", "spam"),
    ("is the host banned?", "spam"),
    ("what do you know about the host?", "host"),
    ("who is the host", "host"),
    ("which shard is it on?", "host"),
    ("has the frontier seen it?", "seen"),
    ("when was it first seen?", "seen"),
    ("what's the canonical?", "canonical"),
    ("where does the canonical point to", "canonical"),
    ("where does it redirect to?", "redirect"),
    ("give me the curl command", "curl"),
    ("show the sql query", "sql"),
    ("raw queries", "raw"),
    ("how slow was it?", "perf"),
    ("how fast is it", "perf"),
    ("internal links", "links"),
    ("what categories does it have", "class"),
    ("page types", "class"),
    ("check again", "recheck"),
    ("look again please", "recheck"),
    ("as of now", "recheck"),
    ("help me", "help"),
    ("watch this page please", "watch"),
    ("can you watch it?", "watch"),
    ("please watch it until it is indexed", "watch until indexed"),
    ("watch until indexed", "watch until indexed"),
    ("stop watching", "unwatch"),
    ("stop!", "unwatch"),
    ("list all watches", "watches"),
    # small typing errors
    ("wacth", "watch"),
    ("wyh", "why"),
    ("hwy", "why"),
    ("filtres", "filters"),
    ("fliters", "filters"),
    ("detials", "details"),
    ("robtos", "robots"),
    ("robost", "robots"),
    ("mrakdown", "markdown"),
    ("markdonw", "markdown"),
    ("marckdown", "markdown"),
    ("canoncial", "canonical"),
    ("redirct", "redirect"),
    ("recehck", "recheck"),
    ("readible", "readable"),
    ("jsno", "json"),
    ("slq", "sql"),
    ("crul", "curl"),
    ("txet", "text"),
    ("hepl", "help"),
    ("whhen was it crawlled", "crawled"),
    ("why is it not indxed?", "why"),
]

UNCLEAR = [
    ("lunch?", "why"),
    ("what is it", "why"),
    ("???", "why"),
    ("lost", "why"),
    ("deploy 2 of them", "why"),
    ("why 2", "why"),
    ("raw -1", "raw"),
    ("raw 1.5", "raw"),
    ("robots are taking over the world", "robots"),
    ("I think we should ask the hosting team about robots", "robots"),
    ("can somebody from the SEO team look at the canonical of this tomorrow?", "canonical"),
    ("links and perf", "links"),
    ("robots and spam", "robots"),
    ("test", "text"),
    ("canon", "canonical"),
    ("markup", "markdown"),
    # other languages
    ("почему нет в индексе?", "why"),
    ("¿por qué no está indexado?", "why"),
    ("warum ist die Seite nicht im Index?", "why"),
    ("pourquoi cette page n'est pas indexée ?", "why"),
    ("なぜインデックスされていない？", "why"),
    ("为什么没有收录", "why"),
    ("لماذا", "why"),
]

NOTHING = [
    "",
    "   ",
    "👍",
    ":tada:"[:0],
    "thanks!",
    "Thank you so much",
    "ok",
    "ok, got it, thanks",
    "<@U0ANN> can you look at this?",
    "<@U0ANN> why",
    "<@U0BOT>",
]


def read(text: str) -> str:
    """What was read, in a word."""
    found = read_followup(text, BOT)
    if isinstance(found, Followup):
        return found.command.name
    return "" if found is None else "unclear"


def outcome(text: str) -> object:
    """What came of reading, the sentence of a refusal too."""
    try:
        return read_followup(text, BOT)
    except BadInput as refused:
        return refused


@pytest.mark.parametrize(("text", "command"), UNDERSTOOD)
def test_what_is_understood(text: str, command: str) -> None:
    """The command that every word of the message speaks for."""
    assert read(text) == command


@pytest.mark.parametrize(("text", "nearest"), UNCLEAR)
def test_what_is_not_understood_names_three_commands_and_runs_none(text: str, nearest: str) -> None:
    """The nearest is among them."""
    found = read_followup(text, BOT)

    assert isinstance(found, Unclear)
    assert len({command.name for command in found.suggestions}) == 3
    assert nearest in [command.name for command in found.suggestions]


@pytest.mark.parametrize("text", NOTHING)
def test_thanks_and_words_to_others_ask_nothing(text: str) -> None:
    """People talk to each other in a thread."""
    assert read_followup(text, BOT) is None


def test_a_mention_of_somebody_else_behind_one_of_the_bot_is_to_the_bot() -> None:
    """<@ann> comes first, but the bot is named."""
    assert read("<@U0ANN> look: <@U0BOT> why") in ("why", "unclear")


@pytest.mark.parametrize(
    ("text", "command", "argument"),
    [
        ("raw 2", "raw", "2"),
        ("raw #2", "raw", "2"),
        ("raw step 3", "raw", "3"),
        ("raw robots", "raw", "robots"),
        ("raw 99", "raw", "99"),
        ("<https://a.example.com/x>", "inspect", "https://a.example.com/x"),
        ("<http://example.com/x|example.com/x>", "inspect", "http://example.com/x"),
        ("https://a.example.com/?x=1&amp;y=2", "inspect", "https://a.example.com/?x=1&y=2"),
        ("why <https://a.example.com/x>", "inspect", "https://a.example.com/x"),
        ("com,example!,/page s443", "inspect", "com,example!,/page s443"),
        ("hash:892221456919234349", "inspect", "hash:892221456919234349"),
        ("compare <https://a.example.com/x>", "compare", "https://a.example.com/x"),
        ("Compare with https://a.example.com/x please", "compare", "https://a.example.com/x"),
        ("compare example.com/page", "compare", "https://example.com/page"),
        ("compare to com,example!,/page s443", "compare", "com,example!,/page s443"),
        ("comapre https://a.example.com/x", "compare", "https://a.example.com/x"),
        ("diff https://a.example.com/x", "compare", "https://a.example.com/x"),
        ("what's the difference to https://a.example.com/x?", "compare", "https://a.example.com/x"),
        ("watch <https://a.example.com/x>", "watch", "https://a.example.com/x"),
        ("please watch https://a.example.com/x until indexed", "watch until indexed", "https://a.example.com/x"),
        ("unwatch https://a.example.com/x", "unwatch", "https://a.example.com/x"),
        ("watch out for https://a.example.com/x", "inspect", "https://a.example.com/x"),
        ("trains stop at https://a.example.com/x", "inspect", "https://a.example.com/x"),
    ],
)
def test_what_follows_a_command(text: str, command: str, argument: str) -> None:
    """A step, a URL, a key."""
    assert read_followup(text, BOT) == Followup(BY_NAME[command], argument)


@pytest.mark.parametrize(
    ("text", "command", "instant"),
    [
        ("as of 2026-04-06", "as of", "2026-04-06T00:00:00+00:00"),
        ("as of 2026-04-06 20:00", "as of", "2026-04-06T20:00:00+00:00"),
        ("As  Of 2026-04-06T20:00Z?", "as of", "2026-04-06T20:00:00+00:00"),
        ("show me as of `2026-04-06`", "as of", "2026-04-06T00:00:00+00:00"),
        ("why as of 2026-04-06", "why", "2026-04-06T00:00:00+00:00"),
        ("compare https://a.example.com/x as of 2026-04-06", "compare", "2026-04-06T00:00:00+00:00"),
    ],
)
def test_an_instant_of_the_past(text: str, command: str, instant: str) -> None:
    """Alone it judges the page again; behind another command it says when."""
    found = read_followup(text, BOT)

    assert isinstance(found, Followup)
    assert (found.command.name, found.as_of and found.as_of.isoformat()) == (command, instant)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("as of", "examples: as of 2026-04-06"),
        ("as of yesterday", "Read 'yesterday' as a time; examples: 2026-04-06"),
        ("as of 2026-13-45", "Read '2026-13-45' as a time"),
        ("asof", "examples: as of 2026-04-06"),
        ("compare", "“compare” needs an address; example: compare https://example.com/other"),
        ("compare with the other page", "“compare” needs an address"),
    ],
)
def test_what_is_missing_is_said_with_an_example(text: str, says: str) -> None:
    """One clear sentence."""
    with pytest.raises(BadInput) as refused:
        read_followup(text, BOT)

    assert says in str(refused.value)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reading(text: str) -> None:
    """Whatever people type."""
    assert type(outcome(text)) in (Followup, Unclear, BadInput, type(None))


@pytest.mark.parametrize("text", ["word " * 8_000, "a" * 40_000, "<" * 40_000, "as of " * 7_000, "!,/" * 13_000])
def test_a_message_of_40_000_characters_is_read_at_once(text: str) -> None:
    """Slack's longest."""
    began = time.perf_counter()
    outcome(text)

    assert time.perf_counter() - began < 1.0


def test_the_table_is_one_table() -> None:
    """Every name is one row; nothing is a command's word and a filler at once."""
    words = {word for command in COMMANDS for word in command.words}

    assert len(BY_NAME) == len(COMMANDS)
    assert words & (FILLER | POLITE | NOT_TYPOS) == set()
    assert NOT_TYPOS & set(SPELLING) == set()
