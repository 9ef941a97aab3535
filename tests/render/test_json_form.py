"""Inspection → the JSON of `inspect --json`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.inspection.model import Inspection
from bot.render.json import safe, to_json
from bot.report.links import NoLinks
from tests.report import inspections as made
from tests.report.inspections import PROFILE, SignedLinks


def printed(inspection: Inspection) -> Any:
    """What a reader of the printed line gets."""
    return json.loads(json.dumps(to_json(inspection, PROFILE, NoLinks()), ensure_ascii=False).encode())


def test_keys_stand_in_the_contracts_order() -> None:
    """As the design lists them, at both levels."""
    found = printed(made.not_crawled(near=1))

    assert list(found) == [
        "lookup", "as_of", "verdict", "cause", "badges", "filters", "page", "steps", "near_matches",
    ]  # fmt: skip
    assert list(found["lookup"]) == ["text", "url", "unparsed", "root", "root_hash", "shard", "host"]
    assert list(found["steps"][0]) == [
        "id", "title", "outcome", "query", "parameters", "curl", "response", "note", "elapsed_ms",
    ]  # fmt: skip
    assert found["near_matches"] == [
        {
            "url": "http://example.com/0",
            "unparsed": "com,example!,/0 h80",
            "difference": "http instead of https",
            "verdict": "indexable",
        }
    ]


def test_the_seed_page_as_json() -> None:
    """Verdict, badges, the first filter, and values of each kind."""
    found = printed(made.github())
    page = found["page"]

    assert (found["verdict"], found["cause"], found["as_of"]) == ("indexable", None, "2026-06-02T12:00:00Z")
    assert found["badges"] == {"index": "INDEXABLE", "crawl": "CRAWLED", "robots": "ROBOTS ALLOWED"}
    assert found["filters"][0] == {
        "id": "http-status",
        "title": "HTTP status",
        "outcome": "pass",
        "condition": "download_http_code = 200",
        "details": "HTTP 200",
    }
    assert list(page) == [spec.id for spec in PROFILE.fields]
    assert page["download_stamp"] == "2026-05-03T03:24:51Z"
    assert (page["download_http_code"], page["meta_nofollow"], page["attrs_author"]) == (200, False, None)
    assert page["ml_intent_types"] == {"Informational": 999}
    assert page["attrs_markdown"] == {"heavy": True, "url": None}


def test_whole_numbers_lose_no_digit() -> None:
    """Root hashes are strings, in the lookup and in the parameters alike."""
    found = printed(made.github())

    assert found["lookup"]["root_hash"] == "2566890010099092343"
    assert found["steps"][1]["parameters"] == {
        "keys": [["2566890010099092343", "io,github!murphypei,/ s443"]],
        "now": 1780401600,
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2**53 - 1, 2**53 - 1),
        (2**53, "9007199254740992"),
        (-(2**53), "-9007199254740992"),
        (True, True),
        (None, None),
        (1.5, 1.5),
        ("a\ud800", "a\ufffd"),
        (("a", {"b": 2**64 - 1}), ["a", {"b": "18446744073709551615"}]),
    ],
)
def test_values_are_json_that_every_reader_keeps(value: Any, expected: Any) -> None:
    """Beyond 53 bits a number is a string; half a character becomes the replacement sign."""
    assert safe(value) == expected


def test_a_missing_page_is_null_and_a_heavy_one_links() -> None:
    """Absent is null; with a public address heavy columns say where they are."""
    assert printed(made.not_crawled())["page"] is None
    assert to_json(made.github(), PROFILE, SignedLinks())["page"]["attrs_markdown"] == {
        "heavy": True,
        "url": "https://bot.example/h/attrs_markdown",
    }


def test_hostile_text_is_kept_as_it_is() -> None:
    """JSON is for programs: nothing is escaped twice, nothing is lost but what UTF-8 cannot hold."""
    asked = made.github()
    text = "<!channel>\x00\u202e\u2028 \udc80"
    found = printed(replace(asked, lookup=replace(asked.lookup, text=text)))

    assert found["lookup"]["text"] == "<!channel>\x00\u202e\u2028 \ufffd"
