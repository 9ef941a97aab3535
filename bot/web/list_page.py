"""A list of many URLs: its counts, and all of its rows, a hundred a page.

/list/<token>                 the first page; ?verdict=…, ?cause=… keep to some rows, ?page=… turns
/list/<token>?row=N           to the report of one row, which looks again
/list/<token>.json            everything that is kept
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from aiohttp import web

from bot.errors import BadInput, BadLink, ExpiredLink
from bot.inspection.indexes import Indexes
from bot.inspection.model import Verdict
from bot.links import ALTERED, Links
from bot.report.kept_list import KeptList, ListRow
from bot.report.model import TONE_OF_VERDICT
from bot.report.sentences import VERDICT_WORDS
from bot.report.subject import Subject
from bot.report.words import iso_time, readable
from bot.web.answers import html_answer, json_answer, split_token
from bot.web.report_page import relative, with_query
from bot.web.templating import page

ROWS = 100  # of a page
GONE = "This list is not kept any more."
CAUSES_SHOWN = 20


class KeptLists(Protocol):
    """Where lists are kept."""

    async def find(self, list_id: str) -> KeptList | None:
        """What came of a list; None where it is not kept. Raises StoreUnavailable."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The rows that a reader wants to see, each with its number in the list, and the page of them."""

    rows: Sequence[tuple[int, ListRow]]
    asked: int
    filters: Mapping[str, str]

    @classmethod
    def of(cls, kept: KeptList, query: Mapping[str, str]) -> Chosen:
        """What a query asks; what is no verdict, cause or page of the list shows all, or the nearest page."""
        filters = {name: query[name] for name in ("verdict", "cause") if query.get(name)}
        rows = [
            (number, row)
            for number, row in enumerate(kept.rows)
            if filters.get("verdict") in (None, row.verdict.value) and filters.get("cause") in (None, row.cause)
        ]
        asked = query.get("page", "1")
        return cls(rows, int(asked) if _is_number(asked) else 1, filters)

    @property
    def pages(self) -> int:
        """How many pages there are, one at least."""
        return max(1, -(-len(self.rows) // ROWS))

    @property
    def page(self) -> int:
        """The page that is asked for, or the nearest one."""
        return min(max(self.asked, 1), self.pages)

    @property
    def shown(self) -> Sequence[tuple[int, ListRow]]:
        """The rows of the page."""
        return self.rows[(self.page - 1) * ROWS : self.page * ROWS]

    def turned(self, to: int) -> str | None:
        """Another page of the same rows; None where there is none."""
        return with_query({**self.filters, "page": str(to)}) if 1 <= to <= self.pages and to != self.page else None


class ListPage:
    """`/list/<token>`."""

    def __init__(self, indexes: Indexes, links: Links, lists: KeptLists) -> None:
        self._indexes = indexes
        self._links = links
        self._lists = lists

    async def show(self, request: web.Request) -> web.StreamResponse:
        """The page, its JSON, or the way to a row's report."""
        token, twin = split_token(request)
        list_id, issued = self._links.open_list(token)
        kept = await self._lists.find(list_id)
        if kept is None:
            raise ExpiredLink(GONE)
        if "row" in request.query:
            report = self._report(kept, request.query["row"], self._links.issued(issued))
            return web.Response(status=303, headers={"Location": report})
        if twin:
            return json_answer(self._json(kept))
        return html_answer(page("list.html", **self._values(kept, Chosen.of(kept, request.query), token)))

    def _report(self, kept: KeptList, number: str, links: Links) -> str:
        if not _is_number(number) or int(number) >= len(kept.rows):
            raise BadLink(ALTERED)
        lookup = self._indexes.of(kept.index).read(kept.rows[int(number)].text)
        as_of = kept.as_of if kept.replayed else None
        subject = Subject(lookup.unparsed, lookup.root_hash, lookup.shard, as_of, index=lookup.index)
        url = relative(links.of_subject(subject))
        if url is None:
            raise BadLink(ALTERED)
        return url

    def _values(self, kept: KeptList, chosen: Chosen, token: str) -> dict[str, Any]:
        counts = kept.verdicts
        verdicts = [
            {
                "word": VERDICT_WORDS[verdict],
                "tone": TONE_OF_VERDICT[verdict],
                **_choice("verdict", verdict, rows, chosen),
            }
            for verdict in Verdict
            if (rows := counts[verdict])
        ]
        causes = [
            {"word": readable(cause), **_choice("cause", cause, rows, chosen)}
            for cause, rows in kept.causes.most_common(CAUSES_SHOWN)
        ]
        return {
            "kept": kept,
            "chosen": chosen,
            "verdicts": verdicts,
            "causes": causes,
            "rows": [self._row(kept, number, row) for number, row in chosen.shown],
            "previous": chosen.turned(chosen.page - 1),
            "following": chosen.turned(chosen.page + 1),
            "first": chosen.turned(1),
            "last": chosen.turned(chosen.pages),
            "all_url": with_query({}),
            "json_url": f"{token}.json",
            "now": self._indexes.default.now(),
        }

    def _row(self, kept: KeptList, number: int, row: ListRow) -> dict[str, Any]:
        reason = readable(row.cause or row.problem)
        return {"number": number, "title": self._title(kept, row.text), "reason": reason, "row": row}

    def _title(self, kept: KeptList, text: str) -> str:
        """The address of a row; of one that cannot be read any more, the text that is kept."""
        try:
            return readable(self._indexes.of(kept.index).read(text).url or text)
        except BadInput:
            return readable(text)

    def _json(self, kept: KeptList) -> dict[str, Any]:
        rows = [
            {
                "lookup": row.text,
                "url": self._title(kept, row.text),
                "verdict": row.verdict.value,
                "cause": row.cause,
                "crawled": iso_time(row.crawled) if row.crawled else None,
                "problem": row.problem or None,
            }
            for row in kept.rows
        ]
        found = kept.verdicts
        counts = {verdict.value: found[verdict] for verdict in Verdict}
        return {
            "total": kept.total,
            "as_of": iso_time(kept.as_of),
            "index": kept.index or self._indexes.names[0],
            "verdicts": counts,
            "causes": kept.causes,
            "rows": rows,
        }


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 7


def _choice(name: str, value: str, rows: int, chosen: Chosen) -> dict[str, Any]:
    """A count that leads to its rows."""
    return {"rows": rows, "url": with_query({name: value}), "current": chosen.filters.get(name) == value}
