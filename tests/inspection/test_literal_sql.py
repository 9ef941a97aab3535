"""A query with its parameters written into it asks the same."""

from __future__ import annotations

import pytest

from bot.inspection.literal import literal_sql
from bot.inspection.pipeline import Inspector
from bot.inspection.store import Query
from tests.store.both import on_both_stores


@on_both_stores
@pytest.mark.parametrize(
    "url",
    ["https://developer.aliyun.com/article/1485698", "https://example.com/it's?a=\\x&b={now:DateTime}&c='%27--"],
)
async def test_the_literal_query_gets_the_same_response(url: str, inspector: Inspector) -> None:
    """Pasted into a client, it shows what the bot saw; quotes and placeholders in an address stay text."""
    lookup = inspector.read(url)
    steps = (await inspector.inspect(lookup)).steps
    asked = [step for step in steps if step.query]
    written = [literal_sql(step.query or "", step.parameters) for step in asked]
    responses = [(await inspector.store.fetch(Query(sql), lookup.shard)).response for sql in written]

    assert len(asked) >= 3
    assert [sql for sql in written if ":Array(" in sql] == []
    assert responses == [step.response for step in asked]


def test_what_has_no_value_stays_a_placeholder() -> None:
    """Nothing is made up."""
    assert literal_sql("SELECT {a:UInt8}, {b:String}", {"a": 1}) == "SELECT CAST(1, 'UInt8'), {b:String}"
    assert literal_sql("SELECT 1", None) == "SELECT 1"
