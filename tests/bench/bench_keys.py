"""Keys made in a second, against `urlsplit` + tldextract on the same URLs. Run: python -m tests.bench.bench_keys

Both see 50,000 distinct URLs over 5,000 hosts. The rival neither normalises nor hashes; ours is WHATWG-exact and gives
the root hash. Best of five rounds each, taken in turn; the ratio is the figure to look at.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from urllib.parse import urlsplit

import tldextract

from bot.address.key import url_key

URLS, HOSTS, ROUNDS = 50_000, 5_000, 5
SUFFIXES = ("example", "com", "co.uk", "de", "github.io", "city.kobe.jp", "org", "com.au")
PATHS = ("/", "/blog/2026/04/a-page.html", "/search?q=crawl+index&page=2", "/%7Euser/a/../b", "/wiki/Web_(crawl)")


def make_urls() -> list[str]:
    """The same list on every machine."""
    return [
        f"http{'s' * (n % 3 > 0)}://{('www.', '', 'blog.')[n % 3]}site{n % HOSTS}.{SUFFIXES[n % HOSTS % len(SUFFIXES)]}"
        f"{PATHS[n // HOSTS % len(PATHS)]}{'&' if '?' in PATHS[n // HOSTS % len(PATHS)] else '?'}n={n}"
        for n in range(URLS)
    ]


def seconds(work: Callable[[str], object], urls: list[str]) -> float:
    """How long `work` takes over all of them."""
    start = time.perf_counter()
    for url in urls:
        work(url)
    return time.perf_counter() - start


def main() -> None:
    """Print both speeds and their ratio."""
    extract = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    urls = make_urls()
    rounds = [
        (seconds(lambda url: extract(urlsplit(url).hostname or ""), urls), seconds(url_key, urls))
        for _ in range(ROUNDS)
    ]
    rival, ours = (URLS / min(column) for column in zip(*rounds, strict=True))
    print(f"urlsplit + tldextract   {rival:>10,.0f} URLs/s")
    print(f"url_key, with root hash {ours:>10,.0f} keys/s")
    print(f"ratio                   {ours / rival:>10.2f} (aim: at least 1)")


if __name__ == "__main__":
    main()
