"""Inspection → Report."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.inspection.model import Inspection, Outcome, StepOutcome
from bot.report.build import build_report
from bot.report.links import NoLinks
from bot.report.model import Badge, CellKind, Report, Tone
from tests.report import inspections as made
from tests.report.inspections import PROFILE, SignedLinks

HEAVY = "heavy column, fetched on demand"
GITHUB_LINES = """
General
URL | https://murphypei.github.io/blog/2020/09/pytorch-distributed
Last Crawled | 2026-05-03 03:24:51 (1 month ago)
First Indexed | 2020-09-26 07:35:34 (5 years ago)
HTTP Status Code | 200
History Drop Reason | null
Host Banned | No
Spam Score | 0
Content
Meta Title | PyTorch 多进程
Meta Description | 一行 两行
Meta Canonical | null
Boilerpipe Text | heavy column, fetched on demand
Markdown | heavy column, fetched on demand
Readable Markdown | heavy column, fetched on demand
ML Classification
ML Categories | /Computers_and_Electronics 980, /Computers_and_Electronics/Programming 491, \
/Computers_and_Electronics/Programming/Development_Tools 277
ML Page Types | /Article 999, /Article/Tutorial_or_Guide 987
ML Intent Types | Informational 999
Content Metadata
Language | zh-cn
Author | null
Publish Time | 2020-09-24 08:02:34 (5 years ago)
Original Publish Time | 2020-09-01 00:00:00 (5 years ago)
Republished | No
Word Count (Total) | 786
Word Count (Content) | 635
Links
External Links | 5
Internal Links | 20
Technical SEO
Meta Nofollow | No
Meta Noarchive | No
JS Rendered | Yes
Redirect Target | null
Performance
Download Time (ms) | 41
TTFB (ms) | 40
Download Size (bytes) | 12,013
Location
Host ID | 143 (laksa143)
Partition ID | 61
Root Hash | 2566890010099092343
Unparsed URL | io,github!murphypei,/blog/2020/09/pytorch-distributed s443
""".strip()


def report_of(inspection: Inspection) -> Report:
    """A report without links."""
    return build_report(inspection, PROFILE, NoLinks())


def printed(report: Report) -> str:
    """The property groups as the seeds print them."""
    lines = []
    for group in report.groups:
        lines.append(group.title)
        lines += [f"{line.title} | {line.cell.text()}".replace("\n", " ") for line in group.lines]
    return "\n".join(lines)


def test_the_seed_page_line_by_line() -> None:
    """Groups, order, titles and values are those of the page that this bot replaces."""
    assert printed(report_of(made.github())) == GITHUB_LINES


@pytest.mark.parametrize(
    ("inspection", "age", "months", "host"),
    [
        (made.github(), "1 month ago", "1 months ago", "143 (laksa143)"),
        (made.aliyun(), "6 days ago", "0.2 months ago", "149 (laksa149)"),
    ],
)
def test_badges_filters_and_steps_of_the_seeds(inspection: Inspection, age: str, months: str, host: str) -> None:
    """Both seed pages as of their days."""
    report = report_of(inspection)

    assert report.badges == (
        Badge("index", "INDEXABLE", Tone.GOOD),
        Badge("crawl", "CRAWLED", Tone.GOOD, age),
        Badge("robots", "ROBOTS ALLOWED", Tone.GOOD),
    )
    assert [(row.title, row.outcome, row.details) for row in report.filters] == [
        ("HTTP status", Outcome.PASS, "HTTP 200"),
        ("Age cutoff", Outcome.PASS, months),
        ("History drop", Outcome.PASS, "No drop reason"),
        ("Spam/ban", Outcome.PASS, "ml_spam_score=0"),
        ("Canonical", Outcome.PASS, "Not set"),
    ]
    location = report.groups[-1]
    assert (location.title, location.lines[0].cell.text()) == ("Location", host)
    last = report.steps[-1]
    assert (last.number, last.outcome, last.note) == (5, StepOutcome.SKIPPED, "Skipped - page is already crawled")


def test_a_page_without_a_row_keeps_its_place() -> None:
    """Not crawled: where the row would be, if there were one."""
    lines = printed(report_of(made.not_crawled())).splitlines()

    assert lines == [
        "Location",
        "Host ID | 143 (laksa143)",
        "Root Hash | 2566890010099092343",
        "Unparsed URL | io,github!murphypei,/blog/2020/09/pytorch-distributed s443",
    ]


def test_a_bare_hash_is_named_by_its_hash() -> None:
    """Nothing to open, and a title all the same."""
    report = report_of(made.bare_hash())

    assert (report.title, report.url, report.subject.text, report.near_heading) == (
        "hash:892221456919234349",
        None,
        "hash:892221456919234349",
        "Pages with this root hash",
    )


def test_heavy_columns_link_to_their_pages() -> None:
    """With a public address the heavy cells have a link; without, they say only what they are."""
    linked = build_report(made.github(), PROFILE, SignedLinks()).line("attrs_markdown")
    bare = report_of(made.github()).line("attrs_markdown")

    assert linked is not None
    assert bare is not None
    assert (linked.cell.link, bare.cell.link) == ("https://bot.example/h/attrs_markdown", None)
    assert linked.cell.text() == bare.cell.text() == HEAVY


def test_a_canonical_that_cannot_be_opened_is_text() -> None:
    """A crawled "javascript:" address is shown and never becomes a link."""
    page = made.GITHUB_PAGE | {"meta_canonical": "javascript:alert(1)"}
    line = report_of(made.github(page=page)).line("meta_canonical")

    assert line is not None
    assert (line.cell.kind, line.cell.value) == (CellKind.TEXT, "javascript:alert(1)")


def test_a_replay_keeps_its_instant_and_a_forced_shard_stays_forced() -> None:
    """The subject repeats the lookup as it was asked."""
    asked = made.github()
    forced = replace(asked, lookup=replace(asked.lookup, shard=7, host="laksa7"))
    report = build_report(forced, PROFILE, NoLinks(), replayed=True)

    assert (report.subject.shard, report.subject.as_of) == (7, made.GITHUB_AS_OF)
    assert (report_of(asked).subject.shard, report_of(asked).subject.as_of) == (None, None)


def test_failed_steps_are_named() -> None:
    """What got no answer is at hand for every renderer."""
    failures = report_of(made.unanswered()).failures

    assert [(step.id, step.note) for step in failures] == [("crawled", "laksa143 did not answer within 5 s.")]
