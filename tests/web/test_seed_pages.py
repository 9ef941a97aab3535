"""The two pages that the in-house tool printed, as of their days: ours shows every value that they show."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import turbohtml
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bot.index.profile import IndexProfile
from bot.index.sample import SEED_URLS
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.inspection.store import Query, Rows, Store
from bot.report.model import HEAVY_WORDS
from bot.web.site import Site
from tests.report.inspections import ALIYUN_AS_OF, GITHUB_AS_OF
from tests.web.conftest import path, site_links, subject_for

HEAVY = ("Boilerpipe Text", "Markdown", "Readable Markdown")
OURS = {"Shard": "Host ID"}  # a title of the seeds → ours, where they name one value in two ways
SEEDS = {"raw_queries": (SEED_URLS[0], ALIYUN_AS_OF), "groups": (SEED_URLS[1], GITHUB_AS_OF)}


class WithSeedTexts:
    """The sample crawl with the seeds' own titles and descriptions, which the sample replaces by invented ones."""

    def __init__(self, store: Store, texts: dict[str, str]) -> None:
        self._store = store
        self._texts = {"f_meta_title": texts["Meta Title"], "f_meta_descriptions": texts["Meta Description"]}

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        rows = await self._store.fetch(query, shard)
        changed = tuple(
            {**row, **{name: self._texts[name] for name in self._texts if name in row}} for row in rows.rows
        )
        return replace(rows, rows=changed)

    def curl(self, query: Query, shard: int | None) -> str | None:
        return self._store.curl(query, shard)

    async def close(self) -> None:
        """The sample is closed by its own fixture."""


def seed_text(shared: Path, name: str) -> str:
    text = (shared / "seeds" / f"inspector_page_with_{name}.txt").read_text(encoding="utf-8")
    return text.replace("🕷️ Crawler Inspector", "\n🕷️ Crawler Inspector")


def seed_properties(text: str) -> dict[str, str]:
    """Title → value, from either way in which the seeds write their tables."""
    piped = re.findall(r"^\| ([^|\n]+) \| (.*) \| \|+$", text, re.MULTILINE)
    tabbed = re.findall(r"^([A-Z][^\t\n]*)\t([^\t\n]*)$", text, re.MULTILINE)
    return {title: value for title, value in (*piped, *tabbed) if title != "Property"}


def seed_classes(text: str) -> dict[str, Any]:
    found = re.findall(r"\| (ML [A-Za-z ]+) \|\nRaw JSON(\{.*?\}) \|", text, re.DOTALL)
    return {title: json.loads(scores) for title, scores in found}


def seed_filters(text: str) -> list[tuple[str, str, str]]:
    """Title, status and details of every filter."""
    piped = re.findall(r"^\| ([^|\n]+) \| (PASS|FAIL) \| .* \| ([^|\n]+) \|$", text, re.MULTILINE)
    tabbed = re.findall(r"^([^\t\n]+)\t(PASS|FAIL)\t[^\t\n]+\t([^\t\n]+)$", text, re.MULTILINE)
    return [*piped, *tabbed]


@pytest.fixture(params=SEEDS)
async def seed_page(
    request: pytest.FixtureRequest, shared: Path, store: Store, profile: IndexProfile
) -> AsyncIterator[tuple[str, turbohtml.Document]]:
    """The text of a seed, and our page for the same URL as of its day."""
    text = seed_text(shared, request.param)
    url, as_of = SEEDS[request.param]
    inspector = Inspector(WithSeedTexts(store, seed_properties(text)), profile, step_timeout=10)
    links = site_links()
    application = web.Application()
    Site(Indexes(inspector), links).install(application)
    async with TestClient(TestServer(application)) as client:
        answer = await client.get(path(links.of_subject(subject_for(inspector, url, as_of))))
        assert answer.status == 200
        yield text, turbohtml.parse(await answer.text())


def words(element: turbohtml.Element) -> str:
    return " ".join(element.text.split())


def our_properties(page: turbohtml.Document) -> dict[str, turbohtml.Element]:
    return dict(zip((words(title) for title in page.select("#details dt")), page.select("#details dd"), strict=True))


def test_every_property_is_there(seed_page: tuple[str, turbohtml.Document]) -> None:
    """Each property of the seed stands on our page with the same value; heavy ones are links."""
    text, page = seed_page
    ours = our_properties(page)
    seeds = {title: value for title, value in seed_properties(text).items() if title not in HEAVY}

    assert len(seeds) >= 9
    for title, value in seeds.items():
        shown = words(ours[OURS.get(title, title)])
        expected = re.sub(r"^(\d+) \(laksa\)$", r"\1 (laksa\1)", " ".join(value.split()))
        assert (title, shown) == (title, expected)
    for title in HEAVY:
        assert words(ours[title]) == HEAVY_WORDS
        assert ours[title].select_one("a") is not None


def test_every_class_is_there(seed_page: tuple[str, turbohtml.Document]) -> None:
    """Class scores stand as raw JSON and as rows of the same numbers."""
    text, page = seed_page
    ours = our_properties(page)
    for title, scores in seed_classes(text).items():
        raw = ours[title].select_one("pre")
        assert raw is not None
        assert json.loads(raw.text) == scores
        rows = [words(row) for row in ours[title].select("li")]
        assert rows == [f"{name}{score}" for name, score in scores.items()]


def test_every_filter_is_there(seed_page: tuple[str, turbohtml.Document]) -> None:
    """The filters in the seed's order, with the same outcome and details, and the condition as code."""
    text, page = seed_page
    rows = [[words(cell) for cell in row.select("th, td")] for row in page.select("#filters tbody tr")]

    assert [(title, status, details) for title, status, _, details in rows] == seed_filters(text)
    assert len(page.select("#filters td code")) == len(rows) == 5


def test_groups_stand_in_order(seed_page: tuple[str, turbohtml.Document]) -> None:
    """The property groups of the seed, in its order, each with an anchor."""
    _, page = seed_page
    groups = ["Content", "ML Classification", "Content Metadata", "Links", "Technical SEO", "Performance", "Location"]

    assert [words(heading) for heading in page.select("#details h3")] == ["General", *groups]
    assert page.select_one("#group-ml-classification") is not None


def test_badges_and_steps_are_there(seed_page: tuple[str, turbohtml.Document]) -> None:
    """Badges with the age beside them; five steps, the skipped one said so."""
    text, page = seed_page
    age = "6 days ago" if "6 days ago" in text else "1 month ago"
    steps = [words(summary) for summary in page.select("#raw summary h3")]

    assert [words(badge) for badge in page.select(".badge")] == ["INDEXABLE", f"CRAWLED {age}", "ROBOTS ALLOWED"]
    assert steps == [
        "1. Shard Calculation",
        "2. Crawled Status Check",
        "3. Robots.txt Check",
        "4. Spam/Ban Check",
        "5. Seen Status Check",
    ]
    raw = page.select_one("#raw")
    assert raw is not None
    shard = "149" if "6 days ago" in text else "143"
    assert f"Calculated Shard: {shard} (laksa{shard})" in words(raw)
    assert "Skipped - page is already crawled" in words(raw)
