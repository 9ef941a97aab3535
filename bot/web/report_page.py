"""The report of one lookup, and two of them side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from bot.inspection.indexes import Indexes
from bot.inspection.model import Inspection
from bot.links import Action, Grant, Links, subject_of
from bot.render.json import to_json
from bot.report.build import build_report
from bot.report.compare import compared
from bot.report.model import NearLine, Report
from bot.web.answers import TWIN, html_answer, json_answer, split_token
from bot.web.asked import Asked, read_asked, rights_of, subject_lookup
from bot.web.readers import Readers
from bot.web.templating import page


class ReportPage:
    """`/r/<token>`."""

    def __init__(self, indexes: Indexes, links: Links, readers: Readers) -> None:
        self._indexes = indexes
        self._links = links
        self._readers = readers

    async def show(self, request: web.Request) -> web.StreamResponse:
        """Inspect anew, and show it as a page or as JSON."""
        token, twin = split_token(request)
        grant = self._links.open(Action.REPORT, token)
        links = self._readers.links(request, self._links.issued(grant.issued))
        inspector = self._indexes.of(grant.subject.index)
        asked = read_asked(grant.subject, request.query, inspector)
        inspection = self._readers.inspection(request, await inspector.inspect(asked.lookup, asked.as_of))
        if twin:
            return json_answer(to_json(inspection, inspector.profile, links))
        report = build_report(inspection, inspector.profile, links, replayed=inspection.replayed)
        values = self._values(report, inspection, asked, grant, links, request, token)
        return html_answer(page("report.html", now=inspector.now(), **values))

    def _values(
        self,
        report: Report,
        inspection: Inspection,
        asked: Asked,
        grant: Grant,
        links: Links,
        request: web.Request,
        token: str,
    ) -> dict[str, Any]:
        return {
            "report": report,
            "json_url": token + TWIN + with_query(request.query),
            "recheck_url": with_query({**request.query, "as_of": ""}) if report.replayed else with_query(request.query),
            "near_links": list(near_links(report.near_matches)),
            "compare_url": relative(links.compare(subject_of(inspection))),
            "asked": asked.form,
            "rights": rights_of(grant.subject),
            "sees_raw": self._readers.sees_raw(request),
        }


class ComparePage:
    """`/c/<token>`: the link's subject on the left; on the right its other one, or what the reader names near it."""

    def __init__(self, indexes: Indexes, links: Links, readers: Readers) -> None:
        self._indexes = indexes
        self._links = links
        self._readers = readers

    async def show(self, request: web.Request) -> web.StreamResponse:
        """Inspect both, and show them as a page or as JSON."""
        token, twin = split_token(request)
        grant = self._links.open(Action.COMPARE, token)
        links = self._readers.links(request, self._links.issued(grant.issued))
        inspector = self._indexes.of(grant.subject.index)
        right_subject = grant.other or grant.subject
        asked = read_asked(right_subject, request.query, inspector)
        left = await inspector.inspect(subject_lookup(grant.subject, inspector), grant.subject.as_of)
        right = await inspector.inspect(asked.lookup, asked.as_of)
        left, right = (self._readers.inspection(request, side) for side in (left, right))
        profile = inspector.profile
        reports = [build_report(side, profile, links, replayed=side.replayed) for side in (left, right)]
        groups = compared(*reports)
        if twin:
            differing = [row.id for group in groups for row in group.rows if row.differs]
            sides = {"left": to_json(left, profile, links), "right": to_json(right, profile, links)}
            return json_answer({"differing": differing, **sides})
        values = {
            "left": reports[0],
            "right": reports[1],
            "sides": [(report, report.link) for report in reports],
            "groups": groups,
            "differing": sum(row.differs for group in groups for row in group.rows),
            "json_url": token + TWIN + with_query(request.query),
            "asked": asked.form,
            "rights": rights_of(right_subject),
        }
        return html_answer(page("compare.html", **values))


def with_query(query: Mapping[str, str]) -> str:
    """A reference to the same page with these parameters."""
    return "?" + urlencode(list(query.items()))  # a lone "?" is this page without any


def relative(url: str | None) -> str | None:
    """A link of ours from another page of ours: it holds behind any proxy."""
    return "../" + "/".join(url.rsplit("/", 2)[1:]) if url else None


def near_links(matches: Iterable[NearLine]) -> Iterable[tuple[NearLine, str]]:
    """Every near match with the address of its report, within the same link."""
    return ((near, with_query({"key": near.unparsed})) for near in matches)
