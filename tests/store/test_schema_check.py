"""A table that lacks what the profile reads: only that is lost, and it is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from bot.index.profile import IndexProfile, changed
from bot.inspection.model import Outcome, RobotsVerdict, Verdict
from bot.inspection.pipeline import Inspector
from bot.inspection.site import inspect_site
from bot.store.schema_check import MissingField, check_schema, profile_without
from tests.cluster.cluster import Cluster
from tests.store.opening import OpenStore

NOW = datetime(2026, 12, 1, tzinfo=UTC)
PAGES = "crawler3.page_info_local"
DROPPED = ("ml_spam_score", "meta_title", "attrs_language")


def renamed(profile: IndexProfile) -> IndexProfile:
    """The profile over tables of the database `poorer`."""
    text = profile.model_dump_json().replace("crawler3.", "poorer.")
    return IndexProfile.model_validate_json(text)


@pytest.fixture(scope="module")
def poorer(cluster: Cluster, cluster_profile: IndexProfile) -> Iterator[IndexProfile]:
    """Tables without four columns and without one table; one page that passes what is left."""
    tables = ("page_info_local", "robots_txt_local", "seen_urls_local")
    cluster.run(
        [
            "DROP DATABASE IF EXISTS poorer",
            "CREATE DATABASE poorer",
            *(f"CREATE TABLE poorer.{table} AS crawler3.{table}" for table in tables),
            *(f"ALTER TABLE poorer.page_info_local DROP COLUMN {name}" for name in DROPPED),
            "ALTER TABLE poorer.robots_txt_local DROP COLUMN body",
        ]
    )
    profile = renamed(cluster_profile)
    key = Inspector(None, profile).read("https://example.com/")  # type: ignore[arg-type]  # reading asks no store
    page = {"src_root_hash": str(key.root_hash), "src_unparsed": key.unparsed, "download_http_code": 200}
    page |= {"download_stamp": int(NOW.timestamp()), "fh_dont_index": 0}
    robots = {"root_hash": str(key.root_hash), "host": "example.com", "http_code": 200}
    cluster.raw_insert("poorer.robots_txt_local", insert_block=json.dumps(robots).encode(), fmt="JSONEachRow")
    cluster.raw_insert("poorer.page_info_local", insert_block=json.dumps(page).encode(), fmt="JSONEachRow")
    yield profile
    cluster.run(["DROP DATABASE poorer"])


async def test_the_built_in_tables_lack_nothing(open_store: OpenStore, cluster_profile: IndexProfile) -> None:
    """Schema and profile of the package belong together."""
    assert await check_schema(open_store(), cluster_profile) == []


async def test_what_is_missing_is_named_with_what_it_serves(open_store: OpenStore, poorer: IndexProfile) -> None:
    """Each expression that the tables cannot serve, with its table and column; a table that is not there, once."""
    missing = await check_schema(open_store(), poorer)

    assert [(item.table, item.column, item.serves) for item in missing] == [
        ("poorer.page_info_local", "ml_spam_score", "field ml_spam_score"),
        ("poorer.page_info_local", "meta_title", "field meta_title"),
        ("poorer.page_info_local", "attrs_language", "field attrs_language"),
        ("poorer.page_info_local", "ml_spam_score", "filter spam-ban"),
        ("poorer.page_info_local", "attrs_language", "breakdown languages"),
        ("poorer.robots_txt_local", "body", "robots.body"),
        ("poorer.host_bans_local", "table", "all of poorer.host_bans_local"),
    ]
    assert str(missing[1]) == "poorer.page_info_local: no usable meta_title, which serves field meta_title."


async def test_only_that_field_is_lost(open_store: OpenStore, poorer: IndexProfile) -> None:
    """The inspection runs: the lost field is NULL, the lost filter UNKNOWN with its reason, the rest is judged."""
    store = open_store()
    usable = profile_without(poorer, await check_schema(store, poorer))
    inspector = Inspector(store, usable, clock=lambda: NOW)
    inspection = await inspector.inspect(inspector.read("https://example.com/"))

    outcomes = {result.id: result.outcome for result in inspection.filters}
    assert outcomes == {
        "http-status": Outcome.PASS,
        "age-cutoff": Outcome.PASS,
        "history-drop": Outcome.PASS,
        "spam-ban": Outcome.UNKNOWN,
        "canonical": Outcome.PASS,
    }
    assert inspection.verdict is Verdict.UNKNOWN
    assert inspection.page is not None
    assert (inspection.page["meta_title"], inspection.page["attrs_language"]) == (None, None)
    assert inspection.robots.verdict is RobotsVerdict.UNKNOWN
    assert inspection.robots.note == (
        "The robots.txt cannot be judged: No column body in the table poorer.robots_txt_local (body)."
    )
    assert inspection.page["download_http_code"] == 200
    spam = inspection.filter("spam-ban")
    assert spam is not None
    assert spam.details == "No column ml_spam_score in the table"
    assert {step.id: step.outcome for step in inspection.steps}["spam"] == "failed"  # its table is not there


async def test_a_site_loses_one_breakdown_and_says_so(open_store: OpenStore, poorer: IndexProfile) -> None:
    """The pages are counted; the lost filter is not answered rather than at zero."""
    store = open_store()
    usable = profile_without(poorer, await check_schema(store, poorer))
    report = await inspect_site(Inspector(store, usable, clock=lambda: NOW), "example.com")

    assert report.crawled == 1
    assert [item.id for item in report.breakdowns] == ["status-codes", "drop-reasons", "crawl-age"]
    assert [(step.title, step.note) for step in report.failures if step.id == "lost"] == [
        ("Robots.txt files", "No column body in the table."),
        ("Languages", "No column attrs_language in the table."),
    ]
    assert [rule.id for rule in report.filters if not report.counted(rule)] == ["spam-ban"]


@pytest.mark.parametrize(
    ("condition", "said"),
    [("download_http_code = ", "Syntax error"), ("nosuch(1)", "nosuch"), ("nosuch = 1", "No column nosuch")],
)
async def test_wrong_sql_is_told_in_the_servers_words(
    open_store: OpenStore, cluster_profile: IndexProfile, condition: str, said: str
) -> None:
    """A condition that no column could save is not blamed on a column."""
    first, *rest = cluster_profile.filters
    wrong = changed(cluster_profile, filters=(changed(first, condition=condition), *rest))
    missing = await check_schema(open_store(), wrong)
    rule = profile_without(wrong, missing).filters[0]

    assert [item.serves for item in missing] == ["filter http-status"]
    assert said in rule.details.absent
    assert rule.details.absent.startswith("No column") == (condition == "nosuch = 1")


def test_what_was_computed_of_a_profile_is_not_of_its_copy(cluster_profile: IndexProfile) -> None:
    """The light fields that the whole profile was asked for are not those of the poorer one."""
    assert cluster_profile.light_fields
    poorer = profile_without(cluster_profile, [MissingField(PAGES, "meta_title", "field meta_title", "reason")])

    assert {spec.id: spec.sql for spec in poorer.light_fields}["meta_title"] == "NULL"


async def test_without_the_check_the_step_fails_with_the_reason(open_store: OpenStore, poorer: IndexProfile) -> None:
    """Why the check is worth it: one missing column ends the whole step."""
    inspector = Inspector(open_store(), poorer, clock=lambda: NOW)
    inspection = await inspector.inspect(inspector.read("https://example.com/"))

    assert inspection.crawled is None


def test_nothing_missing_changes_nothing(cluster_profile: IndexProfile) -> None:
    """The profile without nothing is the profile."""
    assert profile_without(cluster_profile, []) == cluster_profile


def test_a_lost_filter_says_what_it_lacks_whatever_the_columns_name(cluster_profile: IndexProfile) -> None:
    """The name is the server's word and may hold anything, braces included; it is shown as it stands."""
    missing = MissingField(PAGES, "it's a {column}", "filter canonical", "reason")
    rule = profile_without(cluster_profile, [missing]).filter("canonical")

    assert rule is not None
    assert rule.condition == "CAST(NULL AS Nullable(UInt8))"
    assert rule.details.absent.format_map({}) == "No column it's a {column} in the table"
