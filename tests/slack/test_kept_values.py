"""What buttons, windows and forms bring back: ours, or altered, or of an older release."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.errors import BadKey
from bot.index.profile import load_profile
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.report.subject import decode
from bot.slack.changes import remembered
from bot.slack.channel_settings import Place
from bot.slack.followups.other_pages import field_of
from bot.slack.lookup_modal import SHARD, WrongFieldError, read_form
from bot.slack.replies import TextPage
from tests.inspection.scripted_store import ScriptedStore
from tests.slack.running import GENERAL, URL, running

DEEP = "[" * 3_000  # Python's own JSON reader gives up at a thousand
DIGITS = "9" * 5_000  # and reads no number of more than 4,300 digits


@pytest.mark.parametrize(
    "value",
    [
        "",
        "{",
        "7",
        "null",
        '"text"',
        "[]",
        "{}",
        DEEP,
        DIGITS,
        '{"hash": 1e999}',
        '{"hash": {}}',
        f'{{"hash": {DIGITS}}}',
    ],
    ids=lambda value: value[:20],
)
@pytest.mark.parametrize("read", [decode, TextPage.decode, Place.decode], ids=["subject", "text", "place"])
def test_a_value_that_is_not_ours_is_told_in_a_sentence(read: Any, value: str) -> None:
    """Found by fuzzing: nesting and numbers that end the reader itself."""
    with pytest.raises(BadKey, match="no longer says"):
        read(value)


@pytest.mark.parametrize("member", ["channel", "thread"])
def test_a_window_of_text_whose_place_is_no_text_is_not_ours(member: str) -> None:
    """The rest of it is."""
    state = {"subject": '{"hash": "7"}', "field": "text", "channel": "C1", "thread": None, member: 7}

    with pytest.raises(BadKey):
        TextPage.decode(json.dumps(state))


def test_settings_are_told_to_an_address_alone() -> None:
    """Or to nobody."""
    with pytest.raises(BadKey):
        Place.decode('{"channel": "C1", "response_url": 7}')


@pytest.mark.parametrize("read", [field_of, remembered])
@pytest.mark.parametrize("value", ["", "{", "7", "[]", "{}", DEEP, DIGITS], ids=lambda value: value[:20])
def test_what_a_button_may_say_beside_its_page_is_nothing_where_it_cannot_be_read(read: Any, value: str) -> None:
    """The page is still inspected."""
    assert read(value) is None


@pytest.mark.parametrize("digits", ["-1", "1.5", "٣", "1" * 7, DIGITS], ids=lambda digits: digits[:10])
def test_a_shard_that_is_no_number_of_one_is_told_at_its_field(digits: str) -> None:
    """Slack holds the field to six characters; a form may be altered."""
    given = {"url": {"url": {"value": URL}}, SHARD: {SHARD: {"value": digits}}}
    indexes = Indexes(Inspector(ScriptedStore(), load_profile()))

    with pytest.raises(WrongFieldError, match="which is a whole number"):
        read_form({"state": {"values": given}}, indexes)


@pytest.mark.parametrize("number", ["", "first", "٣", "-2", DIGITS], ids=lambda number: number[:10])
async def test_a_page_that_is_no_number_is_shown_as_one_that_there_is(number: str) -> None:
    """The window stays in use."""
    state = TextPage(decode('{"key": "example,docs!,/guide s443", "hash": "7"}'), "attrs_boilerpipe_text").encode()
    async with running() as bot:
        await bot.ws.slash("/inspect", URL)
        [reply] = await bot.settled()
        await bot.ws.click(reply, "page_text")
        await bot.settled()
        [view] = bot.ws.views("U0ANN")
        click = {"action_id": "page_next", "block_id": "b", "type": "button", "value": number}
        shown = {"id": view.id, "hash": view.hash, "private_metadata": state}
        payload = {
            "type": "block_actions",
            "user": {"id": "U0ANN"},
            "trigger_id": "1",
            "actions": [click],
            "view": shown,
        }
        delivery = await bot.ws._send("interaction", payload)
        await bot.settled(GENERAL)
        [view] = bot.ws.views("U0ANN")

    assert delivery.status == 200
    assert "Page " in json.dumps(view.payload)
