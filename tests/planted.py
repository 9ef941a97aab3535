"""The secrets of the suite, and the watch that sees whether one of them is logged.

Every secret of a fixture says "planted-". What the stand-in workspace makes up, and what opens something to whoever
holds it, is known by its form: trigger ids, response_urls, the addresses of uploads.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Callable

# Of the test cluster, hard to quote; and the client secret of the stand-in workspace.
_OTHERS = r"""it's a "secret"|chooser's \$password|token-of-the-reader|\bclient-secret\b"""
SECRET = re.compile(rf"planted-[\w-]+|trigger\.\d{{8}}|/response/response\d{{8}}|/upload/F\d{{8}}|{_OTHERS}")


def secrets_in(text: str) -> set[str]:
    """The secrets that stand in a text."""
    return set(SECRET.findall(text))


class Watch:
    """Sees every record of `logging`, whichever handlers there are, and keeps those that hold a secret."""

    def __init__(self, make: Callable[..., logging.LogRecord]) -> None:
        self._make = make
        self.found: list[str] = []

    def __call__(self, *arguments: object, **named: object) -> logging.LogRecord:
        """A record factory."""
        record = self._make(*arguments, **named)
        text = written(record)
        if SECRET.search(text):
            self.found.append(f"{record.name}: {text}")
        return record

    def taken(self) -> list[str]:
        """What was found since the last time."""
        found, self.found = self.found, []
        return found


def written(record: logging.LogRecord) -> str:
    """All that a handler could write of a record, its traceback too."""
    error = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info and record.exc_info[0] else ""
    return f"{record.getMessage()}\n{error}"


def watching() -> Watch:
    """A watch that is set from here on."""
    watch = Watch(logging.getLogRecordFactory())
    logging.setLogRecordFactory(watch)
    return watch
