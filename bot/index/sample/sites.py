"""The sites whose pages are drawn. Names are reserved ones: nobody can own them (RFC 2606, RFC 6761, IANA's IDN test
domains, JPRS's names for examples, RFC 5737 and RFC 3849 for addresses)."""

from __future__ import annotations

from bot.index.sample.spec import Ban, Site

SPAM = Ban(1, 97, "link farm")
MALWARE = Ban(1, 100, "malware <!channel> `rm -rf /` *bold*")
LEGAL = Ban(1, None, "removed on the owner's request")
CLEARED = Ban(0, 0, "ban lifted after review")
BARE_BAN = Ban(1, None, None)
UNDECIDED = Ban(None, 12, None)

# The longest registered domain: over 32 bytes, where ClickHouse's farmHash64 and farmFingerprint64 part.
LONG_DOMAIN = "a-company-with-a-remarkably-long-and-winding-name.example"

SITES: tuple[Site, ...] = (
    Site("shop.example", 700, "en", ("www", "", "img", "help"), "private"),
    Site("news.example", 480, "en", ("www", "live"), "crawl_delay"),
    Site("forum.example", 300, "en", ("", "archive"), "longest"),
    Site("example.com", 120, "en", ("www", "", "blog", "a.b.c"), "allow_all"),
    Site("example.net", 60, "en", ("", "status"), "missing"),
    Site("example.org", 60, "de", ("www", ""), "comments"),
    Site("blumen.example", 160, "de", ("www", "shop"), "private"),
    Site("zeitung.example", 140, "de", ("www",), "wildcard"),
    Site("handwerk.example", 60, "de", ("",), "encoded"),
    Site("xn--bcher-kva.example", 80, "de", ("", "www"), "allow_all"),
    Site("boulangerie.example", 140, "fr", ("www",), "longest"),
    Site("journal.example", 100, "fr", ("", "www"), "crlf"),
    Site("xn--caf-dma.example", 40, "fr", ("",), "bom"),
    Site("ryori.example", 150, "ja", ("www", "blog"), "private"),
    Site("densha.example", 100, "ja", ("",), "wildcard"),
    Site("example.co.jp", 60, "ja", ("www", ""), "allow_all"),
    Site("xn--eckwd4c7cu47r2wf.jp", 20, "ja", ("",), "encoded"),
    Site("xn--r8jz45g.xn--zckzah", 40, "ja", ("", "www"), "empty"),
    Site("kaifa.example", 180, "zh-cn", ("www", "developer", "wiki"), "private"),
    Site("chaguan.example", 100, "zh-cn", ("",), "own_group_allows"),
    Site("xn--fsqu00a.xn--0zwm56d", 40, "zh-cn", ("",), "allow_all"),
    Site("souq.example", 110, "ar", ("www",), "longest"),
    Site("xn--mgbh0fb.xn--kgbechtv", 40, "ar", ("",), "allow_all"),
    Site("shuk.example", 90, "he", ("www", ""), "tie"),
    Site("xn--fdbk5d8ap9b8a8d.xn--deba0ad", 20, "he", ("",), "others_only"),
    Site("rynok.example", 120, "ru", ("www", "m"), "private"),
    Site("biblioteka.example", 80, "ru", ("",), "own_group_twice"),
    Site("xn--e1afmkfd.xn--80akhbyknj4f", 40, "ru", ("",), "allow_all"),
    Site("bazaar.example", 100, "hi", ("www",), "private"),
    Site("xn--p1b6ci4b4b3a.xn--11b5bs3a9aj6g", 30, "hi", ("",), "allow_all"),
    Site("sparkle.example", 60, "emoji", ("", "party"), "empty"),
    Site("no-robots.example", 40, "en", ("", "www"), "disallow_all"),
    Site("not-for-us.example", 40, "en", ("",), "own_group_forbids"),
    Site("huge-robots.example", 25, "en", ("",), "huge"),
    Site("robots-page.example", 25, "en", ("",), "html"),
    Site("robots-bytes.example", 25, "en", ("",), "binary"),
    Site("robots-hostile.example", 25, "en", ("",), "hostile"),
    Site("robots-mac.example", 25, "en", ("",), "cr"),
    Site("robots-gone.example", 25, "en", ("",), "gone"),
    Site("robots-forbidden.example", 25, "en", ("",), "forbidden"),
    Site("robots-redirected.example", 25, "en", ("",), "redirected"),
    Site("robots-unavailable.example", 25, "en", ("",), "unavailable"),
    Site("robots-silent.example", 25, "en", ("",), "no_answer"),
    Site("robots-unread.example", 25, "en", ("",), "not_fetched"),
    Site("casino.example", 60, "en", ("", "win", "win-more"), "allow_all", ban=SPAM),
    Site("malware.example", 30, "ru", ("",), "disallow_all", ban=MALWARE),
    Site("withdrawn.example", 30, "de", ("www",), "private", ban=LEGAL),
    Site("forgiven.example", 30, "fr", ("",), "allow_all", ban=CLEARED),
    Site("banned-silently.example", 20, "en", ("",), "allow_all", ban=BARE_BAN),
    Site("undecided.example", 20, "en", ("",), "allow_all", ban=UNDECIDED),
    Site("plain-http.test", 40, "en", ("", "www"), "private", "http"),
    Site("staging.test", 30, "en", ("",), "disallow_all", "https", 8443),
    Site("intranet.test", 30, "de", ("",), "allow_all", "http", 8080),
    Site("192.0.2.17", 20, "en", ("",), "allow_all", "http"),
    Site("198.51.100.4", 10, "en", ("",), "missing", "https", 9000),
    Site("[2001:db8::1]", 10, "en", ("",), "allow_all", "http"),
    Site(LONG_DOMAIN, 30, "en", ("www", "a-subdomain-that-is-long-as-well"), "private"),
    Site("empty.example", 0, "en", ("", "www"), "private"),  # a known host without a page
)
