"""Every id that Slack may name, and who listens to it. Read from top to bottom: the first row that matches is it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from types import MethodType
from typing import Any

from slack_bolt.app.async_app import AsyncApp

from bot.render import actions
from bot.slack.listeners import Listeners
from bot.slack.runs import current_run

INSPECT_MESSAGE, LOOKUP = "inspect_message", "lookup"  # callback ids of the manifest's shortcuts
ANYTHING = re.compile("")


@dataclass(frozen=True, slots=True)
class Row:
    """One listener: the kind is the name of Bolt's method."""

    kind: str  # command | event | action | shortcut | view | view_closed | options
    id: str | re.Pattern[str]
    listener: Callable[..., Awaitable[None]]


LISTENERS = (
    Row("command", "/inspect", Listeners.inspect),
    Row("event", "app_mention", Listeners.message),
    Row("event", "message", Listeners.message),
    Row("event", "link_shared", Listeners.link_shared),
    Row("event", "app_home_opened", Listeners.home_opened),
    Row("shortcut", INSPECT_MESSAGE, Listeners.inspect_message),
    Row("shortcut", LOOKUP, Listeners.open_form),
    Row("view", actions.VIEW_LOOKUP, Listeners.look_up),
    Row("view", actions.VIEW_SETTINGS, Listeners.save_settings),
    Row("action", actions.ACTION_RECHECK, Listeners.recheck),
    Row("action", actions.ACTION_FILTERS, Listeners.filters),
    Row("action", actions.ACTION_EXAMPLE, Listeners.filters),
    Row("action", actions.ACTION_SHARE, Listeners.share),
    Row("action", actions.ACTION_TEXT, Listeners.text),
    Row("action", actions.ACTION_RAW, Listeners.raw),
    Row("action", actions.ACTION_PREVIOUS, Listeners.turn_page),
    Row("action", actions.ACTION_NEXT, Listeners.turn_page),
    Row("action", actions.ACTION_FILE, Listeners.text_file),
    Row("action", actions.ACTION_LOOKUP, Listeners.open_form),
    Row("action", actions.ACTION_HOME, Listeners.refresh_home),
    Row("action", actions.ACTION_CANCEL, Listeners.cancel_list),
    Row("action", actions.ACTION_UNWATCH, Listeners.unwatch),
    Row("action", actions.ACTION_REPORT, Listeners.acknowledge),
    # Last: what nobody above listens to is taken, or Slack would send it again and show a warning.
    Row("command", ANYTHING, Listeners.unknown_command),
    Row("event", ANYTHING, Listeners.ignore_event),
    Row("action", ANYTHING, Listeners.acknowledge),
    Row("shortcut", ANYTHING, Listeners.acknowledge),
    Row("view", ANYTHING, Listeners.acknowledge),
    Row("view_closed", ANYTHING, Listeners.acknowledge),
    Row("options", ANYTHING, Listeners.no_options),
)


def register(app: AsyncApp, listeners: Listeners) -> None:
    """Let Bolt call the methods of `listeners`."""
    for row in LISTENERS:
        method: Any = getattr(app, row.kind)
        method(row.id)(_letting_go(MethodType(row.listener, listeners)))


def _letting_go(listener: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """The listener, which lets its request go at the end: what it started, goes on to hold it."""

    @wraps(listener)  # Bolt reads the names of the wrapped one's arguments
    async def listen(**arguments: Any) -> None:
        try:
            await listener(**arguments)
        finally:
            if run := current_run():
                run.release()

    return listen
