"""The fingerprint gives ClickHouse's numbers at every length."""

from __future__ import annotations

import random

import pytest
from clickhouse_connect.driver.client import Client

from bot.address.fingerprint import fingerprint64

KNOWN = (
    (b"com,aliyun!", 892221456919234349),  # two shards of a real crawl, 149 and 143, came from these
    (b"io,github!", 2566890010099092343),
)


@pytest.mark.parametrize(("data", "expected"), KNOWN)
def test_known_roots_keep_their_numbers(data: bytes, expected: int) -> None:
    """The hash of a root never changes: pages are placed by it."""
    assert fingerprint64(data) == expected


@pytest.fixture
def clickhouse(request: pytest.FixtureRequest) -> Client:
    """The engine, where it is installed: a process opens it on one folder only, so it is the suite's."""
    pytest.importorskip("chdb", reason="the embedded engine is not installed")
    engine: Client = request.getfixturevalue("engine")
    return engine


def ask(clickhouse: Client, samples: list[bytes]) -> list[int]:
    """ClickHouse's own numbers, one for each sample."""
    rows = ",".join(f"'{sample.hex()}'" for sample in samples)
    return list(clickhouse.query(f"SELECT farmFingerprint64(unhex(arrayJoin([{rows}])))").result_columns[0])


def test_every_length_agrees_with_clickhouse(clickhouse: Client) -> None:
    """0 to 600 bytes cover each branch of the algorithm, and both sides of every border between them."""
    rng = random.Random(1)  # noqa: S311 - test input, not a secret
    samples = [rng.randbytes(length) for length in range(601) for _ in range(2)]
    batches = [samples[start : start + 200] for start in range(0, len(samples), 200)]  # a query may be 256 KiB

    expected = [number for batch in batches for number in ask(clickhouse, batch)]
    actual = [fingerprint64(sample) for sample in samples]

    assert actual == expected
