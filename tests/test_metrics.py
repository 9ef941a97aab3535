"""What is counted beside requests and pages: what the store does, and how late the event loop is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from bot import metrics
from bot.commands.serve import sampled_lag
from bot.errors import StoreUnavailable
from bot.index.profile import load_profile
from bot.settings import Settings
from bot.store.cluster import ClusterStore
from bot.store.endpoints import read_endpoints
from bot.store.hedge import first_answer


def value(name: str, **labels: str) -> float:
    """A sample's value; 0 where it was never touched."""
    return metrics.REGISTRY.get_sample_value(f"{metrics.NAME}_{name}", labels) or 0.0


@pytest.mark.parametrize(
    ("tell", "sample", "labels", "adds"),
    [
        (lambda: metrics.recorded(0.004), "record_seconds_count", {}, 1),
        (lambda: metrics.replied("paste", 0.3), "reply_seconds_count", {"kind": "paste"}, 1),
        (lambda: metrics.replied("paste", 0.3), "reply_seconds_sum", {"kind": "paste"}, 0.3),
        (lambda: metrics.job("taken"), "jobs_total", {"outcome": "taken"}, 1),
        (lambda: metrics.job("recovered", 7), "jobs_total", {"outcome": "recovered"}, 7),
        (lambda: metrics.watch_check("told", 2), "watch_checks_total", {"result": "told"}, 2),
        (lambda: metrics.refused("channels"), "refused_total", {"by": "channels"}, 1),
        (lambda: metrics.loop_lag(0.02), "loop_lag_seconds_sum", {}, 0.02),
        (lambda: metrics.hedged("slow"), "hedges_total", {"reason": "slow"}, 1),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_is_told_is_counted(tell: Callable[[], None], sample: str, labels: dict[str, str], adds: float) -> None:
    """One function, one metric."""
    before = value(sample, **labels)
    tell()

    assert value(sample, **labels) == pytest.approx(before + adds)


def test_open_jobs_are_read_when_asked_for() -> None:
    """Their number, and the age of the oldest."""
    now = SimpleNamespace(jobs=3, oldest=12.5)
    metrics.watch_jobs(lambda: now.jobs, lambda: now.oldest)
    now.jobs = 4

    assert (value("open_jobs"), value("oldest_job_seconds")) == (4, 12.5)


@pytest.mark.parametrize("outcome", metrics.JOB_OUTCOMES)
def test_every_outcome_is_there_before_the_first_one(outcome: str) -> None:
    """A rate from nothing to one is none: the zero must have been seen."""
    assert f'outcome="{outcome}"'.encode() in metrics.exposition()


async def attempt(seconds: float, error: StoreUnavailable | None = None) -> str:
    """A server that answers, or fails, after a while."""
    await asyncio.sleep(seconds)
    if error:
        raise error
    return "rows"


@pytest.mark.parametrize(
    ("first", "slow", "failed"),
    [
        (lambda: attempt(0), 0, 0),
        (lambda: attempt(9), 1, 0),
        (lambda: attempt(0, StoreUnavailable("away")), 0, 1),
    ],
    ids=["answers", "slow", "fails"],
)
async def test_a_further_server_is_counted_with_the_reason(
    first: Callable[[], asyncio.Future[str]], slow: int, failed: int
) -> None:
    """None where the first one answers."""
    before = value("hedges_total", reason="slow"), value("hedges_total", reason="failed")
    await first_answer([first, lambda: attempt(0)], 0.05)

    assert (value("hedges_total", reason="slow"), value("hedges_total", reason="failed")) == (
        before[0] + slow,
        before[1] + failed,
    )


@pytest.mark.parametrize(
    ("hosts", "shard", "servers"),
    [
        ("ch{shard}.example", 149, [("149", 0)]),
        ("a{shard}.example,b{shard}.example", 7, [("7", 0), ("7", 1)]),
        ("one.example", 7, [("all", 0)]),
    ],
)
def test_a_server_is_named_by_its_shard_and_its_place(hosts: str, shard: int, servers: list[tuple[str, int]]) -> None:
    """One that holds several shards is of all."""
    endpoints = read_endpoints(hosts, 8123, 200)

    assert [endpoints.place(endpoint) for endpoint in endpoints.of(shard)] == servers


async def test_the_state_of_a_breaker_is_read_when_asked_for() -> None:
    """0 as usual, 2 left alone, 1 once one query may see: by shard and replica, without a host's name."""
    clock = SimpleNamespace(now=100.0)
    chosen = Settings(
        clickhouse_host="dead{shard}.example", clickhouse_breaker_failures=1, clickhouse_breaker_seconds=9
    )
    store = ClusterStore(chosen, load_profile(), clock=lambda: clock.now)
    [endpoint] = read_endpoints("dead{shard}.example", 8124, 200).of(149)
    breaker = store.breaker(endpoint)
    seen = [value("breaker_state", shard="149", replica="0")]
    breaker.failed()
    for clock.now in (101.0, 110.0):
        seen.append(value("breaker_state", shard="149", replica="0"))
    await store.close()

    assert seen == [0, 2, 1]


async def test_a_blocked_loop_is_seen() -> None:
    """What holds the loop for a while makes the next sample late by as much."""
    before = value("loop_lag_seconds_sum")
    async with sampled_lag(0.01):
        await asyncio.sleep(0.02)
        time.sleep(0.2)  # noqa: ASYNC251 - blocking the loop is the point
        await asyncio.sleep(0.02)

    assert value("loop_lag_seconds_sum") - before > 0.1
