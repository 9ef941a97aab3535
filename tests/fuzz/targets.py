"""What is fuzzed: one row is one reader of text that strangers write. A target takes any bytes and returns nothing.

What it may raise is caught in it; anything else that it raises is a mistake of ours. Hypothesis runs each for a moment
in every run of the suite; `python -m tests.fuzz TARGET SECONDS` runs one under atheris, which watches the branches.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from bot.address.find import find_urls
from bot.address.key import parse_key, url_key
from bot.address.variants import near_urls
from bot.errors import BadInput, BadKey, BadLink
from bot.index.profile import IndexProfile, load_profile
from bot.inspection.lookup import read_lookup
from bot.inspection.model import Lookup
from bot.links import Action, Grant, Links, serializer
from bot.report.subject import Subject, decode
from bot.robots.file import parse
from bot.robots.response import judge_response
from bot.slack.asked import names_site, read_command, read_message, read_paste
from bot.slack.changes import remembered
from bot.slack.channel_settings import Place
from bot.slack.files import text_files, urls_in
from bot.slack.followups.other_pages import field_of
from bot.slack.followups.reading import read_followup
from bot.slack.replies import TextPage
from tests.fuzz.door import PAYLOADS, door

BOT_USER = "U0BOT"
KEY = "k" * 32  # signs the links of this test
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)

Target = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Row:
    """A target, and what its inputs look like."""

    run: Target
    seeds: Sequence[bytes]


def _text(octets: bytes) -> str:
    return octets.decode("utf-8", "replace")


@cache
def _profile() -> IndexProfile:
    return load_profile()


def _read(text: str) -> Lookup:
    return read_lookup(text, _profile())


def messages(octets: bytes) -> None:
    """A command's text, a message's text, its blocks, and a file: what was asked."""
    text = _text(octets)
    with suppress(BadInput):
        read_command(text, _read)
    message = {"text": text, "blocks": _json(text)}
    with suppress(BadInput):
        read_message(message, BOT_USER, _read)
    read_paste(message, _read)
    names_site(message, BOT_USER)
    find_urls(message)
    text_files({"files": _json(text)})
    urls_in(octets)


def followups(octets: bytes) -> None:
    """What is said in a thread."""
    with suppress(BadInput):
        read_followup(_text(octets), BOT_USER)


def keys(octets: bytes) -> None:
    """URLs and keys: what is read comes back from its own key."""
    text = _text(octets)
    with suppress(BadInput):
        _read(text)
    with suppress(BadInput):
        near_urls(text)
    for read in (parse_key, url_key):
        with suppress(BadInput):
            key = read(text)
            assert parse_key(key.unparsed) == key
            assert url_key(key.url) == key


def robots(octets: bytes) -> None:
    """A robots.txt, judged for an address that stands in it too."""
    first, _, rest = octets.partition(b"\n")
    parse(octets)
    judge_response(200, rest, "ExampleBot", f"https://docs.example/{_text(first)}")


@cache
def _links() -> Links:
    return Links("https://bot.example", [KEY], clock=lambda: NOW)


def links(octets: bytes) -> None:
    """A link as it stands, which opens nothing; and one that we signed, whatever is in it."""
    text = _text(octets)
    for action in Action:
        with suppress(BadLink):
            _links().open(action, text)
            raise AssertionError("a link opened that nobody signed")
        with suppress(BadLink):
            _links().open(action, _signed(action, _json(text)))
    url = _links().url(Action.REPORT, Grant(Subject(text, 7)))
    assert url is not None
    assert _links().open(Action.REPORT, url.rpartition("/")[2]).subject.root_hash == 7


def _signed(action: Action, content: object) -> str:
    token = serializer(f"link {action.value}", [KEY], lambda: NOW).dumps(content)
    return token if isinstance(token, str) else token.decode("ascii")


def values(octets: bytes) -> None:
    """What buttons and windows keep for us."""
    text = _text(octets)
    field_of(text)
    remembered(text)
    for read in (decode, TextPage.decode, Place.decode):
        with suppress(BadKey):
            read(text)


def payloads(octets: bytes) -> None:
    """A signed request of a known kind, with one member of it replaced: 200 or 400, and no work of it breaks."""
    door().payload(octets)


def requests(octets: bytes) -> None:
    """Any octets as an HTTP request, a signed body, or an address of the web pages: never 500."""
    door().request(octets)


def _json(text: str) -> object:
    """A text as the JSON that it is, or as a string."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


DEEP = b"[" * 3_000 + b"]" * 3_000
DIGITS = b"9" * 5_000
VALUES = (
    b'{"id": "U1"}',
    b"null",
    b"[]",
    b"-7.5",
    b"[{}]",
    DEEP,
    DIGITS,
    b"\x00",
    b'"\\ud800"',
    b"https://docs.example/a",
)
TARGETS: dict[str, Row] = {
    "messages": Row(
        messages,
        [
            b"https://docs.example/a?b=1&amp;c=2 as of 2026-04-06",
            b"<https://docs.example/|docs.example> <@U0BOT> site docs.example/blog/",
            b"hash:892221456919234349 com,example!www,/page s443",
            b'[{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "link", "url": '
            b'"https://docs.example/"}, {"type": "text", "text": "docs.example"}]}]}]',
            b'[{"name": "a.txt", "url_private": "https://files.example/"}]',
            DEEP,
            DIGITS,
        ],
    ),
    "followups": Row(
        followups,
        [
            b"why is it not indexed?",
            b"raw 2",
            b"compare https://docs.example/other as of 2026-04-06T20:00Z",
            b"<@U0BOT> robots, please",
            b"com,example!www,/page s443",
            b"as of " + DIGITS,
        ],
    ),
    "keys": Row(
        keys,
        [
            b"https://www.example.co.uk:8443/a/../b?c=%7E#d",
            b"uk,co,example!www,/a?b s443",
            "http://bücher.example/ß".encode(),
            b"[2001:db8::1]!,/ h80",
            b"hash:18446744073709551615",
            b"hash:" + DIGITS,
        ],
    ),
    "robots": Row(
        robots,
        [
            b"/a\nUser-agent: *\nDisallow: /a*b$\nAllow: /index.html\n",
            b"%41\n\xef\xbb\xbfuser agent ExampleBot\rdisallow /\r\nCrawl-delay: 1",
            b"\n" + b"Disallow: /" + b"*a" * 200,
        ],
    ),
    "links": Row(
        links,
        [
            b'{"s": {"key": "com,example!,/ s443", "hash": "7", "shard": "3", "as_of": "1796000000"}, "f": "t"}',
            b'{"s": {"hash": "7"}, "o": {"hash": 1e400}}',
            b"eyJz.aaaa.bbbb",
            DEEP,
            b'{"s": {"hash": ' + DIGITS + b"}}",
        ],
    ),
    "values": Row(
        values,
        [
            b'{"key": "com,example!,/ s443", "hash": "7", "field": "text", "facts": {"verdict": "indexable"}}',
            b'{"subject": "{\\"hash\\": \\"7\\"}", "field": "text", "channel": "C1", "thread": "1.1"}',
            b'{"channel": "C1", "response_url": null}',
            DEEP,
            b'{"hash": ' + DIGITS + b"}",
        ],
    ),
    "payloads": Row(
        payloads,
        [
            bytes([kind, member]) + VALUES[(kind + member) % len(VALUES)]
            for kind in range(len(PAYLOADS))
            for member in range(24)
        ],
    ),
    "requests": Row(
        requests,
        [
            b"\x00POST /slack/events HTTP/1.1\r\nHost: bot.example\r\nContent-Type: application/json\r\n"
            b"Content-Length: 2\r\nX-Slack-Request-Timestamp: 1\r\nX-Slack-Signature: v0=\xe9\r\n\r\n{}",
            b"\x00GET /slack/events?ssl_check=1 HTTP/1.1\r\nHost: bot.example\r\n\r\n",
            b"\x00GET / HTTP/1.1\r\nHost: bot.example]\n\r\n",
            b'\x01{"type": "url_verification", "challenge": "a"}',
            b'\x01{"type": "event_callback", "event": {"type": "message", "channel": "C0GENERAL", "user": "U1"}}',
            b"\x01" + DEEP,
            b"\x02command=/inspect&text=https://docs.example/&user_id=U1&channel_id=C0GENERAL&trigger_id=1",
            b"\x02payload=%7B%22type%22%3A%22block_actions%22%7D",
            b"\x02ssl_check=1&token=a",
            b"\x03r/eyJz.aaaa.bbbb.json?as_of=2026-04-06&key=a&hash=7&shard=3",
            b"\x03h/eyJz.aaaa.bbbb.txt?part=2",
            b"\x03static/a/page.css",
            b"\x04/a?key=https://docs.example/&hash=7&shard=3&as_of=now",
            b"\x04/?q=word&part=9&view=source&wrap=0",
        ],
    ),
}
