"""`crawler-inspector doctor`: what is configured, what answers, what is missing. One row is one check."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rich.console import Console
from rich.table import Table

from bot.address.suffixes import suffix_list_version
from bot.app import open_store, opened_inspector
from bot.commands.progress import loading_progress
from bot.errors import InspectorError
from bot.index.profile import load_profile
from bot.inspection.pipeline import Inspector
from bot.links import Links
from bot.settings import Settings, load_settings


class State(StrEnum):
    """How a check ended. Only BROKEN fails the command: what is not set up yet is no fault."""

    OK = "ok"
    NOT_SET = "not set"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's table."""

    check: str
    state: State
    detail: str


Check = Callable[[Settings], Awaitable[Finding]]


async def check_profile(settings: Settings) -> Finding:
    """The profile can be read."""
    profile = load_profile(settings.profile)
    detail = (
        f"{profile.name}: {len(profile.fields)} fields, {len(profile.filters)} filters, {profile.shards.count} shards"
    )
    return Finding("profile", State.OK, detail)


async def check_suffix_list(_settings: Settings) -> Finding:
    """Keys depend on the public suffix list: it must be the one that the index was built with."""
    return Finding("public suffix list", State.OK, suffix_list_version())


async def check_engine(settings: Settings) -> Finding:
    """Something can answer queries."""
    if settings.clickhouse_host:
        return Finding("ClickHouse", State.OK, f"cluster at {settings.clickhouse_host}")
    if importlib.util.find_spec("chdb") is None:
        return Finding("ClickHouse", State.BROKEN, "no cluster is set and the package chdb-core is not installed")
    return Finding("ClickHouse", State.OK, f"embedded, in {settings.data_dir / 'crawl'}")


async def check_schema_fits(settings: Settings) -> Finding:
    """The tables have every column that the profile reads."""
    from bot.store.schema_check import check_schema

    profile = load_profile(settings.profile)
    store = await open_store(settings, profile, loading_progress())
    try:
        missing = await check_schema(store, profile)
    finally:
        await store.close()
    if missing:
        return Finding("schema", State.BROKEN, "; ".join(map(str, missing)))
    return Finding("schema", State.OK, f"{', '.join(profile.tables)} have every column of the profile")


async def check_inspection(settings: Settings) -> Finding:
    """One whole inspection works."""
    async with opened_inspector(settings, loading_progress()) as inspector:
        inspection = await inspector.inspect(inspector.read("https://example.com/"))
        failed = [step.note for step in inspection.steps if step.outcome == "failed"]
        if failed:
            return Finding("inspection", State.BROKEN, failed[0])
        return Finding("inspection", State.OK, f"5 steps answered; {await _page_count(inspector)} pages on that shard")


async def _page_count(inspector: Inspector) -> str:
    from bot.inspection.store import Query

    query = Query(f"SELECT toString(count()) AS n FROM {inspector.profile.tables[0]} FORMAT JSONEachRow")
    rows = await inspector.store.fetch(query, inspector.read("https://example.com/").shard)
    return f"{int(rows.rows[0]['n']):,}"


async def check_slack(settings: Settings) -> Finding:
    """Slack takes the bot token."""
    if not settings.slack_bot_token.get_secret_value():
        return Finding("Slack", State.NOT_SET, "set SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET to serve a workspace")
    from bot.slack.bot import preflight

    return Finding("Slack", State.OK, await preflight(settings))


async def check_links(settings: Settings) -> Finding:
    """Replies can link to reports."""
    if not settings.public_url:
        return Finding(
            "report links", State.NOT_SET, "set CRAWLER_INSPECTOR_PUBLIC_URL and CRAWLER_INSPECTOR_LINK_KEYS"
        )
    Links.from_settings(settings)  # raises BadSetting where nothing could be signed
    return Finding("report links", State.OK, settings.public_url)


CHECKS: tuple[tuple[str, Check], ...] = (
    ("profile", check_profile),
    ("public suffix list", check_suffix_list),
    ("ClickHouse", check_engine),
    ("schema", check_schema_fits),
    ("inspection", check_inspection),
    ("Slack", check_slack),
    ("report links", check_links),
)


def run() -> bool:
    """Print every finding; False where one is broken."""
    findings = asyncio.run(_findings(load_settings()))
    table = Table("check", "state", "detail", box=None)
    for finding in findings:
        table.add_row(finding.check, finding.state, finding.detail)
    Console(soft_wrap=True).print(table)
    return all(finding.state is not State.BROKEN for finding in findings)


async def _findings(settings: Settings) -> Sequence[Finding]:
    return [await _checked(name, check, settings) for name, check in CHECKS]


async def _checked(name: str, check: Check, settings: Settings) -> Finding:
    try:
        return await check(settings)
    except InspectorError as error:
        return Finding(name, State.BROKEN, str(error))
