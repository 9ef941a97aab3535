"""A store that holds one heavy text in memory and answers the queries for its size and its pieces."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from bot.inspection.store import Query, Rows

CRAWLED = 1_777_778_691


class HeavyStore:
    """Implements the store port for one text; `longest` is the largest piece that was asked for."""

    def __init__(self, text: bytes | None) -> None:
        self.text = text
        self.crawled = CRAWLED
        self.longest = 0
        self.asked = 0

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        self.asked += 1
        rows = (self._row(query.sql, query.parameters),)
        return Rows(rows, json.dumps(rows[0]), 0.1)

    def curl(self, query: Query, shard: int | None) -> str | None:
        return None

    async def close(self) -> None:
        """Nothing is open."""

    def _row(self, sql: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        if self.text is None:
            return {"size": None, "digest": None, "piece": None, "crawled": self.crawled}
        if "AS piece" in sql:
            start = parameters["start"] - 1
            self.longest = max(self.longest, parameters["size"])
            piece = self.text[start : start + parameters["size"]]
            return {"piece": base64.b64encode(piece).decode()}
        digest = hashlib.md5(self.text, usedforsecurity=False).hexdigest()
        return {"size": len(self.text), "digest": digest, "crawled": self.crawled}
