"""Where a host's registered domain begins: the ICANN section of the public suffix list (https://publicsuffix.org/list/).

One table, suffix → how many labels the public suffix has there, serves Python and (as `crawler3.icann_rules`) the SQL
functions, so that both place a host alike. The list itself comes with the package publicsuffixlist, whose matcher is
the second opinion in the tests. An index's keys depend on the list that it was built with: a change is a decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path

_BEGIN, _END = "// ===BEGIN ICANN DOMAINS===", "// ===END ICANN DOMAINS==="
_VERSION = re.compile(r"^// VERSION: (\S+)", re.MULTILINE)
_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")

# A rule at some suffix → how many labels more than that suffix the public suffix has.
RULE_LABELS = {"exact": 0, "wildcard": 1, "exception": -1}
_RANK = {"exact": 0, "wildcard": 1, "exception": 2}  # which rule holds where a suffix has several
MAX_SUFFIX_LABELS = (
    5  # the longest suffix that has a rule, and room for one label more; schema/functions.sql tries each
)


class SuffixList:
    """The ICANN rules of one public suffix list, given as the text of its file. Raises ValueError for another text."""

    def __init__(self, text: str) -> None:
        found = _VERSION.search(text)
        self.version = found[1] if found else "unknown"
        dated = _DATE.match(self.version)
        self.date = date.fromisoformat(dated[0]) if dated else None  # of the list itself; None where it does not say
        self.rules = _rules(text)
        self._labels = {suffix: suffix.count(".") + 1 + RULE_LABELS[kind] for suffix, kind in self.rules.items()}

    def suffix_labels(self, hostname: str) -> int:
        """How many labels of a canonical host name are its public suffix: 1 for `example.com`, 2 for `a.co.uk`.

        A host that is itself a public suffix counts whole; where no rule matches, the last label is the suffix.
        """
        labels = hostname.split(".")
        for start in range(max(0, len(labels) - MAX_SUFFIX_LABELS), len(labels)):
            count = self._labels.get(".".join(labels[start:]))
            if count is not None:
                return min(count, len(labels))
        return 1

    def knows(self, hostname: str) -> bool:
        """Whether a rule of the list, and not the rule for unknown ones, gives the host's public suffix."""
        labels = hostname.split(".")
        return any(".".join(labels[start:]) in self._labels for start in range(len(labels)))


def _rules(text: str) -> dict[str, str]:
    """Suffix in A-labels → kind of rule. (https://github.com/publicsuffix/list/wiki/Format)"""
    begin, end = text.find(_BEGIN), text.find(_END)
    if begin < 0 or end < begin:
        raise ValueError("it has no section of ICANN domains")
    rules: dict[str, str] = {}
    for line in text[begin:end].splitlines():
        if not line or line.isspace() or line.startswith("//"):
            continue
        suffix, kind = _rule(line.split(maxsplit=1)[0])
        if suffix.count(".") >= MAX_SUFFIX_LABELS - 1:
            raise ValueError(f"its rule for {suffix} has more labels than any known suffix")
        if _RANK[kind] >= _RANK[rules.get(suffix, "exact")]:
            rules[suffix] = kind
    return rules


def _rule(rule: str) -> tuple[str, str]:
    if rule.startswith("!"):
        return _a_labels(rule[1:]), "exception"
    if rule.startswith("*."):
        return _a_labels(rule[2:]), "wildcard"
    return _a_labels(rule), "exact"


def _a_labels(suffix: str) -> str:
    if suffix.isascii():
        return suffix.lower()
    from ada_url import idna

    return idna.encode(suffix).decode("ascii")


_current: SuffixList | None = None


def suffix_list() -> SuffixList:
    """The list in use: the installed package's, read at the first key, until `use_suffix_list` names another."""
    if _current is None:
        from publicsuffixlist import PSLFILE

        return use_suffix_list(Path(PSLFILE))
    return _current


def use_suffix_list(path: Path) -> SuffixList:
    """Make keys by the list in a file from now on. Raises OSError, and ValueError where it is no public suffix list."""
    global _current
    _current = SuffixList(path.read_text(encoding="utf-8"))
    return _current


def suffix_list_version() -> str:
    """The date in the list's own VERSION line, as `2026-10-22_08-36-41_UTC`."""
    return suffix_list().version


def icann_rules() -> Iterable[tuple[str, str]]:
    """Every suffix (A-labels, as written: `co.uk`) with its kind of rule: exact, wildcard (below it) or exception."""
    return suffix_list().rules.items()
