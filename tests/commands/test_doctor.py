"""`crawler-inspector doctor`: what it finds, by values and over a stand-in workspace."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr

from bot.commands.doctor import CHECKS, Check, made
from bot.commands.doctor.finding import Finding, Outcome, Shared
from bot.commands.doctor.index_checks import alike, limited, reachable, read_only
from bot.commands.doctor.patient import Patient, shard_names
from bot.commands.doctor.slack_checks import LOST, scopes, skew
from bot.commands.doctor.state_checks import keyed, revision, weakness
from bot.errors import StoreUnavailable
from bot.index.profile import IndexProfile
from bot.inspection.store import Rows
from bot.settings import Settings
from bot.slack.oauth import SCOPES
from bot.state.migrate import known_revisions
from bot.state.state import State
from bot.workspace import Workspace
from tests.slack.running import APP_TOKEN, SECRET, TOKEN, settings
from tests.state.sql import execute

OK, WARN, FAIL = Outcome.OK, Outcome.WARN, Outcome.FAIL
STRONG = "1f0a6c53b2d94e7788c1e0f94ab7d36250e9c8147fa3b6d2"
ANSWERS = Rows(({"one": 1},), "", 0.1)


async def found(check: str, chosen: Settings, **patient: Any) -> Finding | None:
    """What one check of the table finds."""
    [row] = [row for row in CHECKS if row.name == check]
    async with aclosing(Patient(chosen, **patient)) as examined:
        return await made(row, examined)


@asynccontextmanager
async def workspace(**chosen: Any) -> AsyncIterator[Workspace]:
    """A workspace with the app in it, by default with the manifest's scopes."""
    async with Workspace(
        **{"signing_secret": SECRET, "bot_token": TOKEN, "app_token": APP_TOKEN, "scopes": SCOPES, **chosen}
    ) as ws:
        yield ws


@pytest.mark.parametrize(
    ("seconds", "outcome", "says"),
    [
        (0.4, OK, "agrees"),
        (-59, OK, "agrees"),
        (61, WARN, "61 s ahead of Slack's"),
        (-299, WARN, "299 s behind Slack's"),
        (301, FAIL, "every signature of Slack is refused"),
        (-3600, FAIL, "3600 s behind"),
    ],
)
def test_a_clock_that_is_wrong_by_minutes_ends_everything(seconds: float, outcome: Outcome, says: str) -> None:
    """A minute warns; five are what a signature may be old."""
    finding = skew(seconds)

    assert finding.outcome is outcome
    assert says in finding.detail
    assert bool(finding.remedy) is (outcome is not OK)


def test_over_a_socket_nothing_is_signed() -> None:
    """So that a wrong clock only warns."""
    finding = skew(3600, signed=False)

    assert (finding.outcome, "age of a page" in finding.detail) == (WARN, True)


@pytest.mark.parametrize(
    ("ahead", "outcome"), [(0, OK), (120, WARN), (-120, WARN), (400, FAIL)], ids=["right", "fast", "slow", "wrong"]
)
async def test_the_clock_is_compared_with_slacks_answer(ahead: float, outcome: Outcome) -> None:
    """By the Date of api.test, which needs no token."""
    async with workspace(clock=lambda: time.time() - ahead) as ws:
        finding = await found("clock", settings(ws, slack_bot_token=SecretStr("xoxb-wrong")))

    assert finding is not None
    assert finding.outcome is outcome


@pytest.mark.parametrize(
    ("granted", "outcome", "says"),
    [
        (SCOPES, OK, "all 10"),
        ({*SCOPES, "users:read"}, WARN, "not needed: users:read"),
        ({*SCOPES} - {"files:read"}, WARN, "files:read is missing: files of URLs cannot be read"),
        ({*SCOPES} - {"commands", "links:read"}, FAIL, "commands is missing: /inspect"),
        ({*SCOPES, "users:read"} - {"files:write"}, WARN, "cannot be sent; not needed: users:read"),
        ((), FAIL, "chat:write is missing: nothing can be posted"),
    ],
    ids=["all", "one more", "one less", "a needed one", "one more and one less", "none"],
)
async def test_scopes_are_compared_with_the_manifests(granted: Iterable[str], outcome: Outcome, says: str) -> None:
    """Each that is missing is told with what is lost, by values and as Slack's header says."""
    async with workspace(scopes=granted) as ws:
        told = await found("Slack scopes", settings(ws))
    finding = scopes(set(granted))

    assert told == finding
    assert finding.outcome is outcome
    assert says in finding.detail


def test_every_scope_of_the_manifest_has_a_loss() -> None:
    """And no other."""
    assert tuple(sorted(LOST)) == SCOPES


@pytest.mark.parametrize(
    ("changed", "outcome", "says"),
    [
        ({}, OK, "HTTP mode, as SLACK_APP_TOKEN is not set; inspector in the workspace"),
        ({"slack_app_token": SecretStr(APP_TOKEN)}, OK, "Socket Mode"),
        ({"slack_bot_token": SecretStr("")}, WARN, "not set up"),
        ({"slack_bot_token": SecretStr("xoxb-wrong")}, FAIL, "SLACK_BOT_TOKEN (invalid_auth)"),
        ({"slack_app_token": SecretStr("xapp-wrong")}, FAIL, "SLACK_APP_TOKEN (invalid_auth)"),
        ({"slack_signing_secret": SecretStr("")}, FAIL, "SLACK_SIGNING_SECRET is not set"),
        ({"slack_client_id": "1.2"}, FAIL, "SLACK_CLIENT_SECRET is not set"),
        ({"slack_api_url": "http://127.0.0.1:9/api/"}, FAIL, "cannot be reached"),
    ],
)
async def test_tokens_are_tried(changed: dict[str, Any], outcome: Outcome, says: str) -> None:
    """What `serve` would end with, before it is started."""
    async with workspace() as ws:
        finding = await found("Slack", settings(ws, **changed))

    assert finding is not None
    assert (finding.outcome, says in finding.detail) == (outcome, True), finding
    assert "wrong" not in finding.detail


@pytest.mark.parametrize("check", ["Slack scopes", "clock"])
async def test_one_fault_of_slack_fails_one_line(check: str) -> None:
    """The others say that they do not know."""
    finding = await found(check, settings(None, slack_api_url="http://127.0.0.1:9/api/"))

    assert finding is not None
    assert (finding.outcome, finding.remedy) == (WARN, "see the line about Slack")


@pytest.mark.parametrize(
    ("silent", "outcome", "says"),
    [
        ((), OK, "8 of 8 answer"),
        ((3,), WARN, "7 of 8 answer; silent: ch3 (ch3 did not answer)"),
        (range(1, 8), WARN, "1 of 8 answer; silent: ch1, ch2, ch3, ch4, ch5 and 2 more"),
        (range(8), FAIL, "0 of 8 answer"),
    ],
    ids=["none", "one", "many", "all"],
)
def test_silent_shards_are_named(silent: Iterable[int], outcome: Outcome, says: str) -> None:
    """Their pages are UNKNOWN; nothing works where all are silent."""
    answers = {f"ch{n}": StoreUnavailable(f"ch{n} did not answer.") if n in silent else ANSWERS for n in range(8)}
    finding = reachable(answers)

    assert (finding.outcome, says in finding.detail) == (outcome, True), finding


@pytest.mark.parametrize(
    ("host", "shards", "names"),
    [
        ("ch{shard}", [0, 1], ["ch0", "ch1"]),
        ("crawl", [0, 1], ["shard 0", "shard 1"]),
        ("crawl", [None], ["the embedded engine"]),
    ],
)
def test_each_shard_has_a_name_of_its_own(
    profile: IndexProfile, host: str, shards: list[int | None], names: list[str]
) -> None:
    """That of its server, unless one server has several."""
    renamed = profile.model_copy(update={"shards": profile.shards.model_copy(update={"host": host})})

    assert shard_names(shards, renamed) == names


def server(**told: str) -> dict[str, str]:
    """What a healthy server says of itself."""
    healthy = {"version": "26.9.2.1", "user": "reader", "ahead_ms": "40", "readonly": "1"}
    return {**healthy, "max_execution_time": "10", "max_memory_usage": "4000000000", **told}


@pytest.mark.parametrize(
    ("judge", "told", "outcome", "says"),
    [
        (alike, {}, OK, "ClickHouse 26.9.2.1 (2); clocks agree"),
        (alike, {"version": "24.8.1.1"}, WARN, "26.9.2.1 (1), 24.8.1.1 (1)"),
        (alike, {"ahead_ms": "-90000"}, WARN, "up to -90 s: ch1"),
        (read_only, {}, OK, "reader may only read"),
        (read_only, {"readonly": "0"}, WARN, "reader may write, on ch1"),
        (limited, {}, OK, "bounded"),
        (limited, {"max_memory_usage": "0"}, WARN, "no max_memory_usage on ch1"),
        (limited, {"max_execution_time": "0"}, WARN, "no max_execution_time on ch1"),
        (limited, {"max_execution_time": "0", "readonly": "2"}, OK, "bounded"),  # then the bot sends one
    ],
)
def test_what_servers_say_of_themselves(judge: Any, told: dict[str, str], outcome: Outcome, says: str) -> None:
    """Two servers, of which the second says something else; nothing is said of the embedded engine."""
    finding = judge({"ch0": server(), "ch1": server(**told)})

    assert (finding.outcome, says in finding.detail) == (outcome, True), finding
    assert judge({}) is None


@pytest.mark.parametrize(
    ("at", "outcome", "says"),
    [
        (None, OK, "is new"),
        ("0003", OK, "at revision 0003, the newest"),
        ("0001", WARN, "0002, 0003 will run at the next start"),
        ("0009", FAIL, "newer than this version's 0003"),
    ],
)
def test_what_serve_will_do_with_a_database(at: str | None, outcome: Outcome, says: str) -> None:
    """Revisions are told in the order in which they run."""
    finding = revision(at, ("0003", "0002", "0001"), "sqlite:///state.db")

    assert (finding.outcome, says in finding.detail) == (outcome, True), finding


async def test_a_database_is_looked_at_and_not_changed(tmp_path: Path) -> None:
    """A new one is not made; one of this version is the newest; one of a later version fails, as `serve` would."""
    file = tmp_path / "state.db"
    chosen = Settings(database_url=f"sqlite:///{file}")
    new, made_it = await found("database", chosen), file.exists()
    await (await State.open(f"sqlite:///{file}")).close()
    newest = await found("database", chosen)
    await execute(f"sqlite:///{file}", "UPDATE bot_schema_version SET version_num = '9999'")
    later = await found("database", chosen)

    assert (new and new.outcome, made_it) == (OK, False)
    assert newest == revision(known_revisions()[0], known_revisions(), f"sqlite:///{file}")
    assert later is not None
    assert (later.outcome, "9999" in later.detail) == (FAIL, True)


@pytest.mark.parametrize(
    ("key", "why"),
    [
        (STRONG, None),
        (STRONG[:32], None),
        ("x8Jq2LrW0vTnE5ys9BdKcPf7MhUaGz3o", None),
        ("short", "it has 5 characters"),
        ("k" * 40, "repeats one character"),
        ("abcd" * 10, "repeats the same 4 characters"),
        ("my-very-long-Password-for-the-links-2026", "“password”"),
        ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ", "follow one another"),
        ("aaaaaaaaaabbbbbbbbbbccccccccccddd", "characters hold about"),
    ],
)
def test_a_key_that_can_be_guessed_is_known(key: str, why: str | None) -> None:
    """Random ones pass, however they are written; what people type does not."""
    said = weakness(key)

    assert (said is None) if why is None else (why in str(said))


@pytest.mark.parametrize(
    ("check", "changed", "outcome"),
    [
        ("link keys", {"link_keys": (STRONG,)}, OK),
        ("link keys", {"link_keys": (STRONG, "changeme" * 4)}, FAIL),
        ("state keys", {"state_keys": (Fernet.generate_key().decode(),)}, OK),
        ("state keys", {"state_keys": ("no-fernet-key",)}, FAIL),
        ("state keys", {"state_keys": ("A" * 43 + "=",)}, FAIL),
        ("state keys", {"slack_bot_token": SecretStr(""), "slack_client_id": "1.2"}, FAIL),
        ("report links", {}, WARN),
        ("report links", {"public_url": "https://bot.example", "link_keys": (STRONG,)}, OK),
        ("report links", {"public_url": "https://bot.example"}, FAIL),
    ],
)
async def test_keys_and_links(check: str, changed: dict[str, Any], outcome: Outcome) -> None:
    """No key is repeated in what is said."""
    keys = changed.get("link_keys", ()) + changed.get("state_keys", ())
    secret = SecretStr("client secret" if "slack_client_id" in changed else "")
    wrapped = {name: tuple(map(SecretStr, value)) for name, value in changed.items() if name.endswith("_keys")}
    finding = await found(check, settings(None, slack_client_secret=secret, **{**changed, **wrapped}))

    assert finding is not None
    assert finding.outcome is outcome, finding
    assert not [key for key in keys if key in str(finding)]


@pytest.mark.parametrize(
    ("keys", "outcome"), [(["a", "b"], OK), (["a", "a"], WARN), (list("abcd"), WARN)], ids=["two", "same", "many"]
)
def test_keys_are_counted(keys: list[str], outcome: Outcome) -> None:
    """An old one is taken as long as it is there."""
    assert keyed(keys, [], "").outcome is outcome


async def test_what_several_checks_need_is_got_once() -> None:
    """Who gives up waiting ends it for nobody else; a failure is everybody's."""
    got: list[int] = []

    async def get() -> int:
        got.append(1)
        await asyncio.sleep(0.05)
        return len(got)

    shared = Shared(get)
    hasty = asyncio.wait_for(shared(), 0.01)
    results = await asyncio.gather(hasty, shared(), shared(), return_exceptions=True)

    assert [type(result) for result in results] == [TimeoutError, int, int]
    assert (got, await shared.end()) == ([1], 1)


async def test_a_check_that_hangs_ends_at_its_deadline() -> None:
    """And fails."""

    async def hang(_patient: Patient) -> None:
        await asyncio.Event().wait()

    finding = await made(Check("slow", hang, seconds=0.05), Patient(Settings()))

    assert finding is not None
    assert (finding.outcome, finding.detail) == (FAIL, "no answer within 0.05 s")


async def test_an_index_that_does_not_open_is_told_once(tmp_path: Path) -> None:
    """The line of the engine fails, and those that need it do not know."""
    file = tmp_path / "a file"
    file.touch()
    chosen = Settings(data_dir=file)
    outcomes = [
        finding.outcome for name in ("ClickHouse", "shards", "schema") if (finding := await found(name, chosen))
    ]

    assert outcomes == [FAIL, WARN, WARN]
