from __future__ import annotations

import inspect

import pytest

from bot.render import actions
from bot.slack.register import ANYTHING, LISTENERS, Row

# https://docs.slack.dev/tools/bolt-python/reference/kwargs_injection/args.html
BOLT_ARGUMENTS = {"self", "ack", "body", "command", "event", "action", "context", "view", "shortcut", "options"}
KINDS = ("command", "event", "action", "shortcut", "view", "view_closed", "options")


@pytest.mark.parametrize("row", LISTENERS, ids=lambda row: f"{row.kind} {row.listener.__name__}")
def test_listeners_ask_for_nothing_that_bolt_does_not_know(row: Row) -> None:
    """A misspelt parameter would arrive as None, with a line in the log."""
    assert set(inspect.signature(row.listener).parameters) <= BOLT_ARGUMENTS


@pytest.mark.parametrize("row", [row for row in LISTENERS if row.kind != "event"], ids=lambda row: row.kind)
def test_everything_but_events_is_acknowledged_in_the_listeners_first_statement(row: Row) -> None:
    """bolt-python #87, #1302: Bolt acknowledges events only."""
    lines = inspect.getsource(row.listener).splitlines()
    first = next(line.strip() for line in lines[1:] if line.strip() and '"""' not in line and line.strip() != "):")

    assert first.startswith("await ack(")


def test_every_kind_has_one_listener_of_last_resort_after_all_others() -> None:
    """bolt-python #299: the order is the rule."""
    catching = [row.kind for row in LISTENERS if row.id is ANYTHING]

    assert catching == list(KINDS)
    assert all(row.id is ANYTHING for row in LISTENERS[-len(KINDS) :])


def test_every_button_that_is_drawn_has_a_listener() -> None:
    """bolt-python #264: builders and listeners share the constants, and no one is left out."""
    drawn = {value for name, value in vars(actions).items() if name.startswith("ACTION_")}
    listened = {row.id for row in LISTENERS if row.kind == "action" and row.id is not ANYTHING}

    assert listened == drawn


def test_no_two_listeners_wait_for_the_same() -> None:
    """When the first is slow to acknowledge, Bolt runs the next that matches."""
    ids = [(row.kind, row.id) for row in LISTENERS]

    assert len(ids) == len(set(ids))
