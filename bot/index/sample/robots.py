"""Every kind of robots.txt that a crawler meets, by name: status code (None: no answer) and body."""

from __future__ import annotations

RobotsFile = tuple[int | None, str | None]

PADDING = "# " + "nothing to see here " * 4 + "\n"
HTML = "<!doctype html><title>Oops</title><p>User-agent: * <br>Disallow: / <script>alert('robots')</script>\n"

ROBOTS: dict[str, RobotsFile] = {
    "allow_all": (200, "User-agent: *\nDisallow:\n"),
    "disallow_all": (200, "User-agent: *\nDisallow: /\n"),
    "private": (
        200,
        "User-agent: *\nDisallow: /private/\nDisallow: /search\nSitemap: https://example.com/sitemap.xml\n",
    ),
    "longest": (200, "User-agent: *\nDisallow: /private/\nAllow: /private/open/\nDisallow: /private/open/not-this\n"),
    "tie": (200, "User-agent: *\nDisallow: /page\nAllow: /page\n"),  # RFC 9309, 2.2.2: the least restrictive wins
    "wildcard": (200, "User-agent: *\nDisallow: /*.pdf$\nDisallow: /*?*sort=\nDisallow: /*/drafts/\n"),
    "own_group_allows": (200, "User-agent: *\nDisallow: /\n\nUser-agent: ExampleBot\nDisallow: /private/\n"),
    "own_group_forbids": (
        200,
        "User-agent: ExampleBot\nUser-agent: OtherBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n",
    ),
    "own_group_twice": (
        200,
        "User-agent: examplebot\nDisallow: /a\n\nUser-agent: *\nAllow: /\n\n"
        "User-agent: EXAMPLEBOT/2.1\nDisallow: /private/\n",
    ),
    "others_only": (200, "User-agent: OtherBot\nDisallow: /\n"),
    "crawl_delay": (200, "User-agent: *\nCrawl-delay: 2.5\nDisallow: /search\nHost: example.com\nRequest-rate: 1/10\n"),
    "encoded": (200, "User-agent: *\nDisallow: /%E7%A7%81%E5%AF%86/\nDisallow: /geheim/für-uns/\n"),
    "empty": (200, ""),
    "comments": (200, "# Robots are welcome here.\n#\n# Disallow: /not-a-rule\n"),
    "bom": (200, "\ufeffUser-agent: *\nDisallow: /private/\n"),
    "crlf": (200, "User-agent: *\r\nDisallow: /private/\r\n\r\nUser-agent: ExampleBot\r\nDisallow: /search\r\n"),
    "cr": (200, "User-agent: *\rDisallow: /private/\r"),
    "html": (200, HTML),
    "binary": (200, "\udcff\udcfeU\x00s\x00e\x00r\x00\nUser-agent: *\nDisallow: /private/\udc80\n"),
    "hostile": (200, "User-agent: *\nDisallow: /private/`<!channel>`*&amp;\u202e\nDisallow: /private/\n"),
    # A crawler must read 500 KiB and may stop there (RFC 9309, 2.5): the last rule is beyond that.
    "huge": (200, "User-agent: *\nDisallow: /private/\n" + PADDING * 6400 + "Disallow: /\n"),
    "missing": (404, "<h1>Not Found</h1>"),
    "gone": (410, None),
    "forbidden": (403, ""),
    "redirected": (301, None),
    "unavailable": (503, "Service Unavailable"),
    "no_answer": (None, None),
    "not_fetched": (200, None),
}
