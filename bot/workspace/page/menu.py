"""What a workspace offers to people: in Slack it comes from the app's manifest. Values only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command, as the composer completes it."""

    command: str
    description: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A shortcut: in the menu of every message, or in the composer's."""

    callback_id: str
    name: str
    description: str
    on_message: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """Something to try: a few words, and what is then typed. "@Crawler Inspector" in it is a mention."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Menu:
    """Everything on offer."""

    commands: tuple[Command, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    followups: tuple[Prompt, ...] = ()  # in a thread
