from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
INDEXABLE = "https://cases.example/indexable"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a command in a process of its own, over one data folder for all of them."""
    environment = {**os.environ, "CRAWLER_INSPECTOR_DATA_DIR": str(tmp_path_factory.mktemp("data")), "COLUMNS": "120"}

    def run_command(*arguments: str, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "bot", *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={**environment, **variables},
        )

    return run_command


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_key_prints_one_object_a_line(run: Run) -> None:
    """A 64-bit hash is a string."""
    done = run("key", "https://example.com", "http://[::1]:8080/x")

    assert done.returncode == 0
    assert lines(done)[0] == {
        "url": "https://example.com",
        "canonical": "https://example.com/",
        "unparsed": "com,example!,/ s443",
        "root": "com,example!",
        "root_hash": "10498508768431069694",
        "shard": 94,
    }
    assert lines(done)[1]["unparsed"] == "[::1]!,/x h8080"


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "says"),
    [
        (["key", "not a url"], "", 2, "not a url"),
        (["key", "--", "ftp://example.com/"], "", 2, "ftp"),
        (["key"], "", 2, "URL"),
        (["find-urls"], "nonsense\n", 2, "Line 1"),
        (["find-urls"], "[]\n", 2, "Line 1"),
        (["inspect", "--json", "--raw", INDEXABLE], "", 2, "Choose one"),
        (["inspect", "--as-of", "soon", INDEXABLE], "", 2, "'soon'"),
        (["inspect", "hash:-1"], "", 2, "root hash"),
        (["load", "pages.xml"], "", 2, "pages.xml"),
        (["load", "missing.parquet"], "", 2, "missing.parquet"),
        (["serve"], "", 1, "SLACK_SIGNING_SECRET"),
        (["nonsense"], "", 2, "nonsense"),
    ],
)
def test_a_mistake_ends_with_one_sentence_and_its_exit_code(
    run: Run, arguments: list[str], stdin: str, code: int, says: str
) -> None:
    """2 is wrong use, 1 a failure; a stack trace is neither."""
    done = run(*arguments, stdin=stdin)

    assert done.returncode == code
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("CRAWLER_INSPECTOR_PORT", "many", "CRAWLER_INSPECTOR_PORT"),
        ("CRAWLER_INSPECTOR_PROFILE", "/nowhere.toml", "/nowhere.toml"),
    ],
)
def test_a_wrong_setting_names_its_variable(run: Run, variable: str, value: str, says: str) -> None:
    """Before anything is opened."""
    done = run("inspect", INDEXABLE, **{variable: value})

    assert (done.returncode, says in done.stderr, "Traceback" in done.stderr) == (1, True, False)


def test_find_urls_answers_each_line_at_once(run: Run) -> None:
    """One list for one message."""
    stdin = '{"text": "<https://a.example/?x=1&amp;y=2>"}\n{"text": "nothing here"}\n'

    assert run("find-urls", stdin=stdin).stdout == '["https://a.example/?x=1&y=2"]\n[]\n'


def test_robots_names_the_line_that_decided(run: Run) -> None:
    """Four values, as JSON."""
    done = run("robots", "--agent", "ExampleBot", "--path", "/private/x", stdin="User-agent: *\nDisallow: /private/\n")

    assert json.loads(done.stdout) == {"allowed": False, "line": 2, "rule": "Disallow: /private/", "group": "*"}


def test_inspect_makes_the_sample_when_first_needed(run: Run) -> None:
    """With no cluster configured, from nothing, several lookups in one go; a bad one stops none of the others."""
    done = run("inspect", "--json", INDEXABLE, "not a url", "hash:1")

    assert done.returncode == 2
    assert "not a url" in done.stderr
    assert [line["verdict"] for line in lines(done)] == ["indexable", "not_crawled"]
    assert list(lines(done)[0]) == [
        "lookup",
        "as_of",
        "verdict",
        "cause",
        "badges",
        "filters",
        "page",
        "steps",
        "near_matches",
    ]


def test_inspect_prints_slack_blocks(run: Run) -> None:
    """Ready for Block Kit Builder: an object with `blocks`."""
    done = run("inspect", "--blocks", INDEXABLE)

    assert "table" in {block["type"] for block in json.loads(done.stdout)["blocks"]}


def test_inspect_shows_every_query_when_asked(run: Run) -> None:
    """The raw form has the SQL and the response."""
    done = run("inspect", "--raw", INDEXABLE)

    assert "PREWHERE" in done.stdout
    assert '"pass_http_status":1' in done.stdout


def test_load_brings_a_page_that_inspect_then_finds(run: Run, tmp_path: Path) -> None:
    """JSONEachRow into the pages table, through ClickHouse."""
    file = tmp_path / "pages.jsonl"
    row = {
        "src_root_hash": "10498508768431069694",
        "src_unparsed": "com,example!,/loaded s443",
        "download_stamp": 1_796_000_000,
        "download_http_code": 200,
        "fh_dont_index": 0,
        "ml_spam_score": 7,
    }
    file.write_text(json.dumps(row) + "\n")

    assert run("load", str(file)).returncode == 0
    inspected = lines(run("inspect", "--json", "--as-of", "2026-12-01", "https://example.com/loaded"))[0]
    assert (inspected["verdict"], inspected["cause"]) == ("not_indexable", "spam-ban")


def test_schema_is_sql_with_ended_statements(run: Run) -> None:
    """Tables, rules and functions, each statement ended by a semicolon at a line's end."""
    printed = run("schema").stdout

    assert printed.count(";\n") >= 8
    assert "getAhrefsUnparsedNoserviceFromURL" in printed


def test_doctor_tells_what_is_missing(run: Run) -> None:
    """What is not set up yet is no fault; the exit code says so."""
    done = run("doctor")

    assert done.returncode == 0
    assert "SLACK_BOT_TOKEN" in done.stdout
