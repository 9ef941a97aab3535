"""The five steps of an inspection: what each asks is in `queries`, what its answer means is here.

A step that gets no answer is a failed Step with the reason in its note; it never ends the inspection.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from bot import logs, metrics
from bot.errors import StoreError
from bot.index.profile import IndexProfile
from bot.inspection.deadline import current_deadline
from bot.inspection.model import (
    BanResult,
    Lookup,
    RobotsResult,
    RobotsVerdict,
    SeenResult,
    Step,
    StepOutcome,
)
from bot.inspection.query_id import query_names
from bot.inspection.rows import flag, instant, integer
from bot.inspection.store import Query, Row, Rows, Store
from bot.robots import judge_response

TITLES = {
    "shard": "Shard Calculation",
    "crawled": "Crawled Status Check",
    "robots": "Robots.txt Check",
    "spam": "Spam/Ban Check",
    "seen": "Seen Status Check",
}
NEVER_MET = "The frontier has never met this URL."
SKIPPED_CRAWLED = "Skipped - page is already crawled"
SKIPPED_NO_PAGE = "Skipped - a root hash alone names no page"


JudgeUrl = Callable[[str], RobotsResult]  # of one host's robots.txt, which is read once for all of its URLs


class Answered(Protocol):
    """What an inspection is concluded from: an `Answer`, or one key's share of it (`bot.inspection.chunks`)."""

    @property
    def first(self) -> Row | None:
        """The first row, None where there is none."""

    @property
    def error(self) -> str | None:
        """The reason why there are no rows."""

    def step(self, step_id: str, note: str) -> Step:
        """The step that asked this, with what its answer means."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one query: rows, or the reason why there are none."""

    query: Query
    curl: str | None
    rows: Rows | None
    error: str | None
    elapsed_ms: float

    @property
    def first(self) -> Row | None:
        """The first row, None where there is none."""
        return self.rows.rows[0] if self.rows and self.rows.rows else None

    def step(self, step_id: str, note: str) -> Step:
        """The step that asked this, with what its answer means."""
        return Step(
            id=step_id,
            title=TITLES[step_id],
            outcome=StepOutcome.FAILED if self.error else StepOutcome.DONE,
            query=self.query.sql,
            parameters=self.query.parameters,
            curl=self.curl,
            response=self.rows.response if self.rows else None,
            note=self.error or note,
            elapsed_ms=self.elapsed_ms,
        )


async def ask(store: Store, query: Query, shard: int | None, host: str, seconds: float) -> Answer:
    """Run one query within `seconds`, and within what is left of the whole (`deadline`).

    A failure becomes an answer with its reason.
    """
    return replace(await fetch(store, query, shard, host, seconds), curl=store.curl(query, shard))


async def fetch(store: Store, query: Query, shard: int | None, host: str, seconds: float) -> Answer:
    """As `ask`, without the shell command: of a query over a thousand keys nobody reads it."""
    start, whole = time.perf_counter(), current_deadline()
    rows, error, outcome = None, None, metrics.GIVEN_UP
    left = whole.left
    try:
        async with asyncio.timeout(min(seconds, left)):
            if not left:
                raise TimeoutError  # it ends as a query that was asked, and ran out of time
            with query_names(step=query.step):
                rows = await store.fetch(query, shard)
        outcome = "ok"
    except TimeoutError:
        error, outcome = _too_late(host, seconds, left, whole.seconds), "timeout"
    except StoreError as failure:
        error, outcome = str(failure), type(failure).__name__
    finally:
        elapsed = time.perf_counter() - start
        logs.query_ended(query.step, shard, outcome, elapsed)
        metrics.query(query.step, shard, outcome, elapsed)
    return Answer(query, None, rows, error, elapsed * 1000)


def _too_late(host: str, seconds: float, left: float, whole: float) -> str:
    """Whose time ran out: the query's own, or that of all that it is a part of."""
    if seconds <= left:
        return f"{host} did not answer within {seconds:g} s."
    if left:
        return f"{host} did not answer before the {whole:g} s for the whole were over."
    return f"{host} was not asked: the {whole:g} s for the whole were over."


def skipped(step_id: str, note: str) -> Step:
    """A step that had nothing to ask, and says so."""
    return Step(id=step_id, title=TITLES[step_id], outcome=StepOutcome.SKIPPED, note=note)


def shard_step(lookup: Lookup, answer: Answered | None) -> Step:
    """Where the page lives. `answer` is given where the server was asked for the hash."""
    note = f"Calculated Shard: {lookup.shard} ({lookup.host}), root hash {lookup.root_hash}"
    if lookup.unparsed:
        note += f", key {lookup.unparsed}"
    if answer:
        return answer.step("shard", note)
    return Step(id="shard", title=TITLES["shard"], outcome=StepOutcome.DONE, note=note)


def read_robots(answer: Answered, hostname: str, profile: IndexProfile) -> JudgeUrl:
    """What the stored robots.txt of a host says to our crawler of each of the host's URLs."""
    row = answer.first
    if answer.error:
        return _always(RobotsResult(RobotsVerdict.UNKNOWN, note=answer.error))
    if row is None:
        return _always(RobotsResult(RobotsVerdict.UNKNOWN, note=f"No robots.txt of {hostname} is stored."))
    return judge_robots(row, profile)


def judge_robots(row: Row, profile: IndexProfile) -> JudgeUrl:
    """What a stored robots.txt says of each URL. Unknown without the column of its HTTP code or of its text."""
    code, fetched_at, body = integer(row.get("f_http_code")), instant(row.get("f_fetched_at")), row.get("f_body")
    if reason := _unjudged(row, profile):
        return _always(RobotsResult(RobotsVerdict.UNKNOWN, fetched_at=fetched_at, http_code=code, note=reason))

    def judge(url: str) -> RobotsResult:
        verdict, decision, note = judge_response(code, body, profile.crawler_agent, url)
        decided = (decision.line, decision.rule, decision.group) if decision else (None, None, None)
        return RobotsResult(RobotsVerdict(verdict), *decided, fetched_at=fetched_at, http_code=code, note=note)

    return judge


def _always(result: RobotsResult) -> JudgeUrl:
    return lambda _url: result


def _unjudged(row: Row, profile: IndexProfile) -> str | None:
    """Why a row tells nothing, where NULL is no answer of the host: a column is missing, or holds something else."""
    relation, table = profile.robots, profile.robots.source.split()[0]
    for name in ("http_code", "body"):
        if name in relation.lost:
            return f"The robots.txt cannot be judged: {relation.lost[name]} {table} ({name})."
        if name not in relation.fields:
            return f"The robots.txt cannot be judged: the profile does not say what {name} is in {table}."
    if row.get("f_http_code") is not None and integer(row["f_http_code"]) is None:
        return f"The robots.txt cannot be judged: http_code of {table} is no number."
    return None


def read_bans(answer: Answered) -> BanResult:
    """What is held against the host."""
    row = answer.first
    if answer.error or row is None:
        return BanResult(banned=None if answer.error else False)
    return BanResult(flag(row.get("f_banned")), integer(row.get("f_score")), row.get("f_reason"))


def ban_sentence(answer: Answered, result: BanResult, hostname: str) -> str:
    """One sentence for a standing, recorded or not."""
    if answer.first is None:
        return f"Nothing is recorded against {hostname}."
    state = {True: "is banned", False: "is not banned", None: "has no ban flag"}[result.banned]
    score = "no spam score" if result.score is None else f"spam score {result.score}"
    reason = f": {result.reason}" if result.reason else ""
    return f"{hostname} {state}, {score}{reason}."


def read_seen(answer: Answered | None) -> SeenResult:
    """Whether the frontier knows the URL. Without an answer it had no need to be asked."""
    if answer is None or answer.error:
        return SeenResult(None)
    row = answer.first
    if row is None:
        return SeenResult(False)
    return SeenResult(True, instant(row.get("f_first_seen")), instant(row.get("f_last_seen")), row.get("f_source"))


def seen_step(answer: Answered | None) -> Step:
    """What the frontier was asked and said."""
    if answer is None:
        return skipped("seen", SKIPPED_CRAWLED)
    known = answer.first is not None
    return answer.step("seen", "The frontier knows this URL; it is not crawled yet." if known else NEVER_MET)
