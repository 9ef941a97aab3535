"""What a message is about, in a button and in metadata."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BadKey
from bot.render.limits import BUTTON_VALUE
from bot.report.subject import MAX_ENCODED, TOO_LONG, Subject, decode, encode, payload, subject_of
from tests.report.inspections import GITHUB_AS_OF, PROFILE, github

KEYS = st.none() | st.text(max_size=300)
SHARDS = st.none() | st.integers(0, 99_999)
MOMENTS = st.none() | st.integers(0, 4_000_000_000).map(
    lambda seconds: GITHUB_AS_OF.fromtimestamp(seconds, GITHUB_AS_OF.tzinfo)
)


@given(st.builds(Subject, KEYS, st.integers(0, 2**64 - 1), SHARDS, MOMENTS, index=st.sampled_from(["", "news"])))
def test_a_subject_survives_the_round_trip(subject: Subject) -> None:
    """Through a button's value and through metadata alike; the hash never passes through a float."""
    assert decode(encode(subject)) == subject
    assert decode(json.loads(json.dumps(payload(subject)))) == subject


@pytest.mark.parametrize("character", ["a", '"', "é"])
def test_a_key_too_long_for_a_button_leaves_its_hash(character: str) -> None:
    """Counted as it is written, escapes included; the note says what was lost."""
    long = replace(github().lookup, unparsed="com,example!,/" + character * 2_000 + " s443")
    subject = subject_of(long, PROFILE)

    assert (subject.unparsed, subject.root_hash, subject.note) == (None, long.root_hash, TOO_LONG)
    assert len(encode(subject)) <= MAX_ENCODED


def test_what_an_older_release_wrote_is_of_the_default_index() -> None:
    """It named none."""
    assert decode('{"key":"com,example!,/ s443","hash":"1"}') == Subject("com,example!,/ s443", 1, index="")


def test_the_room_for_a_subject_is_slacks() -> None:
    """One number, which the report may not import from the renderers."""
    assert MAX_ENCODED == BUTTON_VALUE


@pytest.mark.parametrize("value", ["", "x", "[]", "{}", "null", '{"hash":"x"}', '{"hash":"1","as_of":"9e99"}', "1"])
def test_what_is_no_subject_gets_one_sentence(value: str) -> None:
    """A button of another app, or of another time."""
    with pytest.raises(BadKey, match="inspect the page again"):
        decode(value)
