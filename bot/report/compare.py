"""Two reports → rows that stand side by side, and whether they differ. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from bot.report.model import Cell, FilterRow, Line, Report


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One filter or one property on both sides; None where a side has none."""

    id: str
    title: str
    left: FilterRow | Cell | None
    right: FilterRow | Cell | None

    @property
    def differs(self) -> bool:
        """Do the values differ? An age alone does not, and a heavy column is not read."""
        return _seen(self.left) != _seen(self.right)


@dataclass(frozen=True, slots=True)
class ComparedGroup:
    """Rows under one heading."""

    id: str
    title: str
    rows: tuple[ComparedRow, ...]


def compared(left: Report, right: Report) -> tuple[ComparedGroup, ...]:
    """The filters, and then all properties, in the order of the left report."""
    lines = [[line for group in report.groups for line in group.lines] for report in (left, right)]
    return (
        ComparedGroup("filters", "Page info filters", _paired(left.filters, right.filters, lambda row: row)),
        ComparedGroup("details", "Page details", _paired(lines[0], lines[1], lambda line: line.cell)),
    )


Item = TypeVar("Item", FilterRow, Line)


def _paired(
    left: Iterable[Item], right: Iterable[Item], value: Callable[[Item], FilterRow | Cell]
) -> tuple[ComparedRow, ...]:
    sides: list[Mapping[str, Item]] = [{item.id: item for item in side} for side in (left, right)]
    titles = {item.id: item.title for side in sides for item in side.values()}
    return tuple(
        ComparedRow(item_id, title, *(value(side[item_id]) if item_id in side else None for side in sides))
        for item_id, title in titles.items()
    )


def _seen(side: FilterRow | Cell | None) -> object:
    if isinstance(side, FilterRow):
        return side.outcome, side.details
    return None if side is None else (side.kind, side.value)
