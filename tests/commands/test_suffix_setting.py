"""A public suffix list by path: every command makes its keys by it, and doctor says how old it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import publicsuffixlist
import pytest
import typer
from typer.testing import CliRunner

from bot.__main__ import app
from bot.address.suffixes import SuffixList, use_suffix_list
from bot.commands.doctor.index_checks import list_age

VARIABLE = "CRAWLER_INSPECTOR_SUFFIX_LIST"
LIST = """// VERSION: 2026-11-30_08-00-00_UTC
// ===BEGIN ICANN DOMAINS===
example
*.wild.example
// ===END ICANN DOMAINS===
"""
ARGUMENTS = {
    "robots": ["--agent", "ExampleBot", "--path", "/"],
    "key": ["https://a.wild.example/"],
    "inspect": ["https://a.wild.example/"],
    "site": ["wild.example"],
    "load": ["nothing.jsonl"],
}
Run = Callable[..., Any]  # (file, *arguments) → what the runner saw


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs a command in this process, with a list or without; the package's list is in use again afterwards."""

    def command(file: Path | None, *arguments: str) -> Any:
        if file:
            monkeypatch.setenv(VARIABLE, str(file))
        return CliRunner().invoke(app, arguments, input="")

    yield command
    use_suffix_list(Path(publicsuffixlist.PSLFILE))


def test_keys_follow_the_list(run: Run, tmp_path: Path) -> None:
    """Another list, another key of the same page."""
    file = tmp_path / "own.dat"
    file.write_text(LIST, encoding="utf-8")
    usual, other = run(None, "key", "https://b.a.wild.example/"), run(file, "key", "https://b.a.wild.example/")

    assert json.loads(usual.stdout)["root"] == "example,wild!"
    assert json.loads(other.stdout)["root"] == "example,wild,a,b!"


COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]  # it is a group


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_goes_on_without_the_list_that_was_named(run: Run, tmp_path: Path, name: str) -> None:
    """Keys by another list than the index's would be wrong and look right."""
    done = run(tmp_path / "gone.dat", name, *ARGUMENTS.get(name, []))

    assert done.exit_code == 1
    assert done.stderr == f"{VARIABLE} cannot be used: there is no file '{tmp_path / 'gone.dat'}'.\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"<html>Not found</html>", "is no public suffix list, as it has no section of ICANN domains; take the file"),
        (b"", "is no public suffix list, as it has no section of ICANN domains; take the file"),
        (b"\xff\xfe\x00", "is not UTF-8 text; take the file https://publicsuffix.org/list/public_suffix_list.dat"),
        (LIST.replace("example\n", "a.b.c.d.e\n", 1).encode(), "its rule for a.b.c.d.e has more labels than any"),
    ],
)
def test_a_file_that_is_no_list_is_named(run: Run, tmp_path: Path, content: bytes, says: str) -> None:
    """One sentence: the variable, the file, what is wrong and where a list is had."""
    file = tmp_path / "own.dat"
    file.write_bytes(content)
    done = run(file, "key", "https://example.com/")

    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{VARIABLE} cannot be used: '{file}' is ")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("// VERSION: 2026-11-30_08-00-00_UTC", "of 2026-11-30, 1 day old"),
        ("// VERSION: 2024-12-01", "of 2024-12-01, 730 days old"),
        ("// VERSION: seven", "without a date"),
        ("// a list", "without a date"),
    ],
)
def test_a_list_tells_its_age(version: str, says: str) -> None:
    """By the line in the list itself."""
    assert list_age(SuffixList(LIST.replace("// VERSION: 2026-11-30_08-00-00_UTC", version)), date(2026, 12, 1)) == says


def test_doctor_says_which_list_is_in_use(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package's with its version, or the file."""
    monkeypatch.setenv("CRAWLER_INSPECTOR_CLICKHOUSE_HOST", "127.0.0.1:1")  # nothing listens, and nothing is made
    monkeypatch.setenv("COLUMNS", "300")
    file = tmp_path / "own.dat"
    file.write_text(LIST, encoding="utf-8")
    package, own = run(None, "doctor").stdout, run(file, "doctor").stdout

    assert "days old, from the package publicsuffixlist 1.1.2." in package
    assert f"of 2026-11-30, {(date.today() - date(2026, 11, 30)).days} day" in own
    assert f"from {file}" in own
