"""A query with its parameters written into it, for people who paste it where nothing binds them.

What the bot itself runs is the query with bound parameters; this text is only ever shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_PLACEHOLDER = re.compile(r"\{(\w+):([^{}]+)\}")
# https://clickhouse.com/docs/sql-reference/syntax#string
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"})


def literal_sql(sql: str, parameters: Mapping[str, Any] | None) -> str:
    r"""`sql` with every `{name:Type}` that `parameters` holds replaced by its value, cast to that type.

    >>> literal_sql("SELECT {key:String}", {"key": "it's"})
    "SELECT CAST('it\\'s', 'String')"
    """
    known = parameters or {}

    def value(match: re.Match[str]) -> str:
        name, kind = match[1], match[2]
        return f"CAST({_literal(known[name])}, {_literal(kind)})" if name in known else match[0]

    return _PLACEHOLDER.sub(value, sql)


def _literal(value: Any) -> str:
    match value:
        case str():
            return "'" + value.translate(_ESCAPES) + "'"
        case tuple():
            return f"({', '.join(map(_literal, value))})"
        case Sequence():
            return f"[{', '.join(map(_literal, value))}]"
        case _:
            return str(value)
