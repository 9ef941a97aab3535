"""What this process counts, for Prometheus. No label holds an address, a key, or anything that a user typed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)
GCCollector(registry=REGISTRY)

NAME = "crawler_inspector"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
# A bucket ends at each promise: 10 ms to record, 300 ms and 1 s to acknowledge, Slack's 3 s.
_PROMISED = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 3)
_REPLIES = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)

# What becomes of a request. "taken" counts each once; "duplicate" and "busy" are not taken; a "recovered" one was taken
# by a process that ended, and is "answered" or "failed" later like the others.
JOB_OUTCOMES = ("taken", "answered", "failed", "lost", "later", "recovered", "duplicate", "busy")
WATCH_RESULTS = ("quiet", "told", "ended", "not_delivered", "failed")
GIVEN_UP = "given up"  # of a query: nobody waits for it any more
BREAKER_STATES = ("closed", "half-open", "open")  # as the values 0, 1, 2

_QUERIES = Histogram(
    f"{NAME}_query_seconds", "Time of a query", ("step", "outcome"), registry=REGISTRY, buckets=_SECONDS
)
_VERDICTS = Counter(f"{NAME}_verdicts", "Inspections by their verdict", ("verdict",), registry=REGISTRY)
_SHARD_ERRORS = Counter(f"{NAME}_shard_errors", "Queries that a shard did not answer", ("shard",), registry=REGISTRY)
_SLACK_CALLS = Counter(f"{NAME}_slack_calls", "Calls to Slack", ("method", "result"), registry=REGISTRY)
_SLACK_SECONDS = Histogram(
    f"{NAME}_slack_call_seconds", "Time of a call to Slack", ("method",), registry=REGISTRY, buckets=_SECONDS
)
_SLACK_RETRIES = Counter(f"{NAME}_slack_retries", "Calls to Slack made again", ("reason",), registry=REGISTRY)
_QUEUE = Gauge(f"{NAME}_queue_depth", "Requests of Slack that are taken and not yet answered", registry=REGISTRY)
_WATCH_CHECKS = Counter(f"{NAME}_watch_checks", "Checks of watched pages", ("result",), registry=REGISTRY)
_WATCH_LAG = Gauge(f"{NAME}_watch_lag_seconds", "How long the oldest check was due when it began", registry=REGISTRY)
_TASKS = Gauge(f"{NAME}_tasks", "Tasks of the event loop that asks", registry=REGISTRY)
_REFUSED = Counter(f"{NAME}_refused", "Requests that the policy refused, by its list", ("by",), registry=REGISTRY)
_PAGES = Histogram(
    f"{NAME}_page_seconds", "Time until a web page is sent", ("page", "status"), registry=REGISTRY, buckets=_SECONDS
)
_ACK = Histogram(
    f"{NAME}_ack_seconds", "Time until a request of Slack is acknowledged", registry=REGISTRY, buckets=_PROMISED
)
_RECORD = Histogram(
    f"{NAME}_record_seconds",
    "Time to record a request before its acknowledgement",
    registry=REGISTRY,
    buckets=_PROMISED,
)
_REPLY = Histogram(
    f"{NAME}_reply_seconds", "Time from a request to its answer", ("kind",), registry=REGISTRY, buckets=_REPLIES
)
_JOBS = Counter(f"{NAME}_jobs", "Requests of Slack by what became of them", ("outcome",), registry=REGISTRY)
_OPEN_JOBS = Gauge(f"{NAME}_open_jobs", "Requests that are recorded and not yet answered", registry=REGISTRY)
_OLDEST_JOB = Gauge(f"{NAME}_oldest_job_seconds", "Age of the oldest of them; 0 where there is none", registry=REGISTRY)
_LOOP_LAG = Histogram(
    f"{NAME}_loop_lag_seconds", "How late the event loop wakes a sleeper", registry=REGISTRY, buckets=_PROMISED
)
_BREAKERS = Gauge(
    f"{NAME}_breaker_state",
    "Whether a server is asked: 0 as usual, 1 one query to see, 2 left alone",
    ("shard", "replica"),
    registry=REGISTRY,
)
_HEDGES = Counter(f"{NAME}_hedges", "Queries that a further server was asked too", ("reason",), registry=REGISTRY)
for _outcome in JOB_OUTCOMES:  # an alert on a rate needs the zero before the first one
    _JOBS.labels(_outcome)
for _outcome in WATCH_RESULTS:
    _WATCH_CHECKS.labels(_outcome)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def _tasks() -> int:
    try:
        return len(asyncio.all_tasks())
    except RuntimeError:  # asked where no event loop runs
        return 0


_TASKS.set_function(_tasks)


def query(step: str, shard: int | None, outcome: str, seconds: float) -> None:
    """A query ended: "ok", or the kind of its failure. `shard` None: any."""
    _QUERIES.labels(step, outcome).observe(seconds)
    if shard is not None and outcome not in ("ok", GIVEN_UP):
        _SHARD_ERRORS.labels(str(shard)).inc()


def verdict(name: str) -> None:
    """An inspection ended."""
    _VERDICTS.labels(name).inc()


def slack_call(method: str, result: str, seconds: float) -> None:
    """A call to Slack ended; `result` is "ok" or Slack's own name of the error."""
    _SLACK_CALLS.labels(method, result).inc()
    _SLACK_SECONDS.labels(method).observe(seconds)


def slack_retry(reason: str) -> None:
    """A call to Slack is made again: "rate_limited", "server_error", "connection"."""
    _SLACK_RETRIES.labels(reason).inc()


def refused(by: str) -> None:
    """A request was refused; `by` is the list that says so: "teams", "channels", "users", "raw"."""
    _REFUSED.labels(by).inc()


def watch_queue(depth: Callable[[], int]) -> None:
    """Read the queue's depth from here whenever it is asked for."""
    _QUEUE.set_function(depth)


def watch_check(result: str, count: int = 1) -> None:
    """Checks of watched pages ended: one of WATCH_RESULTS."""
    _WATCH_CHECKS.labels(result).inc(count)


def watch_lag(seconds: float) -> None:
    """The oldest check that is due has been so for so long."""
    _WATCH_LAG.set(seconds)


def web_page(name: str, status: int, seconds: float) -> None:
    """A web page was sent."""
    _PAGES.labels(name, str(status)).observe(seconds)


@contextmanager
def acknowledging() -> Iterator[None]:
    """Around what a request of Slack's waits for before it is acknowledged, failed ones included."""
    start = time.perf_counter()
    try:
        yield
    finally:
        _ACK.observe(time.perf_counter() - start)


def recorded(seconds: float) -> None:
    """A request was written to the bot's database, before it is acknowledged."""
    _RECORD.observe(seconds)


def replied(kind: str, seconds: float) -> None:
    """An answer was sent, so long after its request came; `kind` is one of few: "command", "mention", "paste", …"""
    _REPLY.labels(kind).observe(seconds)


def job(outcome: str, number: int = 1) -> None:
    """Something became of `number` requests: one of JOB_OUTCOMES."""
    _JOBS.labels(outcome).inc(number)


def watch_jobs(open_jobs: Callable[[], float], oldest_seconds: Callable[[], float]) -> None:
    """Read how many requests are open, and the age of the oldest (0: none), from here. Both must answer at once."""
    _OPEN_JOBS.set_function(open_jobs)
    _OLDEST_JOB.set_function(oldest_seconds)


def loop_lag(seconds: float) -> None:
    """The event loop woke a sleeper so late."""
    _LOOP_LAG.observe(seconds)


def watch_breaker(shard: str, replica: int, state: Callable[[], str]) -> None:
    """Read the breaker of a server from here: one of BREAKER_STATES. `replica` counts the shard's servers from 0."""
    _BREAKERS.labels(shard, str(replica)).set_function(lambda: BREAKER_STATES.index(state()))


def hedged(reason: str) -> None:
    """A further server is asked, as the ones before it are "slow" or "failed"."""
    _HEDGES.labels(reason).inc()


def exposition() -> bytes:
    """Everything, in Prometheus' text format."""
    return generate_latest(REGISTRY)
