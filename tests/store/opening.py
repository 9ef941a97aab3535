"""How tests open a store over the test cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.settings import Settings
from bot.store.cluster import ClusterStore
from tests.cluster.server import USERS

READER = "reader"  # readonly = 1

OpenStore = Callable[..., ClusterStore]  # (hosts=None, *, clock=None, user=READER, **settings)


def cluster_settings(hosts: str, *, user: str = READER, **chosen: Any) -> Settings:
    """Settings of a cluster, from values and not from the environment."""
    given = {"step_timeout": 10.0, "clickhouse_user": user, "CLICKHOUSE_PASSWORD": USERS[user].password, **chosen}
    return Settings(clickhouse_host=hosts, **given)
