"""What makes two deliveries one request, and what is kept of it."""

from __future__ import annotations

from typing import Any

import pytest

from bot.slack.requests import ASKED_MOST, job_of

Json = dict[str, Any]
MESSAGE: Json = {"type": "message", "channel": "C0GENERAL", "user": "U0ANN", "ts": "1.1", "text": "why"}
COMMAND: Json = {
    "command": "/inspect",
    "text": "https://docs.example/",
    "team_id": "T0EXAMPLE",
    "channel_id": "C0GENERAL",
    "user_id": "U0ANN",
    "trigger_id": "1.2.a",
    "token": "an old secret",
}
CLICK: Json = {
    "type": "block_actions",
    "team": {"id": "T0EXAMPLE"},
    "user": {"id": "U0ANN"},
    "channel": {"id": "C0GENERAL"},
    "trigger_id": "1.2.b",
    "actions": [{"action_id": "recheck", "value": "a subject"}],
}
FORM: Json = {
    "type": "view_submission",
    "team": {"id": "T0EXAMPLE"},
    "user": {"id": "U0ANN"},
    "trigger_id": "1.2.c",
    "view": {"callback_id": "lookup", "state": {"values": {"a": {"url": {"value": "docs.example"}}, "b": {"at": {}}}}},
}


def event(inner: Json, event_id: str = "Ev1", **more: Any) -> Json:
    """As the Events API delivers it."""
    return {"type": "event_callback", "team_id": "T0EXAMPLE", "event_id": event_id, "event": {**inner, **more}}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (event(MESSAGE), event(MESSAGE), True),
        (event(MESSAGE), event(MESSAGE, "Ev2"), True),  # a retry may have a new event_id
        (event(MESSAGE), event(MESSAGE, type="app_mention"), True),  # a mention comes as both
        (event(MESSAGE), event(MESSAGE, ts="1.2"), False),
        (event(MESSAGE), event(MESSAGE, channel="C0RANDOM"), False),
        (event(MESSAGE), {**event(MESSAGE), "team_id": "T0OTHER"}, False),
        (COMMAND, COMMAND, True),
        (COMMAND, {**COMMAND, "trigger_id": "1.2.z"}, False),  # typed again
        (CLICK, CLICK, True),
        (CLICK, {**CLICK, "trigger_id": "1.2.z"}, False),
        ({**COMMAND, "trigger_id": ""}, {**COMMAND, "trigger_id": ""}, False),  # nothing to tell them by
    ],
)
def test_two_deliveries_are_one_request_where_one_thing_was_done(one: Json, other: Json, same: bool) -> None:
    """By message, or by trigger."""
    first, second = job_of(one), job_of(other)

    assert first is not None
    assert second is not None
    assert (first.id == second.id) is same


@pytest.mark.parametrize(
    "payload",
    [
        {"type": "url_verification", "challenge": "x"},
        {"type": "view_closed", "view": {}},
        {"type": "block_suggestion"},
        event(MESSAGE, bot_id="B0OTHER"),
        event(MESSAGE, subtype="message_changed"),
        event(MESSAGE, user="USLACKBOT"),
        event({"type": "app_home_opened", "user": "U0ANN", "tab": "messages"}),
        event({"type": "team_join"}),
        event({}),
    ],
    ids=str,
)
def test_what_nobody_waits_for_is_no_request(payload: Json) -> None:
    """It is acknowledged, and that is all."""
    assert job_of(payload) is None


@pytest.mark.parametrize(
    ("payload", "kept"),
    [
        (COMMAND, ("C0GENERAL", "U0ANN", "command", "https://docs.example/")),
        (event(MESSAGE), ("C0GENERAL", "U0ANN", "message", "why")),
        (CLICK, ("C0GENERAL", "U0ANN", "block_actions:recheck", "a subject")),
        (FORM, ("", "U0ANN", "view_submission:lookup", "docs.example")),
        (event(MESSAGE, text="x" * 2_000), ("C0GENERAL", "U0ANN", "message", "x" * ASKED_MOST)),
    ],
)
def test_who_asked_what_and_where_is_kept(payload: Json, kept: tuple[str, str, str, str]) -> None:
    """And what Slack sent, less the token that all its requests share."""
    job = job_of(payload)

    assert job is not None
    assert (job.channel, job.user, job.kind, job.asked) == kept
    assert job.team == "T0EXAMPLE"
    assert job.payload == {name: value for name, value in payload.items() if name != "token"}
