"""Stores over the test cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from bot.index.profile import IndexProfile
from bot.store.cluster import ClusterStore
from tests.cluster.cluster import Cluster
from tests.store.opening import OpenStore, cluster_settings


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
