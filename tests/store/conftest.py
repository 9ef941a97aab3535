"""The test cluster, started once, and stores over it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from bot.index.ddl import statements
from bot.index.profile import IndexProfile, load_profile
from bot.store.cluster import ClusterStore
from tests.cluster.cluster import Cluster, running_cluster
from tests.store.opening import OpenStore, cluster_settings
from tests.store.rows import CASES

SHARDS = 2


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Two servers with the schema of the built-in crawl and the rows of the contract."""
    with running_cluster(tmp_path_factory.mktemp("cluster"), SHARDS) as running:
        running.run([*statements(running.profile(load_profile())), *CASES])
        yield running


@pytest.fixture(scope="session")
def cluster_profile(cluster: Cluster) -> IndexProfile:
    """The built-in profile with a shard for each server; they are called node0 and node1."""
    return cluster.profile(load_profile())


@pytest.fixture
async def open_store(cluster: Cluster, cluster_profile: IndexProfile) -> AsyncIterator[OpenStore]:
    """Opens stores as the read-only user, with other settings and hosts where given; closes them at the end."""
    async with AsyncExitStack() as stack:

        def opened(
            hosts: str | None = None, *, clock: Callable[[], float] | None = None, **chosen: Any
        ) -> ClusterStore:
            settings = cluster_settings(hosts or cluster.hosts, **chosen)
            timed = {"clock": clock} if clock else {}
            store = ClusterStore(settings, cluster_profile, **timed)
            stack.push_async_callback(store.close)
            return store

        yield opened
