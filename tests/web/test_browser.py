"""The pages in a real browser: nothing of the crawl runs or is loaded, everybody can read them, and how they look."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from axe_playwright_python.base import AXE_SCRIPT

from bot.index.profile import IndexProfile
from bot.index.sample import EXAMPLES, SEED_URLS
from bot.inspection.bulk import inspect_many
from bot.inspection.indexes import Indexes
from bot.inspection.model import Inspection
from bot.inspection.pipeline import Inspector
from bot.inspection.site import inspect_site
from bot.links import Links
from bot.report.kept_list import KeptList, list_row
from bot.report.subject import Subject
from bot.web.site import Site
from tests.conftest import LOADED_AT
from tests.report.inspections import GITHUB_AS_OF
from tests.web.browser import CHROMIUM, Watched, chromium
from tests.web.conftest import OneList, path, subject_for
from tests.web.payload_store import PayloadStore

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium: apt-get install chromium"),
]

SCREENSHOTS = Path(__file__).parents[2] / "screenshots"
DESK, PHONE = (1200, 900), (390, 844)


@asynccontextmanager
async def served(inspector: Inspector) -> AsyncIterator[tuple[str, Links]]:
    """The origin of a running site over an inspector, and links into it."""
    links = Links("https://bot.example", ("k" * 40,), clock=lambda: LOADED_AT)
    application = web.Application()
    lists = OneList()
    lookups = [inspector.read(url) for url in EXAMPLES.values()]
    rows = [list_row(item) async for item in inspect_many(inspector, lookups) if isinstance(item, Inspection)]
    lists.kept = KeptList(1_000, LOADED_AT, False, tuple(rows * 20))
    Site(Indexes(inspector), links, lists=lists).install(application)
    async with TestServer(application) as server:
        yield str(server.make_url("")).rstrip("/"), links


async def addresses(inspector: Inspector, links: Links, url: str) -> dict[str, str]:
    """Every kind of page about one URL: name → path."""
    subject = subject_for(inspector, url)
    inspection = await inspector.inspect(inspector.read(url))
    markdown = path(links.heavy(inspection, "attrs_markdown"))
    return {
        "report": path(links.of_subject(subject)),
        "rendered": f"{markdown}?view=rendered",
        "source": f"{markdown}?view=source",
        "text": path(links.heavy(inspection, "attrs_boilerpipe_text")),
        "readable": path(links.heavy(inspection, "attrs_readable_markdown")),
        "search": f"{markdown}?q=a",
        "compare": path(links.compare(subject)) + "?as_of=2028-01-05",
        "list": path(links.kept_list("one")),
        "site": path(links.site(await inspect_site(inspector, "cases.example"))),
        "part of a list": path(links.kept_list("one")) + "?verdict=not_indexable&page=2",
    }


OWN_PAYLOADS = [
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</pre></dd><img src=x onerror=alert(1)>",
    "</textarea><svg onload=alert(1)>",
    '" autofocus onfocus="alert(1)" x="',
    "' onmouseover='alert(1)",
    "[x](javascript:alert(1))",
    "![x](https://tracker.example/pixel.png)",
    "![x](x \"' onerror='alert(1)\")",
    "<https://tracker.example/&quot;onclick=alert(1)>",
    "<javascript:alert(1)>",
    "[a](<javascript:alert(1)>)",
    "[a](jav&#x09;ascript:alert(1))",
    "[a](//tracker.example)",
    "<link rel=stylesheet href=https://tracker.example/x.css>",
    "<meta http-equiv=refresh content='0;url=https://tracker.example/'>",
    "<base href=https://tracker.example/>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=https://tracker.example/x>",
    "<form action=https://tracker.example><button autofocus>x</button></form>",
    "<style>@import 'https://tracker.example/x.css'</style>",
    "<!--stream--><script>alert(1)</script>",
    "{{ 7 * 7 }} {% raw %} {# #} ${alert(1)} {{constructor.constructor('alert(1)')()}}",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "\u2028alert(1)\u2029 \0<script\0>alert(1)</script>",
    "]]><script>alert(1)</script>",
    "<a id=happened name=happened href=javascript:alert(1)>x</a>",
    "```html\n<script>alert(1)</script>\n```",
    "|a|\n|-|\n|<img src=x onerror=alert(1)>|",
]


@pytest.fixture
def payloads(shared: Path) -> list[str]:
    """DOMPurify's own test payloads, and ours."""
    known = json.loads((shared / "vectors" / "dompurify_payloads.json").read_text(encoding="utf-8"))
    return [*(case["payload"] for case in known), *OWN_PAYLOADS]


async def test_no_payload_runs(profile: IndexProfile, payloads: list[str]) -> None:
    """Each payload in every field and every heavy column, then all at once in every view: nothing runs or is loaded."""
    store = PayloadStore(profile)
    inspector = Inspector(store, profile, clock=lambda: LOADED_AT)
    faults: dict[str, list[str]] = {}
    async with served(inspector) as (origin, links), chromium() as browser:
        pages = await addresses(inspector, links, "https://cases.example/")
        context = await browser.new_context()
        tabs = {name: await Watched.opened(context, origin) for name in ("report", "rendered")}
        for payload in payloads:
            store.payload = payload
            visits = await asyncio.gather(*(tab.visit(pages[name]) for name, tab in tabs.items()))
            faults |= {f"{name}: {payload}": found for name, found in zip(tabs, visits, strict=True) if found}
        store.payload = "\n\n".join(payloads)
        for name, address in pages.items():
            if found := await tabs["report"].visit(address):
                faults[name] = found

    assert len(payloads) > 250
    assert faults == {}


async def test_what_watches_would_see_a_fault(profile: IndexProfile) -> None:
    """The watch itself works: a script that our policy forbids, and one that runs, are both seen."""

    async def bad(_request: web.Request) -> web.Response:
        text = "<title>x</title><script>alert(1)</script><img src=https://tracker.example/x>"
        return web.Response(text=text, content_type="text/html")

    async def forbidden(_request: web.Request) -> web.Response:
        headers = {"Content-Security-Policy": "script-src 'none'"}
        return web.Response(text="<title>x</title><script>alert(1)</script>", content_type="text/html", headers=headers)

    application = web.Application()
    application.add_routes([web.get("/bad", bad), web.get("/forbidden", forbidden)])
    async with TestServer(application) as server, chromium() as browser:
        watched = await Watched.opened(await browser.new_context(), str(server.make_url("")).rstrip("/"))
        seen = await watched.visit("/bad")
        stopped = await watched.visit("/forbidden")

    assert "alert: 1" in seen
    assert "request: https://tracker.example/x" in seen
    assert any(fault.startswith("policy: script-src") for fault in stopped)


async def violations(page: Any) -> list[str]:
    """What axe-core finds wrong, as "rule: first element"."""
    await page.evaluate(AXE_SCRIPT)
    found = await page.evaluate("axe.run()")
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:200]}" for rule in found["violations"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
async def test_axe_finds_nothing(inspector: Inspector, scheme: Any, size: tuple[int, int]) -> None:
    """No rule of axe-core is broken on any kind of page, light and dark, wide and narrow."""
    found: dict[str, list[str]] = {}
    async with served(inspector) as (origin, links), chromium() as browser:
        pages = await addresses(inspector, links, SEED_URLS[1])
        pages["failing"] = path(links.of_subject(subject_for(inspector, EXAMPLES["everything fails"])))
        pages["near"] = path(links.of_subject(subject_for(inspector, EXAMPLES["near match"])))
        pages["refused"] = "/r/nonsense"
        # axe-core is put into the page by the test, which the page's own policy forbids.
        context = await browser.new_context(
            color_scheme=scheme, viewport={"width": size[0], "height": size[1]}, bypass_csp=True
        )
        page = await context.new_page()
        for name, address in pages.items():
            await page.goto(origin + address)
            await page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
            if broken := await violations(page):
                found[name] = broken

    assert found == {}


async def focused(page: Any) -> Any:
    """Press Tab: name, place and outline of what has the focus then; None past the last element."""
    await page.keyboard.press("Tab")
    return await page.evaluate(
        """(() => {
            const at = document.activeElement, top = at.getBoundingClientRect().top + scrollY;
            return at === document.body ? null : [at.textContent, top, getComputedStyle(at).outlineStyle];
        })()"""
    )


async def test_the_keyboard_reaches_everything_in_order(inspector: Inspector) -> None:
    """Tab begins with the skip link, goes down the page, and always shows where it is."""
    async with served(inspector) as (origin, links), chromium() as browser:
        page = await browser.new_page(viewport={"width": DESK[0], "height": DESK[1]})
        await page.goto(origin + path(links.of_subject(subject_for(inspector, SEED_URLS[1]))))
        steps = [await focused(page) for _ in range(40)]
    steps = list(itertools.takewhile(lambda step: step is not None, steps))
    tops = [top for _, top, _ in steps[1:]]

    assert steps[0][0] == "Skip to the content"
    assert len(steps) > 20
    assert [name for name, _, outline in steps if outline == "none"] == []
    # Two columns stand side by side from 64 rem on: within them the order goes down the first, then the second.
    assert sum(after < before - 40 for before, after in itertools.pairwise(tops)) <= 1


async def test_pages_work_without_scripts(inspector: Inspector) -> None:
    """No button that does nothing, every disclosure opens, and the lookup form asks."""
    async with served(inspector) as (origin, links), chromium() as browser:
        context = await browser.new_context(java_script_enabled=False)
        page = await context.new_page()
        await page.goto(origin + path(links.of_subject(subject_for(inspector, EXAMPLES["indexable"]))))
        assert await page.locator("button[data-copy]:visible").count() == 0
        await page.locator("#step-crawled summary").click()
        assert await page.locator("#sql-crawled").is_visible()
        await page.locator("input[name=as_of]").fill("2028-01-05")
        await page.get_by_role("button", name="Look up").click()
        verdict = await page.locator(".verdict").inner_text()

    assert verdict.startswith("Not indexable: Age cutoff")


async def test_copy_buttons_copy(inspector: Inspector) -> None:
    """With scripts, a button beside each body copies it whole."""
    async with served(inspector) as (origin, links), chromium() as browser:
        context = await browser.new_context(permissions=["clipboard-read", "clipboard-write"])
        page = await context.new_page()
        await page.goto(
            origin + path(links.of_subject(subject_for(inspector, EXAMPLES["indexable"]))) + "#step-crawled"
        )
        await page.locator("button[data-copy=sql-crawled]").click()
        copied = await page.evaluate("navigator.clipboard.readText()")
        shown = await page.locator("#sql-crawled").text_content()

    assert copied == shown
    assert copied.startswith("SELECT")


SHOTS: list[tuple[str, str, str, tuple[int, int]]] = [
    ("report", "report", "light", DESK),
    ("report-dark", "report", "dark", DESK),
    ("report-phone", "report", "light", PHONE),
    ("markdown", "rendered", "light", DESK),
    ("compare", "compare", "light", DESK),
    ("list", "list", "light", DESK),
    ("list-dark", "list", "dark", DESK),
    ("list-phone", "list", "light", PHONE),
    ("site", "site", "light", DESK),
    ("site-dark", "site", "dark", DESK),
    ("site-phone", "site", "dark", PHONE),
]


async def test_screenshots(inspector: Inspector) -> None:
    """A picture of each kind of page, for people; none is wider than its window."""
    SCREENSHOTS.mkdir(exist_ok=True)
    async with served(inspector) as (origin, links), chromium() as browser:
        pages = await addresses(inspector, links, SEED_URLS[1])
        lookup = inspector.read(SEED_URLS[1])
        pages["report"] = path(links.of_subject(Subject(lookup.unparsed, lookup.root_hash, lookup.shard, GITHUB_AS_OF)))
        for name, kind, scheme, (width, height) in SHOTS:
            page = await browser.new_page(
                color_scheme="dark" if scheme == "dark" else "light", viewport={"width": width, "height": height}
            )
            await page.goto(origin + pages[kind])
            await page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)
            assert await page.evaluate("document.documentElement.scrollWidth") <= width, name
            await page.close()
        page = await browser.new_page()
        await page.goto(origin + pages["report"])
        await page.emulate_media(media="print")
        await page.screenshot(path=SCREENSHOTS / "report-print.png", full_page=True)

    made = {picture.stem for picture in SCREENSHOTS.glob("*.png")}
    assert made >= {"report-print", *(name for name, *_ in SHOTS)}
