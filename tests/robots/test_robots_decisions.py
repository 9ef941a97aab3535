"""Which line of a robots.txt decides, for whom, and why."""

from __future__ import annotations

import pytest

from bot.robots import MAX_BYTES, RobotsDecision, decide, parse, run_cli

NO_RULE = (True, None, None)

# (what it shows, file, path, (allowed, line, rule)), all for ExampleBot
LINES = [
    ("the longest match decides", "User-agent: *\nDisallow: /a\nAllow: /a/b\n", "/a/b/c", (True, 3, "Allow: /a/b")),
    ("a tie goes to Allow", "User-agent: *\nDisallow: /page\nAllow: /page\n", "/page", (True, 3, "Allow: /page")),
    ("of equal lines, the first", "User-agent: *\nDisallow: /a\nDisallow: /a\n", "/a", (False, 2, "Disallow: /a")),
    (
        "a star counts as an octet",
        "User-agent: *\nAllow: /page\nDisallow: /*.htm\n",
        "/page.htm",
        (False, 3, "Disallow: /*.htm"),
    ),
    ("$ ends the path", "User-agent: *\nDisallow: /*.pdf$\n", "/a.pdf", (False, 2, "Disallow: /*.pdf$")),
    ("$ ends the path with its query", "User-agent: *\nDisallow: /*.pdf$\n", "/a.pdf?page=2", NO_RULE),
    ("$ elsewhere is a dollar", "User-agent: *\nDisallow: /a$b\n", "/a$bc", (False, 2, "Disallow: /a$b")),
    (
        "the query is matched",
        "User-agent: *\nDisallow: /*?*sort=\n",
        "/s?q=1&sort=2",
        (False, 2, "Disallow: /*?*sort="),
    ),
    ("letter case of paths counts", "User-agent: *\nDisallow: /Private\n", "/private", NO_RULE),
    ("an empty Disallow allows", "User-agent: *\nDisallow:\n", "/a", (True, 2, "Disallow:")),
    ("an empty Allow says nothing more", "User-agent: *\nAllow:\nDisallow: /a\n", "/a", (False, 3, "Disallow: /a")),
    ("an empty file allows", "", "/a", NO_RULE),
    ("a rule before any group is nobody's", "Disallow: /\nUser-agent: *\nDisallow: /b\n", "/a", NO_RULE),
    ("a rule after a nameless agent is nobody's", "User-agent:\nDisallow: /\n", "/a", NO_RULE),
    ("a rule without its slash matches no path", "User-agent: *\nDisallow: a\n", "/a", NO_RULE),
    ("robots.txt itself is allowed", "User-agent: *\nDisallow: /\n", "/robots.txt", NO_RULE),
    (
        "index.html allowed, folder allowed",
        "User-agent: *\nDisallow: /\nAllow: /a/index.html\n",
        "/a/",
        (True, 3, "Allow: /a/index.html"),
    ),
    (
        "but not what is in the folder",
        "User-agent: *\nDisallow: /\nAllow: /a/index.html\n",
        "/a/b",
        (False, 2, "Disallow: /"),
    ),
    ("and only for Allow", "User-agent: *\nDisallow: /a/index.html\n", "/a/", NO_RULE),
    ("the comment is no part of the rule", "User-agent: *\nDisallow: /a # old\n", "/a", (False, 2, "Disallow: /a")),
    ("comments and blanks are lines", "# hi\n\nUser-agent: *\n\n# x\nDisallow: /\n", "/a", (False, 6, "Disallow: /")),
    ("CRLF ends one line", "User-agent: *\r\n\r\nDisallow: /\r\n", "/a", (False, 3, "Disallow: /")),
    ("CR ends a line", "User-agent: *\r\rDisallow: /\r", "/a", (False, 3, "Disallow: /")),
    ("a line separator of Unicode does not", "User-agent: *\nDisallow: /a\u2028b\n", "/a", NO_RULE),
    ("a misspelt Disallow is one", "User-agent: *\ndisalow: /\n", "/a", (False, 2, "disalow: /")),
    ("a misspelt User-agent is one", "user agent: *\nDisallow: /\n", "/a", (False, 2, "Disallow: /")),
    ("a forgotten colon is forgiven", "User-agent *\nDisallow /a\n", "/a", (False, 2, "Disallow /a")),
    ("but not with a third word", "User-agent: *\nDisallow /a b\n", "/a b", NO_RULE),
    ("an HTML page has no rules", "<!doctype html><p>User-agent: *<br>Disallow: /\n", "/a", NO_RULE),
]

# (what it shows, file, agent, (allowed, line, group))
GROUPS = [
    (
        "the own group, not everyone's",
        "User-agent: *\nDisallow: /\nUser-agent: ExampleBot\nDisallow: /b\n",
        "ExampleBot",
        (True, None, "ExampleBot"),
    ),
    (
        "everyone's, where there is no own",
        "User-agent: Other\nAllow: /\nUser-agent: *\nDisallow: /\n",
        "ExampleBot",
        (False, 4, "*"),
    ),
    ("nobody's", "User-agent: Other\nDisallow: /\n", "ExampleBot", (True, None, None)),
    (
        "letter case of names does not count; shown as written",
        "User-agent: EXAMPLEBOT\nDisallow: /\n",
        "exampleBot",
        (False, 2, "EXAMPLEBOT"),
    ),
    (
        "two groups of one agent are read as one",
        "User-agent: ExampleBot\nAllow: /b\nUser-agent: *\nAllow: /\nUser-agent: examplebot\nDisallow: /\n",
        "ExampleBot",
        (False, 6, "examplebot"),
    ),
    (
        "agents in a row share a group",
        "User-agent: ExampleBot\nUser-agent: Other\nDisallow: /\n",
        "Other",
        (False, 3, "Other"),
    ),
    (
        "an unknown line between agents ends nothing",
        "User-agent: ExampleBot\nCrawl-delay: 2\nUser-agent: *\nDisallow: /\n",
        "ExampleBot",
        (False, 4, "ExampleBot"),
    ),
    (
        "the version in the file is dropped",
        "User-agent: ExampleBot/2.1\nDisallow: /\n",
        "ExampleBot",
        (False, 2, "ExampleBot"),
    ),
    (
        "the version of the agent is dropped",
        "User-agent: ExampleBot\nDisallow: /\n",
        "ExampleBot/2.1 (+https://bot.example)",
        (False, 2, "ExampleBot"),
    ),
    (
        "a name that only starts alike is another's",
        "User-agent: ExampleBot-News\nDisallow: /\n",
        "ExampleBot",
        (True, None, None),
    ),
    (
        "a name with digits is a name",
        "User-agent: Example12bot\nDisallow: /\n",
        "example12bot",
        (False, 2, "Example12bot"),
    ),
    ("a star with a word after it is everyone", "User-agent: * all\nDisallow: /\n", "ExampleBot", (False, 2, "*")),
    ("a star with letters on it is nobody", "User-agent: *bot\nDisallow: /\n", "ExampleBot", (True, None, None)),
    ("no agent at all is everyone", "User-agent: *\nDisallow: /\n", "", (False, 2, "*")),
]

# (rule's pattern, path, matched). RFC 9309 §2.2.2 and §2.2.3, and Google's rows where they say otherwise.
ESCAPES = [
    ("/foo/ツ", "/foo/%E3%83%84", True),
    ("/foo/%e3%83%84", "/foo/%E3%83%84", True),
    ("/foo/ツ", "/foo/%e3%83%84", True),
    ("/foo/ツ", "/foo/ツ", False),  # Google: who asks has escaped the URL
    ("/foo/%62%61%7A", "/foo/baz", False),  # Google; RFC 9309 would match
    ("/foo/%62%61%7A", "/foo/%62%61%7a", True),
    ("/foo/baz", "/foo/%62%61%7A", True),  # RFC 9309; Google's rows are silent
    ("/a?b=https://c.example", "/a?b=https%3A%2F%2Fc.example", False),  # reserved characters keep their spelling
    ("/a-%2A.html", "/a-*.html", True),
    ("/a-%2A.html", "/a-b.html", False),
    ("/a-%2A.html", "/a-%2a.html", True),
    ("/price-%24", "/price-$100", True),
    ("/100%", "/100%25", True),
    ("/%zz", "/%zz/a", True),
]


@pytest.mark.parametrize(("shows", "body", "path", "expected"), LINES, ids=[row[0] for row in LINES])
def test_the_deciding_line_is_shown(
    shows: str, body: str, path: str, expected: tuple[bool, int | None, str | None]
) -> None:
    """A decision names the line and the rule as written; where no rule matches, all is allowed."""
    decision = decide(body, "ExampleBot", path)

    assert (decision.allowed, decision.line, decision.rule) == expected


@pytest.mark.parametrize(("shows", "body", "agent", "expected"), GROUPS, ids=[row[0] for row in GROUPS])
def test_the_group_that_applies_is_shown(
    shows: str, body: str, agent: str, expected: tuple[bool, int | None, str | None]
) -> None:
    """An agent obeys all groups that name it, and everyone's only where none does."""
    decision = decide(body, agent, "/a")

    assert (decision.allowed, decision.line, decision.group) == expected


@pytest.mark.parametrize(("pattern", "path", "matched"), ESCAPES)
def test_escapes_are_compared_as_the_rfc_and_google_say(pattern: str, path: str, matched: bool) -> None:
    """Percent-encoding does not hide a page from its rule, except where Google's tests say that it does."""
    assert decide(f"User-agent: *\nDisallow: {pattern}\n", "ExampleBot", path).allowed is not matched


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://example.com/a/b?c=/d#e", "/a/b?c=/d"),
        ("https://example.com//a", "//a"),
        ("https://example.com", "/"),
        ("https://example.com#a/b", "/"),
        ("https://example.com?a", "/?a"),
        ("https://example.com;a", "/;a"),
        ("//example.com/a", "/a"),
        ("example.com/a", "/a"),
        ("/a?u=https://example.com/b", "/a?u=https://example.com/b"),
        ("", "/"),
    ],
)
def test_a_url_is_judged_by_its_path_and_query(url: str, path: str) -> None:
    """Scheme, host and fragment are nothing to robots.txt."""
    body = f"User-agent: *\nDisallow: /\nAllow: {path}$\n"

    assert decide(body, "ExampleBot", url) == RobotsDecision(True, 3, f"Allow: {path}$", "*")


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef", b""])
def test_a_byte_order_mark_is_passed_over_whole_or_in_part(mark: bytes) -> None:
    """Google passes over as much of the mark as there is."""
    assert decide(mark + b"User-agent: *\nDisallow: /\n", "ExampleBot", "/a").line == 2


def test_octets_that_are_not_utf8_match_as_octets() -> None:
    """A file in Latin-1 has its rules obeyed for URLs in Latin-1; the rule is shown as far as it can be read."""
    decision = decide(b"User-agent: *\nDisallow: /caf\xe9\n", "ExampleBot", "/caf%E9")

    assert decision == RobotsDecision(False, 2, "Disallow: /caf\ufffd", "*")


def test_a_rule_cut_by_the_end_of_reading_is_no_rule() -> None:
    """Half of `Disallow: /private/` could read `Disallow: /` and forbid the site."""
    start = b"User-agent: *\nDisallow: /search\n"
    last = b"Disallow: /private/"
    padding = b"#" * (MAX_BYTES - len(start) - len(b"\nDisallow: /")) + b"\n"
    half, whole = parse(start + padding + last), parse(start + padding[len(last) :] + last + b"\n# more")

    assert (half.cut, half.decide("ExampleBot", "/a").allowed) == (True, True)
    assert (half.decide("ExampleBot", "/private/").line, whole.decide("ExampleBot", "/private/").line) == (None, 4)


def test_the_command_line_prints_plain_values() -> None:
    """`robots --agent A --path P` prints these four, and null where no rule matched."""
    body = b"User-agent: *\nDisallow: /private/\n"

    assert [run_cli("ExampleBot", path, body) for path in ("/private/a", "/a")] == [
        {"allowed": False, "line": 2, "rule": "Disallow: /private/", "group": "*"},
        {"allowed": True, "line": None, "rule": None, "group": "*"},
    ]
