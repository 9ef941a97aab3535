"""manifest.yml, the listeners and the README say the same, and Slack would take the manifest."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from bot.slack import wording
from bot.slack.channel_settings import PASTE_CHOICES, VISIBILITY_CHOICES
from bot.slack.intake import PATH
from bot.slack.oauth import REDIRECT, SCOPES
from bot.slack.register import ANYTHING, LISTENERS

ROOT = Path(__file__).parents[2]
MANIFEST: dict[str, Any] = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
FEATURES, SETTINGS = MANIFEST["features"], MANIFEST["settings"]
EVENTS = set(SETTINGS["event_subscriptions"]["bot_events"])
ASKED_FOR = set(MANIFEST["oauth_config"]["scopes"]["bot"])

# https://docs.slack.dev/reference/events: what an event needs. Those without a scope are not here.
SCOPE_OF_EVENT = {
    "app_mention": "app_mentions:read",
    "link_shared": "links:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
}
# What else is done, and the scope that Slack's page of the method names.
SCOPE_OF_USE = {
    "chat.postMessage": "chat:write",
    "chat.unfurl": "links:write",
    "commands": "commands",
    "files": "files:read",
    "files.completeUploadExternal": "files:write",
}
BOLTS_OWN = {"app_uninstalled", "tokens_revoked"}  # enable_token_revocation_listeners


@pytest.mark.parametrize("socket_mode", [False, True])
def test_slack_takes_the_manifest_in_both_modes(shared: Path, socket_mode: bool) -> None:
    """By Slack's own published schema."""
    schema = json.loads((shared / "vectors" / "manifest.schema.2.0.0.json").read_text(encoding="utf-8"))
    manifest = copy.deepcopy(MANIFEST)
    manifest["settings"]["socket_mode_enabled"] = socket_mode
    errors = [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(manifest)]

    assert errors == []


def test_the_manifest_asks_for_the_scopes_that_are_used_and_no_other() -> None:
    """Each event and each use names its scope; OAuth asks for the same."""
    used = {SCOPE_OF_EVENT[event] for event in EVENTS if event in SCOPE_OF_EVENT} | set(SCOPE_OF_USE.values())

    assert used == ASKED_FOR
    assert list(SCOPES) == sorted(ASKED_FOR)


def test_every_event_of_the_manifest_has_a_listener_and_every_listener_an_event() -> None:
    """`message.channels` and its like all arrive as `message`."""
    listened = {str(row.id) for row in LISTENERS if row.kind == "event" and row.id is not ANYTHING}

    assert {event.partition(".")[0] for event in EVENTS} - BOLTS_OWN == listened


@pytest.mark.parametrize(
    ("kind", "offered"),
    [
        ("command", {command["command"] for command in FEATURES["slash_commands"]}),
        ("shortcut", {shortcut["callback_id"] for shortcut in FEATURES["shortcuts"]}),
    ],
)
def test_every_command_and_shortcut_has_a_listener_and_the_other_way_round(kind: str, offered: set[str]) -> None:
    """The catch-all listeners do not count."""
    assert offered == {str(row.id) for row in LISTENERS if row.kind == kind and row.id is not ANYTHING}


def test_every_address_of_the_manifest_is_one_that_serve_answers() -> None:
    """One for all requests, one for the way back from an installation."""
    addresses = re.findall(r"https://bot\.example\.com(\S*)", (ROOT / "manifest.yml").read_text(encoding="utf-8"))

    assert set(addresses) == {PATH, REDIRECT}


def test_home_and_direct_messages_are_on_and_text_comes_as_typed() -> None:
    """Where the schema allows more than the bot understands."""
    home, (command,) = FEATURES["app_home"], FEATURES["slash_commands"]

    assert (home["home_tab_enabled"], home["messages_tab_read_only_enabled"]) == (True, False)
    assert command["should_escape"] is False
    assert len(FEATURES["unfurl_domains"]) <= 5


def test_the_readme_names_every_shortcut_command_and_setting() -> None:
    """Its table of surfaces is complete."""
    named = [shortcut["name"] for shortcut in FEATURES["shortcuts"]]
    named += [typed for typed, _ in wording.USES]
    named += [str(value) for value, _ in (*PASTE_CHOICES, *VISIBILITY_CHOICES)]
    named += [f"`{domain}`" for domain in ("unfurl_domains", "SLACK_APP_TOKEN", "SLACK_CLIENT_ID")]

    assert [name for name in named if name not in README] == []
