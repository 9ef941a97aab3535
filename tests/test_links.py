"""Links: what a token opens, for how long, and what happens to every other token."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from bot.errors import BadLink, BadSetting, ExpiredLink
from bot.links import LONGEST_URL, TOO_LONG, Action, Grant, Links, SiteGrant
from bot.report.subject import Subject
from bot.settings import Settings
from tests.report.inspections import bare_hash, github
from tests.report.site_reports import site_report

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
OLD, NEW = "old-key-" + "x" * 32, "new-key-" + "y" * 32
SUBJECT = Subject("io,github!murphypei,/ s443", 2566890010099092343, 143)


def links(*keys: str, at: datetime = NOW, days: float = 7) -> Links:
    return Links("https://bot.example/", keys or (NEW,), days=days, clock=lambda: at)


def token(url: str | None) -> str:
    assert url
    return url.rpartition("/")[2]


def opened(made: Links, action: Action, text: str) -> Grant:
    """The grant without the instant at which it was signed."""
    return replace(made.open(action, text), issued=None)


def test_a_report_link_opens_its_subject() -> None:
    """The link of a report says the lookup and its shard, and no instant where none was fixed."""
    url = links().report(github())

    assert url is not None
    assert url.startswith("https://bot.example/r/")
    assert opened(links(), Action.REPORT, token(url)).subject == Subject(
        "io,github!murphypei,/blog/2020/09/pytorch-distributed s443", 2566890010099092343, 143
    )


def test_a_replayed_report_keeps_its_instant() -> None:
    """Where the asker fixed the instant, the link shows the page as of it."""
    inspection = github(replayed=True)

    assert opened(links(), Action.REPORT, token(links().report(inspection))).subject.as_of == inspection.as_of


def test_a_heavy_link_names_the_crawl_it_was_made_of() -> None:
    """The version is the crawl's unix time, so that a later crawl is told."""
    grant = opened(links(), Action.HEAVY, token(links().heavy(github(), "attrs_markdown")))

    assert (grant.field_id, grant.version) == ("attrs_markdown", 1777778691)


def test_a_root_hash_has_no_heavy_column() -> None:
    """Without a page there is no text to link to."""
    assert links().heavy(bare_hash(), "attrs_markdown") is None


def test_a_comparison_holds_both_sides() -> None:
    """Two subjects, in their order."""
    other = replace(SUBJECT, as_of=datetime(2026, 1, 1, tzinfo=UTC))

    assert opened(links(), Action.COMPARE, token(links().compare(SUBJECT, other))) == Grant(SUBJECT, other=other)


@pytest.mark.parametrize("replayed", [False, True])
def test_a_site_link_opens_what_was_typed(replayed: bool) -> None:
    """In the index that answered; as of an instant where the asker fixed that."""
    report = replace(site_report(), replayed=replayed)
    grant = links().open_site(token(links().site(report)))

    assert grant == SiteGrant("example.com", report.as_of if replayed else None, "crawler3", NOW)


def test_a_site_that_no_link_can_hold_has_none() -> None:
    """What was typed would have to be in it."""
    text = "example.com/" + "".join(f"{n * n:x}" for n in range(2_000))
    target = replace(site_report().target, lookup=replace(site_report().target.lookup, text=text))

    assert links().site(replace(site_report(), target=target)) is None


@pytest.mark.parametrize("made_for", Action)
@pytest.mark.parametrize("used_for", Action)
def test_a_link_serves_its_own_action_only(made_for: Action, used_for: Action) -> None:
    """A token of one action opens no other."""
    urls = {
        Action.REPORT: links().of_subject(SUBJECT),
        Action.HEAVY: links().heavy(github(), "attrs_markdown"),
        Action.COMPARE: links().compare(SUBJECT),
        Action.LIST: links().kept_list("0123456789abcdef"),
        Action.SITE: links().site(site_report()),
    }

    def read(text: str) -> object:
        other = {Action.LIST: links().open_list, Action.SITE: links().open_site}.get(used_for)
        return other(text) if other else links().open(used_for, text).subject

    if made_for is used_for:
        assert read(token(urls[made_for]))
    else:
        with pytest.raises(BadLink):
            read(token(urls[made_for]))


@pytest.mark.parametrize(("age", "works"), [(0, True), (7 * 86_400, True), (7 * 86_400 + 1, False)])
def test_links_expire(age: int, works: bool) -> None:
    """A link works for its days and not a second longer; then it says so."""
    made = token(links().of_subject(SUBJECT))
    later = links(at=NOW + timedelta(seconds=age))
    if works:
        assert later.open(Action.REPORT, made).subject == SUBJECT
    else:
        with pytest.raises(ExpiredLink, match="7 days"):
            later.open(Action.REPORT, made)


def test_what_a_page_links_to_ends_with_the_link_to_the_page() -> None:
    """A link made while a page is shown is as old as the link of that page: holding one does not renew it."""
    grant = links().open(Action.REPORT, token(links().of_subject(SUBJECT)))
    week_later = links(at=NOW + timedelta(days=7))
    derived = token(week_later.issued(grant.issued).of_subject(SUBJECT))

    assert week_later.open(Action.REPORT, derived).subject == SUBJECT
    with pytest.raises(ExpiredLink):
        links(at=NOW + timedelta(days=7, seconds=1)).open(Action.REPORT, derived)


@pytest.mark.parametrize(
    ("signed_with", "read_with", "works"),
    [
        ((OLD,), (OLD,), True),
        ((OLD,), (NEW, OLD), True),  # while both are there, old links work
        ((NEW, OLD), (NEW,), True),  # the first key signs
        ((OLD,), (NEW,), False),  # the old key was taken out
        ((NEW, OLD), (OLD,), False),
    ],
)
def test_keys_rotate_with_overlap(signed_with: tuple[str, ...], read_with: tuple[str, ...], works: bool) -> None:
    """The first key signs, every key verifies; a key that is taken out ends its links."""
    made = token(links(*signed_with).of_subject(SUBJECT))
    if works:
        assert links(*read_with).open(Action.REPORT, made).subject == SUBJECT
    else:
        with pytest.raises(BadLink):
            links(*read_with).open(Action.REPORT, made)


GENUINE = token(links().of_subject(SUBJECT))
LETTERS = st.sampled_from("ABCXYZabcxyz0189-_.=~!%+/ \n\té\0")


@given(place=st.integers(0, len(GENUINE) - 1), letter=LETTERS, kind=st.sampled_from(["put", "insert", "drop", "cut"]))
def test_an_altered_link_opens_nothing(place: int, letter: str, kind: str) -> None:
    """A letter changed, added or left out anywhere: no grant, and no error but BadLink."""
    before, after = GENUINE[:place], GENUINE[place + 1 :]
    altered = {
        "put": before + letter + after,
        "insert": GENUINE[:place] + letter + GENUINE[place:],
        "drop": before + after,
        "cut": before,
    }[kind]
    if altered != GENUINE:
        with pytest.raises(BadLink):
            links().open(Action.REPORT, altered)


@given(st.one_of(st.text(), st.from_regex(r"\A\.?[A-Za-z0-9_-]{1,40}\.[A-Za-z0-9_-]{1,8}\.[A-Za-z0-9_-]{43}\Z")))
def test_an_invented_link_opens_nothing(text: str) -> None:
    """Whatever stands in a link's place is refused in a sentence."""
    with pytest.raises(BadLink, match="does not open anything"):
        links().open(Action.REPORT, text)


def test_every_last_letter_counts() -> None:
    """base64 spells the last bits of a signature in several ways; only ours is taken."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    works = []
    for letter in alphabet:
        try:
            links().open(Action.REPORT, GENUINE[:-1] + letter)
        except BadLink:
            continue
        works.append(letter)

    assert works == [GENUINE[-1]]


def test_a_refusal_tells_nothing() -> None:
    """An altered link, a foreign key and nonsense get one and the same sentence."""
    said = set()
    for made, text in ((links(), GENUINE[:-2] + "AA"), (links(OLD), GENUINE), (links(), "x"), (Links(None), GENUINE)):
        with pytest.raises(BadLink) as refused:
            made.open(Action.REPORT, text)
        said.add(str(refused.value))

    assert len(said) == 1


def test_a_long_address_leaves_its_root_hash() -> None:
    """A URL that no button holds becomes a link to its site, and says what was lost."""
    import random

    noise = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=4_000))  # noqa: S311 - no secret
    url = links().of_subject(replace(SUBJECT, unparsed=f"io,github!murphypei,/{noise} s443"))

    assert url is not None
    assert len(url) <= LONGEST_URL
    assert opened(links(), Action.REPORT, token(url)).subject == replace(SUBJECT, unparsed=None, note=TOO_LONG)


def test_without_a_public_address_there_are_no_links() -> None:
    """Nothing to link to."""
    made = Links.from_settings(Settings(public_url=None))

    assert (made.report(github()), made.heavy(github(), "attrs_markdown")) == (None, None)


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"public_url": "https://bot.example", "link_keys": ()}, "LINK_KEYS"),
        ({"public_url": "https://bot.example", "link_keys": (SecretStr("short"),)}, "32 characters"),
        ({"public_url": "https://bot.example", "link_keys": (SecretStr(NEW), SecretStr("short"))}, "32 characters"),
        ({"public_url": "bot.example", "link_keys": (SecretStr(NEW),)}, "https://bot.example"),
        ({"public_url": "ftp://bot.example", "link_keys": (SecretStr(NEW),)}, "which is no address"),
        ({"public_url": "https://", "link_keys": (SecretStr(NEW),)}, "which is no address"),
        ({"public_url": "https://[", "link_keys": (SecretStr(NEW),)}, "which is no address"),
        ({"public_url": "https://bot.example:port", "link_keys": (SecretStr(NEW),)}, "which is no address"),
        ({"public_url": "https://bot.example/?a=b", "link_keys": (SecretStr(NEW),)}, "which is no address"),
        ({"public_url": "https://ann@bot.example", "link_keys": (SecretStr(NEW),)}, "which is no address"),
        ({"public_url": "https://bot example", "link_keys": (SecretStr(NEW),)}, "which is no address"),
    ],
)
def test_settings_that_cannot_sign_are_refused_at_start(chosen: dict[str, Any], said: str) -> None:
    """A public address needs keys that are worth the name."""
    with pytest.raises(BadSetting, match=said):
        Links.from_settings(Settings(**chosen))


def test_keys_come_from_one_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comma separated, newest first, blanks ignored."""
    monkeypatch.setenv("CRAWLER_INSPECTOR_LINK_KEYS", f"{NEW}, {OLD},")

    assert [key.get_secret_value() for key in Settings().link_keys] == [NEW, OLD]
