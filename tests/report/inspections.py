"""Inspections made by hand: the two seed pages by their facts, and what can go wrong with a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from bot.index.profile import IndexProfile, load_profile
from bot.inspection.model import (
    BanResult,
    FilterResult,
    Inspection,
    Lookup,
    NearMatch,
    Outcome,
    RobotsResult,
    RobotsVerdict,
    SeenResult,
    Step,
    StepOutcome,
    Verdict,
)
from bot.inspection.site import SiteReport
from bot.report.subject import Subject

PROFILE: IndexProfile = load_profile()
ALIYUN_AS_OF = datetime(2026, 4, 6, 20, tzinfo=UTC)
GITHUB_AS_OF = datetime(2026, 6, 2, 12, tzinfo=UTC)
PASSING = {
    "http-status": "HTTP 200",
    "age-cutoff": "1 months ago",
    "history-drop": "No drop reason",
    "spam-ban": "ml_spam_score=0",
    "canonical": "Not set",
}
ELSEWHERE = "https://www.example.com/other"


def at(text: str) -> datetime:
    """A moment in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def filters(changes: Mapping[str, tuple[Outcome, str]] | None = None) -> tuple[FilterResult, ...]:
    """The profile's filters, all passing but for `changes`: filter id → outcome and details."""
    judged = {name: (Outcome.PASS, details) for name, details in PASSING.items()} | dict(changes or {})
    return tuple(
        FilterResult(rule.id, rule.title, judged[rule.id][0], rule.condition, judged[rule.id][1])
        for rule in PROFILE.filters
    )


def steps(**changes: Step) -> tuple[Step, ...]:
    """The five steps of a crawled page, with `changes` by id."""
    own = (
        Step("shard", "Shard Calculation", StepOutcome.DONE, note="Calculated Shard: 143 (laksa143)", elapsed_ms=0.02),
        Step(
            "crawled",
            "Crawled Status Check",
            StepOutcome.DONE,
            query="SELECT 1\nFORMAT JSONEachRow",
            parameters={"keys": [(2566890010099092343, "io,github!murphypei,/ s443")], "now": 1780401600},
            curl="curl 'http://laksa143.int.example:8124/' -u api:$CLICKHOUSE_PASSWORD -d 'SELECT 1'",
            response='{"1":1}\n',
            note="Crawled.",
            elapsed_ms=12.4,
        ),
        Step("robots", "Robots.txt Check", StepOutcome.DONE, query="SELECT 2", response="", elapsed_ms=3),
        Step("spam", "Spam/Ban Check", StepOutcome.DONE, query="SELECT 3", note="Nothing is recorded.", elapsed_ms=3),
        Step("seen", "Seen Status Check", StepOutcome.SKIPPED, note="Skipped - page is already crawled"),
    )
    return tuple(changes.get(step.id, step) for step in own)


def github(**changes: Any) -> Inspection:
    """The seed page with groups, as of its day; `changes` replace parts of the inspection."""
    lookup = Lookup(
        text="https://murphypei.github.io/blog/2020/09/pytorch-distributed",
        url="https://murphypei.github.io/blog/2020/09/pytorch-distributed",
        unparsed="io,github!murphypei,/blog/2020/09/pytorch-distributed s443",
        root="io,github!",
        root_hash=2566890010099092343,
        shard=143,
        host="laksa143",
    )
    seed = Inspection(
        lookup=lookup,
        as_of=GITHUB_AS_OF,
        verdict=Verdict.INDEXABLE,
        cause=None,
        crawled=True,
        filters=filters(),
        page=GITHUB_PAGE,
        robots=RobotsResult(RobotsVerdict.ALLOWED, note="No rule matches."),
        ban=BanResult(False),
        seen=SeenResult(None),
        steps=steps(),
        near_matches=(),
    )
    return replace(seed, **changes)


def aliyun() -> Inspection:
    """The seed page with raw queries, as of its day."""
    page = GITHUB_PAGE | {
        "url": "https://developer.aliyun.com/article/1485698",
        "download_stamp": at("2026-03-31 19:35:40"),
        "props_url_first_seen": at("2024-04-18 08:16:34"),
        "src_root_hash": "892221456919234349",
        "src_unparsed": "com,aliyun!developer,/article/1485698 s443",
    }
    lookup = Lookup(page["url"], page["url"], page["src_unparsed"], "com,aliyun!", 892221456919234349, 149, "laksa149")
    aged = filters({"age-cutoff": (Outcome.PASS, "0.2 months ago")})
    return github(lookup=lookup, as_of=ALIYUN_AS_OF, page=page, filters=aged)


def failing(*ids: str, details: str = "because") -> Inspection:
    """A crawled page that fails these filters; the canonical one points to another page."""
    changes = {name: (Outcome.FAIL, f"Points to {ELSEWHERE}" if name == "canonical" else details) for name in ids}
    return github(verdict=Verdict.NOT_INDEXABLE, cause=ids[0], filters=filters(changes))


def without_answer(filter_id: str) -> Inspection:
    """A crawled page for which one filter gave NULL."""
    return github(verdict=Verdict.UNKNOWN, filters=filters({filter_id: (Outcome.UNKNOWN, "NULL")}))


def not_crawled(seen: SeenResult | None = None, near: int = 0) -> Inspection:
    """A page that is not in the table, and `near` pages that nearly are it."""
    matches = tuple(
        NearMatch(f"http://example.com/{n}", f"com,example!,/{n} h80", "http instead of https", Verdict.INDEXABLE)
        for n in range(near)
    )
    asked = Step("seen", "Seen Status Check", StepOutcome.DONE, query="SELECT 4", response="")
    return github(
        verdict=Verdict.NOT_CRAWLED,
        crawled=False,
        page=None,
        filters=(),
        seen=seen or SeenResult(False),
        steps=steps(seen=asked),
        near_matches=matches,
    )


def unanswered(reason: str = "laksa143 did not answer within 5 s.") -> Inspection:
    """The table's server gave no answer."""
    failed = Step("crawled", "Crawled Status Check", StepOutcome.FAILED, query="SELECT 1", note=reason)
    return github(verdict=Verdict.UNKNOWN, crawled=None, page=None, filters=(), steps=steps(crawled=failed))


def bare_hash() -> Inspection:
    """A root hash alone, which names a site."""
    note = "A root hash names a site: 2 pages have it. Inspect one of them by its URL or key."
    found = Step("crawled", "Crawled Status Check", StepOutcome.DONE, query="SELECT 1", note=note)
    lookup = Lookup("hash:892221456919234349", None, None, None, 892221456919234349, 149, "laksa149")
    skipped = Step("seen", "Seen Status Check", StepOutcome.SKIPPED, note="Skipped - a root hash alone names no page")
    pages = tuple(
        NearMatch(f"https://example.com/{n}", f"com,example!,/{n} s443", "same root hash", Verdict.INDEXABLE)
        for n in range(2)
    )
    changed = steps(crawled=found, seen=skipped)
    return replace(unanswered(), lookup=lookup, steps=changed, near_matches=pages)


def hostile(text: str) -> Inspection:
    """`text` wherever the crawl or a user can put one."""
    page = {
        name: {text: 999} if isinstance(value, dict) else text if isinstance(value, str) or value is None else value
        for name, value in GITHUB_PAGE.items()
    }
    lookup = Lookup(text, text, text, text, 2566890010099092343, 143, "laksa143")
    spoiled = [
        replace(step, note=text, response=text, query=text, curl=text, parameters={"keys": [(1, text)]})
        for step in steps()
    ]
    spoiled[2] = replace(spoiled[2], outcome=StepOutcome.FAILED)
    return github(
        lookup=lookup,
        verdict=Verdict.NOT_INDEXABLE,
        cause="canonical",
        filters=filters({"canonical": (Outcome.FAIL, text), "history-drop": (Outcome.UNKNOWN, text)}),
        page=page,
        robots=RobotsResult(RobotsVerdict.DISALLOWED, 3, text, text, GITHUB_AS_OF, 200, text),
        seen=SeenResult(True, None, None, text),
        steps=tuple(spoiled),
        near_matches=(NearMatch(text, text, text, Verdict.INDEXABLE),) * 12,
    )


GITHUB_PAGE: dict[str, Any] = {
    "url": "https://murphypei.github.io/blog/2020/09/pytorch-distributed",
    "download_stamp": at("2026-05-03 03:24:51"),
    "props_url_first_seen": at("2020-09-26 07:35:34"),
    "download_http_code": 200,
    "history_drop_reason": None,
    "fh_dont_index": False,
    "ml_spam_score": 0,
    "meta_title": "PyTorch 多进程",
    "meta_descriptions": "一行\n两行",
    "meta_canonical": None,
    "ml_categories": {
        "/Computers_and_Electronics/Programming": 491,
        "/Computers_and_Electronics": 980,
        "/Computers_and_Electronics/Programming/Development_Tools": 277,
    },
    "ml_page_types": {"/Article": 999, "/Article/Tutorial_or_Guide": 987},
    "ml_intent_types": {"Informational": 999},
    "attrs_language": "zh-cn",
    "attrs_author": None,
    "attrs_publish_time": at("2020-09-24 08:02:34"),
    "attrs_original_publish_time": at("2020-09-01 00:00:00"),
    "attrs_republished": False,
    "attrs_word_count_total": 786,
    "attrs_word_count_content": 635,
    "links_external": 5,
    "links_internal": 20,
    "meta_nofollow": False,
    "meta_noarchive": False,
    "download_js_rendered": True,
    "download_redirect_target": None,
    "download_time_ms": 41,
    "download_ttfb_ms": 40,
    "download_size_bytes": 12013,
    "partition_id": "61",
    "src_root_hash": "2566890010099092343",
    "src_unparsed": "io,github!murphypei,/blog/2020/09/pytorch-distributed s443",
}


class SignedLinks:
    """Links as a server with a public address gives them."""

    def report(self, inspection: Inspection) -> str | None:
        """The report's page."""
        return "https://bot.example/r/token"

    def heavy(self, inspection: Inspection, field_id: str) -> str | None:
        """The heavy column's page."""
        return f"https://bot.example/h/{field_id}"

    def of_subject(self, subject: Subject) -> str | None:
        """The report's page, by its key."""
        return f"https://bot.example/r/{quote(subject.text)}"

    def site(self, report: SiteReport) -> str | None:
        """The site's page."""
        return "https://bot.example/site/token"

    def kept_list(self, list_id: str) -> str | None:
        """The list's page."""
        return f"https://bot.example/list/{list_id}"

    @property
    def works_for(self) -> timedelta:
        """A week."""
        return timedelta(days=7)
