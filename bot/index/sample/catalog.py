"""The pages that are written by hand: one for every case that somebody may want to see or test."""

from __future__ import annotations

from datetime import timedelta
from itertools import combinations

from bot.index.sample.faults import FAILING, UNKNOWN
from bot.index.sample.hostile import HOSTILE
from bot.index.sample.seeds import SEED_PAGES
from bot.index.sample.spec import Ban, PageSpec, Row

# A short description → a URL that shows it.
EXAMPLES: dict[str, str] = {
    "indexable": "https://cases.example/indexable",
    "not found": "https://cases.example/not-found",
    "redirected": "https://cases.example/moved",
    "too old": "https://cases.example/too-old",
    "dropped": "https://cases.example/dropped",
    "spam": "https://cases.example/spam",
    "banned": "https://banned-case.example/",
    "canonical elsewhere": "https://cases.example/print?of=indexable",
    "everything fails": "https://combinations.example/http-status+age-cutoff+history-drop+spam-ban+canonical",
    "nothing known": "https://cases.example/all-null",
    "robots disallowed": "https://cases.example/private/indexable-but-disallowed",
    "robots unknown": "https://robots-unread.example/",
    "robots unreachable": "https://robots-silent.example/",
    "not crawled but seen": "https://cases.example/seen/only",
    "never seen": "https://empty.example/never",
    "near match": "http://www.nearby.example/guide",
    "hostile title": "https://hostile.example/title/ping-channel",
    "big text": "https://cases.example/five-megabytes",
    "recrawled": "https://cases.example/recrawled",
}

# Each is one difference away from a URL that somebody may ask for.
NEARBY = (
    "https://nearby.example/guide",
    "https://www.nearby.example/guide",
    "http://nearby.example/only-http",
    "https://nearby.example/with-slash/",
    "https://nearby.example/Letter-Case",
    "https://nearby.example/tracked?id=7",
    "https://nearby.example/~home",
    "https://nearby.example/%E8%8C%B6",
    "https://nearby.example/a%2fb",
    "http://www.nearby.example/several/",
    "https://nearby.example/several",
)

ODD_ADDRESSES = (
    "https://addresses.example/" + "long/" * 400,
    "https://addresses.example/?" + "&".join(f"parameter{number}=value{number}" for number in range(150)),
    "https://addresses.example/%7Euser/a%2Fb%2fc",
    "https://addresses.example/%41%zz%",
    "https://addresses.example/%FF%FE%00%0A",
    "https://addresses.example/two%20%20spaces s443",
    "https://addresses.example/'; DROP TABLE crawler3.page_info_local; --",
    "https://addresses.example/?q=' OR 1=1 --&b=\"`<>{}|\\^",
    "https://addresses.example/a!b,c!/d,e s443",
    "https://addresses.example/%E2%80%AEfdp.exe",
    "https://addresses.example/<!channel>/*bold*/`code`/|x",
    "https://addresses.example/?",
    "https://addresses.example//double//slashes//",
    "https://addresses.example/;params=1;x",
    "https://addresses.example/(balanced)/[brackets]/wiki_(web)",
    "https://addresses.example/👍🏿/é/%C3%A9",
    "https://addresses.example:8443/port",
    "http://addresses.example:443/http-on-443",
    "https://addresses.example:80/https-on-80",
    "https://addresses.example:65535/last-port",
    "https://" + "a." * 60 + "addresses.example/deep-host",
    "https://xn--nxasmm1c.addresses.example/idn-subdomain",
    "https://under_score.addresses.example/",
    "http://203.0.113.9/ipv4",
    "http://203.0.113.9:8080/ipv4-port",
    "https://[2001:db8:0:1::2]:8443/ipv6-port",
    "http://localhost.test/",
)


def _combinations() -> list[PageSpec]:
    """Each set of failing filters, from none to all five; then each filter that can be unknown, alone and not."""
    subsets = [chosen for size in range(len(FAILING) + 1) for chosen in combinations(FAILING, size)]
    origin = "https://combinations.example"
    known = [PageSpec(f"{origin}/{'+'.join(ids) or 'none'}", failing=ids) for ids in subsets]
    alone = [PageSpec(f"{origin}/unknown/{name}", unknown=(name,)) for name in UNKNOWN]
    mixed = [
        PageSpec(f"{origin}/unknown/{name}/failing/{other}", failing=(other,), unknown=(name,))
        for name in UNKNOWN
        for other in FAILING
        if other != name
    ]
    return known + alone + mixed


def _hostile() -> list[PageSpec]:
    """Every hostile text as a title, as a drop reason, and once everywhere else."""
    origin = "https://hostile.example"
    titles = [
        PageSpec(f"{origin}/title/{name}", facts={"meta_title": text, "meta_descriptions": [text, text]})
        for name, text in HOSTILE.items()
    ]
    reasons = [
        PageSpec(f"{origin}/reason/{name}", facts={"history_drop_reason": text}) for name, text in HOSTILE.items()
    ]
    return (
        titles + reasons + [PageSpec(f"{origin}/everywhere/{name}", facts=_all(text)) for name, text in HOSTILE.items()]
    )


def _all(text: str) -> Row:
    columns = ("meta_title", "attrs_author", "attrs_boilerpipe_text", "attrs_markdown", "attrs_readable_markdown")
    classes = ("ml_categories", "ml_page_types", "ml_intent_types")
    return {
        **dict.fromkeys(columns, text),
        **{column: {text: 999} for column in classes},
        "attrs_language": text[:40],
        "meta_descriptions": [text],
    }


_MANY_CLASSES: Row = {"ml_categories": {f"/Many/Classes_{number:03}": number for number in range(300)}}
_MANY_DESCRIPTIONS: Row = {"meta_descriptions": ["One of very many descriptions."] * 400}
_LIMITS: Row = {
    "props_url_first_seen": 0,
    "download_stamp": 4_294_967_295,
    "download_size_bytes": 18_446_744_073_709_551_615,
    "links_external": 4_294_967_295,
    "links_internal": 0,
    "download_time_ms": 4_294_967_295,
    "attrs_publish_time": 4_294_967_295,
    "attrs_original_publish_time": 0,
}

CASES: tuple[PageSpec, ...] = (
    PageSpec("https://cases.example/", age=timedelta(minutes=5)),
    PageSpec(EXAMPLES["indexable"], age=timedelta(days=6), facts={"meta_title": "A page as it should be"}),
    PageSpec(EXAMPLES["not found"], facts={"download_http_code": 404}),
    PageSpec(
        EXAMPLES["redirected"],
        facts={"download_http_code": 301, "download_redirect_target": "example,cases!,/indexable s443"},
    ),
    PageSpec(EXAMPLES["too old"], age=timedelta(days=400)),
    PageSpec(EXAMPLES["dropped"], facts={"history_drop_reason": "duplicate_content"}),
    PageSpec(EXAMPLES["spam"], facts={"ml_spam_score": 87}),
    PageSpec(EXAMPLES["banned"], facts={"fh_dont_index": 1}),
    PageSpec(EXAMPLES["canonical elsewhere"], failing=("canonical",), related=EXAMPLES["indexable"]),
    PageSpec(EXAMPLES["nothing known"], bare=True),
    PageSpec(EXAMPLES["robots disallowed"]),
    PageSpec(EXAMPLES["big text"], markdown_size=5_000_000),
    PageSpec("https://cases.example/300-kilobytes", markdown_size=300_000),
    PageSpec("https://cases.example/300-kilobytes-ja", "ja", markdown_size=100_000),
    PageSpec("https://cases.example/300-kilobytes-emoji", "emoji", markdown_size=100_000),
    PageSpec("https://cases.example/canonical-self", facts={"meta_canonical": "example,cases!,/canonical-self s443"}),
    PageSpec("https://cases.example/canonical-empty", facts={"meta_canonical": ""}),
    PageSpec("https://cases.example/canonical-null", facts={"meta_canonical": None}),
    PageSpec("https://cases.example/canonical-broken", facts={"meta_canonical": "not a key <!channel>"}),
    PageSpec("https://cases.example/redirect-broken", facts={"download_redirect_target": "'; DROP TABLE x"}),
    PageSpec("https://cases.example/just-inside-six-months", six_months=60),
    PageSpec("https://cases.example/exactly-six-months", six_months=0),
    PageSpec("https://cases.example/just-outside-six-months", six_months=-60),
    PageSpec("https://cases.example/from-the-future", age=timedelta(days=-2)),
    PageSpec("https://cases.example/epoch", facts={"download_stamp": 0, "props_url_first_seen": 0}),
    PageSpec("https://cases.example/limits", facts=_LIMITS),
    PageSpec("https://cases.example/many-classes", facts=_MANY_CLASSES),
    PageSpec("https://cases.example/many-descriptions", facts=_MANY_DESCRIPTIONS),
    PageSpec(EXAMPLES["recrawled"], earlier={"download_http_code": 503, "meta_title": "Down for maintenance"}),
    PageSpec("https://cases.example/recrawled-worse", failing=("http-status",), earlier={"download_http_code": 200}),
    PageSpec("https://cases.example/recrawled-renamed", earlier={"meta_title": "Its former title"}),
)

WRITTEN_PAGES: tuple[PageSpec, ...] = (
    *SEED_PAGES,
    *CASES,
    *_combinations(),
    *_hostile(),
    *(PageSpec(url) for url in NEARBY),
    *(PageSpec(url) for url in ODD_ADDRESSES),
)

# What stands beside the written pages: the robots.txt (a name in robots.ROBOTS) and the standing of their hosts.
WRITTEN_ROBOTS: dict[str, str] = {
    "https://developer.aliyun.com/": "private",
    "https://murphypei.github.io/": "allow_all",
    "https://cases.example/": "private",
    "https://banned-case.example/": "allow_all",
    "https://combinations.example/": "allow_all",
    "https://hostile.example/": "hostile",
    "https://nearby.example/": "empty",
    "https://www.nearby.example/": "private",
    "https://addresses.example/": "wildcard",
}
WRITTEN_BANS: dict[str, Ban] = {
    "https://banned-case.example/": Ban(1, 92, "doorway pages"),
    "https://cases.example/": Ban(0, 0, None),
    "https://hostile.example/": Ban(0, 3, HOSTILE["ping-channel"]),
}
SEEN_ONLY = (EXAMPLES["not crawled but seen"], "https://cases.example/seen/private", "https://unvisited.example/")
