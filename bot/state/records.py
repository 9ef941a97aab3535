"""What the bot's own database gives back: values only, times in UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum
from typing import Any

from bot.inspection.model import Verdict


class PasteMode(StrEnum):
    """When a URL pasted into a channel is answered."""

    ALWAYS = "always"
    MENTION = "mention"
    NEVER = "never"


class Visibility(StrEnum):
    """Who sees an answer: the whole channel, or only the one who asked."""

    CHANNEL = "channel"
    EPHEMERAL = "ephemeral"


class Answerer(StrEnum):
    """What answers the links of a message: cards under them, or a reply in its thread."""

    CARD = "card"
    THREAD = "thread"


@dataclass(frozen=True, slots=True)
class Thread:
    """What a thread is about: `subject` is the JSON object that was remembered (`bot.report.subject.payload`).

    `used_at` is exact to an hour, so that reading a busy thread seldom writes.
    """

    subject: Mapping[str, Any]
    created_at: datetime
    used_at: datetime


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """How the bot behaves in a channel. `profile` None: the installation's own. Nobody set it: `updated_*` are None."""

    paste: PasteMode = PasteMode.ALWAYS
    profile: str | None = None
    visibility: Visibility = Visibility.CHANNEL
    updated_by: str | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RecentLookup:
    """One of a user's last lookups: `text` as a user would type it again, and what the answer was."""

    text: str
    verdict: Verdict
    at: datetime


@dataclass(frozen=True, slots=True)
class Answer:
    """The message that answered a key in a channel."""

    message_ts: str
    permalink: str
    at: datetime


REQUEST_ID = 16  # characters of a request's id that logs, names of queries and messages carry


class JobState(StrEnum):
    """What became of a request."""

    OPEN = "open"
    ANSWERED = "answered"
    FAILED = "failed"  # the asker was told why
    LOST = "lost"  # neither the answer nor the reason reached the asker


@dataclass(frozen=True, slots=True)
class Job:
    """A request. `payload` is what Slack sent; `attempts` says how often it was begun, this time included."""

    id: str
    team: str
    channel: str
    user: str
    kind: str
    asked: str
    payload: Mapping[str, Any]
    attempts: int = 1
    taken_at: datetime | None = None  # once it is on record


@dataclass(frozen=True, slots=True)
class TrailEntry:
    """Who asked what, where and when, and what became of it."""

    id: str
    team: str
    channel: str
    user: str
    kind: str
    asked: str
    state: JobState
    attempts: int
    taken_at: datetime
    done_at: datetime | None

    @property
    def request_id(self) -> str:
        """What logs and names of queries call it."""
        return self.id[:REQUEST_ID]


@dataclass(frozen=True, slots=True)
class Backlog:
    """How much is on record and not done, and since when the oldest of it."""

    open: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True)
class NewWatch:
    """A page to watch, and where what changes is told. `thread_ts` is "" until the watch has a message of its own.

    `key` is what is inspected, as a user would type it; `profile` None: the installation's own.
    """

    enterprise: str
    team: str
    channel: str
    thread_ts: str
    user: str
    key: str
    standing: Mapping[str, Any]
    until_indexed: bool = False
    shard: int | None = None
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class Watch(NewWatch):
    """A watch that is kept. `number` names it for people.

    `checks` counts the checks made, so the one that is due is `checks` + 1; `tries` how often that one was begun.
    """

    number: int = 0
    checks: int = 0
    tries: int = 0
    next_at: datetime = datetime.min
    created_at: datetime = datetime.min


class Added(StrEnum):
    """What came of a wish to watch."""

    NEW = "new"
    EXISTS = "exists"  # the page is watched in that channel
    USER_FULL = "user_full"
    CHANNEL_FULL = "channel_full"


class Cancelling(Enum):
    """What came of a click on Cancel."""

    MARKED = "the replica that runs it will see the mark"
    NOT_YOURS = "somebody else asked for it"
    NOT_RUNNING = "it is done, or nobody knows it"
