"""Queries and heavy text on the web pages: for everyone, or for a group that only the sign-in can tell."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.links import Action as Opens
from bot.links import Grant, Links, serializer
from bot.policy import RAW, Policy
from bot.report.subject import Subject
from bot.settings import Settings
from bot.web.sign_in import SESSION, SignIn
from bot.web.site import Site
from tests.conftest import LOADED_AT
from tests.web.conftest import KEYS, Client, path, site_links, subject_for
from tests.web.test_sign_in import TEAM, settings_for

PAGE = "https://cases.example/indexable"
ANN, BEN = "U0ANN", "U0BEN"


@asynccontextmanager
async def site(inspector: Inspector, raw_users: frozenset[str], reader: str | None) -> AsyncIterator[Client]:
    """A client of a site: signed in as `reader`, or of one that has no sign-in, where None."""
    async with aiohttp.ClientSession() as session:
        clock = lambda: LOADED_AT  # noqa: E731 - one clock for both
        sign_in = SignIn(settings_for("http://127.0.0.1:9/api/"), session, clock=clock) if reader else None
        application = web.Application()
        Site(Indexes(inspector), site_links(), sign_in=sign_in, policy=Policy(raw_users=raw_users)).install(application)
        cookie = serializer("session", KEYS, clock).dumps({"team": TEAM, "user": reader})
        jar = aiohttp.CookieJar(unsafe=True)
        async with TestClient(TestServer(application), cookie_jar=jar, cookies={SESSION: str(cookie)}) as client:
            yield client


def addresses(subject: Subject) -> dict[str, str]:
    """The pages about one subject, and their twins."""
    links = site_links()
    report, compare = path(links.of_subject(subject)), path(links.compare(subject))
    heavy = path(links.url(Opens.HEAVY, Grant(subject, "attrs_boilerpipe_text")))
    pages = {"report": report, "compare": compare, "heavy": heavy}
    return {
        **pages,
        **{f"{name}.json": f"{address}.json" for name, address in pages.items()},
        "heavy.txt": f"{heavy}.txt",
    }


@pytest.mark.parametrize(
    ("raw_users", "reader", "sees"),
    [
        (frozenset(), None, True),
        (frozenset(), BEN, True),
        (frozenset({ANN}), None, False),
        (frozenset({ANN}), BEN, False),
        (frozenset({ANN}), ANN, True),
    ],
    ids=str,
)
async def test_queries_and_heavy_text_are_shown_to_the_group_and_the_verdict_to_all(
    inspector: Inspector, raw_users: frozenset[str], reader: str | None, sees: bool
) -> None:
    """On every page and every twin of it; with no sign-in nobody is known, and so nobody is in the group."""
    texts, statuses = {}, {}
    async with site(inspector, raw_users, reader) as client:
        for name, address in addresses(subject_for(inspector, PAGE)).items():
            async with client.get(address) as answer:
                statuses[name], texts[name] = answer.status, await answer.text()

    assert {name: status for name, status in statuses.items() if not name.startswith("heavy")} == {
        "report": 200, "report.json": 200, "compare": 200, "compare.json": 200,
    }  # fmt: skip
    assert {status for name, status in statuses.items() if name.startswith("heavy")} == {200 if sees else 403}
    everything = "".join(texts.values())
    assert ("SELECT" in everything, "/h/" in everything) == (sees, sees)
    assert (RAW.sentence.split(",")[0] in texts["heavy"]) is not sees
    assert all("INDEXABLE" in texts[name] for name in ("report", "report.json", "compare", "compare.json"))


@pytest.mark.parametrize(
    ("raw_users", "sign_in_teams", "given"),
    [((), (), True), ((ANN,), (), False), ((ANN,), (TEAM,), True)],
    ids=["for all", "for some, nobody known", "for some, readers known"],
)
async def test_links_to_heavy_text_are_given_where_a_page_can_tell_its_reader(
    inspector: Inspector, raw_users: tuple[str, ...], sign_in_teams: tuple[str, ...], given: bool
) -> None:
    """In Slack as on the pages: what nobody can open is not offered."""
    chosen = settings_for("http://127.0.0.1:9/api/", raw_users=raw_users, sign_in_teams=sign_in_teams)
    links = Links.from_settings(chosen)
    inspection = await inspector.inspect(inspector.read(PAGE))

    for one in (links, links.issued(datetime(2026, 12, 1, tzinfo=UTC))):
        assert (one.heavy(inspection, "attrs_boilerpipe_text") is not None) is given
        assert one.report(inspection) is not None


def test_the_settings_make_one_policy_for_slack_and_the_pages() -> None:
    """The same lists in both."""
    assert Policy.from_settings(Settings().model_copy(update={"raw_users": (ANN,)})).refusal_of_raw(BEN) == RAW
