"""The sample crawl: the same each time, and complete: every case that a crawl has is in it."""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from bot.address.key import url_key
from bot.index.profile import IndexProfile
from bot.index.sample import EXAMPLES, SAMPLE_TABLES, SEED_URLS, load_sample, sample_tables
from bot.index.sample.catalog import WRITTEN_ROBOTS
from bot.index.sample.faults import FAILING, UNKNOWN, six_months_before
from bot.index.sample.hostile import HOSTILE
from bot.index.sample.load import PAGES, json_lines, sample_pages
from bot.index.sample.robots import ROBOTS
from bot.index.sample.sites import LONG_DOMAIN, SITES

LOADED_AT = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)  # as in conftest.py
ALIYUN, MURPHYPEI = SEED_URLS


def digest(now: datetime) -> str:
    found = hashlib.sha256()
    for table in sample_tables(now):
        for rows in table.batches:
            found.update(json_lines(rows))
    return found.hexdigest()


def judged(engine: Client, profile: IndexProfile, now: datetime, where: str = "1") -> list[dict[str, Any]]:
    """The outcome of every filter (1, 0, None) for the pages of `where`, by ClickHouse."""
    columns = ", ".join(f"({rule.condition}) AS `{rule.id}`" for rule in profile.filters)
    sql = f"SELECT src_unparsed, {columns} FROM {profile.source} WHERE {where}"
    return list(engine.query(sql, parameters={"now": int(now.timestamp())}).named_results())


def outcome(engine: Client, profile: IndexProfile, url: str, now: datetime = LOADED_AT) -> dict[str, Any] | None:
    """How one page is judged; None where the table has no such page."""
    key = url_key(url)
    found = judged(engine, profile, now, f"src_root_hash = {key.root_hash}")
    row = next((row for row in found if row["src_unparsed"] == key.unparsed), None)
    return row and {rule: value for rule, value in row.items() if rule != "src_unparsed"}


def stored(engine: Client, url: str, columns: str) -> dict[str, Any]:
    """Columns of one page, its newest row."""
    key = url_key(url)
    sql = f"SELECT {columns} FROM {PAGES} FINAL WHERE (src_root_hash, src_unparsed) = ({{hash:UInt64}}, {{key:String}})"
    (row,) = engine.query(sql, parameters={"hash": key.root_hash, "key": key.unparsed}).named_results()
    return dict(row)


def test_the_same_moment_makes_the_same_bytes() -> None:
    """Nothing depends on the clock, the order of a set or an earlier run."""
    assert digest(LOADED_AT) == digest(LOADED_AT)


def test_another_moment_moves_the_ages_only_of_invented_pages() -> None:
    """The two real pages keep their times; the others keep their ages."""
    later = LOADED_AT + timedelta(days=30)
    rows, moved = (
        {row["src_unparsed"]: row for batch in next(sample_tables(now)).batches for row in batch}
        for now in (LOADED_AT, later)
    )
    seed, invented = (url_key(url).unparsed for url in (ALIYUN, EXAMPLES["indexable"]))

    assert rows[seed] == moved[seed]
    assert moved[invented]["download_stamp"] - rows[invented]["download_stamp"] == 30 * 86400


def test_totals_tell_the_number_of_rows() -> None:
    """What progress promises is what comes, for the tables that the store empties before."""
    tables = list(sample_tables(LOADED_AT))
    totals = {table.name: table.total for table in tables}
    counts = {table.name: sum(len(rows) for rows in table.batches) for table in tables}

    assert counts == totals
    assert tuple(counts) == SAMPLE_TABLES


def test_there_are_some_5000_pages_over_some_60_sites() -> None:
    """Every page is another page, in ten languages or more."""
    keys = [url_key(spec.url) for spec in sample_pages()]

    assert len({key.unparsed for key in keys}) == len(keys)
    assert 4500 <= len(keys) <= 5500
    assert 55 <= len({key.root for key in keys}) <= 70
    assert {spec.language for spec in sample_pages()} >= {"en", "de", "fr", "ja", "zh-cn", "ar", "he", "ru", "hi"}


def test_a_root_is_longer_than_32_bytes() -> None:
    """There ClickHouse's two FarmHash functions part, so an index of the wrong one is found out."""
    assert 33 <= len(url_key(f"https://{LONG_DOMAIN}/").root.encode()) <= 96


def test_every_kind_of_robots_file_is_served_by_a_host() -> None:
    """None is written in vain."""
    served = {*WRITTEN_ROBOTS.values(), *(site.robots for site in SITES)}

    assert served == set(ROBOTS)


def test_every_row_arrives(engine: Client) -> None:
    """The engine holds as many distinct rows as were made."""
    made = {table.name: table.total for table in sample_tables(LOADED_AT)}
    made[PAGES] = len(sample_pages())
    held = {name: engine.query(f"SELECT count() FROM {name} FINAL").result_rows[0][0] for name in SAMPLE_TABLES}

    assert held == made


def test_every_set_of_failing_filters_is_there(engine: Client, profile: IndexProfile) -> None:
    """None, each alone, each pair, and so on up to all five: 32 sets."""
    filters = [rule.id for rule in profile.filters]
    found = {tuple(row[rule] for rule in filters) for row in judged(engine, profile, LOADED_AT)}

    assert set(product((0, 1), repeat=5)) - found == set()


@pytest.mark.parametrize("rule", UNKNOWN)
def test_a_filter_without_an_answer_is_there(engine: Client, profile: IndexProfile, rule: str) -> None:
    """Alone, where all others pass, and beside a failing one."""
    origin = "https://combinations.example/unknown"
    alone = outcome(engine, profile, f"{origin}/{rule}")
    beside = outcome(engine, profile, f"{origin}/{rule}/failing/canonical")

    assert alone == {**dict.fromkeys(FAILING, 1), rule: None}
    assert beside == {**dict.fromkeys(FAILING, 1), rule: None, "canonical": 0}


def test_every_nullable_column_is_null_somewhere_and_not_everywhere(engine: Client) -> None:
    """Also in the three smaller tables."""
    sql = "SELECT table, name FROM system.columns WHERE database = 'crawler3' AND type LIKE 'Nullable%'"
    columns = [tuple(row) for row in engine.query(sql).result_rows]
    counts = {
        (table, name): engine.query(
            f"SELECT countIf(isNull({name})) > 0, countIf(isNotNull({name})) > 0 FROM crawler3.{table}"
        ).result_rows[0]
        for table, name in columns
    }

    assert len(counts) > 30
    assert {column: both for column, both in counts.items() if tuple(both) != (1, 1)} == {}


@pytest.mark.parametrize(
    ("name", "failing"),
    [
        ("indexable", set()),
        ("not found", {"http-status"}),
        ("redirected", {"http-status"}),
        ("too old", {"age-cutoff"}),
        ("dropped", {"history-drop"}),
        ("spam", {"spam-ban"}),
        ("banned", {"spam-ban"}),
        ("canonical elsewhere", {"canonical"}),
        ("everything fails", set(FAILING)),
        ("robots disallowed", set()),
        ("robots unknown", set()),
        ("robots unreachable", set()),
        ("hostile title", set()),
        ("big text", set()),
        ("recrawled", set()),
    ],
)
def test_an_example_is_judged_as_it_is_described(
    engine: Client, profile: IndexProfile, name: str, failing: set[str]
) -> None:
    """The examples of the README fail what their name says and nothing else."""
    assert outcome(engine, profile, EXAMPLES[name]) == {rule: int(rule not in failing) for rule in FAILING}


@pytest.mark.parametrize(
    ("name", "crawled", "seen"),
    [("nothing known", 1, 1), ("not crawled but seen", 0, 1), ("never seen", 0, 0), ("near match", 0, 0)],
)
def test_an_example_stands_in_the_tables_that_it_should(engine: Client, name: str, crawled: int, seen: int) -> None:
    """A page is crawled, only seen, or neither."""
    parameters = {"key": url_key(EXAMPLES[name]).unparsed}
    counts = [
        engine.query(f"SELECT count() FROM {table} WHERE src_unparsed = {{key:String}}", parameters=parameters)
        for table in (PAGES, "crawler3.seen_urls_local")
    ]

    assert [found.result_rows[0][0] for found in counts] == [crawled, seen]


@pytest.mark.parametrize(("url", "as_of"), [(ALIYUN, "2026-04-06T20:00Z"), (MURPHYPEI, "2026-06-02T12:00Z")])
def test_the_real_pages_passed_every_filter(engine: Client, profile: IndexProfile, url: str, as_of: str) -> None:
    """As of the days on which they were looked up."""
    assert outcome(engine, profile, url, datetime.fromisoformat(as_of)) == dict.fromkeys(FAILING, 1)


def test_the_real_pages_have_their_facts(engine: Client) -> None:
    """Times, sizes, counts, classes, and the partition that follows from the root hash."""
    columns = (
        "toUnixTimestamp(download_stamp) AS crawled, toUnixTimestamp(props_url_first_seen) AS met, _partition_id,"
        " toString(src_root_hash) AS hash, attrs_language, attrs_word_count_total, attrs_word_count_content,"
        " links_external, links_internal, download_time_ms, download_ttfb_ms, download_size_bytes, ml_page_types"
    )
    aliyun, murphypei = (stored(engine, url, columns) for url in SEED_URLS)

    assert (aliyun["crawled"], aliyun["met"], aliyun["hash"]) == (1774985740, 1713428194, "892221456919234349")
    assert murphypei == {
        "crawled": 1777778691,
        "met": 1601105734,
        "_partition_id": "61",
        "hash": "2566890010099092343",
        "attrs_language": "zh-cn",
        "attrs_word_count_total": 786,
        "attrs_word_count_content": 635,
        "links_external": 5,
        "links_internal": 20,
        "download_time_ms": 41,
        "download_ttfb_ms": 40,
        "download_size_bytes": 12013,
        "ml_page_types": {"/Article": 999, "/Article/Tutorial_or_Guide": 987},
    }


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_title_arrives_byte_for_byte(engine: Client, name: str) -> None:
    """NUL, control characters and bytes that are no UTF-8 included."""
    row = stored(engine, f"https://hostile.example/title/{name}", "hex(meta_title) AS title")

    assert bytes.fromhex(row["title"]) == HOSTILE[name].encode("utf-8", "surrogateescape")


def test_the_newest_crawl_wins(engine: Client) -> None:
    """The earlier one was inserted later, and still loses."""
    assert stored(engine, EXAMPLES["recrawled"], "download_http_code") == {"download_http_code": 200}


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("2026-12-01T12:00:00Z", "2026-06-01T12:00:00Z"),
        ("2026-03-15T00:00:00Z", "2025-09-15T00:00:00Z"),
        ("2026-08-31T23:59:59Z", "2026-02-28T23:59:59Z"),
        ("2028-08-31T00:00:00Z", "2028-02-29T00:00:00Z"),
        ("2026-12-31T00:00:00Z", "2026-06-30T00:00:00Z"),
    ],
)
def test_six_months_are_counted_as_clickhouse_counts_them(engine: Client, now: str, expected: str) -> None:
    """A month that lacks the day gives its last one."""
    sql = "SELECT toUnixTimestamp({now:DateTime('UTC')} - INTERVAL 6 MONTH)"
    moment = datetime.fromisoformat(now)
    counted = engine.query(sql, parameters={"now": int(moment.timestamp())}).result_rows[0][0]

    assert six_months_before(moment) == datetime.fromisoformat(expected)
    assert counted == datetime.fromisoformat(expected).timestamp()


@pytest.mark.parametrize(("name", "passes"), [("just-inside", 1), ("exactly", 0), ("just-outside", 0)])
def test_the_age_cutoff_is_strict(engine: Client, profile: IndexProfile, name: str, passes: int) -> None:
    """Exactly six months old is too old."""
    found = outcome(engine, profile, f"https://cases.example/{name}-six-months")

    assert found is not None
    assert found["age-cutoff"] == passes


class Recorder:
    """Takes inserts and counts their lines by table."""

    def __init__(self) -> None:
        self.lines: Counter[str] = Counter()

    def raw_insert(self, table: str, *, insert_block: bytes, fmt: str) -> None:
        assert fmt == "JSONEachRow"
        self.lines[table] += insert_block.count(b"\n") + 1


def test_loading_tells_its_progress() -> None:
    """Each table from nothing to all of its rows, in steps that never go back."""
    told: list[tuple[str, int, int]] = []
    recorder = Recorder()
    load_sample(recorder, LOADED_AT, lambda *step: told.append(step))
    totals = {table.title: table.total for table in sample_tables(LOADED_AT)}

    assert told == sorted(told, key=lambda step: (list(totals).index(step[0]), step[1]))
    assert [(title, done) for title, done, total in told if done == 0 or done == total] == [
        (title, done) for title, total in totals.items() for done in (0, total)
    ]
    assert tuple(recorder.lines.values()) == tuple(totals.values())
