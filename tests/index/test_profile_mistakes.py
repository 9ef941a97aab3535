"""A mistake in an index profile: one sentence with its place, before anything is asked."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from bot.errors import BadProfile
from bot.index.profile import IndexProfile, changed, load_profile

BUILT_IN = (resources.files("bot.index") / "crawler3.toml").read_text(encoding="utf-8")
STATUS = 'passes = "HTTP {value}"'


@pytest.mark.parametrize(
    ("right", "wrong", "place"),
    [
        ('host = "laksa{shard}"', 'host = "laksa{shrd}"', "shards.host"),
        ('host = "laksa{shard}"', 'host = "laksa{"', "shards.host"),
        ('host = "laksa{shard}"', 'host = "laksa{}"', "shards.host"),
        ('address = "laksa{shard}.int.example"', 'address = "laksa{n}"', "shards.address"),
        ('source = "crawler3.page_info_local FINAL"', 'source = " "', "source"),
        ('condition = "download_http_code = 200"', 'condition = ""', "filters.0.condition"),
        (STATUS, 'passes = "HTTP {value!r}"', "'http-status'"),
        (STATUS, 'passes = "HTTP {value!z}"', "'http-status'"),
        (STATUS, 'passes = "HTTP {}"', "'http-status'"),
        (STATUS, 'passes = "HTTP {"', "'http-status'"),
        (STATUS, 'passes = "HTTP {value.real}"', "'http-status'"),
        (STATUS, 'passes = "HTTP {value:{nosuch}}"', "'http-status'"),
        (STATUS, 'passes = "HTTP {value:zzz}"', "'http-status'"),
        (STATUS, 'passes = "HTTP {value:months}"', "'http-status'"),
        ('id = "attrs_author"', 'id = "attrs-author"', "fields."),
        ('id = "age-cutoff"', 'id = "http_status"', "'http-status' and 'http_status'"),
        ('fields = { body = "body"', 'fields = { bo-dy = "body"', "robots.fields.bo-dy"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, right: str, wrong: str, place: str) -> None:
    """Never a stack trace, and never found out only when a page is asked for."""
    assert right in BUILT_IN
    path = tmp_path / "crawl.toml"
    path.write_text(BUILT_IN.replace(right, wrong, 1), encoding="utf-8")

    with pytest.raises(BadProfile) as caught:
        load_profile(path)

    assert place in str(caught.value)


def test_what_was_computed_does_not_survive_a_copy(profile: IndexProfile) -> None:
    """Neither a checked copy nor an unchecked one keeps the fields that the original was asked for."""
    assert profile.light_fields
    one = profile.fields[:1]

    assert profile.model_copy(update={"fields": one}).light_fields == one
    assert changed(profile, fields=one, filters=()).light_fields == one


def test_a_changed_profile_is_checked_again(profile: IndexProfile) -> None:
    """A copy with other values obeys the rules of the file."""
    assert changed(profile, name="other").name == "other"
    with pytest.raises(ValueError, match="must not be empty"):
        changed(profile, source="")
