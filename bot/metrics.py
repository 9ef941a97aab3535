"""What this process counts, for Prometheus. No label holds an address, a key, or anything that a user typed."""

from __future__ import annotations

from collections.abc import Callable

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

_STEPS = Histogram(f"{NAME}_step_seconds", "Time of a step", ("step", "outcome"), registry=REGISTRY, buckets=_SECONDS)
_VERDICTS = Counter(f"{NAME}_verdicts", "Inspections by their verdict", ("verdict",), registry=REGISTRY)
_SHARD_ERRORS = Counter(f"{NAME}_shard_errors", "Steps that a shard did not answer", ("shard",), registry=REGISTRY)
_SLACK_CALLS = Counter(f"{NAME}_slack_calls", "Calls to Slack", ("method", "result"), registry=REGISTRY)
_SLACK_SECONDS = Histogram(
    f"{NAME}_slack_call_seconds", "Time of a call to Slack", ("method",), registry=REGISTRY, buckets=_SECONDS
)
_SLACK_RETRIES = Counter(f"{NAME}_slack_retries", "Calls to Slack made again", ("reason",), registry=REGISTRY)
_QUEUE = Gauge(f"{NAME}_queue_depth", "Requests of Slack that are taken and not yet answered", registry=REGISTRY)
_PAGES = Histogram(
    f"{NAME}_page_seconds", "Time until a web page is sent", ("page", "status"), registry=REGISTRY, buckets=_SECONDS
)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def step(step_id: str, outcome: str, seconds: float) -> None:
    """A step of an inspection ended."""
    _STEPS.labels(step_id, outcome).observe(seconds)


def verdict(name: str) -> None:
    """An inspection ended."""
    _VERDICTS.labels(name).inc()


def shard_error(shard: int) -> None:
    """A shard gave no answer."""
    _SHARD_ERRORS.labels(str(shard)).inc()


def slack_call(method: str, result: str, seconds: float) -> None:
    """A call to Slack ended; `result` is "ok" or Slack's own name of the error."""
    _SLACK_CALLS.labels(method, result).inc()
    _SLACK_SECONDS.labels(method).observe(seconds)


def slack_retry(reason: str) -> None:
    """A call to Slack is made again: "rate_limited", "server_error", "connection"."""
    _SLACK_RETRIES.labels(reason).inc()


def watch_queue(depth: Callable[[], int]) -> None:
    """Read the queue's depth from here whenever it is asked for."""
    _QUEUE.set_function(depth)


def web_page(name: str, status: int, seconds: float) -> None:
    """A web page was sent."""
    _PAGES.labels(name, str(status)).observe(seconds)


def exposition() -> bytes:
    """Everything, in Prometheus' text format."""
    return generate_latest(REGISTRY)
