"""The HTTP server under the bot's routes. What others do wrong, or leave undone, becomes one line of the log.

aiohttp answers with 400 what is no HTTP, and writes a traceback with its octets: any stranger could fill the log, with
any words. A reader who leaves while a page is sent leaves a traceback too.
"""

from __future__ import annotations

import logging

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

log = logging.getLogger(__name__)

NOT_OURS: tuple[tuple[type[Exception], str], ...] = (
    (HttpProcessingError, "refused what is no HTTP request"),
    (ConnectionError, "a reader left before the end"),
)


def in_short(record: logging.LogRecord) -> bool:
    """A logging filter: no traceback, and nothing of what was sent, where the mistake is not ours."""
    error = record.exc_info[1] if record.exc_info else None
    said = next((said for kind, said in NOT_OURS if isinstance(error, kind)), None)
    if said:
        record.exc_info = record.exc_text = None
        record.msg = f"{said} (%s): {type(error).__name__}"
        record.levelno, record.levelname = logging.INFO, logging.getLevelName(logging.INFO)
    return True


log.addFilter(in_short)


def runner_of(application: web.Application) -> web.AppRunner:
    """What serves the application; it logs no request."""
    return web.AppRunner(application, access_log=None, logger=log)
