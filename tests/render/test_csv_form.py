from __future__ import annotations

import csv
import io

import pytest

from bot.errors import BadInput
from bot.index.profile import IndexProfile
from bot.inspection.model import Inspection
from bot.render.csv import cell, csv_header, csv_row
from tests.report import inspections as made


def table(profile: IndexProfile, *items: Inspection | BadInput) -> list[dict[str, str]]:
    text = csv_header(profile) + "".join(csv_row(item, profile) for item in items)
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_a_row_says_verdict_cause_and_what_was_judged(profile: IndexProfile) -> None:
    """One line an inspection, under one header."""
    good, bad = table(profile, made.github(), made.failing("canonical"))

    assert (good["verdict"], good["cause"], good["crawled"]) == ("indexable", "", "Yes")
    assert good["key"] == "io,github!murphypei,/blog/2020/09/pytorch-distributed s443"
    assert good["index"] == "crawler3"
    assert good["last_crawled"] == "2026-05-03T03:24:51Z"
    assert (bad["verdict"], bad["cause"], bad["failing"]) == ("not_indexable", "canonical", "canonical")


def test_what_could_not_be_read_has_a_row_of_its_own(profile: IndexProfile) -> None:
    """Rows keep the order of the list."""
    (row,) = table(profile, BadInput("line 7: no URL"))

    assert {name: value for name, value in row.items() if value} == {"problem": "line 7: no URL"}


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1"])
def test_no_cell_is_a_formula(profile: IndexProfile, text: str) -> None:
    """What a spreadsheet would run begins with an apostrophe."""
    (row,) = table(profile, made.hostile(text))

    assert cell(text).startswith("'")
    assert [value for value in row.values() if value.lstrip().startswith(("=", "+", "-", "@", "＝"))] == []


def test_commas_quotes_and_breaks_stay_inside_their_cells(profile: IndexProfile) -> None:
    """RFC 4180; a line break in a title would be a row to many readers."""
    (row,) = table(profile, made.hostile('a,"b"\r\nc'))

    assert row["asked"] == 'a,"b" c'
