"""What the README and `deploy/` tell an operator is what the program has: metrics, commands, variables, times."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import typer

from bot import metrics
from bot.__main__ import app
from bot.app import DRAIN_SECONDS
from bot.index.profile import load_profile
from bot.inspection.indexes import Indexes
from bot.inspection.pipeline import Inspector
from bot.settings import PREFIX, Settings
from bot.web.probes import Probes
from tests.inspection.scripted_store import ScriptedStore
from tests.test_readme import table

DEPLOY = Path(__file__).parents[1] / "deploy"
UNIT, CONTAINER = DEPLOY / "crawler-inspector.service", DEPLOY / "Containerfile"
VARIABLES = {str(field.validation_alias or PREFIX + name.upper()) for name, field in Settings.model_fields.items()}
PROGRAM = "/opt/crawler-inspector/bin/crawler-inspector"


def unit() -> dict[str, str]:
    """The unit's `[Service]`, its last value of each name."""
    parsed = configparser.RawConfigParser(strict=False)
    parsed.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their capitals
    parsed.read_string(UNIT.read_text(encoding="utf-8"))
    return dict(parsed["Service"])


def instructions() -> dict[str, list[str]]:
    """The container file's instructions, each with what follows it, in order."""
    text = re.sub(r"\\\n", " ", CONTAINER.read_text(encoding="utf-8"))
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition(" ")
            found.setdefault(name, []).append(" ".join(rest.split()))
    return found


def sample_names() -> set[str]:
    """The name of every sample that /metrics can show."""
    suffixes = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count", "_sum")}
    return {
        family.name + suffix for family in metrics.REGISTRY.collect() for suffix in suffixes.get(family.type, ("",))
    }


@pytest.mark.parametrize("row", table("Operating"), ids=lambda row: row[0])
def test_an_alert_is_about_metrics_that_exist(row: list[str]) -> None:
    """Each names one at least, with labels that it has, and says what to do."""
    _, query, advice = row
    named = re.findall(rf"({metrics.NAME}_\w+)", query)
    outcomes = re.findall(r'outcome="(\w+)"', query)

    assert named
    assert advice
    assert [name for name in named if name not in sample_names()] == []
    assert set(outcomes) <= set(metrics.JOB_OUTCOMES)


def test_the_unit_runs_serve_and_gives_it_time_to_drain() -> None:
    """Only variables that exist; secrets come from a file, and the state lives where the unit keeps it."""
    service = unit()
    program, command = service["ExecStart"].split()
    given = dict(pair.split("=", 1) for pair in service["Environment"].split())

    assert (program, command in commands()) == (PROGRAM, True)
    assert set(given) <= VARIABLES
    assert given["CRAWLER_INSPECTOR_DATA_DIR"] == f"%S/{service['StateDirectory']}"
    assert service["EnvironmentFile"].startswith("/etc/")
    assert int(service["TimeoutStopSec"]) > 2 * DRAIN_SECONDS
    assert (service["DynamicUser"], service["ProtectSystem"]) == ("yes", "strict")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not on this machine")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    """Word for word but for the program, which is not installed here."""
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text(encoding="utf-8").replace(PROGRAM, "/bin/true"), encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_container_runs_serve_as_nobody_in_particular() -> None:
    """Its port, its health and its folder are the program's; nothing of the build stage but the venv goes in."""
    given = instructions()
    variables = dict(re.findall(r"(\w+)=(\S+)", " ".join(given["ENV"])))
    [health], [port] = given["HEALTHCHECK"], given["EXPOSE"]
    paths = {route.path for route in Probes(Indexes(Inspector(ScriptedStore(), load_profile()))).routes()}

    assert set(variables) <= VARIABLES
    assert (given["ENTRYPOINT"], given["CMD"]) == ([f'["{PROGRAM}"]'], ['["serve"]'])
    assert port == variables["CRAWLER_INSPECTOR_PORT"] == str(Settings.model_fields["port"].default)
    assert re.findall(r"http://127\.0\.0\.1:(\d+)(/\w+)", health) == [(port, "/healthz")]
    assert "/healthz" in paths
    assert given["VOLUME"] == [variables["CRAWLER_INSPECTOR_DATA_DIR"]]
    assert given["USER"] == ["10001:10001"]
    assert given["COPY"][-1].startswith("--from=build ")
    assert {image.split()[0] for image in given["FROM"]} == {f"python:{oldest_python()}-slim"}
    assert not re.search(r"apt|gcc|build-essential", CONTAINER.read_text(encoding="utf-8"))


def test_the_container_is_stopped_no_sooner_than_it_drains() -> None:
    """The time is an option of the run, as no container file can name it."""
    [seconds] = re.findall(r"--stop-timeout (\d+)", CONTAINER.read_text(encoding="utf-8"))

    assert int(seconds) > 2 * DRAIN_SECONDS


def oldest_python() -> str:
    """The version that the suite runs on."""
    described = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text(encoding="utf-8"))
    return str(described["project"]["requires-python"]).removeprefix(">=")


def commands() -> set[str]:
    """The program's."""
    return set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
