"""The web pages as one thing to install into an aiohttp application. Every route stands in `Site.routes`."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping

from aiohttp import web

from bot import logs, metrics
from bot.inspection.indexes import Indexes
from bot.inspection.query_id import new_request, query_names
from bot.links import Action, Links
from bot.policy import Policy
from bot.web.answers import Handler, guarded
from bot.web.headers import REQUEST, set_headers
from bot.web.heavy_page import HeavyPage
from bot.web.list_page import KeptLists, ListPage
from bot.web.probes import Dependency, Probes
from bot.web.readers import Readers
from bot.web.report_page import ComparePage, ReportPage
from bot.web.sign_in import SignIn
from bot.web.site_page import SitePage
from bot.web.templating import STATIC, static_file

log = logging.getLogger(__name__)

FOR_EVER = "public, max-age=31536000, immutable"


class Site:
    """Reports, heavy columns, comparisons, sites and, where they are kept, lists; health, readiness, metrics."""

    def __init__(
        self,
        indexes: Indexes,
        links: Links,
        *,
        dependencies: Mapping[str, Dependency] | None = None,
        sign_in: SignIn | None = None,
        lists: KeptLists | None = None,
        policy: Policy | None = None,
    ) -> None:
        self._sign_in = sign_in
        readers = Readers(policy or Policy(), sign_in)
        self._pages: dict[Action, Handler] = {
            Action.REPORT: ReportPage(indexes, links, readers).show,
            Action.HEAVY: readers.for_raw(HeavyPage(indexes, links).show),
            Action.COMPARE: ComparePage(indexes, links, readers).show,
            Action.SITE: SitePage(indexes, links).show,
        }
        if lists:
            self._pages[Action.LIST] = ListPage(indexes, links, lists).show
        self._probes = Probes(indexes, dependencies)

    def routes(self) -> list[web.RouteDef]:
        """Every address that a browser or a probe may ask for."""
        pages = [
            web.get(f"/{action.value}/{{token}}", viewed(action.name.lower(), self._for_readers(guarded(handler))))
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


def viewed(name: str, handler: Handler) -> Handler:
    """The handler as a request of its own: its queries and log lines carry an id, which the reader is given."""

    async def answer(request: web.Request) -> web.StreamResponse:
        request[REQUEST] = new_request()
        with query_names(request=request[REQUEST]):
            start = time.perf_counter()
            try:
                response = await handler(request)
            except Exception:
                log.exception("a page broke")  # under its id, which aiohttp's line about it lacks
                _tell(name, 500, start)
                raise
            _tell(name, response.status, start)
        return response

    return answer


def _tell(name: str, status: int, start: float) -> None:
    seconds = time.perf_counter() - start
    metrics.web_page(name, status, seconds)
    logs.page_sent(name, status, seconds)
