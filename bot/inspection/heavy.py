"""A heavy column, piece by piece: 50 MB of it are never in memory at once, and its first piece costs one piece."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime

from bot.errors import StoreUnavailable
from bot.index.profile import FieldSpec, IndexProfile
from bot.inspection import queries, steps
from bot.inspection.model import Lookup
from bot.inspection.rows import instant
from bot.inspection.store import Query, Row, Store

PIECE = 1024 * 1024  # bytes that one query reads: large enough that 50 MB are 50 queries, small enough to hold many


@dataclass(frozen=True, slots=True)
class HeavyHead:
    """What is known of a heavy column before any of its text: bytes, a digest of them, when the page was crawled."""

    size: int
    digest: str
    crawled: datetime | None


class HeavyText:
    """One heavy field of one page. Raises KeyError where there is no such field, or the lookup names no page."""

    def __init__(self, store: Store, profile: IndexProfile, lookup: Lookup, field_id: str, seconds: float) -> None:
        spec = profile.field(field_id)
        if spec is None or not spec.heavy or lookup.unparsed is None:
            raise KeyError(field_id)
        self.spec: FieldSpec = spec
        self._store = store
        self._profile = profile
        self._lookup = lookup
        self._key = (lookup.root_hash, lookup.unparsed)
        self._seconds = seconds

    async def head(self) -> HeavyHead | None:
        """None where the row holds NULL or is not there. Raises StoreUnavailable."""
        row = await self._first(queries.heavy_head_query(self._profile, self.spec, self._key))
        if row is None or row.get("size") is None:
            return None
        return HeavyHead(int(row["size"]), str(row["digest"]), instant(row.get("crawled")))

    async def read(self, start: int, size: int) -> bytes:
        """`size` bytes from `start` on, fewer at the end. Raises StoreUnavailable."""
        row = await self._first(queries.heavy_piece_query(self._profile, self.spec, self._key, start, size))
        return base64.b64decode((row or {}).get("piece") or "")

    async def pieces(self, start: int = 0, size: int | None = None) -> AsyncIterator[bytes]:
        """The bytes from `start` on, at most `size` of them, in pieces of PIECE. Raises StoreUnavailable."""
        left = size
        while left is None or left > 0:
            wanted = PIECE if left is None else min(PIECE, left)
            piece = await self.read(start, wanted)
            if piece:
                yield piece
            if len(piece) < wanted:
                return
            start += wanted
            left = None if left is None else left - wanted

    async def _first(self, query: Query) -> Row | None:
        answer = await steps.ask(self._store, query, self._lookup.shard, self._lookup.host, self._seconds)
        if answer.error:
            raise StoreUnavailable(answer.error)
        return answer.first
