"""What a message is about, small enough for a button: any replica, after any restart, reads it back from Slack."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from bot.errors import BadKey
from bot.index.profile import IndexProfile
from bot.inspection.model import Lookup

MAX_ENCODED = 2_000  # a button's value; bot.render.limits holds Slack's number, and a test holds the two together
EVENT_TYPE = "crawler_inspection"  # of a message's metadata
TOO_LONG = "The address is too long for a button; only its root hash is kept."


@dataclass(frozen=True, slots=True)
class Subject:
    """A lookup to repeat: the key, or the root hash alone. `shard` only where forced, `as_of` only where fixed.

    `note` says what was lost: a key that no button can hold leaves its root hash. `index` is the name of the profile
    that it was read for; "" in what an older release wrote: the default one.
    """

    unparsed: str | None
    root_hash: int
    shard: int | None = None
    as_of: datetime | None = None
    note: str = ""
    index: str = ""

    @property
    def text(self) -> str:
        """The lookup as a user would type it: the key, or "hash:<root hash>"."""
        return self.unparsed if self.unparsed is not None else f"hash:{self.root_hash}"


def subject_of(lookup: Lookup, profile: IndexProfile, as_of: datetime | None = None) -> Subject:
    """The subject of a lookup; `as_of` where the asker fixed the instant."""
    forced = None if lookup.shard == profile.shard_of(lookup.root_hash) else lookup.shard
    subject = Subject(lookup.unparsed, lookup.root_hash, forced, as_of, index=lookup.index)
    return subject if len(encode(subject)) <= MAX_ENCODED else by_hash(subject, TOO_LONG)


def by_hash(subject: Subject, note: str) -> Subject:
    """The same less its key, for what has no room for it."""
    return replace(subject, unparsed=None, note=note)


def payload(subject: Subject) -> dict[str, Any]:
    """The subject as a JSON object, nothing but text in it: the `event_payload` of a message's metadata."""
    parts = {
        "key": subject.unparsed,
        "hash": str(subject.root_hash),
        "shard": None if subject.shard is None else str(subject.shard),
        "as_of": None if subject.as_of is None else str(int(subject.as_of.timestamp())),
        "note": subject.note or None,
        "index": subject.index or None,
    }
    return {name: value for name, value in parts.items() if value is not None}


def encode(subject: Subject) -> str:
    """The subject as a button's value."""
    return json.dumps(payload(subject), separators=(",", ":"))


def decode(value: str | Mapping[str, Any]) -> Subject:
    """The subject of a button's value, or of metadata's `event_payload`. Raises BadKey where it is not one."""
    try:
        parts = json.loads(value) if isinstance(value, str) else value
        return Subject(
            unparsed=None if parts.get("key") is None else str(parts["key"]),
            root_hash=int(parts["hash"]),
            shard=None if parts.get("shard") is None else int(parts["shard"]),
            as_of=None if parts.get("as_of") is None else datetime.fromtimestamp(int(parts["as_of"]), UTC),
            note=str(parts.get("note", "")),
            index=str(parts.get("index", "")),
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, OSError, RecursionError) as error:
        raise BadKey("This message no longer says which page it is about; inspect the page again.") from error
