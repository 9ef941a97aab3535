from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
HERE, GONE = "https://cases.example/indexable", "https://cases.example/never-there"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a command in a process of its own, over one data folder for all of them."""
    environment = {**os.environ, "CRAWLER_INSPECTOR_DATA_DIR": str(tmp_path_factory.mktemp("data")), "COLUMNS": "120"}

    def run_command(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "bot", *arguments]
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=120, check=False, env=environment
        )

    return run_command


def test_a_list_goes_on_after_a_bad_line_and_says_which(run: Run) -> None:
    """Output in the order of the list; the bad ones on standard error by their line; the exit code tells."""
    done = run("inspect", "-", "--json", stdin=f"{HERE}\n\nnonsense\n{GONE}\n{HERE}\n")
    found = [json.loads(line) for line in done.stdout.splitlines()]

    assert [item["lookup"]["text"] for item in found] == [HERE, GONE, HERE]
    assert [item["verdict"] for item in found] == ["indexable", "not_crawled", "indexable"]
    assert [line[:18] for line in done.stderr.splitlines() if line.startswith("line ")] == ["line 3: “nonsense”"]
    assert done.returncode == 2


def test_a_list_as_csv_opens_in_a_spreadsheet(run: Run) -> None:
    """One header, one row a lookup."""
    done = run("inspect", "--csv", HERE, GONE)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))

    assert [(row["asked"], row["verdict"]) for row in rows] == [(HERE, "indexable"), (GONE, "not_crawled")]
    assert done.returncode == 0


def test_a_site_is_counted_and_drawn(run: Run, tmp_path: Path) -> None:
    """JSON for programs, a picture for people."""
    done = run("site", "cases.example", "--json", "--chart", str(tmp_path / "c.svg"))
    report = json.loads(done.stdout)

    assert report["crawled"] == sum(report["verdicts"].values()) > 0
    assert report["failures"] == []
    assert (tmp_path / "c.svg").read_text(encoding="utf-8").startswith("<svg ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["site", "cases.example", "--chart", "c.gif"], "c.gif"),
        (["site", "no site"], "example.com/blog/"),
        (["inspect", "--csv", "--json", HERE], "Choose one"),
    ],
)
def test_a_mistake_is_one_sentence(run: Run, arguments: list[str], says: str) -> None:
    """What was read, and what to type."""
    done = run(*arguments)

    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
