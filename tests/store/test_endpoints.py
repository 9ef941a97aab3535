"""CRAWLER_INSPECTOR_CLICKHOUSE_HOST in all its forms."""

from __future__ import annotations

import pytest

from bot.errors import BadSetting
from bot.store.endpoints import read_endpoints


@pytest.mark.parametrize(
    ("text", "count", "shard", "expected"),
    [
        ("laksa{shard}.int.example", 200, 149, ["laksa149.int.example:8124"]),
        ("a{shard}.example, b{shard}.example:9000", 4, 3, ["a3.example:8124", "b3.example:9000"]),
        ("10.0.0.1:1,10.0.0.2;10.0.0.3:3", 2, 0, ["10.0.0.1:1", "10.0.0.2:8124"]),
        ("10.0.0.1:1,10.0.0.2;10.0.0.3:3", 2, 1, ["10.0.0.3:3"]),
        ("crawl.example.cloud:8443", 200, 17, ["crawl.example.cloud:8443"]),
        ("[2001:db8::1]:8123", 8, 0, ["2001:db8::1:8123"]),
        ("h{shard}.example", 200, None, ["h0.example:8124", "h1.example:8124", "h2.example:8124"]),
        ("one.example", 200, None, ["one.example:8124"]),
    ],
)
def test_servers_of_a_shard(text: str, count: int, shard: int | None, expected: list[str]) -> None:
    """A template, replicas, a list, one endpoint; the profile's port where none is written."""
    assert [str(endpoint) for endpoint in read_endpoints(text, 8124, count).of(shard)] == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" ; ", "names no server"),
        ("a.example;b.example;c.example", "lists 3 shards, and the profile has 2"),
        ("http://a.example", "not a host"),
        ("user:secret@a.example", "not a host"),
        ("a.example:99999", "not a host"),
        ("a b", "not a host"),
        ("ch{shrd}", "not a host"),
        ("{", "not a host"),
    ],
)
def test_what_cannot_be_read_says_how_it_is_written(text: str, said: str) -> None:
    """One sentence with the variable and an example or the way out."""
    with pytest.raises(BadSetting, match=said) as refused:
        read_endpoints(text, 8124, 2)

    assert "CRAWLER_INSPECTOR_CLICKHOUSE_HOST" in str(refused.value)
