"""Checks of the app in Slack: its tokens, its scopes, and this machine's clock beside Slack's."""

from __future__ import annotations

from collections.abc import Mapping, Set
from email.utils import parsedate_to_datetime

import aiohttp

from bot.commands.doctor.finding import Finding, fail, ok, warn
from bot.commands.doctor.patient import SLACK_SECONDS, Patient
from bot.errors import BadSetting
from bot.slack.bot import check_secrets
from bot.slack.oauth import SCOPES
from bot.slack.sockets import preflight_socket
from bot.slack.starting import mode_sentence, wants_oauth, wants_socket

SKEW_WARNS, SKEW_FAILS = 60.0, 300.0  # seconds; beyond five minutes a signature counts as replayed
VERIFYING = "https://docs.slack.dev/authentication/verifying-requests-from-slack"
TIMEOUT = aiohttp.ClientTimeout(total=SLACK_SECONDS)
SCOPES_HEADER = "x-oauth-scopes"

# What an app without a scope does not do. A test holds it to the manifest.
LOST: Mapping[str, str] = {
    "app_mentions:read": "mentions are not answered",
    "channels:history": "URLs pasted in public channels are not answered",
    "chat:write": "nothing can be posted",
    "commands": "/inspect and the shortcuts are missing",
    "files:read": "files of URLs cannot be read",
    "files:write": "charts and CSV files cannot be sent",
    "groups:history": "URLs pasted in private channels are not answered",
    "im:history": "direct messages are not answered",
    "links:read": "links get no cards",
    "links:write": "links get no cards",
}
NEEDED = frozenset({"chat:write", "commands"})


async def check_slack(patient: Patient) -> Finding:
    """Slack takes the tokens, and nothing is missing that `serve` needs."""
    settings = patient.settings
    if not _is_set_up(patient):
        return warn("not set up", "set SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET to serve a workspace")
    check_secrets(settings)
    if wants_socket(settings):
        async with patient.slack() as client:
            await preflight_socket(client, settings.slack_app_token.get_secret_value().strip(), SLACK_SECONDS)
    if wants_oauth(settings):
        return ok(f"{mode_sentence(settings)}; for any workspace that installs the app")
    who = await patient.identity()
    return ok(f"{mode_sentence(settings)}; {who['user']} in the workspace {who['team']}")


async def check_clock(patient: Patient) -> Finding | None:
    """This machine's clock agrees with Slack's; every answer of Slack says its time, to the second."""
    if not _is_set_up(patient):
        return None
    try:
        async with aiohttp.ClientSession(timeout=TIMEOUT) as session, session.get(_api_test(patient)) as answer:
            told, here = answer.headers.get("Date", ""), patient.clock()
        signed = not wants_socket(patient.settings)
        return skew(here - parsedate_to_datetime(told).timestamp(), signed=signed)
    except (aiohttp.ClientError, TimeoutError) as error:
        return warn(f"not known: Slack cannot be reached ({type(error).__name__})", "see the line about Slack")
    except ValueError:
        return warn(f"not known: Slack's answer has the Date {told[:40]!r}", "see who answers in Slack's place")


async def check_scopes(patient: Patient) -> Finding | None:
    """The token has the scopes of the manifest."""
    if not patient.bot_token:
        return None  # where each workspace installs the app, it grants them itself
    try:
        granted = (await patient.identity()).headers.get(SCOPES_HEADER)
    except BadSetting:
        return warn("not known, as Slack does not take the token", "see the line about Slack")
    if granted is None:
        return warn("not known: Slack's answer does not tell them", "compare “OAuth & Permissions” with manifest.yml")
    return scopes({scope.strip() for scope in granted.split(",") if scope.strip()})


def skew(seconds: float, *, signed: bool = True) -> Finding:
    """What it means that this machine's clock is so many seconds ahead of Slack's, or behind where negative.

    Requests are `signed` unless they come over Socket Mode.
    """
    told = f"{abs(seconds):.0f} s {'ahead of' if seconds > 0 else 'behind'} Slack's"
    remedy = "set this machine's clock by NTP"
    if abs(seconds) <= SKEW_WARNS:
        return ok("agrees with Slack's")
    if not signed:
        return warn(f"{told}: the age of a page is judged by it", remedy)
    if abs(seconds) <= SKEW_FAILS:
        return warn(f"{told}: signatures of Slack are refused from {SKEW_FAILS:.0f} s on", remedy)
    return fail(f"{told}: every signature of Slack is refused ({VERIFYING})", remedy)


def scopes(granted: Set[str]) -> Finding:
    """What is lost by scopes that are missing, and which are there for nothing."""
    missing = [scope for scope in SCOPES if scope not in granted]
    surplus = sorted(granted - set(SCOPES))
    told = [f"{scope} is missing: {LOST[scope]}" for scope in missing]
    told += [f"not needed: {', '.join(surplus)}"] if surplus else []
    if not told:
        return ok(f"all {len(SCOPES)} of the manifest")
    remedy = "change the scopes on the app's page “OAuth & Permissions”, and install it again"
    return (fail if NEEDED & set(missing) else warn)("; ".join(told), remedy)


def _api_test(patient: Patient) -> str:
    """https://docs.slack.dev/reference/methods/api.test, which takes no token."""
    return patient.settings.slack_api_url.rstrip("/") + "/api.test"


def _is_set_up(patient: Patient) -> bool:
    settings = patient.settings
    return bool(patient.bot_token or settings.slack_client_id or settings.slack_client_secret.get_secret_value())
