"""What was asked → a Lookup: a URL, an unparsed key, or `hash:<root hash>`; a shard number may be forced."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from bot.address.key import UrlKey, looks_like_key, parse_key, url_key
from bot.errors import BadInput, BadKey
from bot.index.profile import IndexProfile
from bot.inspection.model import Lookup

HASH_PREFIX = "hash:"
MAX_UINT64 = 2**64 - 1
# What ClickHouse holds in a DateTime, less a day at each end: https://clickhouse.com/docs/sql-reference/data-types/datetime
EARLIEST, END = datetime(1970, 1, 2, tzinfo=UTC), datetime(2106, 2, 7, tzinfo=UTC)


def read_lookup(text: str, profile: IndexProfile, shard: int | None = None) -> Lookup:
    """The lookup that `text` names. Raises BadUrl or BadKey with a sentence for the one who typed it."""
    asked = text.strip()
    if asked.lower().startswith(HASH_PREFIX):
        lookup = hash_lookup(_root_hash(asked), text, profile)
    elif looks_like_key(asked):
        lookup = key_lookup(parse_key(asked), text, profile)
    else:
        lookup = key_lookup(url_key(asked), text, profile)
    return lookup if shard is None else force_shard(lookup, shard, profile)


def key_lookup(key: UrlKey, text: str, profile: IndexProfile) -> Lookup:
    """The lookup of one page."""
    shard = profile.shard_of(key.root_hash)
    return Lookup(
        text=text,
        url=key.url,
        unparsed=key.unparsed,
        root=key.root,
        root_hash=key.root_hash,
        shard=shard,
        host=profile.host_of(shard),
        index=profile.name,
    )


def hash_lookup(root_hash: int, text: str, profile: IndexProfile) -> Lookup:
    """The lookup of a registered domain of which only the hash is known."""
    shard = profile.shard_of(root_hash)
    return Lookup(
        text=text,
        url=None,
        unparsed=None,
        root=None,
        root_hash=root_hash,
        shard=shard,
        host=profile.host_of(shard),
        index=profile.name,
    )


def with_root_hash(lookup: Lookup, root_hash: int, profile: IndexProfile) -> Lookup:
    """The same lookup under another hash of its root, and so on that hash's shard."""
    shard = profile.shard_of(root_hash)
    return replace(lookup, root_hash=root_hash, shard=shard, host=profile.host_of(shard))


def force_shard(lookup: Lookup, shard: int, profile: IndexProfile) -> Lookup:
    """The same lookup, asked of another shard than its hash names. Raises BadKey outside the cluster."""
    if not 0 <= shard < profile.shards.count:
        raise BadKey(f"There is no shard {shard}: this index has shards 0 to {profile.shards.count - 1}.")
    return replace(lookup, shard=shard, host=profile.host_of(shard))


def _root_hash(text: str) -> int:
    digits = text[len(HASH_PREFIX) :].strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 20) or int(digits) > MAX_UINT64:
        raise BadKey(
            f"Read {digits[:40]!r} as a root hash, which is a whole number from 0 to {MAX_UINT64}; "
            f"example: {HASH_PREFIX}892221456919234349"
        )
    return int(digits)


def read_time(text: str) -> datetime:
    """An instant as typed, in UTC where no offset is given: 2026-04-06, 2026-04-06T20:00Z. Raises BadInput."""
    try:
        read = datetime.fromisoformat(text.strip().upper())
    except ValueError:
        raise BadInput(f"Read {text[:40]!r} as a time; examples: 2026-04-06, 2026-04-06T20:00Z.") from None
    try:
        instant = read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except OverflowError:  # an offset that leads out of the years 1 to 9999
        instant = None
    if instant is None or not EARLIEST <= instant < END:
        raise BadInput(f"Read {text[:40]!r} as a time, and the index holds times from 1970-01-02 to 2106-02-06.")
    return instant
