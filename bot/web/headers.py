"""The headers of every answer: nothing is loaded from elsewhere, nothing runs inline, nobody frames or indexes it."""

from __future__ import annotations

from aiohttp import web

CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "form-action 'self'",
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
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), interest-cohort=()",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
REQUEST = web.RequestKey("request", str)
REQUEST_HEADER = "X-Request-Id"  # by which a reader's page is found in the log and in system.query_log
PRIVATE = "no-store"  # a report is for the holder of its link


async def set_headers(request: web.BaseRequest, response: web.StreamResponse) -> None:
    """An aiohttp `on_response_prepare` signal: it reaches streams and errors too."""
    for name, value in HEADERS.items():
        response.headers[name] = value
    if REQUEST in request:
        response.headers[REQUEST_HEADER] = request[REQUEST]
    response.headers.setdefault("Cache-Control", PRIVATE)
    response.headers.pop("Server", None)
