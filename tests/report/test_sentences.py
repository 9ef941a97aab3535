"""What an inspection found, in sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.inspection.model import (
    Inspection,
    Outcome,
    RobotsResult,
    RobotsVerdict,
    SeenResult,
    Step,
    StepOutcome,
    Verdict,
)
from bot.report.sentences import robots_sentence, seen_sentence, verdict_sentence
from tests.report import inspections as made
from tests.report.inspections import PROFILE, at

CANONICAL = (
    "Not indexable: Canonical. Points to https://www.example.com/other — a page that names another one as canonical "
    "leaves its place to that one "
    "(rule: meta_canonical IS NULL OR meta_canonical = '' OR meta_canonical = src_unparsed)."
)
STATUS = (
    "Not indexable: HTTP status. HTTP 404 — only pages that answered 200 are indexed (rule: download_http_code = 200)."
)
FAILED_SEEN = Step("seen", "Seen Status Check", StepOutcome.FAILED, note="laksa143 did not answer within 5 s.")
NULL_BESIDE = replace(
    made.failing("canonical"),
    filters=made.filters(
        {"canonical": (Outcome.FAIL, "Points to https://www.example.com/other"), "spam-ban": (Outcome.UNKNOWN, "NULL")}
    ),
)


@pytest.mark.parametrize(
    ("inspection", "expected"),
    [
        (made.github(), "Indexable: every rule passes."),
        (made.failing("canonical"), CANONICAL),
        (made.failing("http-status", details="HTTP 404"), STATUS),
        (made.failing("http-status", "canonical", details="HTTP 404"), f"{STATUS} And 1 more rule fails: Canonical."),
        (
            made.failing("http-status", "spam-ban", "canonical", details="HTTP 404"),
            f"{STATUS} And 2 more rules fail: Spam/ban, Canonical.",
        ),
        (NULL_BESIDE, f"{CANONICAL} Not judged, as a value is NULL: Spam/ban."),
        (made.not_crawled(), "Not crawled: never seen in the frontier."),
        (
            made.not_crawled(SeenResult(True, at("2026-05-30 12:00:00"), None, "sitemap")),
            "Not crawled: seen in the frontier since 2026-05-30 12:00:00 (3 days ago), from sitemap.",
        ),
        (
            made.not_crawled(near=1),
            "Not crawled: never seen in the frontier. In the table under a near address: "
            "http://example.com/0 (http instead of https).",
        ),
        (
            replace(made.not_crawled(SeenResult(None)), steps=made.steps(seen=FAILED_SEEN)),
            "Not crawled: Seen Status Check failed: laksa143 did not answer within 5 s.",
        ),
        (
            made.without_answer("http-status"),
            "Unknown: no answer, as a value is NULL: HTTP status (NULL; rule: download_http_code = 200). "
            "An unknown is never a pass.",
        ),
        (made.unanswered(), "Unknown: Crawled Status Check failed: laksa143 did not answer within 5 s."),
        (
            made.bare_hash(),
            "Unknown: A root hash names a site: 2 pages have it. Inspect one of them by its URL or key.",
        ),
    ],
)
def test_the_verdict_names_its_cause(inspection: Inspection, expected: str) -> None:
    """One sentence: the rule's title, the value judged, why, and the rule's own text."""
    assert verdict_sentence(inspection, PROFILE) == expected


def test_many_near_matches_are_counted_not_listed() -> None:
    """The sentence names three of them."""
    sentence = verdict_sentence(made.not_crawled(near=300), PROFILE)

    assert sentence.endswith("http://example.com/2 (http instead of https) and 297 more.")


def test_every_verdict_has_a_sentence() -> None:
    """No verdict is left without words, even where nothing else is known."""
    bare = [replace(made.github(), verdict=verdict, steps=(), crawled=None) for verdict in Verdict]

    assert all(verdict_sentence(inspection, PROFILE).endswith(".") for inspection in bare)


@pytest.mark.parametrize(
    ("robots", "expected"),
    [
        (
            RobotsResult(RobotsVerdict.DISALLOWED, 3, "Disallow: /blog", "*", at("2026-06-01 12:00:00"), 200),
            "Disallowed by line 3: Disallow: /blog (group *). "
            "Fetched 2026-06-01 12:00:00 (1 day ago), answered HTTP 200.",
        ),
        (
            RobotsResult(RobotsVerdict.ALLOWED, 2, "Allow: /", "ExampleBot"),
            "Allowed by line 2: Allow: / (group ExampleBot).",
        ),
        (RobotsResult(RobotsVerdict.ALLOWED, note="No rule matches."), "Allowed. No rule matches."),
        (RobotsResult(RobotsVerdict.UNKNOWN, note="No robots.txt is stored."), "Unknown. No robots.txt is stored."),
    ],
)
def test_robots_names_the_deciding_line(robots: RobotsResult, expected: str) -> None:
    """Which line decided, in which group, and how old the file is."""
    assert robots_sentence(made.github(robots=robots)) == expected


def test_a_skipped_step_says_so() -> None:
    """The seen step of a crawled page, in the seeds' words."""
    assert seen_sentence(made.github()) == "Skipped - page is already crawled"
