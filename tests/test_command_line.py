from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

import bot.index

Run = Callable[..., subprocess.CompletedProcess[str]]
INDEXABLE = "https://cases.example/indexable"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a command in a process of its own, over one data folder for all of them."""
    environment = {**os.environ, "CRAWLER_INSPECTOR_DATA_DIR": str(tmp_path_factory.mktemp("data")), "COLUMNS": "120"}

    def run_command(
        *arguments: str, stdin: str = "", stdout: IO[str] | int = subprocess.PIPE, line: str = "", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", line] if line else [sys.executable, "-m", "bot", *arguments],
            input=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
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
        (["inspect", "--as-of", "", INDEXABLE], "", 2, "Read ''"),
        (["site", "--as-of", "1960-01-01", "cases.example"], "", 2, "1970-01-02"),
        (["find-urls"], "[" * 100_000, 2, "Line 1"),
        (["site", "cases.example", "--chart", "/nonexistent/x.svg"], "", 2, "/nonexistent/x.svg"),
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
        ("CRAWLER_INSPECTOR_CLICKHOUSE_HOST", "ch{shrd}", "CRAWLER_INSPECTOR_CLICKHOUSE_HOST"),
        ("CRAWLER_INSPECTOR_CLICKHOUSE_HOST", "{", "CRAWLER_INSPECTOR_CLICKHOUSE_HOST"),
    ],
)
def test_a_wrong_setting_names_its_variable(run: Run, variable: str, value: str, says: str) -> None:
    """Before anything is opened."""
    done = run("inspect", INDEXABLE, **{variable: value})

    assert (done.returncode, says in done.stderr, "Traceback" in done.stderr) == (1, True, False)


@pytest.mark.parametrize(
    ("arguments", "code", "stream"),
    [
        (["inspect", INDEXABLE], 1, "stderr"),
        (["demo", "--once"], 1, "stderr"),
        (["doctor"], 1, "stdout"),
        (["load"], 1, "stderr"),
    ],
)
def test_a_data_folder_that_cannot_be_used_is_named(
    run: Run, tmp_path: Path, arguments: list[str], code: int, stream: str
) -> None:
    """A file stands where the folder would be made."""
    file = tmp_path / "pages.jsonl"
    file.touch()
    typed = [*arguments, str(file)] if arguments == ["load"] else arguments
    done = run(*typed, CRAWLER_INSPECTOR_DATA_DIR=str(file), COLUMNS="400")

    assert done.returncode == code
    assert "CRAWLER_INSPECTOR_DATA_DIR" in getattr(done, stream)
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize(
    "arguments",
    [["key", INDEXABLE], ["schema"], ["inspect", INDEXABLE], ["site", "cases.example"], ["doctor"]],
)
def test_an_output_without_room_is_told_in_one_sentence(run: Run, arguments: list[str]) -> None:
    """On standard error, and by the exit code."""
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = run(*arguments, stdout=full)

    assert done.returncode == 1
    assert "The output cannot be written: No space left on device.\n" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("typed", ["find-urls", "robots --agent a --path /", "inspect -"])
def test_a_closed_input_is_told_in_one_sentence(run: Run, typed: str) -> None:
    """As the shell closes it: `<&-`."""
    done = run(line=f"exec {sys.executable} -m bot {typed} <&-")

    assert done.returncode == 2
    assert done.stderr.endswith("Standard input is closed: give a file to read, as in `< file`.\n")
    assert "Traceback" not in done.stderr


def test_a_byte_order_mark_is_no_part_of_the_first_line(run: Run) -> None:
    """Editors put one at the beginning of a list."""
    found = lines(run("inspect", "-", "--json", stdin=f"\ufeff{INDEXABLE}\n"))

    assert [item["lookup"]["text"] for item in found] == [INDEXABLE]


@pytest.mark.parametrize("command", ["inspect", "site", "demo"])
def test_the_example_of_a_command_is_about_the_sample(run: Run, command: str) -> None:
    """What is copied from the help finds something at once."""
    assert "cases.example" in run(command, "--help").stdout


@pytest.mark.parametrize("typed", ["nourl", "https://["])
def test_the_demo_shows_what_the_bot_says_of_no_url(run: Run, typed: str) -> None:
    """The error for the command; pasted, it is no link and so gets no reply."""
    done = run("demo", "--once", typed)

    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert "cannot be looked up" in done.stdout
    assert "says nothing" in done.stdout


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


PAGE = {
    "src_root_hash": "10498508768431069694",
    "src_unparsed": "com,example!,/loaded s443",
    "download_stamp": 1_796_000_000,
    "download_http_code": 200,
}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("", "has no rows"),
        ("[]", "has no rows"),
        ("nonsense", "did not take"),
        (json.dumps({**PAGE, "download_http_cod": 200}), "download_http_cod"),
        (json.dumps({**PAGE, "src_unparsed": ""}), "without a key"),
        (json.dumps({**PAGE, "src_unparsed": None}), "without a key"),
        (json.dumps({**PAGE, "src_root_hash": None}), "without a key"),
        (json.dumps({**PAGE, "src_root_hash": "7"}), "src_root_hash is not that"),
    ],
)
def test_a_file_with_an_unusable_row_is_not_loaded(run: Run, tmp_path: Path, row: str, says: str) -> None:
    """One sentence, and the rows before it stay out too."""
    file = tmp_path / "pages.jsonl"
    file.write_text(f"{json.dumps(PAGE)}\n{row}\n" if row.startswith("{") else row)
    data = str(tmp_path / "data")
    done = run("load", str(file), CRAWLER_INSPECTOR_DATA_DIR=data)
    file.write_text(json.dumps(PAGE))
    after = run("load", str(file), CRAWLER_INSPECTOR_DATA_DIR=data)

    assert done.returncode in (1, 2)
    assert (says in done.stderr, "Traceback" in done.stderr) == (True, False)
    assert after.stdout == "Loaded 1 rows; crawler3.page_info_local has 1 rows.\n"


def test_load_reads_the_one_file_that_is_named(run: Run, tmp_path: Path) -> None:
    """A name is no pattern."""
    data = str(tmp_path / "data")
    for number, name in enumerate(("mine[1]?{a,b}.jsonl", "s*.jsonl", "shop.jsonl")):
        row = {**PAGE, "src_unparsed": f"com,example!,/{number} s443"}
        (tmp_path / name).write_text(json.dumps(row) + "\n")
    loaded = [
        run("load", str(tmp_path / name), CRAWLER_INSPECTOR_DATA_DIR=data).stdout
        for name in ("mine[1]?{a,b}.jsonl", "s*.jsonl")
    ]

    assert loaded == [f"Loaded 1 rows; crawler3.page_info_local has {number} rows.\n" for number in (1, 2)]


def test_what_was_loaded_after_an_interrupted_sample_stays(run: Run, tmp_path: Path) -> None:
    """The half sample goes when the file comes, not with the next look at the crawl."""
    file, data = tmp_path / "pages.jsonl", tmp_path / "data"
    file.write_text(json.dumps(PAGE) + "\n")
    run("load", str(file), CRAWLER_INSPECTOR_DATA_DIR=str(data))
    (data / "crawl" / "loading").touch()  # as a sample leaves it that was stopped with a row in the table

    loaded = run("load", str(file), CRAWLER_INSPECTOR_DATA_DIR=str(data))
    found = run("inspect", "--json", "https://example.com/loaded", CRAWLER_INSPECTOR_DATA_DIR=str(data))

    assert loaded.stdout == "Loaded 1 rows; crawler3.page_info_local has 1 rows.\n"
    assert lines(found)[0]["verdict"] != "not_crawled"


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


def test_doctor_tells_machines_the_same(run: Run) -> None:
    """One object: is all well, and each check with its outcome and its remedy."""
    done = run("doctor", "--json", CRAWLER_INSPECTOR_LINK_KEYS="k" * 40)
    told = json.loads(done.stdout)
    [keys] = [check for check in told["checks"] if check["check"] == "link keys"]

    assert (done.returncode, told["ok"]) == (1, False)
    assert list(keys) == ["check", "outcome", "detail", "remedy"]
    assert (keys["outcome"], "openssl rand -hex 32" in keys["remedy"]) == ("fail", True)


@pytest.fixture(scope="module")
def two_profiles(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The built-in profile, and a stricter one of the same tables, as CRAWLER_INSPECTOR_PROFILE names them."""
    text = (Path(bot.index.__file__).parent / "crawler3.toml").read_text(encoding="utf-8")
    strict = text.replace('name = "crawler3"', 'name = "strict"', 1).replace("download_http_code = 200", "0", 1)
    folder = tmp_path_factory.mktemp("profiles")
    files = [folder / "crawler3.toml", folder / "strict.toml"]
    for file, content in zip(files, (text, strict.replace("count = 200", "count = 7", 1)), strict=True):
        file.write_text(content, encoding="utf-8")
    return ", ".join(map(str, files))


@pytest.mark.parametrize(
    ("named", "verdict"),
    [((), "indexable"), (("--profile", "crawler3"), "indexable"), (("--profile", "strict"), "not_indexable")],
)
def test_a_command_asks_the_profile_that_is_named(
    run: Run, two_profiles: str, named: tuple[str, ...], verdict: str
) -> None:
    """The first of several where none is. Both judge the one embedded crawl, the strict one of 7 shards."""
    [inspected] = lines(run("inspect", "--json", *named, INDEXABLE, CRAWLER_INSPECTOR_PROFILE=two_profiles))
    [key] = lines(run("key", *named, INDEXABLE, CRAWLER_INSPECTOR_PROFILE=two_profiles))

    assert (inspected["verdict"], inspected["lookup"]["shard"]) == (verdict, key["shard"])


@pytest.mark.parametrize("command", [["inspect", INDEXABLE], ["site", "cases.example"], ["key", INDEXABLE], ["doctor"]])
def test_a_profile_that_is_not_configured_is_one_sentence(run: Run, two_profiles: str, command: list[str]) -> None:
    """It names those that are."""
    done = run(*command, "--profile", "other", CRAWLER_INSPECTOR_PROFILE=two_profiles)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "There is no profile 'other'; CRAWLER_INSPECTOR_PROFILE has crawler3, strict.\n"


def test_two_profiles_of_one_name_are_one_sentence(run: Run, two_profiles: str) -> None:
    """Nothing could tell them apart."""
    first = two_profiles.partition(",")[0]
    done = run("key", INDEXABLE, CRAWLER_INSPECTOR_PROFILE=f"{first},{first}")

    assert (done.returncode, done.stdout) == (1, "")
    assert "two profiles called 'crawler3'" in done.stderr


def test_the_demo_serves_every_profile(run: Run, two_profiles: str) -> None:
    """Over the one embedded crawl, which two handles may read; the default one answers."""
    done = run("demo", "--once", INDEXABLE, CRAWLER_INSPECTOR_PROFILE=two_profiles)

    assert done.returncode == 0
    assert "Index: crawler3" in done.stdout


def test_the_demo_shows_the_card_of_a_link_that_gets_no_answer_in_a_thread(run: Run) -> None:
    """Pasted, a link of the workspace's unfurl domain is answered by its card alone."""
    done = run("demo", "--once", "https://nearby.example/guide")

    assert done.returncode == 0
    assert "[Filter table]" in done.stdout.partition("ben pastes")[2]
