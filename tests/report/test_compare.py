"""Two reports side by side: which rows there are, and which differ."""

from __future__ import annotations

from bot.inspection.model import Outcome
from bot.report.build import build_report
from bot.report.compare import compared
from bot.report.links import NoLinks
from tests.report.inspections import ALIYUN_AS_OF, GITHUB_PAGE, PROFILE, filters, github, not_crawled


def differing(left: object, right: object) -> list[str]:
    reports = [build_report(side, PROFILE, NoLinks()) for side in (left, right)]  # type: ignore[arg-type]  # inspections
    return [row.id for group in compared(*reports) for row in group.rows if row.differs]


def test_a_page_does_not_differ_from_itself() -> None:
    """Neither do its ages, as of another day."""
    assert differing(github(), github()) == []
    assert differing(github(), github(as_of=ALIYUN_AS_OF)) == []


def test_values_and_outcomes_differ() -> None:
    """A changed value, and a filter with another outcome."""
    changed = github(
        page={**GITHUB_PAGE, "download_http_code": 404},
        filters=filters({"http-status": (Outcome.FAIL, "HTTP 404")}),
    )

    assert differing(github(), changed) == ["http-status", "download_http_code"]


def test_a_side_without_a_page_has_no_value() -> None:
    """What one side lacks differs; what both have is compared."""
    rows = differing(github(), not_crawled())

    assert "meta_title" in rows
    assert "host" not in rows
