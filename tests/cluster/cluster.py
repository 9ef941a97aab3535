"""The test cluster: several processes, each a server of `tests.cluster.server` on a folder of its own."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

from bot.index.placement import shard_of
from bot.index.profile import IndexProfile

ROOT = Path(__file__).parents[2]
READY = "listening on "


@dataclass(frozen=True)
class Node:
    """One server."""

    port: int
    process: subprocess.Popen[str]

    def run(self, sql: str, rows: bytes = b"") -> str:
        """Run a statement as the user who may write; `rows` follow an INSERT. Returns the response."""
        url = f"http://127.0.0.1:{self.port}/?{urlencode({'query': sql} if rows else {})}"
        try:
            with urlopen(url, data=rows or sql.encode()) as response:
                return str(response.read().decode("utf-8", "replace"))
        except HTTPError as error:
            raise RuntimeError(f"{sql[:80]}: {error.read().decode()}") from None

    @property
    def resident_mb(self) -> float:
        """Memory of the process, from /proc."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


@dataclass(frozen=True)
class Cluster:
    """The servers; node number n is shard n."""

    nodes: tuple[Node, ...]

    @property
    def hosts(self) -> str:
        """What CRAWLER_INSPECTOR_CLICKHOUSE_HOST takes."""
        return ";".join(f"127.0.0.1:{node.port}" for node in self.nodes)

    def profile(self, profile: IndexProfile) -> IndexProfile:
        """`profile` with as many shards as there are servers, called node0, node1, …"""
        shards = profile.shards.model_copy(update={"count": len(self.nodes), "host": "node{shard}"})
        return profile.model_copy(update={"shards": shards})

    def run(self, statements: Iterable[str]) -> None:
        """Run statements on every server, side by side."""
        listed = list(statements)
        with ThreadPoolExecutor(len(self.nodes)) as threads:
            list(threads.map(lambda node: [node.run(statement) for statement in listed], self.nodes))

    def raw_insert(self, table: str, *, insert_block: bytes, fmt: str) -> None:
        """Insert JSON lines, each on the shard of its root hash: what `bot.index.sample.load_sample` needs."""
        placed: defaultdict[int, list[bytes]] = defaultdict(list)
        for line in insert_block.splitlines():
            row = json.loads(line.decode("utf-8", "surrogateescape"))
            root_hash = int(row["src_root_hash" if "src_root_hash" in row else "root_hash"])
            placed[shard_of(root_hash, len(self.nodes))].append(line)
        for shard, lines in placed.items():
            self.nodes[shard].run(f"INSERT INTO {table} FORMAT {fmt}", b"\n".join(lines))


@contextmanager
def running_cluster(folder: Path, count: int) -> Iterator[Cluster]:
    """`count` empty servers with their folders in `folder`, started side by side; at the end only these are ended."""
    processes = [_start(folder / f"node{number}") for number in range(count)]
    try:
        yield Cluster(tuple(Node(_port(process), process) for process in processes))
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=20)
            if process.stdout:
                process.stdout.close()


def _start(folder: Path) -> subprocess.Popen[str]:
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "tests.cluster.server", str(folder)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _port(process: subprocess.Popen[str]) -> int:
    if process.stdout is None:
        raise RuntimeError("the server's output is not read")
    line = process.stdout.readline()
    if not line.startswith(READY):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        raise RuntimeError(f"a server of the test cluster did not start, code {process.returncode}: {line!r}")
    return int(line.removeprefix(READY))
