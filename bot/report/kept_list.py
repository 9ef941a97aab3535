"""What came of a list of many URLs, small enough that ten thousand rows are kept: what its page shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.inspection.model import Inspection, Verdict
from bot.report.model import LAST_CRAWLED


@dataclass(frozen=True, slots=True)
class ListRow:
    """One lookup as a user would type it again (a key, or "hash:<root hash>"), and what the answer was."""

    text: str
    verdict: Verdict
    cause: str | None  # title of the first failing filter
    crawled: datetime | None
    problem: str  # what got no answer


@dataclass(frozen=True, slots=True)
class KeptList:
    """A list as it was answered at `as_of` by the index of that name ("": the default one).

    Fewer rows than `total`: it was cancelled. `replayed` as in a report.
    """

    total: int
    as_of: datetime
    replayed: bool
    rows: tuple[ListRow, ...]
    index: str = ""

    @property
    def verdicts(self) -> Counter[Verdict]:
        """How many rows have each verdict."""
        return Counter(row.verdict for row in self.rows)

    @property
    def causes(self) -> Counter[str]:
        """How many rows each filter stops first."""
        return Counter(row.cause for row in self.rows if row.cause)


def list_row(inspection: Inspection) -> ListRow:
    """The row of one inspection."""
    lookup, cause = inspection.lookup, inspection.filter(inspection.cause)
    crawled = (inspection.page or {}).get(LAST_CRAWLED)
    return ListRow(
        text=lookup.unparsed if lookup.unparsed is not None else f"hash:{lookup.root_hash}",
        verdict=inspection.verdict,
        cause=cause.title if cause else None,
        crawled=crawled if isinstance(crawled, datetime) else None,
        problem=" ".join(inspection.problems),
    )


def to_payload(kept: KeptList) -> dict[str, Any]:
    """A list as a JSON value."""
    rows = [
        [row.text, row.verdict.value, row.cause, row.crawled and int(row.crawled.timestamp()), row.problem]
        for row in kept.rows
    ]
    when = {"as_of": int(kept.as_of.timestamp()), "replayed": kept.replayed}
    return {"total": kept.total, **when, "index": kept.index, "rows": rows}


def from_payload(value: Mapping[str, Any]) -> KeptList:
    """The list of such a value."""
    rows = (
        ListRow(
            text, Verdict(verdict), cause, None if crawled is None else datetime.fromtimestamp(crawled, UTC), problem
        )
        for text, verdict, cause, crawled, problem in value["rows"]
    )
    as_of = datetime.fromtimestamp(value["as_of"], UTC)
    return KeptList(value["total"], as_of, value["replayed"], tuple(rows), value.get("index", ""))
