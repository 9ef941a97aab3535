"""A table that lacks what the profile reads: only that is lost, and it is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from bot.index.profile import IndexProfile
from bot.inspection.model import Outcome, Verdict
from bot.inspection.pipeline import Inspector
from bot.store.schema_check import MissingField, check_schema, profile_without
from tests.cluster.cluster import Cluster
from tests.store.opening import OpenStore

NOW = datetime(2026, 12, 1, tzinfo=UTC)
PAGES = "crawler3.page_info_local"


def renamed(profile: IndexProfile) -> IndexProfile:
    """The profile over tables of the database `poorer`."""
    text = profile.model_dump_json().replace("crawler3.", "poorer.")
    return IndexProfile.model_validate_json(text)


@pytest.fixture(scope="module")
def poorer(cluster: Cluster, cluster_profile: IndexProfile) -> Iterator[IndexProfile]:
    """Tables without three columns and without one table; one page that passes what is left."""
    tables = ("page_info_local", "robots_txt_local", "seen_urls_local")
    cluster.run(
        [
            "DROP DATABASE IF EXISTS poorer",
            "CREATE DATABASE poorer",
            *(f"CREATE TABLE poorer.{table} AS crawler3.{table}" for table in tables),
            *(f"ALTER TABLE poorer.page_info_local DROP COLUMN {name}" for name in ("ml_spam_score", "meta_title")),
            "ALTER TABLE poorer.robots_txt_local DROP COLUMN body",
        ]
    )
    profile = renamed(cluster_profile)
    key = Inspector(None, profile).read("https://example.com/")  # type: ignore[arg-type]  # reading asks no store
    page = {"src_root_hash": str(key.root_hash), "src_unparsed": key.unparsed, "download_http_code": 200}
    page |= {"download_stamp": int(NOW.timestamp()), "fh_dont_index": 0}
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
        ("poorer.page_info_local", "ml_spam_score", "filter spam-ban"),
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
    assert inspection.page["meta_title"] is None
    assert inspection.page["download_http_code"] == 200
    spam = inspection.filter("spam-ban")
    assert spam is not None
    assert spam.details == "No column ml_spam_score in the table"
    assert {step.id: step.outcome for step in inspection.steps}["spam"] == "failed"  # its table is not there


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
