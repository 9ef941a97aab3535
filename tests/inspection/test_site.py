from __future__ import annotations

from collections import Counter

import pytest
from clickhouse_connect.driver.client import Client

from bot.errors import BadUrl, StoreUnavailable
from bot.index.profile import IndexProfile, changed
from bot.inspection.bulk import inspect_many
from bot.inspection.model import Inspection, Outcome, RobotsVerdict, Verdict
from bot.inspection.pipeline import Inspector
from bot.inspection.site import SiteReport, inspect_site, robots_counts
from bot.inspection.site_target import read_site
from tests.conftest import LOADED_AT
from tests.inspection.scripted_store import ScriptedStore
from tests.store.both import on_both_stores


@pytest.mark.parametrize(
    ("asked", "name", "prefix", "host"),
    [
        ("example.com", "example.com", "com,example!", None),
        ("  EXAMPLE.com/ ", "example.com", "com,example!", None),
        ("www.example.com", "www.example.com", "com,example!www,", "www.example.com"),
        ("https://example.com", "example.com", "com,example!,", "example.com"),
        ("example.com/blog/", "example.com/blog/", "com,example!,/blog/", "example.com"),
        ("https://a.example.co.uk/x?y=", "a.example.co.uk/x?y=", "uk,co,example!a,/x?y=", "a.example.co.uk"),
        ("bücher.example", "xn--bcher-kva.example", "example,xn--bcher-kva!", None),
        ("192.0.2.1", "192.0.2.1", "192.0.2.1!", None),
    ],
)
def test_a_site_is_a_domain_a_host_or_a_beginning(
    profile: IndexProfile, asked: str, name: str, prefix: str, host: str | None
) -> None:
    """A bare registered domain means all of its hosts; anything longer means what it says."""
    target = read_site(asked, profile)

    assert (target.name, target.prefix, target.host) == (name, prefix, host)


@pytest.mark.parametrize("asked", ["", "no site", "ftp://example.com/", "http://"])
def test_what_is_no_site_is_answered_with_an_example(profile: IndexProfile, asked: str) -> None:
    """One sentence, with what was read and how it is done."""
    with pytest.raises(BadUrl, match=r"example\.com/blog/"):
        read_site(asked, profile)


async def inspections_of(inspector: Inspector, engine: Client, prefix: str) -> list[Inspection]:
    """Every page whose key begins so, inspected for itself."""
    profile = inspector.profile
    sql = f"SELECT {profile.key} FROM {profile.source} WHERE startsWith({profile.key}, {{prefix:String}})"
    keys = [row[0] for row in engine.query(sql, parameters={"prefix": prefix}).result_rows]
    lookups = [inspector.read(key) for key in keys]
    return [item async for item in inspect_many(inspector, lookups) if isinstance(item, Inspection)]


def counted(inspections: list[Inspection]) -> dict[str, tuple[int, int, int, int]]:
    """By filter: failing, first, alone, unknown."""
    rows: dict[str, list[int]] = {}
    for inspection in inspections:
        failing = [result.id for result in inspection.filters if result.outcome is Outcome.FAIL]
        for result in inspection.filters:
            counts = rows.setdefault(result.id, [0, 0, 0, 0])
            counts[0] += result.id in failing
            counts[1] += inspection.cause == result.id
            counts[2] += failing == [result.id]
            counts[3] += result.outcome is Outcome.UNKNOWN
    return {rule: (a, b, c, d) for rule, (a, b, c, d) in rows.items()}


SITES = ["news.example", "shop.example", "www.shop.example", "https://shop.example/", "hostile.example", "github.io"]


@on_both_stores
@pytest.mark.parametrize("site", [*SITES, "archive.forum.example/blog/"])
async def test_the_numbers_are_those_of_every_page_inspected(inspector: Inspector, engine: Client, site: str) -> None:
    """Verdicts, causes, failures alone, unknowns, status codes: counted by one query as by thousands of inspections."""
    report = await inspect_site(inspector, site)
    every = await inspections_of(inspector, engine, report.target.prefix)
    codes = Counter(None if item.page is None else item.page["download_http_code"] for item in every)

    assert report.failures == ()
    assert report.crawled == len(every) > 0
    assert {verdict: count for verdict, count in report.verdicts.items() if count} == Counter(
        item.verdict for item in every
    )
    assert {rule.id: (rule.failing, rule.first, rule.alone, rule.unknown) for rule in report.filters} == counted(every)
    assert {code.value: code.pages for code in report.breakdowns[0].counts} == {
        None if code is None else str(code): count for code, count in codes.items()
    }
    causes = {item.lookup.url: item.cause for item in every}
    assert [causes[url] for rule in report.filters for url in rule.examples] == [
        rule.id for rule in report.filters for _ in rule.examples
    ]
    assert all(len(rule.examples) == min(3, rule.first) or rule.first > 3 for rule in report.filters)
    assert {sum(count.pages for count in item.counts) + item.rest for item in report.breakdowns} == {len(every)}


@on_both_stores
@pytest.mark.parametrize(
    ("condition", "digit"),
    [("'abc'", Outcome.UNKNOWN), ("NULL", Outcome.UNKNOWN), ("5", Outcome.PASS), ("true", Outcome.PASS), ("0", None)],
)
async def test_a_condition_counts_as_it_judges_one_page(
    inspector: Inspector, condition: str, digit: Outcome | None
) -> None:
    """Text is unknown and any number but zero passes, however many filters stand beside it."""
    first, *rest = inspector.profile.filters
    odd = changed(inspector.profile, filters=(changed(first, condition=condition), *rest))
    report = await inspect_site(Inspector(inspector.store, odd, clock=lambda: LOADED_AT), "example.com")
    count = report.filters[0]

    assert report.crawled
    assert (count.unknown, count.failing) == (
        report.crawled if digit is Outcome.UNKNOWN else 0,
        report.crawled if digit is None else 0,
    )


@on_both_stores
async def test_known_pages_are_the_crawled_and_the_only_met(inspector: Inspector, engine: Client) -> None:
    """The frontier adds the pages that it knows and that no crawl has fetched."""
    profile = inspector.profile
    root = (
        engine.query(
            f"SELECT {profile.seen.key} FROM {profile.seen.source} WHERE {profile.seen.key} NOT IN"
            f" (SELECT {profile.key} FROM {profile.source}) ORDER BY 1 LIMIT 1"
        )
        .result_rows[0][0]
        .partition("!")[0]
    )
    seen = f"SELECT {profile.seen.key} FROM {profile.seen.source} WHERE startsWith({profile.seen.key}, '{root}!')"
    crawled = f"SELECT {profile.key} FROM {profile.source} WHERE startsWith({profile.key}, '{root}!')"
    expected = int(engine.query(f"SELECT uniqExact(*) FROM ({seen} UNION ALL {crawled})").result_rows[0][0])
    report = await inspect_site(inspector, ".".join(reversed(root.split(","))))

    assert report.seen_only
    assert report.known == expected


@on_both_stores
async def test_robots_and_bans_are_summed_up_host_by_host(inspector: Inspector, engine: Client) -> None:
    """Every stored robots.txt of the site is judged; banned hosts are named."""
    profile = inspector.profile
    banned = engine.query(f"SELECT host FROM {profile.bans.source} WHERE dont_index = 1 ORDER BY host LIMIT 1")
    host = banned.result_rows[0][0]
    report = await inspect_site(inspector, f"https://{host}/")
    single = await inspector.inspect(inspector.read(f"https://{host}/"))

    assert report.banned == (host,)
    assert report.robots is not None
    assert [item.result.verdict for item in report.robots] in ([], [single.robots.verdict])
    assert sum(robots_counts(report.robots).values()) == len(report.robots)


async def test_what_does_not_answer_is_none_and_says_why(profile: IndexProfile) -> None:
    """A silent frontier leaves the counts of the crawled pages as they are."""
    page = {"part": 15, "pattern": 0, "pages": 5, "listed": ["example,docs!,/a s443"]}
    store = ScriptedStore(seen_urls=StoreUnavailable("gone"), page_info=[page], robots_txt=StoreUnavailable("gone"))
    report: SiteReport = await inspect_site(Inspector(store, profile), "docs.example")

    assert (report.crawled, report.seen_only, report.known, report.robots) == (5, None, None, None)
    assert report.verdicts == {Verdict.NOT_INDEXABLE: 5}
    assert [step.id for step in report.failures] == ["frontier", "robots"]
    assert RobotsVerdict.UNKNOWN.value == "unknown"
