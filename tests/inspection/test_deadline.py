"""The deadline of a whole inspection, list or site: past it, what is not answered is unknown, and the rest stands."""

from __future__ import annotations

from typing import Any

import pytest

from bot.index.profile import IndexProfile
from bot.inspection.bulk import inspect_many
from bot.inspection.model import Inspection, StepOutcome, Verdict
from bot.inspection.pipeline import Inspector
from bot.inspection.site import inspect_site
from tests.inspection.scripted_store import Reply, ScriptedStore
from tests.inspection.test_pipeline import NOW, PASSING, URL

SILENT = 60.0  # seconds
WHOLE = 0.2
LATE = "did not answer before the 0.2 s for the whole were over."
UNASKED = "was not asked: the 0.2 s for the whole were over."


def hasty(profile: IndexProfile, **tables: Reply) -> Inspector:
    """One whose steps would wait for a minute."""
    return Inspector(ScriptedStore(**tables), profile, step_timeout=SILENT, deadline=WHOLE, clock=lambda: NOW)


async def one(inspector: Inspector) -> Inspection:
    return await inspector.inspect(inspector.read(URL))


async def listed(inspector: Inspector) -> Inspection:
    [found] = [item async for item in inspect_many(inspector, [inspector.read(URL)])]
    assert isinstance(found, Inspection)
    return found


@pytest.mark.parametrize("ask", [one, listed])
@pytest.mark.parametrize(
    ("tables", "verdict", "notes"),
    [
        ({"page_info": [PASSING], "robots_txt": SILENT}, Verdict.INDEXABLE, {"robots": LATE}),
        ({"page_info": [PASSING], "host_bans": SILENT}, Verdict.INDEXABLE, {"spam": LATE}),
        ({"page_info": SILENT}, Verdict.UNKNOWN, {"crawled": LATE, "seen": UNASKED}),
        ({"seen_urls": SILENT}, Verdict.NOT_CRAWLED, {"seen": LATE}),
        (
            {"page_info": SILENT, "robots_txt": SILENT, "host_bans": SILENT, "seen_urls": SILENT},
            Verdict.UNKNOWN,
            {"crawled": LATE, "robots": LATE, "spam": LATE, "seen": UNASKED},
        ),
    ],
)
async def test_what_is_late_is_unknown_and_says_so_in_its_step(
    profile: IndexProfile, ask: Any, tables: dict[str, Reply], verdict: Verdict, notes: dict[str, str]
) -> None:
    """Alone or in a list; every other step has its answer."""
    found = await ask(hasty(profile, **tables))
    failed = {step.id: step.note for step in found.steps if step.outcome is StepOutcome.FAILED}

    assert found.verdict is verdict
    assert {step: note.partition(" ")[2] for step, note in failed.items()} == notes


async def test_a_steps_own_time_is_told_where_it_ends_first(profile: IndexProfile) -> None:
    """A query has its timeout still, within the whole."""
    store = ScriptedStore(page_info=[PASSING], robots_txt=SILENT)
    inspector = Inspector(store, profile, step_timeout=WHOLE, deadline=SILENT, clock=lambda: NOW)
    found = await one(inspector)

    assert [problem.partition(" ")[2] for problem in found.problems] == ["did not answer within 0.2 s."]


async def test_of_a_list_every_thousand_has_its_own_time(profile: IndexProfile) -> None:
    """A window of 2,000 waits twice as long, and then everything in it is unknown."""
    inspector = hasty(profile, page_info=SILENT)
    lookups = [inspector.read(f"{URL}/{number}") for number in range(2_000)]
    found = [item async for item in inspect_many(inspector, lookups) if isinstance(item, Inspection)]

    assert {item.verdict for item in found} == {Verdict.UNKNOWN}
    assert "the 0.4 s for the whole were over." in found[0].problems[0]


async def test_of_a_site_what_was_counted_stands(profile: IndexProfile) -> None:
    """The frontier is silent, the pages are not."""
    page = {"part": 15, "pattern": 0, "pages": 5, "listed": ["example,docs!,/a s443"]}
    report = await inspect_site(hasty(profile, seen_urls=SILENT, page_info=[page]), "docs.example")

    assert (report.crawled, report.seen_only) == (5, None)
    assert [(step.id, step.note.partition(" ")[2]) for step in report.failures] == [("frontier", LATE)]
