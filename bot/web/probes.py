"""What machines ask: alive, ready, counted. None of it names an address, a key or a user.

/healthz   the process answers
/readyz    the index answers, shard by shard, and what else we depend on; 503 where no shard does
/metrics   Prometheus
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

from bot import metrics
from bot.errors import InspectorError
from bot.inspection.indexes import Indexes
from bot.inspection.model import Inspection
from bot.inspection.pipeline import Inspector
from bot.inspection.shards import ONE, ask_shards, every_shard
from bot.inspection.store import Rows
from bot.web.answers import json_answer

FRESH_SECONDS = 10.0  # how long an answer is given again, so that probes are no load
SECONDS = 3.0  # that one dependency may take
OK = "ok"

Dependency = Callable[[], Awaitable[object]]  # raises InspectorError where it does not work


class Probes:
    """`dependencies` by name are told of and do not make us unready: without Slack the web pages still work."""

    def __init__(
        self,
        indexes: Indexes,
        dependencies: Mapping[str, Dependency] | None = None,
        *,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._indexes = indexes
        self._dependencies = dict(dependencies or {})
        self._seconds = seconds
        self._clock = clock
        self._lock = asyncio.Lock()
        self._known: tuple[float, dict[str, object]] | None = None

    def routes(self) -> list[web.RouteDef]:
        """The three."""
        return [
            web.get("/healthz", self.healthz),
            web.get("/readyz", self.readyz),
            web.get("/metrics", self.metrics),
        ]

    async def healthz(self, _request: web.Request) -> web.StreamResponse:
        """This process answers."""
        return web.Response(text="ok\n")

    async def metrics(self, _request: web.Request) -> web.StreamResponse:
        """Prometheus' text format."""
        return web.Response(body=metrics.exposition(), headers={"Content-Type": metrics.CONTENT_TYPE})

    async def readyz(self, _request: web.Request) -> web.StreamResponse:
        """Each shard's and each dependency's state."""
        async with self._lock:
            if self._known is None or self._clock() - self._known[0] > FRESH_SECONDS:
                self._known = self._clock(), await self._state()
        state = self._known[1]
        return json_answer(state, 200 if state["ready"] else 503)

    async def _state(self) -> dict[str, object]:
        shards, dependencies = await asyncio.gather(self._shards(), self._others())
        failing = {name: state for name, state in shards.items() if state != OK}
        return {
            "ready": len(failing) < len(shards),
            "shards": {"asked": len(shards), "ok": len(shards) - len(failing), "failing": failing},
            "dependencies": dependencies,
        }

    async def _shards(self) -> dict[str, str]:
        """Every index's, under its name where there are several: "crawler3 149"."""
        states = await asyncio.gather(*map(self._shards_of, self._indexes))
        if len(states) == 1:
            return states[0]
        named = zip(self._indexes.names, states, strict=True)
        return {f"{name} {shard}": state for name, shards in named for shard, state in shards.items()}

    async def _shards_of(self, inspector: Inspector) -> dict[str, str]:
        answers = await ask_shards(inspector, ONE, every_shard(inspector), self._seconds)
        return {
            "embedded" if shard is None else str(shard): OK if isinstance(answer, Rows) else _failure(answer)
            for shard, answer in answers.items()
        }

    async def _others(self) -> dict[str, str]:
        states = await asyncio.gather(*map(self._answers, self._dependencies.values()))
        return dict(zip(self._dependencies, states, strict=True))

    async def _answers(self, ask: Dependency) -> str:
        try:
            async with asyncio.timeout(self._seconds):
                await ask()
        except (InspectorError, TimeoutError) as error:
            return _failure(error)
        return OK


def _failure(error: Exception) -> str:
    """Which kind it is; its words may name hosts, and stay in the log."""
    return "timeout" if isinstance(error, TimeoutError) else type(error).__name__


def count(inspection: Inspection) -> None:
    """The inspector's observer: the verdict."""
    metrics.verdict(inspection.verdict.value)
