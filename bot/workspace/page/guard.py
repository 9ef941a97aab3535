"""Who may speak to the page: a browser that opened it from loopback, and no other site in that browser."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

LOOPBACK = frozenset(("127.0.0.1", "localhost", "[::1]"))
OWN = (None, "same-origin", "none")  # Sec-Fetch-Site: "none" is the address bar
CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def refusal(request: web.Request) -> str | None:
    """Why a request is not taken; None where it is.

    A name that a stranger's DNS points to loopback arrives as another Host; a form or script of another site shows
    itself by Origin or Sec-Fetch-Site; JSON cannot be sent from elsewhere without asking first.
    """
    if urlsplit(f"//{request.host}").hostname not in {name.strip("[]") for name in LOOPBACK}:
        return "This page answers on loopback only: open it as http://127.0.0.1:PORT."
    origin = request.headers.get("Origin")
    if origin not in (None, f"http://{request.host}") or request.headers.get("Sec-Fetch-Site") not in OWN:
        return "Requests from other sites are not taken."
    if request.method == "POST" and request.content_type != "application/json":
        return "Send JSON, as application/json."
    return None


@web.middleware
async def only_own(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse what `refusal` names."""
    sentence = refusal(request)
    if sentence is not None:
        return web.json_response({"error": sentence}, status=403)
    return await handler(request)


async def set_headers(_request: web.BaseRequest, response: web.StreamResponse) -> None:
    """An aiohttp `on_response_prepare` signal: it reaches streams and errors too."""
    response.headers.update(HEADERS)
