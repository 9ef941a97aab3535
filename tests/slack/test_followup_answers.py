"""What follow-ups answer, and that Slack takes every answer about every page."""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from typing import Any

import pytest

from bot.errors import BadInput
from bot.index.sample import EXAMPLES
from bot.inspection.model import Inspection, Outcome
from bot.inspection.pipeline import Inspector
from bot.render.actions import ACTION_TEXT
from bot.report.build import build_report
from bot.report.links import Links, NoLinks
from bot.report.model import Report
from bot.slack.followups.answers import ANSWERS, Found, answer, sentence_answer
from bot.slack.followups.grammar import BY_NAME, COMMANDS, Needs
from bot.slack.followups.other_pages import (
    HEAVY,
    TARGETS,
    compare_answer,
    heavy_answer,
    heavy_field,
    no_target_sentence,
    target_of,
)
from bot.slack.followups.reading import Followup, Unclear
from bot.slack.followups.talk import help_answer, unclear_answer
from bot.slack.followups.whole import whole
from bot.workspace.rich_text import text_of
from bot.workspace.validator import check_message
from tests.render.test_blocks import HUGE, INSPECTIONS
from tests.report import inspections as made
from tests.report.inspections import ELSEWHERE, PROFILE, SignedLinks
from tests.store.both import on_both_stores


def found(inspection: Inspection, links: Links | None = None) -> Found:
    """What answers are made of."""
    links = links or SignedLinks()
    return Found(inspection, build_report(inspection, PROFILE, links), PROFILE, links)


FOUND = functools.cache(lambda name: found(INSPECTIONS[name]))


def said(command: str, inspection: Inspection, argument: str = "") -> str:
    """What a reader sees of an answer."""
    return words(answer(Followup(BY_NAME[command], argument), found(inspection)))


def words(payload: dict[str, Any]) -> str:
    return "\n".join(text_of(block) for block in payload["blocks"])


def test_every_command_that_needs_the_report_has_an_answer() -> None:
    """The grammar and the answers cannot drift."""
    needing = {command.name for command in COMMANDS if command.needs is Needs.REPORT}

    assert set(ANSWERS) | {"recheck", "as of"} == needing


@pytest.mark.parametrize("command", ANSWERS)
@pytest.mark.parametrize("name", INSPECTIONS)
def test_slack_takes_every_answer_about_every_page(name: str, command: str) -> None:
    """Hostile and huge ones too. What the thread is about, only the inspections in it say."""
    payload = answer(Followup(BY_NAME[command]), FOUND(name))

    assert check_message(payload) == []
    assert (payload["unfurl_links"], "metadata" in payload) == (False, False)


@on_both_stores
@pytest.mark.parametrize("name", EXAMPLES)
async def test_slack_takes_every_answer_about_the_sample(name: str, inspector: Inspector) -> None:
    """What a real inspection finds."""
    of = found(await inspector.inspect(inspector.read(EXAMPLES[name])))

    problems = [problem for command in ANSWERS for problem in check_message(ANSWERS[command](of, ""))]
    assert problems == []


@pytest.mark.parametrize("name", INSPECTIONS)
def test_slack_takes_a_comparison_of_every_page(name: str) -> None:
    """With a page that differs in all, on either side."""
    other = FOUND("github").report

    assert check_message(compare_answer(FOUND(name).report, other, "https://bot.example/c/token")) == []
    assert check_message(compare_answer(other, FOUND(name).report)) == []


@pytest.mark.parametrize("name", HEAVY)
@pytest.mark.parametrize("content", [*HUGE.values(), "<!channel> &amp;"], ids=[*HUGE, "ping"])
def test_slack_takes_every_text(name: str, content: str) -> None:
    """Whatever the page holds."""
    field = heavy_field(PROFILE, name)

    assert field is not None
    payload = heavy_answer(FOUND("pings").report, field, content, 10**9, "https://bot.example/h/token")
    assert check_message(payload) == []


@pytest.mark.parametrize(
    ("command", "inspection", "says"),
    [
        ("why", made.github(), ["Indexable: every rule passes."]),
        ("why", made.failing("canonical"), [f"Points to {ELSEWHERE}", "meta_canonical = src_unparsed", "❌ Canonical"]),
        ("why", made.failing("http-status", "canonical"), ["Not indexable: HTTP status", "❌ Canonical"]),
        ("why", made.not_crawled(), ["Not crawled: never seen in the frontier."]),
        ("why", made.unanswered(), ["laksa143 did not answer within 5 s."]),
        ("filters", made.github(), ["Age cutoff", "✅ PASS"]),
        ("filters", made.not_crawled(), ["Not crawled"]),
        ("details", made.github(), ["General", "Meta Title: PyTorch 多进程", "Partition ID: 61", "Author: –"]),
        ("details", made.not_crawled(), ["Root Hash: 2566890010099092343"]),
        ("crawled", made.github(), ["Last Crawled: 2026-05-03 03:24:51 (1 month ago)", "HTTP Status Code: 200"]),
        ("crawled", made.not_crawled(), ["Not crawled"]),
        ("robots", made.github(), ["ROBOTS ALLOWED", "No rule matches."]),
        ("spam", made.github(), ["Host: Nothing is recorded.", "Spam Score: 0", "Spam/ban: ✅ ml_spam_score=0"]),
        ("seen", made.github(), ["Skipped - page is already crawled", "First Indexed: 2020-09-26 07:35:34"]),
        ("seen", made.not_crawled(), ["Frontier: Never seen in the frontier."]),
        ("raw", made.github(), ["1. Shard Calculation", "2. Crawled Status Check", "5. Seen Status Check"]),
        ("sql", made.github(), ["SELECT 1\nFORMAT JSONEachRow", "2566890010099092343"]),
        ("curl", made.github(), ["$CLICKHOUSE_PASSWORD"]),
        ("json", made.github(), ['"verdict": "indexable"']),
        ("links", made.github(), ["External Links: 5", "Internal Links: 20"]),
        ("class", made.github(), ["ML Intent Types: Informational 999", "/Computers_and_Electronics 980"]),
        ("class", made.not_crawled(), ["Not crawled"]),
        ("perf", made.github(), ["TTFB (ms): 40", "Download Size (bytes): 12,013"]),
        ("perf", made.not_crawled(), ["Not crawled"]),
        ("host", made.github(), ["Host ID: 143 (laksa143)", "Robots: Allowed", "Standing: Nothing is recorded."]),
    ],
)
def test_an_answer_is_to_the_point(command: str, inspection: Inspection, says: list[str]) -> None:
    """The page's address, and what was asked."""
    shown = said(command, inspection)

    assert [part for part in says if part not in shown] == []
    assert "murphypei.github.io" in shown or command == "raw"


def test_curl_says_so_where_there_is_no_server() -> None:
    """The embedded crawl has none."""
    steps = tuple(replace(step, curl=None) for step in made.steps())

    assert "no server to ask" in said("curl", made.github(steps=steps))


@pytest.mark.parametrize(("argument", "title"), [("2", "Crawled Status Check"), ("robots", "Robots.txt Check")])
def test_raw_shows_one_step(argument: str, title: str) -> None:
    """By number or by name."""
    [block] = answer(Followup(BY_NAME["raw"], argument), found(made.github()))["blocks"]

    assert title in text_of(block)


@pytest.mark.parametrize("argument", ["0", "6", "9" * 5_000])
def test_raw_names_the_steps_where_there_is_none_of_that_number(argument: str) -> None:
    """What was read, and what there is."""
    with pytest.raises(BadInput, match=r"There is no step .+ 1 shard, 2 crawled, 3 robots, 4 spam, 5 seen"):
        answer(Followup(BY_NAME["raw"], argument), found(made.github()))


def test_json_that_is_cut_names_its_whole_length() -> None:
    """So that nobody takes a part for the whole."""
    assert "JSON (the first " in words(answer(Followup(BY_NAME["json"]), FOUND("letters")))


@pytest.mark.parametrize(
    ("command", "argument", "name", "holds"),
    [
        ("json", "", "inspection.json", '"verdict"'),
        ("raw", "", "queries.txt", ": Query\n"),
        ("raw", "2", "queries.txt", ": Response\n"),
        ("sql", "", "query.sql", "-- Parameters\n"),
    ],
)
def test_an_answer_that_is_cut_is_a_file_as_a_whole(command: str, argument: str, name: str, holds: str) -> None:
    """Every character of it: JSON as it can be parsed, texts under comments of their language."""
    followup, long = Followup(BY_NAME[command], argument), FOUND("letters")
    file = whole(followup, long, answer(followup, long))

    assert file is not None
    assert (file.name, holds in file.text, "…" in file.text) == (name, True, False)
    if command == "json":
        assert json.loads(file.text)["lookup"]["unparsed"] == long.inspection.lookup.unparsed


@pytest.mark.parametrize("command", [name for name in ANSWERS if name != "json"])
def test_an_answer_that_fits_is_no_file(command: str) -> None:
    """A message is quicker to read."""
    followup, short = Followup(BY_NAME[command]), found(made.not_crawled())

    assert whole(followup, short, answer(followup, short)) is None


def test_a_text_is_shown_in_part_with_the_button_that_opens_it_all() -> None:
    """The button names the field, beside the subject that every button holds."""
    field = heavy_field(PROFILE, "readable")
    assert field is not None
    payload = heavy_answer(found(made.github()).report, field, "word " * 2_000, 10_000, None)
    [button] = payload["blocks"][-1]["elements"]

    assert (button["action_id"], json.loads(button["value"])["field"]) == (ACTION_TEXT, "attrs_readable_markdown")
    assert "the first 2,900 characters of 10,000 bytes" in words(payload)


@pytest.mark.parametrize(
    ("name", "field_id"),
    [("text", "attrs_boilerpipe_text"), ("markdown", "attrs_markdown"), ("readable", "attrs_readable_markdown")],
)
def test_each_text_is_a_heavy_column_of_the_profile(name: str, field_id: str) -> None:
    """Which one, the column's own name says."""
    assert getattr(heavy_field(PROFILE, name), "id", None) == field_id


@pytest.mark.parametrize("name", TARGETS)
def test_a_page_that_leads_nowhere_says_so(name: str) -> None:
    """A sentence instead of an inspection."""
    page, none = made.github(), made.not_crawled()

    assert (target_of(page, name), target_of(none, name)) == (None, None)
    assert no_target_sentence(page, name).startswith("This page ")
    assert "not in the table" in no_target_sentence(none, name)


def test_a_comparison_marks_what_differs() -> None:
    """Two columns; equal values stay, unmarked."""
    payload = compare_answer(found(made.github()).report, found(made.failing("canonical")).report)
    table = next(block for block in payload["blocks"] if block["type"] == "table")
    rows = {text_of(row[0]): [text_of(part) for part in row[1:]] for row in table["rows"][1:]}

    assert rows["≠ Verdict"] == ["✅ Indexable", "❌ Not indexable"]
    assert rows["≠ Canonical"] == ["✅ Not set", f"❌ Points to {ELSEWHERE}"]
    assert rows["= HTTP status"] == ["✅ HTTP 200", "✅ HTTP 200"]
    assert "1 of" in words(payload)


def test_help_lists_the_whole_grammar_and_unclear_names_three() -> None:
    """One line, and every command in the help."""
    help_words = words(help_answer())
    unclear = unclear_answer(Unclear((BY_NAME["why"], BY_NAME["raw"], BY_NAME["as of"])))

    assert [command.name for command in COMMANDS if command.typed not in help_words] == []
    assert words(unclear) == "Not understood. Did you mean why, raw 2 or as of 2026-04-06? All of them: help"
    assert [check_message(help_answer()), check_message(unclear)] == [[], []]


def test_links_are_left_out_where_there_is_no_public_address() -> None:
    """The answer stands without them."""
    of = found(made.github(), NoLinks())
    report: Report = of.report

    assert check_message(answer(Followup(BY_NAME["details"]), of)) == []
    assert check_message(sentence_answer(report, "<!channel>")) == []
    assert report.filters[0].outcome is Outcome.PASS
