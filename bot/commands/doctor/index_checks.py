"""Checks of the crawl index: its profile, its engine or servers, its tables, and one whole inspection."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from importlib.metadata import version

from bot.address.suffixes import SuffixList, suffix_list
from bot.commands.doctor.finding import Finding, fail, ok, warn
from bot.commands.doctor.patient import Patient
from bot.inspection.pipeline import Inspector
from bot.inspection.shards import ShardAnswer
from bot.inspection.store import Query, Row, Rows
from bot.report.words import plural

PACKAGE = "publicsuffixlist"  # whose list is used where the settings name none
HOST = "CRAWLER_INSPECTOR_CLICKHOUSE_HOST"
SHOWN = 5  # names in one line
SERVER_SKEW = 60.0  # seconds: the age of a page is judged by this machine's clock, and was written by others
USERS_PROFILE = "give the bot a user with the settings profile of the README, “On your cluster”"
ASKED = "https://example.com/"


async def check_profile(patient: Patient) -> Finding:
    """Every profile can be read, and each has a name of its own."""
    sizes = (
        f"{profile.name}: {len(profile.fields)} fields, {len(profile.filters)} filters, {profile.shards.count} shards"
        for profile in patient.profiles
    )
    return ok("; ".join(sizes))


async def check_suffix_list(patient: Patient) -> Finding:
    """Keys depend on the public suffix list: it must be the one that the index was built with."""
    named = patient.settings.suffix_list
    source = str(named) if named else f"the package {PACKAGE} {version(PACKAGE)}"
    today = datetime.fromtimestamp(patient.clock(), UTC).date()
    return ok(f"{list_age(suffix_list(), today)}, from {source}")


def list_age(used: SuffixList, today: date) -> str:
    """How old a list is, by its own words."""
    if used.date is None:
        return "without a date"
    return f"of {used.date}, {plural((today - used.date).days, 'day')} old"


async def check_engine(patient: Patient) -> Finding:
    """There is something that can be asked."""
    settings = patient.settings
    if not settings.clickhouse_host and importlib.util.find_spec("chdb") is None:
        return fail("no cluster is set, and chdb-core is not installed", f"set {HOST}, or install chdb-core")
    await patient.store()
    if settings.clickhouse_host:
        return ok(f"cluster at {settings.clickhouse_host}")
    return ok(f"embedded, in {settings.data_dir / 'crawl'}")


async def check_shards(patient: Patient) -> Finding:
    """Every shard answers."""
    return reachable(await patient.shards())


async def check_servers(patient: Patient) -> Finding | None:
    """The servers are of one version, and their clocks are right where this machine's is."""
    return alike(await _servers(patient))


async def check_user(patient: Patient) -> Finding | None:
    """The user may only read."""
    return read_only(await _servers(patient))


async def check_limits(patient: Patient) -> Finding | None:
    """No query of ours takes a server's time or memory for itself."""
    return limited(await _servers(patient))


async def check_tables(patient: Patient) -> Finding:
    """The tables have every column that the profile reads."""
    if missing := await patient.lacks():
        return fail("; ".join(map(str, missing)), "correct the profile (CRAWLER_INSPECTOR_PROFILE) or the tables")
    return ok(f"{', '.join(patient.profile.tables)} have every column of the profile")


async def check_inspection(patient: Patient) -> Finding:
    """One whole inspection works."""
    inspector = await patient.inspector()
    inspection = await inspector.inspect(inspector.read(ASKED))
    failed = [step.note for step in inspection.steps if step.outcome == "failed"]
    if failed:
        return fail(failed[0], "see the lines about shards and schema")
    return ok(f"5 steps answered; {await _page_count(inspector)} pages on that shard")


async def _page_count(inspector: Inspector) -> str:
    query = Query(f"SELECT toString(count()) AS n FROM {inspector.profile.tables[0]} FORMAT JSONEachRow")
    rows = await inspector.store.fetch(query, inspector.read(ASKED).shard)
    return f"{int(rows.rows[0]['n']):,}"


async def _servers(patient: Patient) -> dict[str, Row]:
    """What each server that answers says of itself; empty for the embedded engine, which is nobody's server."""
    if not patient.settings.clickhouse_host:
        return {}
    answers = await patient.shards()
    return {name: answer.rows[0] for name, answer in answers.items() if isinstance(answer, Rows) and answer.rows}


def reachable(answers: Mapping[str, ShardAnswer]) -> Finding:
    """How many shards answer, which do not, and why the first does not."""
    silent = {name: answer for name, answer in answers.items() if not isinstance(answer, Rows)}
    if not silent:
        return ok(f"{len(answers)} of {len(answers)} answer")
    first = next(iter(silent.values()))
    why = str(first).rstrip(".") or "it took too long"
    told = f"{len(answers) - len(silent)} of {len(answers)} answer; silent: {_listed(list(silent))} ({why})"
    remedy = f"start those servers, or correct {HOST}; until then their pages are UNKNOWN"
    return (fail if len(silent) == len(answers) else warn)(told, remedy)


def alike(servers: Mapping[str, Row]) -> Finding | None:
    """One version, and clocks that agree with this machine's."""
    if not servers:
        return None
    counted = Counter(str(row["version"]) for row in servers.values()).most_common()
    told = ", ".join(f"{version} ({number})" for version, number in counted)
    ahead = {name: int(row["ahead_ms"]) / 1000 for name, row in servers.items()}
    wrong = [name for name, seconds in ahead.items() if abs(seconds) > SERVER_SKEW]
    if wrong:
        most = max(ahead.values(), key=abs)
        return warn(
            f"ClickHouse {told}; clocks differ from this machine's by up to {most:+.0f} s: {_listed(wrong)}",
            "set the clocks by NTP: the age of a page is judged by them",
        )
    if len(counted) > 1:
        return warn(f"ClickHouse {told}", "bring all servers to one version")
    return ok(f"ClickHouse {told}; clocks agree")


def read_only(servers: Mapping[str, Row]) -> Finding | None:
    """`readonly` is 1 or 2: https://clickhouse.com/docs/operations/settings/permissions-for-queries"""
    if not servers:
        return None
    users = ", ".join(sorted({str(row["user"]) for row in servers.values()}))
    if writing := [name for name, row in servers.items() if row["readonly"] == "0"]:
        return warn(f"{users} may write, on {_listed(writing)}", USERS_PROFILE)
    return ok(f"{users} may only read")


def limited(servers: Mapping[str, Row]) -> Finding | None:
    """Memory is bounded, and so is time, where the server does not let us bound it."""
    if not servers:
        return None
    lacking = {
        "max_memory_usage": [name for name, row in servers.items() if row["max_memory_usage"] == "0"],
        "max_execution_time": [
            name for name, row in servers.items() if row["max_execution_time"] == "0" and row["readonly"] == "1"
        ],
    }
    if told := "; ".join(f"no {setting} on {_listed(names)}" for setting, names in lacking.items() if names):
        return warn(told, USERS_PROFILE)
    return ok("time and memory of a query are bounded")


def _listed(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
