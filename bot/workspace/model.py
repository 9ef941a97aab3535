"""What a workspace holds: people, channels, messages, views, files, and the record of what happened. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from mimetypes import guess_type
from typing import Any

from bot.workspace.checks import Problem
from bot.workspace.rich_text import lines

TEAM, APP, BOT_USER, BOT = "T0EXAMPLE", "A0EXAMPLE", "U0BOT", "B0BOT"
DOMAIN = "example"
SLACKBOT = "USLACKBOT"  # who tells a user, and only them, that a command failed

Json = Mapping[str, Any]


class SlackError(Exception):
    """A method's refusal: Slack's error name, and the lines of `response_metadata.messages`."""

    def __init__(self, error: str, *messages: str, **more: Any) -> None:
        super().__init__(": ".join((error, *messages)))
        self.error = error
        self.messages = messages
        self.more = more


SCOPES = (
    "app_mentions:read",
    "channels:history",
    "channels:read",
    "chat:write",
    "commands",
    "files:read",
    "files:write",
    "im:history",
    "im:read",
    "im:write",
    "links:read",
    "links:write",
    "reactions:write",
    "users:read",
)


@dataclass(frozen=True, slots=True)
class Installation:
    """The app in this workspace: its secrets, and what it may do."""

    signing_secret: str
    bot_token: str
    app_token: str
    client_id: str = "1.2"
    client_secret: str = "client-secret"  # noqa: S105 - a stand-in for a secret
    scopes: frozenset[str] = frozenset(SCOPES)


@dataclass(frozen=True, slots=True)
class User:
    """A person, or the bot."""

    id: str
    name: str
    real_name: str
    tz: str = "Etc/UTC"
    is_bot: bool = False


@dataclass(frozen=True, slots=True)
class Channel:
    """A conversation: `kind` is "channel" or "im"."""

    id: str
    name: str
    members: frozenset[str]
    kind: str = "channel"


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it stands now; `payload` is what was sent to make it so, `via` by which way.

    Identity is `(channel, ts)`. An edited message is a new value in the same place.
    """

    channel: str
    ts: str
    user: str
    text: str
    via: str  # chat.postMessage | chat.postEphemeral | chat.update | response_url | ack | user | slack
    thread_ts: str | None = None
    blocks: tuple[Json, ...] = ()
    attachments: tuple[Json, ...] = ()
    files: tuple[Json, ...] = ()
    reactions: tuple[tuple[str, str], ...] = ()  # name, user
    metadata: Json | None = None
    ephemeral_to: str | None = None
    edited: bool = False
    would_unfurl: bool = False  # sent without unfurl_links=false and unfurl_media=false
    parent: str | None = None  # who wrote what its thread began with
    payload: Json = field(default_factory=dict)

    @property
    def from_bot(self) -> bool:
        """Did our bot write it?"""
        return self.user == BOT_USER

    @property
    def words(self) -> str:
        """Everything that a reader sees of it: the blocks' text, or the text where there are none."""
        return "\n".join(lines(self.blocks)) or self.text

    def to_slack(self) -> dict[str, Any]:
        """As Slack sends it: in events, interactions and answers."""
        author = {"bot_id": BOT, "app_id": APP} if self.from_bot else {}
        optional = {
            "thread_ts": self.thread_ts,
            "parent_user_id": self.parent,
            "blocks": list(self.blocks),
            "attachments": list(self.attachments),
            "files": list(self.files),
            "metadata": self.metadata,
            "edited": {"user": self.user, "ts": self.ts} if self.edited else None,
        }
        basic = {"type": "message", "user": self.user, "ts": self.ts, "text": self.text, "team": TEAM}
        return {**basic, **author, **{name: value for name, value in optional.items() if value}}


@dataclass(frozen=True, slots=True)
class View:
    """An open modal, or a Home tab; `payload` is what the app sent, with the ids that Slack gave its blocks."""

    id: str
    user: str
    hash: str
    payload: Json
    root: str
    previous: str | None = None
    errors: Mapping[str, str] = field(default_factory=dict)  # block_id → sentence, after a refused submission
    values: Json = field(default_factory=dict)  # state.values, as last submitted

    @property
    def blocks(self) -> tuple[Json, ...]:
        """The blocks."""
        return tuple(self.payload.get("blocks") or ())

    @property
    def words(self) -> str:
        """Everything that a reader sees of it."""
        return "\n".join(lines(self.blocks))

    def to_slack(self) -> dict[str, Any]:
        """As Slack sends it."""
        defaults: dict[str, Any] = {
            "private_metadata": "",
            "callback_id": "",
            "external_id": "",
            "title": None,
            "submit": None,
            "close": None,
            "clear_on_close": False,
            "notify_on_close": False,
        }
        ids = {
            "id": self.id,
            "team_id": TEAM,
            "app_id": APP,
            "bot_id": BOT,
            "app_installed_team_id": TEAM,
            "hash": self.hash,
            "root_view_id": self.root,
            "previous_view_id": self.previous,
            "state": {"values": self.values},
        }
        return {**defaults, **self.payload, **ids}


@dataclass(frozen=True, slots=True)
class Offer:
    """Links that the app was told of, and where they are: in a message, or at ("COMPOSER", unfurl_id)."""

    channel: str
    ts: str
    urls: frozenset[str]


@dataclass(frozen=True, slots=True)
class Unfurl:
    """A card under a link: what the app gave for `url`, exactly as the event wrote it."""

    url: str
    channel: str
    ts: str
    content: Json

    @property
    def blocks(self) -> tuple[Json, ...]:
        """The blocks."""
        return tuple(self.content.get("blocks") or ())


@dataclass(frozen=True, slots=True)
class File:
    """An uploaded file; `channels` is empty until the upload is completed."""

    id: str
    name: str
    user: str
    title: str = ""
    content: bytes | None = None
    channels: tuple[str, ...] = ()

    def to_slack(self, origin: str) -> dict[str, Any]:
        """As Slack sends it; the private URLs need the bot's token."""
        url = f"{origin}/files-pri/{TEAM}-{self.id}/{self.name}"
        return {
            "id": self.id,
            "name": self.name,
            "title": self.title or self.name,
            "size": len(self.content or b""),
            "mimetype": guess_type(self.name)[0] or "text/plain",
            "filetype": self.name.rpartition(".")[2].lower(),
            "user": self.user,
            "channels": list(self.channels),
            "url_private": url,
            "url_private_download": url,
            "permalink": f"https://{DOMAIN}.slack.com/files/{self.user}/{self.id}/{self.name}",
        }


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger_id: whose, when it was given, and whether it was used."""

    id: str
    user: str
    issued: float
    used: bool = False
    view: str | None = None  # the view that it came from


@dataclass(frozen=True, slots=True)
class ResponseUrl:
    """Where a response_url leads: the conversation, and the message that it may replace or delete."""

    token: str
    channel: str
    user: str
    issued: float
    uses: int = 0
    message_ts: str | None = None
    thread_ts: str | None = None

    def used(self, message_ts: str | None) -> ResponseUrl:
        """The same, used once more; the message that was sent becomes the one to replace."""
        return replace(self, uses=self.uses + 1, message_ts=message_ts or self.message_ts)


@dataclass(frozen=True, slots=True)
class Call:
    """One request that the app made: a method or "response_url", and how it ended."""

    method: str
    payload: Json
    ok: bool
    error: str | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Delivery:
    """One request that Slack made to the app: `kind` is command, event, interaction or check; `error` Slack's name."""

    kind: str
    payload: Json
    status: int | None
    body: Any
    elapsed_ms: float
    error: str | None = None
    retry: int = 0
    no_retry: bool = False  # the app answered `x-slack-no-retry: 1`

    @property
    def ok(self) -> bool:
        """Did the app take it in time?"""
        return self.error is None


@dataclass(frozen=True, slots=True)
class Ack:
    """How the app answered: HTTP status (None: no answer), body, milliseconds, the trigger_id, Slack's error name."""

    status: int | None
    body: Any
    elapsed_ms: float
    trigger: str
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """Something happened: `kind` is message, message_changed, message_deleted, view, home, unfurl, file, reaction, call
    or delivery; `value` the thing as it is now (views: the stack of the user)."""

    kind: str
    value: Any
