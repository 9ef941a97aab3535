"""TLS to the servers: a known authority, an unknown one, and no check at all."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from bot.errors import StoreUnavailable
from bot.inspection.store import Query
from tests.cluster.cluster import Cluster
from tests.cluster.proxy import proxied
from tests.store.opening import OpenStore

ONE = Query("SELECT 1 AS one FORMAT JSONEachRow")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 that signs itself, with its key in the same file."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes the certificate of this test, is not installed")
    folder = tmp_path_factory.mktemp("tls")
    both = folder / "both.pem"
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    )
    subprocess.run(
        [*command.split(), "-keyout", folder / "key", "-out", folder / "cert"], check=True, capture_output=True
    )
    both.write_bytes((folder / "key").read_bytes() + (folder / "cert").read_bytes())
    return both


@pytest.mark.parametrize(
    ("with_authority", "verify"), [(True, True), (False, False)], ids=["known authority", "no check"]
)
async def test_a_server_that_is_trusted(
    open_store: OpenStore, cluster: Cluster, certificate: Path, with_authority: bool, verify: bool
) -> None:
    """It answers over TLS."""
    async with proxied(cluster.nodes[0].port, tls=server_context(certificate)) as proxy:
        store = open_store(
            f"127.0.0.1:{proxy.port}",
            clickhouse_secure=True,
            clickhouse_verify=verify,
            clickhouse_ca_file=certificate if with_authority else None,
        )

        assert (await store.fetch(ONE, 0)).rows == ({"one": 1},)
        await store.close()


async def test_a_server_that_nobody_vouches_for(open_store: OpenStore, cluster: Cluster, certificate: Path) -> None:
    """It is not spoken to, and the reason is told."""
    async with proxied(cluster.nodes[0].port, tls=server_context(certificate)) as proxy:
        store = open_store(f"127.0.0.1:{proxy.port}", clickhouse_secure=True)

        with pytest.raises(StoreUnavailable, match="node0 did not answer: its TLS certificate is not trusted"):
            await store.fetch(ONE, 0)


async def test_a_server_without_tls(open_store: OpenStore, cluster: Cluster) -> None:
    """Asked for TLS, it fails within the deadline."""
    with pytest.raises(StoreUnavailable, match="node0 did not answer: it does not speak TLS"):
        await open_store(clickhouse_secure=True, step_timeout=3).fetch(ONE, 0)


def server_context(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context
