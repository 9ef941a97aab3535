"""`/inspect settings`: how the bot behaves in a channel, as a modal and as a sentence. One row is one choice."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.errors import BadKey, IndexGone
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.render import limits
from bot.render.actions import VIEW_SETTINGS
from bot.render.elements import Block, Element, plain
from bot.slack.memory import Memory
from bot.state.records import ChannelSettings, PasteMode, Visibility

Json = Mapping[str, Any]
Choices = Sequence[tuple[str, str]]  # value, label

TITLE = "Settings of this channel"
PASTE, VISIBILITY, PROFILE = "paste", "visibility", "profile"
MENU = "static_select"  # takes 100 options, radio buttons 10

PASTE_CHOICES: Choices = (
    (PasteMode.ALWAYS, "Always, shortly, in the message's thread"),
    (PasteMode.MENTION, "Only where I am mentioned"),
    (PasteMode.NEVER, "Never, not even where I am mentioned"),
)
VISIBILITY_CHOICES: Choices = (
    (Visibility.CHANNEL, "The whole channel"),
    (Visibility.EPHEMERAL, "Only the one who asked, who may share it"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """The channel that a modal is about, and where its saving is told; kept in its private_metadata."""

    channel: str
    response_url: str | None

    def encode(self) -> str:
        """For private_metadata."""
        return json.dumps({"channel": self.channel, "response_url": self.response_url})

    @classmethod
    def decode(cls, state: str) -> Place:
        """Raises BadKey where a modal holds no such thing."""
        try:
            parts = json.loads(state)
            if not isinstance(parts["response_url"], str | None):
                raise TypeError("an address is text")
            return cls(str(parts["channel"]), parts["response_url"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise BadKey(
                "This window no longer says which channel it is about; type /inspect settings again."
            ) from error


async def index_of_channel(channel: str, indexes: Indexes, memory: Memory) -> Inspector:
    """The index that answers in a channel: everything that begins there is looked up in it. Raises IndexGone."""
    chosen = (await memory.channel(channel)).profile
    try:
        return indexes.of(chosen)
    except IndexGone:
        raise IndexGone(
            f"This channel asks the index “{chosen}”, which is not served here any more; /inspect settings changes it."
        ) from None


def settings_view(settings: ChannelSettings, place: Place, profiles: Sequence[str]) -> dict[str, Any]:
    """The modal, as the channel is set now. `profiles` are the names of the crawl indexes, the default first.

    One index is no choice, and is not shown.
    """
    which = [_choice(PROFILE, "Index", [(name, name) for name in profiles], settings.profile, MENU)]
    return {
        "type": "modal",
        "callback_id": VIEW_SETTINGS,
        "title": plain(TITLE, limits.VIEW_TITLE),
        "submit": plain("Save", limits.VIEW_TITLE),
        "close": plain("Cancel", limits.VIEW_TITLE),
        "private_metadata": place.encode(),
        "blocks": [
            _choice(PASTE, "Answer pasted URLs", PASTE_CHOICES, settings.paste),
            _choice(VISIBILITY, "Answers to /inspect are seen by", VISIBILITY_CHOICES, settings.visibility),
            *(which if len(profiles) > 1 else []),
        ],
    }


def _choice(block_id: str, label: str, choices: Choices, chosen: str | None, kind: str = "radio_buttons") -> Block:
    options: list[Element] = [
        {"text": plain(words, limits.OPTION_TEXT), "value": str(value)} for value, words in choices
    ]
    initial = next((option for option in options if option["value"] == str(chosen)), options[0])
    element = {"type": kind, "action_id": block_id, "options": options, "initial_option": initial}
    return {"type": "input", "block_id": block_id, "label": plain(label, limits.INPUT_LABEL), "element": element}


def read_settings(view: Json, profiles: Sequence[str]) -> ChannelSettings:
    """What was chosen. Raises BadKey where the modal is not one of ours."""
    try:
        paste, visibility = PasteMode(_chosen(view, PASTE)), Visibility(_chosen(view, VISIBILITY))
        profile = _chosen(view, PROFILE) if PROFILE in view["state"]["values"] else profiles[0]
    except (ValueError, KeyError, TypeError) as error:
        raise BadKey("These settings cannot be read; type /inspect settings again.") from error
    return ChannelSettings(paste, None if profile == profiles[0] else profile, visibility)


def _chosen(view: Json, block_id: str) -> str:
    return str(view["state"]["values"][block_id][block_id]["selected_option"]["value"])


def saved_sentence(settings: ChannelSettings) -> str:
    """What holds from now on."""
    paste, seen = dict(PASTE_CHOICES)[settings.paste], dict(VISIBILITY_CHOICES)[settings.visibility]
    index = f" The index is {settings.profile}." if settings.profile else ""
    return f"Saved. Pasted URLs are answered: {_lower(paste)}. Answers to /inspect are seen by: {_lower(seen)}.{index}"


def _lower(words: str) -> str:
    return words[0].lower() + words[1:]
