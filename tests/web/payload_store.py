"""A crawl in which every text is one and the same payload."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

from bot.index.profile import BreakdownKind, FieldKind, IndexProfile
from bot.inspection.store import Query, Rows
from tests.web.heavy_store import CRAWLED


class PayloadStore:
    """Implements the store port: the payload stands in every field, filter detail, robots.txt, ban, response."""

    def __init__(self, profile: IndexProfile) -> None:
        self._profile = profile
        self.payload = ""
        self.crawled = True

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        if query.step == "pages":
            return Rows(tuple(self._site()), "", 0.1)
        row = self._row(query)
        return Rows((row,) if row else (), json.dumps(row) + "\n" + self.payload, 0.1)

    def curl(self, query: Query, shard: int | None) -> str | None:
        return f"curl {self.payload}"

    async def close(self) -> None:
        """Nothing is open."""

    def _row(self, query: Query) -> dict[str, Any]:
        heavy = self.payload.encode("utf-8", "replace")
        if query.step == "frontier":
            return {"pages": 1}
        if "AS piece" in query.sql:
            return {"piece": base64.b64encode(heavy).decode()}
        if "AS digest" in query.sql:
            return {"size": len(heavy), "digest": "d" * 32, "crawled": CRAWLED}
        if "page_info_local" in query.sql:
            return self._page(query) if self.crawled else {}
        return {
            "key": self.payload,
            **{f"f_{name}": self.payload for name in ("reason", "source", "body")},
            "f_http_code": 200,
            "f_fetched_at": CRAWLED,
            "f_banned": 1,
            "f_score": 9,
            "f_first_seen": CRAWLED,
        }

    def _site(self) -> Iterator[dict[str, Any]]:
        """Of a site every rule fails; a page and every counted value is the payload."""
        pages = {"pages": 9, "listed": [self.payload, f"example,cases!,/{self.payload} s443"]}
        parts = [item.kind is BreakdownKind.HISTOGRAM for item in self._profile.site.breakdowns]
        yield {"part": 2 ** len(parts) - 1, "pattern": 0, **pages}
        for number, numeric in enumerate(parts):
            mask = 2 ** (len(parts) + 1) - 1 - 2 ** (len(parts) - 1 - number)
            yield {"part": mask, f"counted_{number}": 3 if numeric else self.payload, **pages}

    def _page(self, query: Query) -> dict[str, Any]:
        numbers = {FieldKind.TIME, FieldKind.INTEGER, FieldKind.BOOLEAN}
        values = {
            spec.alias: 1
            if spec.kind in numbers
            else {self.payload: 999}
            if spec.kind is FieldKind.CLASSES
            else self.payload
            for spec in self._profile.light_fields
        }
        filters = {rule.alias: 0 for rule in self._profile.filters}
        return {"key": query.parameters["keys"][0][1], **values, **filters}
