from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.errors import QueryRefused, StoreError, StoreUnavailable
from bot.index.profile import IndexProfile, changed
from bot.inspection.model import Inspection, Outcome, RobotsVerdict, StepOutcome, Verdict
from bot.inspection.pipeline import Inspector
from bot.inspection.query_id import next_query_id
from bot.inspection.store import Query, Rows
from tests.inspection.scripted_store import Reply, ScriptedStore
from tests.store.both import on_both_stores

URL = "https://docs.example/guide"
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
PASSING: dict[str, Any] = {
    "key": "example,docs!,/guide s443",
    "f_url": URL,
    "f_download_stamp": 1_796_000_000,
    "f_src_root_hash": "18446744073709551615",
    "f_ml_categories": {"/Science": 980},
    **{f"pass_{rule}": 1 for rule in ("http_status", "age_cutoff", "history_drop", "spam_ban", "canonical")},
    "f_download_http_code": 200,
    "f_ml_spam_score": 0,
}


async def inspect(profile: IndexProfile, text: str = URL, **tables: Reply) -> tuple[Inspection, ScriptedStore]:
    store = ScriptedStore(**tables)
    inspector = Inspector(store, profile, step_timeout=0.2, clock=lambda: NOW)
    return await inspector.inspect(inspector.read(text)), store


@pytest.mark.parametrize(
    ("changed", "verdict", "cause"),
    [
        ({}, Verdict.INDEXABLE, None),
        ({"pass_canonical": 0}, Verdict.NOT_INDEXABLE, "canonical"),
        ({"pass_canonical": 0, "pass_age_cutoff": 0}, Verdict.NOT_INDEXABLE, "age-cutoff"),
        ({"pass_spam_ban": None}, Verdict.UNKNOWN, None),
        ({"pass_spam_ban": "abc"}, Verdict.UNKNOWN, None),
        ({"pass_spam_ban": None, "pass_canonical": 0}, Verdict.NOT_INDEXABLE, "canonical"),
        ({"pass_http_status": None, "pass_history_drop": 0}, Verdict.NOT_INDEXABLE, "history-drop"),
    ],
)
async def test_the_first_failing_filter_is_the_cause_and_an_unknown_is_never_a_pass(
    profile: IndexProfile, changed: dict[str, Any], verdict: Verdict, cause: str | None
) -> None:
    """True, false and NULL are ClickHouse's; the verdict is only their sum."""
    inspection, _ = await inspect(profile, page_info_local=[{**PASSING, **changed}])

    assert (inspection.verdict, inspection.cause) == (verdict, cause)


async def test_a_crawled_page_is_decoded_and_its_seen_step_is_skipped(profile: IndexProfile) -> None:
    """Values arrive as values: times aware, 64-bit integers exact, classes as numbers."""
    inspection, store = await inspect(profile, page_info_local=[PASSING])

    assert inspection.page is not None
    assert inspection.page["download_stamp"] == datetime.fromtimestamp(1_796_000_000, UTC)
    assert inspection.page["src_root_hash"] == "18446744073709551615"
    assert inspection.page["ml_categories"] == {"/Science": 980}
    assert inspection.page["meta_title"] is None
    assert [step.id for step in inspection.steps] == ["shard", "crawled", "robots", "spam", "seen"]
    assert inspection.steps[4].outcome is StepOutcome.SKIPPED
    assert inspection.steps[4].note == "Skipped - page is already crawled"
    assert not any("seen_urls" in query.sql for query, _ in store.asked)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("ml_spam_score", "text", "ml_spam_score is not of kind 'integer'"),
        ("fh_dont_index", "text", "fh_dont_index is not of kind 'boolean'"),
        ("meta_nofollow", [1], "meta_nofollow is not of kind 'boolean'"),
        ("download_stamp", "2026-01-01", "download_stamp is not of kind 'time'"),
        ("download_stamp", 10**18, "download_stamp is not of kind 'time'"),
        ("ml_categories", "text", "ml_categories is not of kind 'classes'"),
    ],
)
async def test_a_value_that_its_kind_does_not_fit_is_left_out_and_named(
    profile: IndexProfile, field: str, value: object, told: str
) -> None:
    """The profile is another's to write; one wrong `kind` costs one field."""
    inspection, _ = await inspect(profile, page_info_local=[{**PASSING, f"f_{field}": value}])

    assert inspection.page is not None
    assert not inspection.page[field]
    assert inspection.page["download_http_code"] == 200
    assert inspection.steps[1].note == f"Crawled. Not shown: {told}."


@pytest.mark.parametrize(
    ("fields", "row", "reason"),
    [
        ({"body": "body"}, {"f_body": "", "f_http_code": None}, "does not say what http_code is"),
        ({"http_code": "http_code"}, {"f_http_code": 200}, "does not say what body is"),
        ({"body": "body", "http_code": "c"}, {"f_body": "", "f_http_code": "text"}, "http_code of crawler3.robots"),
    ],
)
async def test_a_robots_txt_without_its_columns_is_not_judged(
    profile: IndexProfile, fields: dict[str, str], row: dict[str, Any], reason: str
) -> None:
    """NULL is a host that did not answer, which disallows; a column that is not there says nothing."""
    poorer = changed(profile, robots=changed(profile.robots, fields=fields))
    inspection, _ = await inspect(poorer, robots_txt_local=[{"key": "docs.example", **row}])

    assert inspection.robots.verdict is RobotsVerdict.UNKNOWN
    assert reason in inspection.robots.note


async def test_no_heavy_column_is_read(profile: IndexProfile) -> None:
    """The light report names none of the heavy columns."""
    _, store = await inspect(profile, page_info_local=[PASSING])

    asked = " ".join(query.sql for query, _ in store.asked)
    assert [spec.sql for spec in profile.heavy_fields if spec.sql in asked] == []


@pytest.mark.parametrize(
    ("table", "step_id", "verdict"),
    [
        ("page_info_local", "crawled", Verdict.UNKNOWN),
        ("robots_txt_local", "robots", Verdict.INDEXABLE),
        ("host_bans_local", "spam", Verdict.INDEXABLE),
    ],
)
@pytest.mark.parametrize(
    ("failure", "says"),
    [
        (StoreUnavailable("laksa7 does not answer."), "laksa7 does not answer."),
        (QueryRefused("laksa7 refused."), "laksa7 refused."),
        (5.0, "did not answer within 0.2 s."),
    ],
)
async def test_a_step_that_fails_is_unknown_with_its_reason_and_ends_nothing_else(
    profile: IndexProfile, table: str, step_id: str, verdict: Verdict, failure: StoreError | float, says: str
) -> None:
    """Each of the steps can fail alone, within the step's time; the others still answer."""
    tables: dict[str, Reply] = {"page_info_local": [PASSING], table: failure}
    start = time.monotonic()
    inspection, _ = await inspect(profile, URL, **tables)

    failed = {step.id: step.note for step in inspection.steps if step.outcome is StepOutcome.FAILED}
    assert list(failed) == [step_id]
    assert says in failed[step_id]
    assert inspection.verdict is verdict
    assert time.monotonic() - start < 2


async def test_a_table_that_does_not_answer_is_not_a_page_that_is_not_crawled(profile: IndexProfile) -> None:
    """Not crawled is a statement about the table; without its answer nothing is stated, and nothing is guessed near."""
    inspection, store = await inspect(profile, page_info_local=StoreUnavailable("gone"))

    assert (inspection.crawled, inspection.crawl_badge, inspection.index_badge) == (None, "UNKNOWN", "UNKNOWN")
    assert inspection.near_matches == ()
    assert sum("page_info_local" in query.sql for query, _ in store.asked) == 1


async def test_steps_run_at_once(profile: IndexProfile) -> None:
    """Three silent tables cost one step's time, not three."""
    start = time.monotonic()
    await inspect(profile, page_info_local=5.0, robots_txt_local=5.0, host_bans_local=5.0)

    assert time.monotonic() - start < 0.55  # crawled, robots and spam at once: 0.2 s; then seen


async def test_what_a_user_typed_is_bound_and_never_part_of_the_sql(profile: IndexProfile) -> None:
    """SQL in a URL is data."""
    hostile = "https://x.example/'); DROP TABLE crawler3.page_info_local; --"
    _, store = await inspect(profile, hostile)

    assert store.asked
    assert [query.sql for query, _ in store.asked if "DROP" in query.sql] == []


async def test_a_bare_root_hash_with_several_pages_offers_them(profile: IndexProfile) -> None:
    """A hash names a site; which page is meant is for the reader to choose."""
    rows = [{**PASSING, "key": f"example,docs!,/{n} s443", "pass_canonical": n % 2} for n in range(3)]
    inspection, _ = await inspect(profile, "hash:5", page_info_local=rows)

    assert inspection.verdict is Verdict.UNKNOWN
    assert [(near.url, near.verdict) for near in inspection.near_matches] == [
        ("https://docs.example/0", Verdict.NOT_INDEXABLE),
        ("https://docs.example/1", Verdict.INDEXABLE),
        ("https://docs.example/2", Verdict.NOT_INDEXABLE),
    ]
    assert {step.id: step.outcome for step in inspection.steps}["robots"] is StepOutcome.SKIPPED


async def test_a_bare_root_hash_with_one_page_is_that_page(profile: IndexProfile) -> None:
    """The hash that was asked stands, whatever hash the page's root has here."""
    inspection, _ = await inspect(profile, "hash:5", page_info_local=[PASSING])

    assert (inspection.lookup.url, inspection.lookup.root_hash) == (URL, 5)
    assert inspection.verdict is Verdict.INDEXABLE


async def test_another_hash_function_is_asked_of_the_server(profile: IndexProfile) -> None:
    """Where the index was built with farmHash64 the server computes the hash, and the shard follows from it."""
    other = profile.model_copy(update={"hash_function": "farmHash64"})
    inspection, store = await inspect(other, farmHash64=[{"root_hash": "1234567890123456789"}])

    assert inspection.lookup.root_hash == 1234567890123456789
    assert inspection.lookup.shard == 1234567890123456789 % 200
    assert store.asked[1][0].parameters["keys"] == [(1234567890123456789, "example,docs!,/guide s443")]
    assert inspection.steps[0].query is not None


@on_both_stores
@pytest.mark.parametrize(
    ("url", "as_of", "details"),
    [
        (
            "https://developer.aliyun.com/article/1485698",
            datetime(2026, 4, 6, 20, tzinfo=UTC),
            ["HTTP 200", "0.2 months ago", "No drop reason", "ml_spam_score=0", "Not set"],
        ),
        (
            "https://murphypei.github.io/blog/2020/09/pytorch-distributed",
            datetime(2026, 6, 2, 12, tzinfo=UTC),
            ["HTTP 200", "1 months ago", "No drop reason", "ml_spam_score=0", "Not set"],
        ),
    ],
)
async def test_the_seed_pages_are_what_the_old_page_showed(
    inspector: Inspector, url: str, as_of: datetime, details: list[str]
) -> None:
    """Verdict, badges, the five details and the skipped step, on the real engine, as of the day of the seed."""
    inspection = await inspector.inspect(inspector.read(url), as_of)

    assert [rule.details for rule in inspection.filters] == details
    assert {rule.outcome for rule in inspection.filters} == {Outcome.PASS}
    assert (inspection.index_badge, inspection.crawl_badge, inspection.robots_badge) == (
        "INDEXABLE",
        "CRAWLED",
        "ROBOTS ALLOWED",
    )
    assert inspection.steps[4].outcome is StepOutcome.SKIPPED


@on_both_stores
async def test_badge_and_filter_follow_the_same_instant(inspector: Inspector) -> None:
    """Eight months after its crawl the same row fails the age cutoff, and nothing else changed."""
    lookup = inspector.read("https://developer.aliyun.com/article/1485698")
    later = await inspector.inspect(lookup, datetime(2026, 12, 1, tzinfo=UTC))

    assert (later.verdict, later.cause) == (Verdict.NOT_INDEXABLE, "age-cutoff")
    assert later.filters[1].details == "8.1 months ago"


@on_both_stores
async def test_a_page_that_is_not_there_names_the_one_that_is(inspector: Inspector) -> None:
    """A near match is found by its exact key and named with its difference."""
    asked = "http://developer.aliyun.com/article/1485698/"
    inspection = await inspector.inspect(inspector.read(asked), datetime(2026, 4, 6, tzinfo=UTC))

    assert inspection.verdict is Verdict.NOT_CRAWLED
    assert [(near.url, near.verdict) for near in inspection.near_matches] == [
        ("https://developer.aliyun.com/article/1485698", Verdict.INDEXABLE)
    ]
    assert inspection.robots.verdict is not RobotsVerdict.UNKNOWN


@on_both_stores
async def test_a_heavy_text_is_read_when_asked(inspector: Inspector) -> None:
    """One column of one page; an unknown field is the caller's mistake."""
    lookup = inspector.read("https://developer.aliyun.com/article/1485698")

    assert len(await inspector.heavy(lookup, "attrs_markdown") or "") > 100
    with pytest.raises(KeyError):
        await inspector.heavy(lookup, "meta_title")


async def test_the_queries_of_one_inspection_are_named_after_it_and_their_step(profile: IndexProfile) -> None:
    """A DBA who finds one of them in `system.query_log` finds the others by the request id, and knows each step."""
    names: list[str] = []

    class Noting(ScriptedStore):
        async def fetch(self, query: Query, shard: int | None) -> Rows:
            names.append(next_query_id())
            return await super().fetch(query, shard)

    inspector = Inspector(Noting(), profile)
    await inspector.inspect(inspector.read(URL))

    parts = [name.removeprefix("crawler-inspector-").split("-") for name in names]
    assert len({request for request, _, _ in parts}) == 1
    assert sorted(step for _, step, _ in parts) == ["crawled", "near", "robots", "seen", "spam"]
