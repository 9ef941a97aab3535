"""What Slack makes of what people type."""

from __future__ import annotations

from typing import Any

import pytest

from bot.workspace.composer import compose, mark_up


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def link(url: str, **more: Any) -> dict[str, Any]:
    return {"type": "link", "url": url, **more}


def parts(*elements: tuple[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [{"type": f"rich_text_{kind}", "elements": leaves} for kind, leaves in elements]


TYPED = [
    ("hi", "hi", parts(("section", [text("hi")]))),
    ("https://[", "https://[", parts(("section", [text("https://[")]))),
    ("see http:///x", "see http:///x", parts(("section", [text("see "), text("http:///x")]))),
    ("a < b & c", "a &lt; b &amp; c", parts(("section", [text("a < b & c")]))),
    (
        "see https://a.example/?x=1&y=2, ok",
        "see <https://a.example/?x=1&amp;y=2>, ok",
        parts(("section", [text("see "), link("https://a.example/?x=1&y=2"), text(", ok")])),
    ),
    (
        "(https://a.example/x_(y))",
        "(<https://a.example/x_(y)>)",
        parts(("section", [text("("), link("https://a.example/x_(y)"), text(")")])),
    ),
    (
        "example.com/x.",
        "<http://example.com/x|example.com/x>.",
        parts(("section", [link("http://example.com/x", text="example.com/x"), text(".")])),
    ),
    ("me@example.com README.md", "me@example.com README.md", parts(("section", [text("me@example.com README.md")]))),
    (
        "<@U0BOT> why `https://a.example/`?",
        "<@U0BOT> why `https://a.example/`?",
        parts(
            (
                "section",
                [
                    {"type": "user", "user_id": "U0BOT"},
                    text(" why "),
                    text("https://a.example/", style={"code": True}),
                    text("?"),
                ],
            )
        ),
    ),
    (
        "log:\n```\na -> https://a.example/\n```",
        "log:\n```a -&gt; https://a.example/```",
        parts(("section", [text("log:\n")]), ("preformatted", [text("a -> https://a.example/")])),
    ),
    (
        "> https://a.example/\nno",
        "&gt; <https://a.example/>\nno",
        parts(("quote", [link("https://a.example/"), text("\n")]), ("section", [text("no")])),
    ),
]


@pytest.mark.parametrize(("typed", "expected_text", "expected_elements"), TYPED, ids=[row[0] for row in TYPED])
def test_a_typed_message_becomes_text_and_rich_text(
    typed: str, expected_text: str, expected_elements: list[dict[str, Any]]
) -> None:
    """`text` holds entities and `<url>`; the blocks hold the characters as typed."""
    assert compose(typed) == (expected_text, [{"type": "rich_text", "elements": expected_elements}])


def test_an_escaped_command_marks_its_links() -> None:
    """What a command carries when the app's escape setting is on."""
    assert mark_up("check https://a.example/?x=1&y=2") == "check <https://a.example/?x=1&amp;y=2>"
