"""SIGKILL while people ask: each request is answered, and none twice. All of it: python -m tests.chaos.kill"""

from __future__ import annotations

from pathlib import Path

from tests.chaos.kill import killed_while_asked
from tests.state.postgres_server import running_postgres

QUIET = 15.0  # seconds without a new answer after which none is waited for


async def test_a_bot_that_is_killed_again_and_again_answers_each_request_once(crawl_port: int, tmp_path: Path) -> None:
    """Pasted URLs, mentions and commands; Slack delivers again what was not acknowledged."""
    outcome = await killed_while_asked(tmp_path, crawl_port, 100, rate=8, quiet=QUIET)

    assert outcome.kills >= 1
    assert (outcome.missing, outcome.doubled) == (0, 0), outcome


async def test_what_a_killed_replica_left_is_finished_by_the_other(crawl_port: int, tmp_path: Path) -> None:
    """Two share one Postgres. One is killed and does not come back."""
    with running_postgres() as server:
        database = server.url("postgres")
        outcome = await killed_while_asked(
            tmp_path, crawl_port, 40, rate=8, quiet=QUIET, database=database, replicas=2, again=False
        )

    assert outcome.kills == 1
    assert (outcome.missing, outcome.doubled) == (0, 0), outcome
