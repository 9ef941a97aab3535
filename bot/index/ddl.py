"""The SQL that makes an index of the built-in shape: tables, suffix rules, functions. Safe to run at every start."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from importlib import resources

from bot.address.suffixes import RULE_LABELS, icann_rules, suffix_list_version
from bot.index.profile import IndexProfile

_COMMENT_LINE = re.compile(r"^\s*--.*\n?", re.MULTILINE)
_ROOT_HASH = "farmFingerprint64("  # as schema/functions.sql writes it; the profile may name another function


def statements(profile: IndexProfile) -> list[str]:
    """Every statement in order, without the closing semicolons. Only the suffix rules are replaced, none is dropped.

    Tables and functions that stand are left alone; the rules become those of the list that this process makes keys by.
    """
    functions = _read("functions.sql").replace(_ROOT_HASH, f"{profile.hash_function}(")
    return [*_split(_read("tables.sql")), _suffix_rules(), *_split(functions)]


def _suffix_rules() -> str:
    """The rules as one statement, so that a reader sees the old ones or the new ones and never none.

    A suffix is written as it stands in a key (`uk,co`); `labels` is how many labels the public suffix has there.
    `Join` is the engine whose lookups ClickHouse folds into a constant, and that needs no account of its own.
    """
    suffixes: dict[str, list[str]] = {kind: [] for kind in RULE_LABELS}
    for suffix, kind in icann_rules():
        suffixes[kind].append(",".join(reversed(suffix.split("."))))
    by_kind = "\n    UNION ALL\n".join(_rules_of_kind(suffixes[kind], more) for kind, more in RULE_LABELS.items())
    return (
        "CREATE OR REPLACE TABLE crawler3.icann_rules (suffix String, labels UInt8)\n"
        "ENGINE = Join(ANY, LEFT, suffix)\n"
        f"COMMENT 'public suffix list {suffix_list_version()}, ICANN section'\n"
        "AS SELECT suffix, toUInt8(countSubstrings(suffix, ',') + 1 + more) AS labels FROM (\n"
        f"{by_kind}\n)"
    )


def _rules_of_kind(suffixes: Iterable[str], more: int) -> str:
    """One literal: 7,000 rows of values would be 28,000 nodes of syntax, near what a server parses (50,000)."""
    words = textwrap.fill(" ".join(sorted(suffixes)), width=118, break_long_words=False, break_on_hyphens=False)
    return f"    SELECT arrayJoin(splitByWhitespace('\n{words}\n')) AS suffix, {more} AS more"


def _read(name: str) -> str:
    return (resources.files("bot.index") / "schema" / name).read_text(encoding="utf-8")


def _split(script: str) -> list[str]:
    """The statements of a script whose comments have lines of their own and whose literals hold no `;`."""
    return [part.strip() for part in _COMMENT_LINE.sub("", script).split(";") if part.strip()]
