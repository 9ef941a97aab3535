"""A Postgres server for tests: Debian's binaries, a folder of its own, a free port on loopback, never as root."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

USER, PASSWORD = "inspector", "planted-postgres-password"
UNPRIVILEGED = "nobody"  # who serves where the tests run as root, which Postgres refuses
STARTS_WITHIN = 30.0  # seconds


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A server that answers on 127.0.0.1."""

    port: int

    def url(self, database: str, password: str = PASSWORD, user: str = USER) -> str:
        """The address of a database of it."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"


def binaries() -> Path:
    """The newest installed server's folder of programs; skips the test where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    if not found and on_path is None:
        pytest.skip("no Postgres server is installed here (Debian: apt-get install postgresql)")
    return (found[-1] if found else Path(str(on_path))).parent


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """A new, empty server; stopped and deleted at the end."""
    programs = binaries()
    user = UNPRIVILEGED if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="inspector-postgres-"))
    try:
        _initialise(programs, folder, user)
        yield from _serve(programs, folder, user)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _initialise(programs: Path, folder: Path, user: str | None) -> None:
    secret = folder / "password"
    secret.write_text(PASSWORD)
    if user is not None:
        shutil.chown(folder, user)
        shutil.chown(secret, user)
    options = ("--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8", "--locale=C", "--no-sync")
    subprocess.run(
        [programs / "initdb", "-D", folder / "cluster", "-U", USER, *options],
        check=True,
        capture_output=True,
        user=user,
        cwd=folder,
    )


def _serve(programs: Path, folder: Path, user: str | None) -> Iterator[PostgresServer]:
    port = _free_port()
    settings = ("listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "shared_buffers=16MB")
    options = [part for setting in settings for part in ("-c", setting)]
    with (folder.parent / f"{folder.name}.log").open("w+b") as log:
        Path(log.name).unlink()
        command: list[str | Path] = [programs / "postgres", "-D", folder / "cluster", "-p", str(port), *options]
        process = subprocess.Popen(command, stdout=log, stderr=log, user=user, cwd=folder)
        try:
            _await_ready(programs, port, process)
            yield PostgresServer(port)
        finally:
            process.send_signal(signal.SIGQUIT)  # at once: nothing is worth a last checkpoint
            process.wait(timeout=30)


def _await_ready(programs: Path, port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + STARTS_WITHIN
    while subprocess.run([programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]).returncode:
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the Postgres server of the tests did not start")
        time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
