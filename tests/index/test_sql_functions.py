"""The SQL functions of the index make the same keys as bot.address, and the seeds' query runs on it word for word."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from bot.address.key import UrlKey, url_key
from bot.address.suffixes import icann_rules, suffix_list, suffix_list_version, use_suffix_list
from bot.index.ddl import statements
from bot.index.profile import IndexProfile
from bot.index.sample.load import sample_pages

BATCH = 4_000  # URLs in one query

HOSTS = (
    "localhost",
    "unlisted",
    "a.b.unlisted",
    "com",
    "1.2.3.4",
    "1.2.3.com",
    "4.3.2.1.in-addr.arpa",
    "[::1]",
    "[2001:db8::1:80]",
    "a-_~.example",
    "a,b!c.example",
    "com,example!www.example",
    "xn--bcher-kva.example",
    ".".join("abcdefghijklmnop") + ".co.uk",
)
ENDS = ("/", "/a!b,c/d?e=f:80/&g=https://x.example:81/", "/x%20s443", "/a:99/?q")


@pytest.fixture(autouse=True)
def _needs_the_engine() -> None:
    pytest.importorskip("chdb", reason="the embedded engine is not installed")


def every_kind_of_url() -> Iterator[str]:
    """Every suffix rule, at the suffix and below; addresses; single labels; ports that are and are not the default."""
    for suffix, _ in icann_rules():
        for below in ("", "d.", "s.d."):
            yield f"https://{below}{suffix}/x"
    for host in HOSTS:
        for scheme, port in (("https", ""), ("http", ""), ("https", ":80"), ("http", ":443"), ("http", ":8080")):
            for end in ENDS:
                yield f"{scheme}://{host}{port}{end}"


def differences(engine: Client, keys: list[UrlKey]) -> list[tuple[Any, ...]]:
    """Where SQL says otherwise: (URL, key, root hash, URL from key) as it has them, and as they should be."""
    rows: list[Any] = []
    for start in range(0, len(keys), BATCH):
        rows += engine.query(
            "SELECT url, getAhrefsUnparsedNoserviceFromURL(url) AS key, getAhrefsRootHashFromUnparsed(key), "
            "getAhrefsURLFromUnparsed(key) FROM (SELECT arrayJoin({urls:Array(String)}) AS url)",
            parameters={"urls": [key.url for key in keys[start : start + BATCH]]},
        ).result_rows
    expected = [(key.url, key.unparsed, key.root_hash, key.url) for key in keys]
    return [(tuple(row), right) for row, right in zip(rows, expected, strict=True) if tuple(row) != right]


def test_sql_and_python_make_the_same_keys(engine: Client) -> None:
    """Over every kind of host that there is a rule for, and the odd ones."""
    keys = [url_key(url) for url in every_kind_of_url()]
    assert len(keys) > 20_000

    assert differences(engine, keys) == []


def test_sql_makes_the_keys_of_the_sample_crawl(engine: Client) -> None:
    """Over every page of it: what the bot binds is what the functions say of the rows."""
    keys = [url_key(spec.url) for spec in sample_pages()]
    assert len(keys) > 4_000

    assert differences(engine, keys) == []


def test_sql_makes_the_handed_keys(engine: Client, json_lines: Callable[[str], list[dict[str, Any]]]) -> None:
    """Over the canonical URL of each case, both seeds among them."""
    keys = [url_key(row["canonical"]) for row in json_lines("cases/keys.jsonl")]

    assert differences(engine, keys) == []


@pytest.mark.parametrize("text", ["", "https://example.com/", "com,example!", "Hello!, wide /world", "a\nb"])
def test_what_is_no_key_comes_back_as_it_is(engine: Client, text: str) -> None:
    """A canonical that an index holds in another form is shown, not lost."""
    result = engine.query("SELECT getAhrefsURLFromUnparsed({text:String})", parameters={"text": text})

    assert result.result_rows == [(text,)]


def test_a_lookup_by_the_functions_reads_by_the_primary_key(engine: Client, profile: IndexProfile) -> None:
    """The functions are constants to ClickHouse: it goes to the rows of a key in the sample, and does not try all."""
    key = "getAhrefsUnparsedNoserviceFromURL('https://developer.aliyun.com/article/1485698')"
    lines = engine.query(
        f"EXPLAIN indexes = 1 SELECT 1 FROM {profile.source} "
        f"PREWHERE (src_root_hash, src_unparsed) IN ((getAhrefsRootHashFromUnparsed({key}), {key}))"
    ).result_columns[0]

    assert "Condition: ((src_root_hash, src_unparsed) in 1-element set)" in [line.strip() for line in lines]


def test_another_suffix_list_replaces_the_rules(engine: Client, profile: IndexProfile, tmp_path: Path) -> None:
    """No rule of the old list is left when the statements run again; and back."""
    import publicsuffixlist

    own = tmp_path / "own.dat"
    own.write_text(
        "// VERSION: another\n// ===BEGIN ICANN DOMAINS===\nexample\n*.b.example\n!c.b.example\n"
        "// ===END ICANN DOMAINS===\n"
    )
    try:
        use_suffix_list(own)
        run(engine, profile)
        assert rules(engine) == [("example", 1), ("example,b", 3), ("example,b,c", 2)]
        assert (
            differences(engine, [url_key(f"https://{h}/") for h in ("a.co.uk", "a.b.example", "x.c.b.example")]) == []
        )
    finally:
        use_suffix_list(Path(publicsuffixlist.PSLFILE))
        run(engine, profile)
    assert len(rules(engine)) == len(suffix_list().rules)


def run(engine: Client, profile: IndexProfile) -> None:
    """Run the schema's statements, as at every start."""
    for statement in statements(profile):
        engine.command(statement)


def rules(engine: Client) -> list[tuple[str, int]]:
    """The rules that the functions look at."""
    return sorted((row[0], row[1]) for row in engine.query("SELECT * FROM crawler3.icann_rules").result_rows)


def test_the_table_of_rules_says_which_list_it_is(engine: Client) -> None:
    """So that an index can be asked what its keys were made by."""
    comment = engine.query("SELECT comment FROM system.tables WHERE name = 'icann_rules'").result_rows

    assert comment == [(f"public suffix list {suffix_list_version()}, ICANN section",)]


def test_every_statement_can_be_pasted(profile: IndexProfile) -> None:
    """None ends in a semicolon or holds one, and none is longer than what a server parses (256 KiB)."""
    for statement in statements(profile):
        assert ";" not in statement
        assert len(statement.encode()) < 200_000


def test_the_profile_names_the_hash(profile: IndexProfile) -> None:
    """An index that was built with ClickHouse's other hash gets functions that use it."""
    other = profile.model_copy(update={"hash_function": "farmHash64"})
    root_hash = next(s for s in statements(other) if "getAhrefsRootHashFromUnparsed AS" in s)

    assert "farmHash64(" in root_hash
    assert not any("farmFingerprint64" in statement for statement in statements(other))


IN_A_FOLDER_OF_ITS_OWN = """
import json, pathlib, sys
import clickhouse_connect
from bot.index.ddl import statements
from bot.index.profile import load_profile

folder, query, row = sys.argv[1], pathlib.Path(sys.argv[2]).read_text(), sys.stdin.read()
client = clickhouse_connect.get_client(interface="chdb", path=folder)
for statement in statements(load_profile()):
    client.command(statement)
client.command("INSERT INTO crawler3.page_info_local FORMAT JSONEachRow " + row)
sys.stdout.buffer.write(client.raw_query(query, settings={"output_format_json_quote_64bit_integers": 1}))
"""

RENAMED = {
    "crawl_time": "download_stamp",
    "first_indexed_time": "props_url_first_seen",
    "http_code": "download_http_code",
}


def test_the_seeds_query_gives_the_seeds_response(shared: Path, tmp_path: Path) -> None:
    """Word for word in, byte for byte out, with the row of the response as the table's only one."""
    response = (shared / "seeds/crawled_status_response.json").read_bytes()
    row = {RENAMED.get(name, name): value for name, value in json.loads(response).items() if name != "found_url"}

    done = subprocess.run(
        [sys.executable, "-c", IN_A_FOLDER_OF_ITS_OWN, str(tmp_path), str(shared / "seeds/crawled_status_query.sql")],
        input=json.dumps(row).encode(),
        capture_output=True,
        check=False,
    )

    assert (done.stdout, done.returncode) == (response, 0), done.stderr.decode()[-2000:]
