"""What `serve` writes, and the id by which one request's lines are found among all."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest

from bot import logs
from tests.conftest import Story


def written(form: logs.Format, record: logging.LogRecord, request: str | None = None) -> str:
    """What a record looks like in the log."""
    stream = StringIO()
    logs.line_handler(form, lambda: request, stream).handle(record)
    return stream.getvalue()


def record(message: str, *arguments: object, error: BaseException | None = None, **extra: Any) -> logging.LogRecord:
    """A record as `log.warning(message, *arguments, exc_info=error, extra=extra)` makes it."""
    trace = (type(error), error, error.__traceback__) if error else None
    made = logging.LogRecord("bot.x", logging.WARNING, "x.py", 1, message, arguments, trace)
    vars(made).update(extra, created=1_796_140_800.5)
    return made


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (record("plain"), {}),
        (record("%s of %d", "one", 2), {"message": "one of 2"}),
        (record("broken\nin two, with a 🦊 and \udcff"), {"message": "broken\nin two, with a 🦊 and \udcff"}),
        (record("query", step="robots", shard=149, outcome="ok", ms=1.5), {"step": "robots", "shard": 149, "ms": 1.5}),
        (record("error", error_id="1a2b"), {"error_id": "1a2b"}),
        (record("anything", seen={1, 2}), {"seen": "{1, 2}"}),
    ],
)
def test_a_record_is_one_json_object_in_one_line(given: logging.LogRecord, expected: dict[str, Any]) -> None:
    """Time in UTC, level, logger, message, request, then what the record was given; always ASCII."""
    line = written("json", given, "1a2b3c")
    always = {
        "time": "2026-12-01T16:00:00.500+00:00",
        "level": "WARNING",
        "logger": "bot.x",
        "message": "plain",
        "request": "1a2b3c",
    }
    read = json.loads(line)

    assert (line.count("\n"), line.isascii()) == (1, True)
    assert list(read)[:5] == list(always)
    assert read.items() >= ({**always, "message": given.getMessage()} | expected).items()


def test_an_exception_is_one_field() -> None:
    """The whole traceback as one string."""
    try:
        raise ZeroDivisionError("by zero")
    except ZeroDivisionError as error:
        read = json.loads(written("json", record("it broke", error=error)))

    assert read["exception"].startswith("Traceback (most recent call last):\n")
    assert read["exception"].endswith("ZeroDivisionError: by zero")


def test_text_is_for_people() -> None:
    """The same, with the request and the fields as name=value; no request, no word of it."""
    query = record("query", step="robots", ms=1.5)

    assert written("text", query, "1a2b3c").endswith(" WARNING bot.x query request=1a2b3c step=robots ms=1.5\n")
    assert written("text", record("plain")).endswith(" WARNING bot.x plain\n")


@pytest.mark.parametrize(
    ("level", "ours", "theirs"), [("DEBUG", 10, 20), ("INFO", 20, 20), ("WARNING", 30, 30), ("ERROR", 40, 40)]
)
def test_libraries_never_write_what_is_below_info(level: logs.Level, ours: int, theirs: int) -> None:
    """Their DEBUG holds messages and parameters; asked in a process of its own, as the log is the process's."""
    code = (
        "import logging; from bot import logs;"
        f"logs.configure('json', {level!r}, lambda: None);"
        "print([logging.getLogger(n).getEffectiveLevel() for n in ('bot.x', 'asyncio')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == [ours, theirs]


@pytest.mark.parametrize(
    ("tell", "said"),
    [
        (
            lambda: logs.request_taken("/inspect", "T1", "C1", "U1"),
            {"message": "taken", "kind": "/inspect", "team": "T1", "channel": "C1", "user": "U1"},
        ),
        (lambda: logs.request_done("answered", 0.25), {"message": "done", "outcome": "answered", "ms": 250.0}),
        (
            lambda: logs.query_ended("seen", None, "timeout", 5.0),
            {"message": "query", "step": "seen", "shard": None, "outcome": "timeout", "ms": 5000.0},
        ),
        (
            lambda: logs.slack_called("chat.update", "ok", 0.1),
            {"message": "slack", "method": "chat.update", "outcome": "ok", "ms": 100.0},
        ),
        (lambda: logs.page_sent("report", 410, 0.01), {"message": "page", "page": "report", "status": 410, "ms": 10.0}),
    ],
    ids=["taken", "done", "query", "slack", "page"],
)
def test_a_line_of_a_request(story: Story, tell: Callable[[], None], said: dict[str, Any]) -> None:
    """Each kind has its fields and no other."""
    tell()
    [line] = story()

    assert {name: value for name, value in line.items() if name not in ("time", "level", "logger", "request")} == said
