from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from bot.__main__ import app
from bot.index.profile import IndexProfile
from bot.settings import PREFIX, Settings
from tests.chaos.test_other_faults import FAULTS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading, as cells without their back-ticks."""
    section = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return [[plain(cell.strip()) for cell in row] for row in rows[1:]]


def plain(cell: str) -> str:
    """A cell without the back-ticks that stand around the whole of it."""
    return re.sub(r"^`([^`]*)`$", r"\1", cell).replace("\\|", "|")


def test_the_settings_table_is_the_settings() -> None:
    """Every variable, its meaning and its default, in the order of the class."""
    expected = [
        [str(field.validation_alias or PREFIX + name.upper()), field.description or ""]
        for name, field in Settings.model_fields.items()
    ]

    assert [row[:2] for row in table("Settings")] == expected


@pytest.mark.parametrize("row", table("Settings"), ids=lambda row: row[0])
def test_the_settings_table_shows_the_defaults(row: list[str]) -> None:
    """A default is written as the environment would have it; a folder of the machine is named in words."""
    name = next(n for n, f in Settings.model_fields.items() if row[0] in (f.validation_alias, PREFIX + n.upper()))
    default = Settings.model_fields[name].default
    shown = "" if default in (None, ()) or "Secret" in type(default).__name__ else str(default)
    if name == "data_dir":
        assert row[2] == "your platform's data folder"
        return

    assert (row[2] if len(row) > 2 else "") == shown


def test_the_filter_table_is_the_profile(profile: IndexProfile) -> None:
    """In production order, each with the condition that runs."""
    assert table("The filters") == [[rule.id, rule.title, rule.condition] for rule in profile.filters]


def test_the_commands_table_is_the_command_line() -> None:
    """Every command, none that is gone."""
    group = typer.main.get_command(app)

    assert {row[0] for row in table("Commands")} == set(group.commands)  # type: ignore[attr-defined]


def test_every_bench_that_is_named_is_there() -> None:
    """A figure without the command that reproduces it is a rumour."""
    named = set(re.findall(r"python -m (tests\.bench\.\w+)", README))

    assert named
    assert {name for name in named if not (ROOT / (name.replace(".", "/") + ".py")).is_file()} == set()


def test_what_it_survives_is_reproduced_by_commands_that_are_there() -> None:
    """Each row names one, or the one above it; each fault that the tests know has its row."""
    rows = table("What it survives")
    found = [re.fullmatch(r"same|(?:python -m|pytest) (tests\S+)(?: --\w+ \d+)*", row[2]) for row in rows]
    named = [match[1].replace(".py", "").replace(".", "/") for match in found if match and match[1]]

    assert all(found)
    assert [name for name in named if not (ROOT / f"{name}.py").is_file()] == []
    assert set(FAULTS) <= {row[0] for row in rows}


def test_every_threat_names_tests_that_are_there() -> None:
    """What is defended is held to it."""
    for threat, _, tests in table("Security"):
        named = re.findall(r"`?([\w/]+\.py)::(\w+)", tests)

        assert named, threat
        assert [name for file, name in named if f"def {name}(" not in (ROOT / "tests" / file).read_text("utf-8")] == []


def test_both_commands_install_from_the_pinned_versions() -> None:
    """One line sets up and runs the demo, one the tests."""
    commands = [line for line in README.splitlines() if line.startswith("python3 -m venv")]

    assert [line.rsplit("/", 1)[1] for line in commands] == ["crawler-inspector demo", "pytest"]
    assert all("-c .ci/constraints.txt" in line for line in commands)
