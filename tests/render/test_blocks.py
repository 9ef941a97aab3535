"""Report → Slack messages: what they say, and that Slack takes every one of them."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from bot.inspection.model import Inspection, Verdict
from bot.render import limits
from bot.render.blocks import compact_message, error_message, filters_message, many_message, summary_message
from bot.render.raw import page_count, raw_blocks, text_view
from bot.report.build import build_report
from bot.report.model import Report
from bot.report.subject import decode
from bot.workspace.rich_text import text_of
from bot.workspace.validator import check_message, check_view
from tests.report import inspections as made
from tests.report.inspections import PROFILE, SignedLinks

SIGNED = SignedLinks()


def report_of(inspection: Inspection) -> Report:
    """A report with links."""
    return build_report(inspection, PROFILE, SIGNED)


def summary(inspection: Inspection) -> dict[str, Any]:
    """The whole answer."""
    return summary_message(report_of(inspection))


def words_of(payload: Mapping[str, Any]) -> list[str]:
    """What a reader sees, block by block."""
    return [text_of(block) for block in payload["blocks"]]


def buttons_of(payload: Mapping[str, Any]) -> list[str]:
    """The ids of the buttons, in order."""
    return [
        part["action_id"] for block in payload["blocks"] if block["type"] == "actions" for part in block["elements"]
    ]


PINGS = (
    "<!channel> <@U1> <http://evil.example|ok> *b* `c` ```d``` & \x00\x1b[31m\u202egnp\u2066\r\n\t :boom: ' OR 1=1 --"
)
HUGE = {
    "letters": "ab" * 50_000,
    "ampersands": "&<>" * 40_000,
    "one sign": "e" + "\u0301" * 100_000,
    "controls": "\x00\u202e" * 50_000,
    "faces": "👩‍👩‍👧" * 20_000,
    "address": "https://example.com/" + "a&" * 50_000,
    "blank": " \u3000" * 50_000,
    "nothing": "",
}
INSPECTIONS: dict[str, Inspection] = {
    "github": made.github(),
    "aliyun": made.aliyun(),
    "all failing": made.failing(*made.PASSING),
    "without answer": made.without_answer("canonical"),
    "not crawled": made.not_crawled(),
    "300 near": made.not_crawled(near=300),
    "unanswered": made.unanswered(),
    "bare hash": made.bare_hash(),
    "pings": made.hostile(PINGS),
    **{name: made.hostile(text) for name, text in HUGE.items()},
}
REPORTS = functools.cache(lambda name: report_of(INSPECTIONS[name]))  # the huge ones take a while
RENDERERS: dict[str, Callable[[Report], dict[str, Any]]] = {
    "summary": lambda report: summary_message(report, share=True),
    "compact": compact_message,
    "filters": filters_message,
    "raw": lambda report: {"text": "raw", "blocks": raw_blocks(report)},
    "many": lambda report: many_message([report] * 120),
    "error": lambda report: error_message(report.summary),
}


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("name", INSPECTIONS)
def test_slack_takes_every_message(name: str, renderer: str) -> None:
    """Whatever a page holds, each message is cut to fit and nothing in it is refused."""
    payload = RENDERERS[renderer](REPORTS(name))

    assert check_message(payload) == []
    assert len(payload["text"]) <= limits.MESSAGE_TEXT_ADVISED


@pytest.mark.parametrize("content", [PINGS, *HUGE.values()], ids=["pings", *HUGE])
def test_slack_takes_every_page_of_a_long_text(content: str) -> None:
    """The first, the last, and one past the end."""
    pages = page_count(content)

    assert [check_view(text_view("Page text", content, content, page)) for page in (1, pages, pages + 1)] == [
        [],
        [],
        [],
    ]


def strings(value: Any, kind: str = "message", name: str = "") -> Iterator[tuple[str, str, str]]:
    """Every string of a payload with the `type` of the object that holds it and its name there."""
    if isinstance(value, str):
        yield kind, name, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from strings(part, str(value.get("type", kind)), key)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from strings(part, kind, name)


# Slack parses none of these; `text` of a message is parsed, and so escaped; the rest is never shown.
UNPARSED = {("text", "text"), ("link", "url"), ("raw_text", "text"), ("plain_text", "text")}
NEVER_SHOWN = {("button", "value"), ("message", "key")}


@pytest.mark.parametrize("renderer", RENDERERS)
def test_text_of_a_page_pings_nobody(renderer: str) -> None:
    """Crawled text stands only where Slack parses nothing; the fallback is escaped; no control character is left."""
    payload = RENDERERS[renderer](report_of(made.hostile(PINGS)))
    shown = {(kind, name, text) for kind, name, text in strings(payload) if (kind, name) not in NEVER_SHOWN}

    assert {(kind, name) for kind, name, text in shown if "<" in text} <= UNPARSED
    assert {kind for kind, _, _ in shown} & {"mrkdwn", "broadcast", "user", "usergroup", "channel", "emoji"} == set()
    assert not any(mark in text for _, _, text in shown for mark in "\x00\x1b\r\u202e\u2066")
    assert not set("<>") & set(payload["text"])


def test_an_indexable_page_in_slack() -> None:
    """Verdict, address, badges, filters, key facts, buttons, in this order."""
    payload = summary(made.github())
    head, about, table, facts, actions = words_of(payload)

    assert [block["type"] for block in payload["blocks"]] == ["header", "rich_text", "table", "rich_text", "actions"]
    assert head == "✅ Indexable"
    assert about == (
        "https://murphypei.github.io/blog/2020/09/pytorch-distributed\n"
        "✅ INDEXABLE · ✅ CRAWLED 1 month ago · ✅ ROBOTS ALLOWED"
    )
    assert table.startswith("FilterStatusConditionDetailsHTTP status✅ PASSdownload_http_code = 200HTTP 200Age cutoff")
    assert facts == (
        "Last Crawled:  (1 month ago)\nFirst Indexed:  (5 years ago)\nHTTP Status Code: 200\n"
        "Meta Title: PyTorch 多进程\nRobots: Allowed. No rule matches.\nHost: Nothing is recorded."
    )
    assert actions == "Full reportPage textRaw queriesRecheck"


def test_times_are_in_the_readers_zone() -> None:
    """Slack's date element carries the moment, and UTC for who cannot show it."""
    dates = [part for part in summary(made.github())["blocks"][3]["elements"][0]["elements"] if part["type"] == "date"]

    assert dates[0] == {
        "type": "date",
        "timestamp": 1777778691,
        "format": "{date_short_pretty} at {time}",
        "fallback": "2026-05-03 03:24:51 UTC",
    }


def test_the_cause_stands_under_the_badges() -> None:
    """Not indexable: the rule that stopped it, in one sentence."""
    about = words_of(summary(made.failing("canonical")))[1]

    assert (
        "❌ NOT INDEXABLE · ✅ CRAWLED 1 month ago · ✅ ROBOTS ALLOWED\nNot indexable: Canonical. Points to " in about
    )


def test_buttons_know_what_they_are_about() -> None:
    """Every value and the metadata lead back to the same lookup."""
    payload = summary(made.github())
    buttons = payload["blocks"][-1]["elements"]
    subjects = [decode(button["value"]) for button in buttons if "value" in button]

    assert payload["metadata"]["event_type"] == "crawler_inspection"
    assert subjects == [decode(payload["metadata"]["event_payload"])] * 3
    assert subjects[0].unparsed == made.github().lookup.unparsed


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (summary(made.github()), ["report", "page_text", "raw_queries", "recheck"]),
        (summary(made.not_crawled()), ["report", "raw_queries", "recheck"]),
        (summary_message(replace(report_of(made.github()), link=None)), ["page_text", "raw_queries", "recheck"]),
        (
            summary_message(replace(report_of(made.github()), link="https://x.example/" + "a" * 3_000), share=True),
            ["page_text", "raw_queries", "recheck", "share"],
        ),
        (compact_message(report_of(made.github())), ["report", "filters"]),
        (compact_message(replace(report_of(made.not_crawled()), link=None)), []),
    ],
)
def test_only_what_works_is_offered(payload: dict[str, Any], expected: list[str]) -> None:
    """No report button without an address, no page text without a page, no empty row of buttons."""
    assert buttons_of(payload) == expected


def test_nothing_unfurls() -> None:
    """Whatever is posted, Slack adds no previews."""
    payloads = [render(report_of(made.github())) for name, render in RENDERERS.items() if name != "raw"]

    assert {(payload["unfurl_links"], payload["unfurl_media"]) for payload in payloads} == {(False, False)}


def test_near_matches_and_failures_are_lists() -> None:
    """Eight near matches, and a count of the rest; each failed step with its reason."""
    near = words_of(summary(made.not_crawled(near=300)))[-2]
    failures = words_of(summary(made.unanswered()))[-2]

    assert near.startswith("In the table under a near addresshttp://example.com/0 — http instead of https; indexable")
    assert near.endswith("and 292 more")
    assert failures == ("⚠️ Not everything answeredCrawled Status Check failed: laksa143 did not answer within 5 s.")


def test_a_plain_paste_gets_the_short_answer() -> None:
    """No table: every filter's verdict on one line."""
    payload = compact_message(report_of(made.failing("canonical")))

    assert [block["type"] for block in payload["blocks"]] == ["rich_text", "actions"]
    assert words_of(payload)[0].splitlines()[-1] == (
        "✅ HTTP status · ✅ Age cutoff · ✅ History drop · ✅ Spam/ban · ❌ Canonical"
    )


def test_several_urls_share_one_table() -> None:
    """A row each, and the counts above."""
    payload = many_message([report_of(made.github()), report_of(made.failing("canonical"))])

    assert words_of(payload) == [
        "2 URLs: 1 indexable, 1 not indexable",
        "URLVerdictCauseLast crawled"
        "https://murphypei.github.io/blog/2020/09/pytorch-distributed✅ Indexable–1 month ago"
        "https://murphypei.github.io/blog/2020/09/pytorch-distributed❌ Not indexableCanonical1 month ago",
    ]


def test_many_urls_name_what_did_not_answer() -> None:
    """Each reason once, the commonest first, with its server and how many URLs it costs; a few of many reasons."""
    silent = [made.unanswered(f"laksa{number} did not answer within 5 s.") for number in (143, 7, 143)]
    few = many_message([report_of(item) for item in [*silent, made.github()]])
    many = many_message(
        [], {Verdict.UNKNOWN: 200}, Counter({f"laksa{number} is away. {'x' * 900}": 1 for number in range(200)})
    )

    assert words_of(few)[0] == "4 URLs: 1 indexable, 3 unknown"
    assert words_of(few)[-1] == (
        "⚠️ Not everything answeredlaksa143 did not answer within 5 s. (2 URLs)laksa7 did not answer within 5 s. (1 URL)"
    )
    assert words_of(many)[-1].endswith("and 194 more")
    assert check_message(few) == check_message(many) == []


def test_the_short_answer_names_what_did_not_answer() -> None:
    """As the whole one does."""
    payload = compact_message(report_of(made.unanswered()))

    assert words_of(payload)[1] == (
        "⚠️ Not everything answeredCrawled Status Check failed: laksa143 did not answer within 5 s."
    )


def test_two_thousand_urls_say_how_many_are_left_out() -> None:
    """One table holds 99 rows at most; `counts` may know of more URLs than there are reports."""
    report = report_of(made.github())
    payload = many_message([report] * 2_000, {Verdict.INDEXABLE: 4_000})

    assert check_message(payload) == []
    assert words_of(payload)[0] == "4,000 URLs: 4,000 indexable"
    assert len(payload["blocks"][1]["rows"]) == 100
    assert words_of(payload)[-1] == "3,901 URLs left out: the table is full."


def test_raw_names_the_length_of_what_is_cut() -> None:
    """Short bodies stay whole; a long one says how long it is."""
    long = made.github(steps=made.steps(robots=replace(made.steps()[2], response="x" * 81_265)))
    blocks = words_of({"blocks": raw_blocks(report_of(long))})

    assert blocks[1].startswith("2. Crawled Status Check  12 ms\nCrawled.QuerySELECT 1\nFORMAT JSONEachRow")
    assert " of 81,265 characters)xxx" in blocks[2]
    assert blocks[4] == "5. Seen Status Check  0.0 ms\nℹ️ Skipped - page is already crawled"


def test_a_long_text_turns_page_by_page() -> None:
    """3,000 characters a page; buttons only where there is a page to turn to."""
    content = "a" * 3_000 + "b" * 3_000 + "c"
    views = [text_view("Markdown", "https://example.com/", content, page, "state") for page in (1, 2, 3)]

    assert [view["blocks"][1]["text"]["text"] for view in views] == ["a" * 3_000, "b" * 3_000, "c"]
    assert [buttons_of(view) for view in views] == [["page_next"], ["page_previous", "page_next"], ["page_previous"]]
    assert words_of(views[1])[0] == "https://example.com/\nPage 2 of 3, 6,001 characters in all"
    assert views[0]["private_metadata"] == "state"
