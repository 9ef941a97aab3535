"""Answers that every page shares: HTML, JSON, and the page for what cannot be opened."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from aiohttp import web

from bot.errors import BadInput, BadLink, ExpiredLink, IndexGone, InspectorError, NotAllowed, StoreError
from bot.web.templating import page

log = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
TWIN = ".json"  # what follows a page's address where JSON is wanted
NEW_LINK = "For a new link, go back to the answer in Slack and press Recheck, or type /inspect with the page's address."

# The first class that fits: status, heading, advice.
REFUSALS: tuple[tuple[type[InspectorError], int, str, str], ...] = (
    (ExpiredLink, 410, "This link has expired", NEW_LINK),
    (BadLink, 403, "This link does not open", NEW_LINK),
    (IndexGone, 410, "This index is not served any more", NEW_LINK),
    (NotAllowed, 403, "That is not for everyone", "The report itself is: it is the page that led here."),
    (BadInput, 400, "That cannot be looked up", "Go back and change what you typed."),
    (StoreError, 503, "The index did not answer", "Try again in a moment."),
    (InspectorError, 500, "Something went wrong here", "Try again in a moment."),
)


def html_answer(text: str, status: int = 200) -> web.Response:
    """A page."""
    return web.Response(text=text, status=status, content_type="text/html", charset="utf-8")


def json_answer(value: Any, status: int = 200) -> web.Response:
    """A page's JSON twin."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return web.Response(text=text, status=status, content_type="application/json", charset="utf-8")


async def streamed(
    request: web.Request, media_type: str, parts: AsyncIterator[bytes], **headers: str
) -> web.StreamResponse:
    """Parts, sent as they come: the next one is asked for when the reader has taken the last. HEAD gets none."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    response = web.StreamResponse(headers={"Content-Type": f"{media_type}; charset=utf-8", **named})
    await response.prepare(request)
    if request.method != "HEAD":
        async for part in parts:
            await response.write(part)
        await response.write_eof()
    return response


def refusal(error: InspectorError, as_json: bool) -> web.Response:
    """The answer to what cannot be done: one sentence and how to go on."""
    _, status, heading, advice = next(row for row in REFUSALS if isinstance(error, row[0]))
    if as_json:
        return json_answer({"error": str(error), "advice": advice}, status)
    return html_answer(page("error.html", heading=heading, sentence=str(error), advice=advice), status)


def guarded(handler: Handler) -> Handler:
    """The handler, with errors of ours told in a page."""

    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        except InspectorError as error:
            log.info("refused a page: %s", type(error).__name__)
            return refusal(error, request.path.endswith(TWIN))

    return answer


def split_token(request: web.Request, *twins: str) -> tuple[str, str]:
    """The token of the address, and which twin of the page is wanted: "" or one of `twins`."""
    token = request.match_info["token"]
    twin = next((twin for twin in (TWIN, *twins) if token.endswith(twin)), "")
    return token.removesuffix(twin), twin
