"""What a robots.txt means that answered, moved, was refused, or never came."""

from __future__ import annotations

import pytest

from bot.robots import MAX_BYTES, judge_response

BODY = "User-agent: *\nDisallow: /private/\n"
URL = "https://example.com/private/a"


@pytest.mark.parametrize(
    ("code", "body", "answer", "note"),
    [
        (200, BODY, "disallowed", ""),
        (206, BODY, "disallowed", ""),
        (200, "", "allowed", "robots.txt has no group for ExampleBot and none for *."),
        (200, "User-agent: *\nDisallow: /b\n", "allowed", "No rule of the group * matches."),
        (200, None, "unknown", "robots.txt answered HTTP 200, but its text is not stored."),
        (
            301,
            BODY,
            "allowed",
            "The redirects of robots.txt did not end (HTTP 301); everything is allowed (RFC 9309 §2.3.1.2).",
        ),
        (404, BODY, "allowed", "robots.txt is unavailable (HTTP 404); everything is allowed (RFC 9309 §2.3.1.3)."),
        (403, None, "allowed", "robots.txt is unavailable (HTTP 403); everything is allowed (RFC 9309 §2.3.1.3)."),
        (429, None, "allowed", "robots.txt is unavailable (HTTP 429); everything is allowed (RFC 9309 §2.3.1.3)."),
        (
            503,
            BODY,
            "disallowed",
            "robots.txt met a server error (HTTP 503); everything is disallowed (RFC 9309 §2.3.1.4).",
        ),
        (
            None,
            None,
            "disallowed",
            "The host did not answer for robots.txt; everything is disallowed until it does (RFC 9309 §2.3.1.4).",
        ),
        (0, None, "unknown", "HTTP 0 for robots.txt says neither yes nor no."),
        (600, BODY, "unknown", "HTTP 600 for robots.txt says neither yes nor no."),
    ],
)
def test_the_status_code_says_whether_the_file_is_read(
    code: int | None, body: str | None, answer: str, note: str
) -> None:
    """2xx is read; 3xx and 4xx allow, 5xx and silence disallow; nothing is guessed from what is not stored."""
    verdict, _, sentence = judge_response(code, body, "ExampleBot", URL)

    assert (verdict, sentence) == (answer, note)


def test_only_a_file_that_was_read_has_a_deciding_line() -> None:
    """A body that came with an error is an error page."""
    _, read, _ = judge_response(200, BODY, "ExampleBot", URL)
    _, refused, _ = judge_response(404, BODY, "ExampleBot", URL)

    assert (read.line if read else None, refused) == (2, None)


def test_robots_txt_itself_says_why_it_is_allowed() -> None:
    """The file is allowed whatever is in it."""
    assert judge_response(200, "User-agent: *\nDisallow: /\n", "ExampleBot", "https://example.com/robots.txt")[::2] == (
        "allowed",
        "robots.txt itself is always allowed (RFC 9309 §2.2.2).",
    )


def test_a_file_that_was_not_read_to_its_end_says_so() -> None:
    """The rule is beyond 500 KiB, so it does not count, and the sentence tells."""
    body = "User-agent: *\n" + "#\n" * (MAX_BYTES // 2) + "Disallow: /\n"

    assert judge_response(200, body, "ExampleBot", URL)[::2] == (
        "allowed",
        "No rule of the group * matches. Only the first 512,000 bytes of robots.txt count.",
    )
