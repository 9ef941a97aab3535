"""What a check found → whether there is news, and which. Pure: no I/O, and the time comes from outside.

When it is told: the first change at once, since somebody may be waiting for it. After a message the watch is quiet for
one interval, then two, then four, at most a day, and what changes meanwhile is counted and told together at the end. A
day without a change makes it quick again. So a page that flaps at every check writes five times on its first day and
once a day from then on, and still no change is concealed. To wait until a change holds for two checks was the other
way: it tells everything an hour late, and of a page that never holds still it tells nothing at all.

What is unknown because a server is silent is no change: such facts are left out, and those known before stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.report.model import Report
from bot.report.words import NULL_CHAT

Facts = Mapping[str, str]  # name → value in words

CALM = timedelta(days=1)  # the longest quiet, and how long without a change makes a watch quick again
DOUBLINGS = 11  # of the shortest interval, a minute, are more than a day
VERDICT, CAUSE, ROBOTS = "Verdict", "Cause", "Robots"
OF_THE_PAGE = {"HTTP status": "download_http_code", "Canonical": "meta_canonical"}  # fields of the profile
ASKED_BY = {
    "shard": (VERDICT, CAUSE, *OF_THE_PAGE, ROBOTS),
    "crawled": (VERDICT, CAUSE, *OF_THE_PAGE),
    "robots": (ROBOTS,),
}


def watched_facts(report: Report) -> Facts:
    """What a watch compares; without what a step that failed would have said."""
    lines = {name: report.line(field) for name, field in OF_THE_PAGE.items()}
    facts = {
        VERDICT: report.verdict_words,
        CAUSE: report.cause or NULL_CHAT,
        **{name: line.cell.text(NULL_CHAT) if line else NULL_CHAT for name, line in lines.items()},
        ROBOTS: next((badge.label for badge in report.badges if badge.id == "robots"), NULL_CHAT),
    }
    silent = {name for step in report.failures for name in ASKED_BY.get(step.id, ())}
    return {name: value for name, value in facts.items() if name not in silent}


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a watch stands between two checks.

    `told` are the facts of its last message, `seen` those of its last check, `changes` the checks since that message
    that found something changed. `messages` counts the messages since the last calm day; until `quiet_until` none is
    sent.
    """

    told: Facts
    seen: Facts
    changes: int = 0
    messages: int = 0
    quiet_until: datetime | None = None
    changed_at: datetime | None = None

    def encode(self) -> dict[str, Any]:
        """As JSON."""
        times = {"quiet_until": self.quiet_until, "changed_at": self.changed_at}
        return {
            "told": dict(self.told),
            "seen": dict(self.seen),
            "changes": self.changes,
            "messages": self.messages,
            **{name: at.timestamp() for name, at in times.items() if at},
        }

    @classmethod
    def decode(cls, kept: Mapping[str, Any]) -> Standing:
        """Of `encode`."""
        times = {
            name: datetime.fromtimestamp(kept[name], UTC) for name in ("quiet_until", "changed_at") if name in kept
        }
        return cls(kept["told"], kept["seen"], kept["changes"], kept["messages"], **times)


@dataclass(frozen=True, slots=True)
class Change:
    """One fact, old beside new."""

    name: str
    before: str
    now: str


@dataclass(frozen=True, slots=True)
class News:
    """What is to be told: the facts that differ from the last message, and how often something changed since.

    No `changes` where everything is back as it was told.
    """

    changes: Sequence[Change]
    times: int


def first_standing(facts: Facts) -> Standing:
    """When a watch begins: what its first message tells."""
    return Standing(facts, facts)


def weigh(before: Standing, facts: Facts, now: datetime, interval: timedelta) -> tuple[Standing, News | None]:
    """What stands after a check at `now`, once its news, if there are any, are told."""
    seen = {**before.seen, **facts}
    after = replace(before, seen=seen)
    if _changes(before.seen, seen):
        after = replace(after, changes=before.changes + 1, changed_at=now)
    elif before.changed_at and now - before.changed_at >= CALM:
        after = replace(after, messages=0)
    if not after.changes or (before.quiet_until and now < before.quiet_until):
        return after, None
    quiet = min(interval * 2 ** min(after.messages, DOUBLINGS), CALM)
    told = Standing(seen, seen, messages=after.messages + 1, quiet_until=now + quiet, changed_at=after.changed_at)
    return told, News(_changes(before.told, seen), after.changes)


def _changes(before: Facts, now: Facts) -> tuple[Change, ...]:
    return tuple(
        Change(name, before.get(name, NULL_CHAT), value) for name, value in now.items() if before.get(name) != value
    )
