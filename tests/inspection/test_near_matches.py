"""Near matches from end to end: every kind of difference, one query, and the difference in words."""

from __future__ import annotations

import pytest

from bot.address.key import url_key
from bot.index.profile import IndexProfile
from bot.inspection.model import Verdict
from bot.inspection.pipeline import Inspector
from bot.inspection.store import Query, Rows
from tests.inspection.scripted_store import ScriptedStore

PASSING = {f"pass_{rule}": 1 for rule in ("http_status", "age_cutoff", "history_drop", "spam_ban", "canonical")}


class OnePage(ScriptedStore):
    """A table that holds one page."""

    def __init__(self, unparsed: str) -> None:
        super().__init__()
        self._unparsed = unparsed

    async def fetch(self, query: Query, shard: int | None) -> Rows:
        """That page's row, where its key is among those asked for."""
        self.asked.append((query, shard))
        keys = [key for _, key in query.parameters.get("keys", ())]
        held = "page_info" in query.sql and self._unparsed in keys
        return Rows(({"key": self._unparsed, **PASSING},) if held else (), "", 1.0)


# The kind of difference, what is asked, what the table holds, and how the difference reads.
KINDS = (
    ("scheme", "https://site.example/a", "http://site.example/a", "http instead of https"),
    ("scheme", "http://site.example/a", "https://site.example/a", "https instead of http"),
    ("www", "https://site.example/a", "https://www.site.example/a", "with www"),
    ("www", "https://www.site.example/a", "https://site.example/a", "without www"),
    ("final slash", "https://site.example/a", "https://site.example/a/", "with a final slash"),
    ("final slash", "https://site.example/a/", "https://site.example/a", "without the final slash"),
    ("case", "https://site.example/About", "https://site.example/about", "lower-case path"),
    ("case", "https://site.example/?Q=A", "https://site.example/?q=a", "lower-case path and query"),
    ("default document", "https://site.example/a/", "https://site.example/a/index.html", "with index.html"),
    ("default document", "https://site.example/a/index.php", "https://site.example/a/", "without index.php"),
    ("percent-encoding", "https://site.example/%7Ea", "https://site.example/~a", "percent-encoding"),
    ("percent-encoding", "https://site.example/%c3%bc", "https://site.example/%C3%BC", "percent-encoding"),
    ("IDN spelling", "https://straße.example/", "https://strasse.example/", "older spelling of the host name"),
    ("utm_*", "https://site.example/?utm_source=a&id=1", "https://site.example/?id=1", "without utm_source"),
    ("utm_*", "https://site.example/?utm_a=1&utm_b=2", "https://site.example/", "without utm_a and utm_b"),
    ("gclid", "https://site.example/?gclid=1", "https://site.example/", "without gclid"),
    ("fbclid", "https://site.example/?fbclid=1", "https://site.example/", "without fbclid"),
    ("session id", "https://site.example/?id=1&PHPSESSID=f", "https://site.example/?id=1", "without PHPSESSID"),
    ("session id", "https://site.example/a;jsessionid=F", "https://site.example/a", "without jsessionid"),
    ("order", "https://site.example/?b=2&a=1", "https://site.example/?a=1&b=2", "parameters in another order"),
)


@pytest.mark.parametrize(("kind", "asked", "held", "difference"), KINDS)
async def test_a_near_page_is_found_with_one_query(
    profile: IndexProfile, kind: str, asked: str, held: str, difference: str
) -> None:
    """Not crawled as asked; the page that is there is named, with its difference and its own verdict."""
    store = OnePage(url_key(held).unparsed)
    inspector = Inspector(store, profile)
    found = await inspector.inspect(inspector.read(asked))

    assert found.verdict is Verdict.NOT_CRAWLED
    assert [(near.url, near.difference, near.verdict) for near in found.near_matches] == [
        (url_key(held).url, difference, Verdict.INDEXABLE)
    ]
    assert [query.step for query, _ in store.asked].count("near") == 1


@pytest.mark.parametrize(
    "spelling",
    [
        "https://xn--bcher-kva.example/a",
        "https://XN--BCHER-KVA.example/a",
        "https://BÜCHER.example/a",
        "https://bu\u0308cher.example/a",  # u and a combining diaeresis
        "https://b%C3%BCcher.example/a",
        "https://bücher。example/a",
    ],
)
async def test_the_spellings_of_one_host_name_are_one_key(profile: IndexProfile, spelling: str) -> None:
    """Unicode, punycode, capitals, composed or not: not near the page but the page itself."""
    store = OnePage(url_key("https://bücher.example/a").unparsed)
    inspector = Inspector(store, profile)
    found = await inspector.inspect(inspector.read(spelling))

    assert (found.verdict, found.near_matches) == (Verdict.INDEXABLE, ())


async def test_the_other_direction_of_the_deviations_cannot_be_guessed(profile: IndexProfile) -> None:
    """strasse may be spelt straße in the table; which "ss" is one letter nobody knows, so it is not asked for."""
    store = OnePage(url_key("https://straße.example/").unparsed)
    inspector = Inspector(store, profile)
    found = await inspector.inspect(inspector.read("https://strasse.example/"))

    assert (found.verdict, found.near_matches) == (Verdict.NOT_CRAWLED, ())
