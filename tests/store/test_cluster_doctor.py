"""`crawler-inspector doctor` over real servers, of which some do not answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.commands.doctor import examined
from bot.commands.doctor.finding import Outcome
from bot.index import profile as profiles
from tests.cluster.cluster import Cluster
from tests.cluster.proxy import closed_port
from tests.store.opening import cluster_settings

OK, WARN, FAIL = Outcome.OK, Outcome.WARN, Outcome.FAIL
CRAWLER3 = Path(profiles.__file__).with_name("crawler3.toml")


@pytest.fixture
def two_shards(tmp_path: Path) -> Path:
    """The built-in profile's file, for two shards called node0 and node1."""
    file = tmp_path / "two.toml"
    text = (
        CRAWLER3.read_text(encoding="utf-8").replace("count = 200", "count = 2").replace("laksa{shard}", "node{shard}")
    )
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("user", "silent", "expected"),
    [
        (
            "reader",
            False,
            {"ClickHouse": OK, "shards": OK, "servers": OK, "read-only user": OK, "limits": WARN, "inspection": OK},
        ),
        ("default", False, {"shards": OK, "read-only user": WARN, "limits": WARN}),
        ("reader", True, {"ClickHouse": OK, "shards": WARN, "servers": OK, "read-only user": OK}),
    ],
    ids=["reads only", "may write", "one is silent"],
)
async def test_servers_are_examined(
    cluster: Cluster, two_shards: Path, tmp_path: Path, user: str, silent: bool, expected: dict[str, Outcome]
) -> None:
    """Each shard is asked; the test servers bound nothing, so that limits are missed."""
    hosts = f"127.0.0.1:{cluster.nodes[0].port};127.0.0.1:{closed_port()}" if silent else cluster.hosts
    chosen = cluster_settings(hosts, user=user, CRAWLER_INSPECTOR_PROFILE=str(two_shards), data_dir=tmp_path)
    found = await examined(chosen)

    assert {name: found[name].outcome for name in expected} == expected, found
    assert ("node1" in found["shards"].detail) is silent
    assert found["schema"].outcome is OK
