"""From a page's description to its row, and from a site to the descriptions of its pages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from random import Random

from bot.address.key import UrlKey, url_key
from bot.index.sample.faults import DAY, FAILING, HOUR, UNKNOWN, Circumstances, six_months_before
from bot.index.sample.spec import PageSpec, Row, Site
from bot.index.sample.stock import STOCKS, Stock
from bot.index.sample.texts import texts

SEED = "crawler3"
ELSEWHERE = "https://www.example.com/"
SECTIONS = ("page", "blog", "docs", "private", "private/open", "drafts/new", "search", "a")
ENDINGS = ("", "", "", "", ".html", ".pdf", "/", "?page=2&sort=price", "?q=a+b%20c&utm_source=mail")
CATEGORIES = ("/Shopping", "/Home_and_Garden", "/Food_and_Drink", "/Travel", "/Computers_and_Electronics", "/News")
PAGE_TYPES = ("/Article", "/Article/Tutorial_or_Guide", "/Product", "/Listing", "/Forum", "/Homepage")
INTENTS = ("Informational", "Transactional", "Navigational", "Commercial")
# Columns that are NULL in one page of thirty.
SOMETIMES_NULL = (
    "props_url_first_seen",
    "meta_title",
    "attrs_boilerpipe_text",
    "attrs_markdown",
    "attrs_readable_markdown",
    "attrs_language",
    "attrs_publish_time",
    "attrs_original_publish_time",
    "attrs_republished",
    "attrs_word_count_total",
    "attrs_word_count_content",
    "links_external",
    "links_internal",
    "meta_nofollow",
    "meta_noarchive",
    "download_js_rendered",
    "download_time_ms",
    "download_ttfb_ms",
    "download_size_bytes",
)


def drawn_pages(site: Site) -> Iterator[PageSpec]:
    """The pages of a site. The start page of each host is there and well; the others take what comes."""
    rng = Random(f"{SEED} {site.domain}")  # noqa: S311 - invented pages, not secrets
    stock, origins = STOCKS[site.language], site.origins
    banned: Row = {"fh_dont_index": site.ban.dont_index} if site.ban else {}
    for number in range(site.pages):
        origin = origins[number % len(origins)]
        if number < len(origins):
            yield PageSpec(f"{origin}/", site.language, facts=banned)
            continue
        path = f"{rng.choice(SECTIONS)}/{rng.choice(stock.slugs)}-{number}{rng.choice(ENDINGS)}"
        failing, unknown = _fate(rng)
        yield PageSpec(f"{origin}/{path}", site.language, failing, unknown, f"{origin}/", facts=banned)


def _fate(rng: Random) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Three pages of five are indexable; two in a hundred leave a filter without an answer."""
    count = rng.choices((0, 1, 2, 3, 4, 5), (62, 26, 8, 2, 1, 1))[0]
    failing = tuple(rng.sample(list(FAILING), count))
    unknown = (rng.choice(list(UNKNOWN)),) if rng.random() < 0.02 else ()
    return failing, unknown


def page_row(spec: PageSpec, now: datetime) -> Row:
    """The row of a page as it is known at `now`."""
    key = url_key(spec.url)
    row: Row = {"src_root_hash": key.root_hash, "src_unparsed": key.unparsed}
    return {**row, **(spec.facts if spec.bare else _drawn(spec, now, key))}


def earlier_row(spec: PageSpec, now: datetime) -> Row:
    """The row of the crawl before the last one, four months older."""
    row = page_row(spec, now)
    return {**row, "download_stamp": row["download_stamp"] - 120 * DAY, **(spec.earlier or {})}


def _drawn(spec: PageSpec, now: datetime, key: UrlKey) -> Row:
    rng = Random(f"{SEED} {spec.url}")  # noqa: S311 - invented pages, not secrets
    stock = STOCKS[spec.language]
    row = {**_crawl(spec, now, key.unparsed, rng), **_content(stock, rng), **texts(spec, stock, rng), **_technical(rng)}
    row.update({column: None for column in SOMETIMES_NULL if rng.random() < 1 / 30})
    case = Circumstances(rng, int(now.timestamp()), spec.related or ELSEWHERE)
    for filter_id in spec.failing:
        row.update(FAILING[filter_id](case))
    for filter_id in spec.unknown:
        row.update(UNKNOWN[filter_id](case))
    return {**row, **spec.facts}


def _crawl(spec: PageSpec, now: datetime, unparsed: str, rng: Random) -> Row:
    """A page that passes every filter: canonical absent, empty or itself, all three being the same to the rule."""
    drawn = int(now.timestamp()) - rng.randint(HOUR, 150 * DAY)
    stamp = drawn if spec.age is None else int((now - spec.age).timestamp())
    if spec.six_months is not None:
        stamp = int(six_months_before(now).timestamp()) + spec.six_months
    return {
        "download_stamp": stamp,
        "props_url_first_seen": stamp - rng.randint(0, 2000 * DAY),
        "download_http_code": 200,
        "fh_dont_index": 0,
        "ml_spam_score": 0,
        "meta_canonical": rng.choice((None, None, None, "", unparsed)),
    }


def _content(stock: Stock, rng: Random) -> Row:
    published = 1_400_000_000 + rng.randint(0, 300_000_000)
    topic = rng.choice(stock.slugs).replace("-", " ")
    return {
        "meta_title": rng.choice(stock.titles).format(topic),
        "meta_descriptions": rng.sample(stock.sentences, rng.choice((0, 1, 1, 1, 2))),
        "ml_categories": _classes(CATEGORIES, rng),
        "ml_page_types": _classes(PAGE_TYPES, rng),
        "ml_intent_types": _classes(INTENTS, rng),
        "attrs_language": stock.code,
        "attrs_author": rng.choice((None, *stock.authors)),
        "attrs_publish_time": published,
        "attrs_original_publish_time": published - rng.randint(0, 100) * DAY,
        "attrs_republished": int(rng.random() < 0.2),
    }


def _classes(names: tuple[str, ...], rng: Random) -> Row:
    return {name: rng.randint(100, 999) for name in rng.sample(names, rng.choice((0, 1, 1, 2, 3)))}


def _technical(rng: Random) -> Row:
    ttfb = rng.randint(3, 900)
    return {
        "links_external": rng.randint(0, 60),
        "links_internal": rng.randint(0, 300),
        "meta_nofollow": int(rng.random() < 0.1),
        "meta_noarchive": int(rng.random() < 0.05),
        "download_js_rendered": int(rng.random() < 0.5),
        "download_redirect_target": rng.choice((None, None, None, "")),
        "download_ttfb_ms": ttfb,
        "download_time_ms": ttfb + rng.randint(1, 2000),
        "download_size_bytes": rng.randint(400, 3_000_000),
    }
