"""Registered domains by the ICANN section of the public suffix list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from publicsuffixlist import PublicSuffixList

from bot.address.key import url_key
from bot.address.suffixes import SuffixList, icann_rules, suffix_list, suffix_list_version, use_suffix_list

SMALL_LIST = """// VERSION: 2030-01-02_03-04-05_UTC
// ===BEGIN ICANN DOMAINS===
example
// a comment
*.wild.example  // wildcard
!free.wild.example
// ===END ICANN DOMAINS===
// ===BEGIN PRIVATE DOMAINS===
com
"""


@pytest.fixture(scope="module")
def oracle() -> PublicSuffixList:
    """Another implementation on the same list."""
    return PublicSuffixList(only_icann=True)


@pytest.fixture
def another_list(tmp_path: Path) -> Iterator[Path]:
    """A list of its own, in use while the test runs and not after it."""
    before = tmp_path / "before.dat"
    import publicsuffixlist

    before.write_bytes(Path(publicsuffixlist.PSLFILE).read_bytes())
    path = tmp_path / "small.dat"
    path.write_text(SMALL_LIST, encoding="utf-8")
    yield path
    use_suffix_list(before)


def registered(host: str, suffixes: SuffixList) -> str | None:
    """The registered domain, None where the host is itself a suffix."""
    labels = host.split(".")
    count = suffixes.suffix_labels(host) + 1
    return ".".join(labels[-count:]) if count <= len(labels) else None


def test_every_rule_agrees_with_another_implementation(oracle: PublicSuffixList) -> None:
    """Each rule at its suffix, one label below and two labels below."""
    hosts = [f"{below}{suffix}" for suffix, _ in icann_rules() for below in ("", "d.", "s.d.")]
    assert len(hosts) > 20_000

    wrong = [(host, registered(host, suffix_list()), oracle.privatesuffix(host)) for host in hosts]

    assert [row for row in wrong if row[1] != row[2]] == []


def test_the_lists_own_vectors(shared: Path, oracle: PublicSuffixList) -> None:
    """test_psl.txt, by what the ICANN section says: where private rules decide, the other implementation is right."""
    both = PublicSuffixList()
    text = (shared / "vectors/test_psl.txt").read_text(encoding="utf-8")
    rows = re.findall(r"^checkPublicSuffix\('([^.'][^']*)', (?:null|'([^']*)')\);", text, re.MULTILINE)
    assert len(rows) > 60

    for host, listed in rows:
        canonical = url_key(f"https://{host}/").hostname
        by_list = url_key(f"https://{listed}/").hostname if listed else None
        icann = oracle.privatesuffix(canonical)
        expected = by_list if icann == both.privatesuffix(canonical) else icann

        assert (host, registered(canonical, suffix_list())) == (host, expected)


def test_a_newer_list_can_be_given(another_list: Path) -> None:
    """Keys follow the list in use from the next key on, also for hosts that were seen before."""
    assert url_key("https://a.b.wild.example/").root == "example,wild!"

    use_suffix_list(another_list)

    assert suffix_list_version() == "2030-01-02_03-04-05_UTC"
    assert url_key("https://a.b.wild.example/").root == "example,wild,b,a!"
    assert url_key("https://a.free.wild.example/").root == "example,wild,free!"
    assert dict(icann_rules()) == {"example": "exact", "wild.example": "wildcard", "free.wild.example": "exception"}


@pytest.mark.parametrize(
    "text", ["", "<html>", "// ===BEGIN ICANN DOMAINS===\na.b.c.d.e\n// ===END ICANN DOMAINS===\n"]
)
def test_a_file_that_is_no_list_is_refused(text: str) -> None:
    """An empty page or one that our SQL could not follow does not become the rule of keys."""
    with pytest.raises(ValueError, match="it"):
        SuffixList(text)
