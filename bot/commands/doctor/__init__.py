"""`crawler-inspector doctor`: what is configured, what answers and what is missing. One row is one check, one line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import asdict, dataclass

import typer
from rich.console import Console
from rich.table import Table

from bot.commands.doctor import index_checks, slack_checks, state_checks
from bot.commands.doctor.finding import Finding, Outcome, fail, warn
from bot.commands.doctor.patient import OPENING_SECONDS, Patient
from bot.commands.one_profile import settings_for
from bot.errors import InspectorError
from bot.settings import Settings

SECONDS = 20.0  # that one check may take, once the index is open
EVERY_SHARD_SECONDS = 60.0  # 200 silent ones, so many at once


@dataclass(frozen=True, slots=True)
class Check:
    """One line. `needs_index`: it cannot be made where the index does not open. None: it does not apply here."""

    name: str
    run: Callable[[Patient], Awaitable[Finding | None]]
    needs_index: bool = False
    seconds: float = SECONDS


CHECKS = (
    Check("profile", index_checks.check_profile),
    Check("public suffix list", index_checks.check_suffix_list),
    Check("ClickHouse", index_checks.check_engine, seconds=OPENING_SECONDS),
    Check("shards", index_checks.check_shards, needs_index=True, seconds=EVERY_SHARD_SECONDS),
    Check("servers", index_checks.check_servers, needs_index=True, seconds=EVERY_SHARD_SECONDS),
    Check("read-only user", index_checks.check_user, needs_index=True, seconds=EVERY_SHARD_SECONDS),
    Check("limits", index_checks.check_limits, needs_index=True, seconds=EVERY_SHARD_SECONDS),
    Check("schema", index_checks.check_tables, needs_index=True),
    Check("inspection", index_checks.check_inspection, needs_index=True),
    Check("Slack", slack_checks.check_slack),
    Check("Slack scopes", slack_checks.check_scopes),
    Check("clock", slack_checks.check_clock),
    Check("database", state_checks.check_database),
    Check("state keys", state_checks.check_state_keys),
    Check("report links", state_checks.check_report_links),
    Check("link keys", state_checks.check_link_keys),
)


def run(profile: str | None, *, as_json: bool = False) -> bool:
    """Print every finding, as a table or as one JSON object; False where something needed does not work."""
    findings = asyncio.run(examined(settings_for(profile)))
    healthy = all(finding.outcome is not Outcome.FAIL for finding in findings.values())
    if as_json:
        checks = [{"check": name, **asdict(finding)} for name, finding in findings.items()]
        typer.echo(json.dumps({"ok": healthy, "checks": checks}, ensure_ascii=False))
    else:
        Console(soft_wrap=True).print(_table(findings))
    return healthy


async def examined(settings: Settings) -> Mapping[str, Finding]:
    """What every check that applies found, by its name; they run side by side, and the index is opened once."""
    async with aclosing(Patient(settings)) as patient:
        found = await asyncio.gather(*(made(check, patient) for check in CHECKS))
    return {check.name: finding for check, finding in zip(CHECKS, found, strict=True) if finding is not None}


async def made(check: Check, patient: Patient) -> Finding | None:
    """What a check found. Never raises for what is wrong with the patient."""
    if check.needs_index:
        try:
            await patient.store()
        except (InspectorError, TimeoutError):
            return warn("not known, as the index does not open", "see the line about ClickHouse")
    try:
        async with asyncio.timeout(check.seconds):
            return await check.run(patient)
    except InspectorError as error:
        return fail(str(error), "")
    except TimeoutError:
        return fail(f"no answer within {check.seconds:g} s", "see that nothing stands between, as a firewall does")


def _table(findings: Mapping[str, Finding]) -> Table:
    table = Table("check", "outcome", "detail", box=None)
    for name, finding in findings.items():
        remedy = f" → {finding.remedy}" if finding.remedy else ""
        table.add_row(name, finding.outcome, f"{finding.detail}{remedy}")
    return table
