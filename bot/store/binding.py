"""Parameters as text, the way ClickHouse's HTTP interface takes them and the driver writes them.

The driver escapes letter by letter. Of a thousand keys that is most of its own time, so arrays of pairs, which is what
inspections bind, are written here; everything else is left to the driver.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_ESCAPES = str.maketrans({letter: f"\\{letter}" for letter in "\\'`\t\n"})
_ESCAPED = re.compile("[\\\\'`\t\n]").search


class _Written:
    """Text that the driver passes on as it stands: it writes what it does not know by `str`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text


def prepared(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters for the driver, its own work on arrays of pairs done."""
    return {name: _Written(_pairs(value)) if _is_pairs(value) else value for name, value in parameters.items()}


def bound(parameters: Mapping[str, Any]) -> dict[str, str]:
    """The parameters as fields of ClickHouse's HTTP interface."""
    from clickhouse_connect.driver.binding import format_bind_value

    return {f"param_{name}": format_bind_value(value) for name, value in prepared(parameters).items()}


def _is_pairs(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], tuple)


def _pairs(pairs: Sequence[tuple[int, str]]) -> str:
    # A search first: few keys hold any of these, and to translate each takes four times as long.
    listed = [f"({number}, '{text.translate(_ESCAPES) if _ESCAPED(text) else text}')" for number, text in pairs]
    return f"[{', '.join(listed)}]"
