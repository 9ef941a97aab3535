"""Checks of what the bot keeps and signs: its database, and the keys that seal tokens and sign links."""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from bot.app import state_url
from bot.commands.doctor.finding import Finding, fail, ok, warn
from bot.commands.doctor.patient import Patient
from bot.links import SHORTEST_KEY, Links
from bot.slack.starting import wants_oauth
from bot.state.engine import parse_address, shown
from bot.state.failures import VARIABLE
from bot.state.migrate import known_revisions, stored_revision
from bot.state.seal import MAKE_ONE, Seal
from bot.state.seal import VARIABLE as STATE_KEYS

LINK_KEYS = "CRAWLER_INSPECTOR_LINK_KEYS"
MANY_KEYS = 3  # an old one verifies until it is taken out, and links live for days
LEAST_BITS = 90.0  # 32 random hex digits have 128, and 94 or more by the frequencies of their own characters
LONGEST_PERIOD = 16
# What people type where a key is wanted.
GUESSED = ("password", "secret", "changeme", "change-me", "example", "crawler", "qwerty", "letmein", "012345", "123456")


async def check_database(patient: Patient) -> Finding:
    """The database can be reached, and its schema is that of this version or an older one."""
    url = parse_address(state_url(patient.settings))
    return revision(await stored_revision(url), known_revisions(), shown(url))


async def check_state_keys(patient: Patient) -> Finding | None:
    """Tokens of workspaces can be sealed."""
    keys = [key.get_secret_value().strip() for key in patient.settings.state_keys]
    if not keys:
        if not wants_oauth(patient.settings):
            return None
        return fail("no key, and workspaces that install the app give tokens to keep", f"set {STATE_KEYS}: {MAKE_ONE}")
    Seal(keys)  # raises BadSetting
    weak = [why for key in keys if (why := weakness(base64.urlsafe_b64decode(key).decode("latin-1")))]
    return keyed(keys, weak, f"put a new one in front in {STATE_KEYS}: {MAKE_ONE}")


async def check_report_links(patient: Patient) -> Finding:
    """Replies can link to reports."""
    settings = patient.settings
    if not settings.public_url:
        return warn("not set up", f"set CRAWLER_INSPECTOR_PUBLIC_URL and {LINK_KEYS}")
    Links.from_settings(settings)  # raises BadSetting where nothing could be signed
    return ok(settings.public_url)


async def check_link_keys(patient: Patient) -> Finding | None:
    """Nobody guesses a key that opens every report."""
    keys = [key.get_secret_value() for key in patient.settings.link_keys]
    weak = [why for key in keys if (why := weakness(key))]
    return keyed(keys, weak, f"put a new one in front in {LINK_KEYS}: openssl rand -hex 32") if keys else None


def revision(at: str | None, known: Sequence[str], database: str) -> Finding:
    """What `serve` does with a database at this revision; `known` are this version's, newest first."""
    if at is None:
        return ok(f"{database} is new; its tables are made at the first start")
    if at not in known:
        return fail(
            f"{database} is at revision {at}, which is newer than this version's {known[0]}",
            f"run the newer version, or name another database in {VARIABLE}",
        )
    if to_run := known[: known.index(at)][::-1]:
        return warn(
            f"{database} is at revision {at}; {', '.join(to_run)} will run at the next start", "back it up before"
        )
    return ok(f"{database} is at revision {at}, the newest")


def keyed(keys: Sequence[str], weak: Sequence[str], remedy: str) -> Finding:
    """Keys, and in what way some are weak; no key is repeated in what is said."""
    if weak:
        return fail(f"{len(weak)} of {len(keys)} can be guessed: {weak[0]}", remedy)
    if len(set(keys)) < len(keys):
        return warn(f"{len(keys)} keys, of which some are the same", "take the repeated ones out")
    if len(keys) > MANY_KEYS:
        return warn(f"{len(keys)} keys, each of which is taken", "take out those that nothing valid was made with")
    return ok("1 strong key" if len(keys) == 1 else f"{len(keys)} strong keys; the first is used, all are taken")


def weakness(key: str) -> str | None:
    """Why somebody might guess a key; None for one that looks random."""
    if len(key) < SHORTEST_KEY:
        return f"it has {len(key)} characters, and {SHORTEST_KEY} are needed"
    if word := next((word for word in GUESSED if word in key.lower()), None):
        return f"it holds “{word}”"
    period = next((n for n in range(1, LONGEST_PERIOD + 1) if key[n:] == key[:-n]), None)
    if period is not None:
        return f"it repeats the same {period} characters" if period > 1 else "it repeats one character"
    steps = Counter(ord(b) - ord(a) for a, b in pairwise(key))
    if steps and max(steps[1], steps[-1]) > len(key) / 2:
        return "its characters follow one another"
    if bits(key) < LEAST_BITS:
        return f"its {len(key)} characters hold about {bits(key):.0f} bits"
    return None


def bits(key: str) -> float:
    """The entropy of a key by the frequencies of its own characters: low for what is no random key, never exact."""
    counted = Counter(key).values()
    return -sum(number * math.log2(number / len(key)) for number in counted)
