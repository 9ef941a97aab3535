"""The web pages as one thing to install into an aiohttp application. Every route stands in `Site.routes`."""

from __future__ import annotations

import time
from collections.abc import Mapping

from aiohttp import web

from bot import metrics
from bot.inspection.pipeline import Inspector
from bot.links import Action, Links
from bot.web.answers import Handler, guarded
from bot.web.headers import set_headers
from bot.web.heavy_page import HeavyPage
from bot.web.probes import Dependency, Probes
from bot.web.report_page import ComparePage, ReportPage
from bot.web.sign_in import SignIn
from bot.web.templating import STATIC, static_file

FOR_EVER = "public, max-age=31536000, immutable"


class Site:
    """Reports, heavy columns, comparisons; health, readiness, metrics."""

    def __init__(
        self,
        inspector: Inspector,
        links: Links,
        *,
        dependencies: Mapping[str, Dependency] | None = None,
        sign_in: SignIn | None = None,
    ) -> None:
        self._sign_in = sign_in
        self._pages: dict[Action, Handler] = {
            Action.REPORT: ReportPage(inspector, links).show,
            Action.HEAVY: HeavyPage(inspector, links).show,
            Action.COMPARE: ComparePage(inspector, links).show,
        }
        self._probes = Probes(inspector, dependencies)

    def routes(self) -> list[web.RouteDef]:
        """Every address that a browser or a probe may ask for."""
        pages = [
            web.get(f"/{action.value}/{{token}}", timed(action.name.lower(), self._for_readers(guarded(handler))))
            for action, handler in self._pages.items()
        ]
        signing_in = self._sign_in.routes() if self._sign_in else []
        return [*pages, web.get("/static/{digest}/{name}", static), *signing_in, *self._probes.routes()]

    def _for_readers(self, handler: Handler) -> Handler:
        return self._sign_in.guarding(handler) if self._sign_in else handler

    def install(self, application: web.Application) -> None:
        """Add the routes, and the headers of every answer."""
        application.add_routes(self.routes())
        application.on_response_prepare.append(set_headers)


async def static(request: web.Request) -> web.StreamResponse:
    """One of our own few files."""
    name = request.match_info["name"]
    if name not in STATIC:
        raise web.HTTPNotFound
    return web.Response(
        body=static_file(name), content_type=STATIC[name], charset="utf-8", headers={"Cache-Control": FOR_EVER}
    )


def timed(name: str, handler: Handler) -> Handler:
    """The handler, with its time counted."""

    async def answer(request: web.Request) -> web.StreamResponse:
        start = time.perf_counter()
        response = await handler(request)
        metrics.web_page(name, response.status, time.perf_counter() - start)
        return response

    return answer
