"""Google's own 145 expectations and 11 on line ends: our verdict, and protego's where it is another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from protego import Protego

from bot.robots import decide

JsonLines = Callable[[str], list[dict[str, Any]]]

# Where protego gives another verdict than the row. We differ from no row; protego's kinds of difference are shown one
# by one in test_robots_second_opinion.py.
PROTEGO_DIFFERS = {
    "ID_LineSyntax_Groups_OtherRules": 1,  # an unknown line between two User-agent lines ends its group
    "ID_UserAgentValueCaseInsensitive": 6,  # "Foo Bar" is one name, not "Foo"
    "GoogleOnly_AcceptUserAgentUpToFirstSpace": 2,  # the same
    "ID_Encoding": 3,  # escapes both sides, where Google leaves the URL to its caller
    "GoogleOnly_LineTooLong": 2,  # cuts no line
    "recast_BOM_full": 1,  # a byte order mark is part of the first field's name
}


def test_every_vector_gives_its_verdict(json_lines: JsonLines) -> None:
    """All 156 rows, and none of them is a known difference."""
    rows = json_lines("vectors/robots_cases.jsonl")
    wrong = [row for row in rows if decide(row["robots"], row["agent"], row["url"]).allowed != row["allowed"]]

    assert (len(rows), wrong) == (156, [])


def test_vectors_read_as_bytes_give_the_same_decision(json_lines: JsonLines) -> None:
    """A body is text or octets; the decision, with its line, is the same."""
    for row in json_lines("vectors/robots_cases.jsonl"):
        as_text = decide(row["robots"], row["agent"], row["url"])
        as_octets = decide(row["robots"].encode(), row["agent"], row["url"])

        assert as_octets == as_text


def test_a_disallowed_vector_names_the_line_that_says_so(json_lines: JsonLines) -> None:
    """No verdict against a page comes without its line, and the rule stands on that line as written."""
    for row in json_lines("vectors/robots_cases.jsonl"):
        decision = decide(row["robots"], row["agent"], row["url"])
        if decision.line is None:
            assert decision.allowed, row
            continue
        written = row["robots"].encode().splitlines()[decision.line - 1].decode()
        assert decision.rule
        assert written.startswith(decision.rule), row


def test_protego_differs_from_the_vectors_in_the_known_rows_only(json_lines: JsonLines) -> None:
    """The second opinion agrees with us on every other row."""
    differs: dict[str, int] = {}
    for row in json_lines("vectors/robots_cases.jsonl"):
        if Protego.parse(row["robots"]).can_fetch(row["url"], row["agent"]) != row["allowed"]:
            differs[row["group"]] = differs.get(row["group"], 0) + 1

    assert differs == PROTEGO_DIFFERS
