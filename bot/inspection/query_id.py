"""The names of queries, so that a DBA finds in `system.query_log` what one request asked.

A name reads crawler-inspector-<request id>-<step>-<number>; the number keeps a repeated or hedged query apart from the
first, since ClickHouse refuses a second running query of one name.
"""

from __future__ import annotations

import itertools
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PREFIX = "crawler-inspector"

_request: ContextVar[str | None] = ContextVar("request", default=None)
_step: ContextVar[str] = ContextVar("step", default="query")
_numbers = itertools.count(1)
_OUTSIDE = re.compile(r"[^A-Za-z0-9_.]+")


@contextmanager
def query_names(*, request: str | None = None, step: str | None = None) -> Iterator[None]:
    """Queries that start inside carry this request id and this step; what is not given stays as it was."""
    tokens = [(_request, _request.set(request))] if request is not None else []
    step_token = _step.set(step) if step is not None else None
    try:
        yield
    finally:
        for variable, token in tokens:
            variable.reset(token)
        if step_token is not None:
            _step.reset(step_token)


def new_request() -> str:
    """An id for a request that brings none of its own: 12 hex digits."""
    return secrets.token_hex(6)


@contextmanager
def one_request() -> Iterator[None]:
    """Queries that start inside carry one request id: the one that is set already, or a new one."""
    with query_names(request=_request.get() or new_request()):
        yield


def current_request() -> str | None:
    """The request id that is set here; None outside of any request."""
    return _request.get()


def next_query_id() -> str:
    """A name that no other query of this process has; without a request id, a random one stands for it."""
    request = _request.get() or new_request()
    return f"{PREFIX}-{_plain(request)}-{_plain(_step.get())}-{next(_numbers)}"


def _plain(part: str) -> str:
    return _OUTSIDE.sub("_", part)[:64]
