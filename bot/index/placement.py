"""How rows are placed on shards, apart from the profile so that it costs no import."""

from __future__ import annotations

SHARDS = 200  # of the built-in profile


def shard_of(root_hash: int, shards: int = SHARDS) -> int:
    """Where the pages of a registered domain live."""
    return root_hash % shards
