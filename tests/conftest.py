"""Fixtures that the whole suite shares: the engine (one folder a process), the test cluster, the store over either, the
handed cases.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from clickhouse_connect.driver.client import Client

from bot import logs
from bot.index.ddl import statements
from bot.index.profile import IndexProfile, load_profile
from bot.index.sample import load_sample
from bot.inspection.pipeline import Inspector
from bot.inspection.query_id import current_request
from bot.store.cluster import ClusterStore
from bot.store.embedded import EmbeddedStore, open_engine, prepare
from tests.cluster.cluster import Cluster, running_cluster
from tests.planted import watching
from tests.store.both import EMBEDDED, STORES
from tests.store.opening import cluster_settings
from tests.store.rows import CASES

# A slow machine is no wrong answer: examples have no deadline of their own.
hypothesis.settings.register_profile("suite", deadline=None)
hypothesis.settings.load_profile("suite")

SHARED = Path(__file__).parents[2] / "shared"
Story = Callable[[], list[dict[str, Any]]]
SHARDS = 2  # of the test cluster
LOADED_AT = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)  # "now" of the sample crawl in tests


WATCH = watching()


@pytest.fixture(autouse=True)
def _no_secret_is_logged() -> Iterator[None]:
    """Whatever a test is about: what is logged meanwhile holds no secret."""
    yield
    found = WATCH.taken()
    assert found == []


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of handed cases and public vectors, which stands beside a checkout or not at all."""
    if not SHARED.is_dir():
        pytest.skip("the handed cases and public vectors are not beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def json_lines(shared: Path) -> Callable[[str], list[dict[str, Any]]]:
    """Reads one file of `shared` that holds a JSON object a line."""

    def read(name: str) -> list[dict[str, Any]]:
        lines = (shared / name).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.strip()]

    return read


@pytest.fixture(scope="session")
def profile() -> IndexProfile:
    """The built-in profile."""
    return load_profile()


@pytest.fixture(scope="session")
def engine_folder(tmp_path_factory: pytest.TempPathFactory, profile: IndexProfile) -> Path:
    """A folder with the schema and the sample crawl, made once; chDB opens one folder a process."""
    folder = tmp_path_factory.mktemp("crawl")
    prepare(folder, profile, lambda *_: None, LOADED_AT)
    return folder


@pytest.fixture(scope="session")
def engine(engine_folder: Path) -> Iterator[Client]:
    """A handle that may write, on the sample crawl."""
    client = open_engine(engine_folder)
    yield client
    client.close()


@pytest.fixture(scope="session")
def store(engine_folder: Path) -> Iterator[EmbeddedStore]:
    """The embedded store over the sample crawl."""
    opened = EmbeddedStore(engine_folder)
    yield opened
    asyncio.run(opened.close())


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory, profile: IndexProfile) -> Iterator[Cluster]:
    """Two servers, started once, with the schema, the sample crawl by shard, and the rows of the store's contract."""
    with running_cluster(tmp_path_factory.mktemp("cluster"), SHARDS) as running:
        running.run([*statements(running.profile(profile)), *CASES])
        load_sample(running, LOADED_AT, lambda *_: None)
        yield running


@pytest.fixture(scope="session")
def cluster_profile(cluster: Cluster, profile: IndexProfile) -> IndexProfile:
    """The built-in profile with a shard for each server; they are called node0 and node1."""
    return cluster.profile(profile)


@pytest.fixture
async def cluster_store(cluster: Cluster, cluster_profile: IndexProfile) -> AsyncIterator[ClusterStore]:
    """The cluster store over the sample crawl, as the read-only user."""
    opened = ClusterStore(cluster_settings(cluster.hosts), cluster_profile)
    yield opened
    await opened.close()


@pytest.fixture
def inspector(request: pytest.FixtureRequest) -> Inspector:
    """Inspects the sample crawl, as of the moment it was made for: the embedded one, or as `on_both_stores` says."""
    store, profile = STORES[getattr(request, "param", EMBEDDED)]
    found = request.getfixturevalue(store), request.getfixturevalue(profile)
    return Inspector(*found, step_timeout=10, clock=lambda: LOADED_AT)


@pytest.fixture
def story() -> Iterator[Story]:
    """The log as `serve` writes it in JSON: a call gives the lines so far."""
    stream, ours = StringIO(), logging.getLogger(logs.OURS)
    handler, level = logs.line_handler("json", current_request, stream), ours.level
    ours.addHandler(handler)
    ours.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    ours.removeHandler(handler)
    ours.setLevel(level)
