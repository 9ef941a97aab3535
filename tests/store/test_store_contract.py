"""The contract of the store port: every implementation passes every case."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.errors import QueryRefused, StoreUnavailable
from bot.inspection.store import Query, Store
from bot.store.embedded import EmbeddedStore
from tests.store.opening import OpenStore
from tests.store.rows import CASES


@pytest.fixture(params=["embedded", "cluster"])
async def store(request: pytest.FixtureRequest, open_store: OpenStore) -> AsyncIterator[Store]:
    """Each implementation in turn, over the same rows. The cluster is asked as a `readonly = 1` user."""
    if request.param == "cluster":
        yield open_store()
        return
    engine = request.getfixturevalue("engine")
    for statement in CASES:
        engine.command(statement)
    opened = EmbeddedStore(request.getfixturevalue("engine_folder"), timeout=10)
    yield opened
    await opened.close()


def case(row_id: int) -> Query:
    return Query(
        "SELECT big, text, tags, scores FROM contract.cases WHERE id = {id:UInt8} FORMAT JSONEachRow", {"id": row_id}
    )


@pytest.mark.parametrize(
    ("row_id", "expected"),
    [
        (1, {"big": 18446744073709551615, "text": "plain", "tags": ["a", "b"], "scores": {"news": 900}}),
        (2, {"big": 9007199254740993, "text": None, "tags": [], "scores": {}}),
        (3, {"big": 0, "text": "日本語 🦊 '\"\\ <&> \n\t", "tags": [""], "scores": {"": 1}}),
        (4, {"big": 1, "text": "a\0b", "tags": ["x"], "scores": {}}),
        (5, {"big": 2, "text": "a\ufffdb", "tags": ["y"], "scores": {}}),
    ],
    ids=["64 bits", "null", "unicode", "nul", "no utf-8"],
)
async def test_values_arrive_exactly(store: Store, row_id: int, expected: dict[str, Any]) -> None:
    """Whole numbers keep 64 bits, NULL is None, text keeps every character; bytes that are no text are U+FFFD."""
    rows = await store.fetch(case(row_id), 0)

    assert rows.rows == (expected,)
    assert rows.response.endswith("\n")
    assert rows.elapsed_ms > 0


HOSTILE = [
    "'; DROP TABLE contract.cases; --",
    "') OR 1 = 1 --",
    "a\\",
    "a\\'b`c\"d",
    "tab\tline\nreturn\rnul\0end",
    "{id:UInt8} %s %(id)s",
    "日本語 🦊",
    "x" * 5000,  # too long for an address: the driver sends it as a form
    "",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_what_is_bound_is_a_value(store: Store, text: str) -> None:
    """Text that a user typed comes back as it went, alone and inside an array of pairs."""
    query = Query(
        "SELECT {text:String} AS alone, {keys:Array(Tuple(UInt64, String))} AS keys FORMAT JSONEachRow",
        {"text": text, "keys": [(2**64 - 1, text)]},
    )

    assert (await store.fetch(query, 0)).rows == ({"alone": text, "keys": [[2**64 - 1, text]]},)


async def test_no_row_is_an_empty_answer(store: Store) -> None:
    """A query that finds nothing is no error."""
    rows = await store.fetch(case(99), 0)

    assert (rows.rows, rows.response) == ((), "")


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT nope FROM contract.cases FORMAT JSONEachRow", "nope"),
        ("SELECT 1 FROM contract.nowhere FORMAT JSONEachRow", "nowhere"),
        ("SELECT throwIf(number = 3, 'too much') FROM numbers(9) FORMAT JSONEachRow", "too much"),
        ("SELEC 1", "yntax error"),
        ("INSERT INTO contract.cases (id) VALUES (9)", "readonly"),
        ("DROP TABLE contract.cases", "readonly"),
    ],
)
async def test_an_exception_is_a_refusal(store: Store, sql: str, said: str) -> None:
    """The server's own words are passed on in one line; writing is refused."""
    with pytest.raises(QueryRefused) as refused:
        await store.fetch(Query(sql), 0)

    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


async def test_a_refusal_leaves_the_store_usable(store: Store) -> None:
    """After any refusal the same store answers."""
    for sql in ("SELEC 1", "DROP TABLE contract.cases", "SELECT nope FORMAT JSONEachRow"):
        with pytest.raises(QueryRefused):
            await store.fetch(Query(sql), 0)

    assert (await store.fetch(case(1), 0)).rows[0]["text"] == "plain"


async def test_many_at_once(store: Store) -> None:
    """Concurrent queries get each their own answer."""
    query = "SELECT {n:UInt32} AS n, sleepEachRow(0.01) AS s FORMAT JSONEachRow"
    answers = await asyncio.gather(*(store.fetch(Query(query, {"n": n}), n % 2) for n in range(40)))

    assert [answer.rows[0]["n"] for answer in answers] == list(range(40))


async def test_no_shard_is_anywhere(store: Store) -> None:
    """A query that belongs to no shard is answered by some server."""
    assert (await store.fetch(Query("SELECT 1 AS one FORMAT JSONEachRow"), None)).rows == ({"one": 1},)


async def test_giving_up_leaves_the_store_usable(store: Store) -> None:
    """A cancelled fetch ends at once, and the store answers the next."""
    two_seconds = Query("SELECT sum(sleepEachRow(0.01)) AS s FROM numbers(200) FORMAT JSONEachRow")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(store.fetch(two_seconds, 0), 0.3)

    assert (await store.fetch(case(1), 0)).rows[0]["text"] == "plain"


async def test_a_closed_store_fetches_nothing(store: Store) -> None:
    """After close, a fetch says so."""
    await store.close()

    with pytest.raises(StoreUnavailable, match="closed"):
        await store.fetch(case(1), 0)
