"""What `serve` writes on standard error: one line a record, as text or as JSON, each with the id of its request.

The id is the one that stands in the names of the request's queries in `system.query_log`: one grep tells its story.
The lines of that story are made here, and hold ids of Slack, names of steps and methods, outcomes and times: never
what somebody typed, an address or a secret.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

Format = Literal["text", "json"]
Level = Literal["DEBUG", "INFO", "WARNING", "ERROR"]

OURS = "bot"  # the logger above all of this package's
_STANDARD = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime", "request", "taskName"})

log = logging.getLogger("bot.requests")


def configure(form: Format, level: Level, request: Callable[[], str | None]) -> None:
    """Write records to standard error from now on; `request` tells the id of the request that runs where it is asked.

    Libraries write nothing below INFO, whatever the level: their DEBUG holds what was sent and typed.
    """
    # Facts of a record that no line shows: https://docs.python.org/3/howto/logging.html#optimization
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = line_handler(form, request, sys.stderr)
    logging.basicConfig(level=max(logging.INFO, logging.getLevelName(level)), handlers=[handler])
    logging.getLogger(OURS).setLevel(level)


def line_handler(form: Format, request: Callable[[], str | None], stream: TextIO) -> logging.Handler:
    """Writes a line a record to `stream`."""
    handler = logging.StreamHandler(stream)
    handler.addFilter(InRequest(request))
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    return handler


class InRequest(logging.Filter):
    """Lets every record through, with `record.request`: the id, or None outside of any request."""

    def __init__(self, request: Callable[[], str | None]) -> None:
        super().__init__()
        self._request = request

    def filter(self, record: logging.LogRecord) -> bool:
        """Set it where the record was made, as the handler runs in the same task."""
        record.request = self._request()
        return True


class JsonLines(logging.Formatter):
    """One object a line, in ASCII: time (UTC), level, logger, message, request; exception; then the record's extras."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "request": getattr(record, "request", None),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line | extras(record) | line, default=str)  # ours first, and not overwritten


class TextLines(logging.Formatter):
    """For people: time, level, logger, message, and the rest as name=value."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name is logging's
        """The line without its exception."""
        named = {"request": getattr(record, "request", None), **extras(record)}
        return " ".join([super().formatMessage(record), *(f"{k}={v}" for k, v in named.items() if v is not None)])


def extras(record: logging.LogRecord) -> dict[str, Any]:
    """What a record was given by `extra=`."""
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}


def request_taken(kind: str, team: str, channel: str, user: str) -> None:
    """A request of Slack's was taken; all four are ids or kinds of Slack's: "/inspect", T…, C…, U…."""
    log.info("taken", extra={"kind": kind, "team": team, "channel": channel, "user": user})


def request_done(outcome: str, seconds: float) -> None:
    """It ended, so long after it was taken: "answered", "failed" or another of metrics.JOB_OUTCOMES."""
    _ended("done", seconds, outcome=outcome)


def query_ended(step: str, shard: int | None, outcome: str, seconds: float) -> None:
    """A query ended: "ok", or the kind of its failure. `shard` None: any."""
    _ended("query", seconds, step=step, shard=shard, outcome=outcome)


def slack_called(method: str, outcome: str, seconds: float) -> None:
    """A call of Slack ended: "ok", or Slack's own name of the error."""
    _ended("slack", seconds, method=method, outcome=outcome)


def page_sent(page: str, status: int, seconds: float) -> None:
    """A web page was sent."""
    _ended("page", seconds, page=page, status=status)


def _ended(what: str, seconds: float, **told: Any) -> None:
    log.info(what, extra={**told, "ms": round(seconds * 1000, 1)})
