"""The fault matrix: what every surface says where one shard is sick in one step. Fault × step × surface.

One server of two is behind a proxy that harms the queries of one step only. What is lost is that step of that shard's
pages: the answer comes in time, says so with the server's name, and the pages of the other shard are as always.
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

import bot.index.profile
from bot.index.ddl import statements
from bot.index.profile import IndexProfile, load_profile
from bot.index.sample import load_sample
from bot.inspection.pipeline import Inspector
from bot.store.cluster import ClusterStore
from tests.cluster.cluster import Cluster, running_cluster
from tests.cluster.proxy import Fault, http, proxied
from tests.cluster.server import USERS
from tests.cluster.surfaces import Asked, Surfaces, Told, surfaces
from tests.conftest import LOADED_AT
from tests.store.opening import READER, cluster_settings

SHORT, LONG = 3.0, 10.0  # seconds of a step, where a fault lasts and where it is told at once
MARGIN = 5.0  # seconds that a busy machine may take more
SICK = 1  # the shard behind the proxy: that of cases.example
TOLD = b"Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)\n"
WRONG_USER = b"Authorization: Basic " + base64.b64encode(b"reader:wrong")

LATE = r"did not answer within (2\.7|3) s"  # by the store, or by the step where the machine is busy
AT_START = "|did not answer: it does not speak as ClickHouse does"  # said by a store that has never met the server well

# name, what happens, and the reason that is given for it
FAULTS: tuple[tuple[str, Fault, str], ...] = (
    ("delay", Fault(delay=8), LATE),
    ("hang", Fault(hang=True), LATE),
    ("throttle", Fault(rate=75), LATE),
    ("refuse", Fault(refuse=True), "did not answer: (it (reset|closed) the connection|the connection was refused)"),
    ("reset", Fault(cut_rows=5, reset=True), "did not answer: (its response breaks off|it reset the connection)"),
    ("cut in the head", Fault(cut_after=0), "did not answer: it closed the connection"),
    ("cut in the rows", Fault(cut_rows=5), "did not answer: its response breaks off"),
    ("garbage", Fault(replace=b"\x00\xff\x16\x03SSH-2.0-x\r\n\r\n"), "did not answer: its response is not HTTP"),
    (
        "another server",
        Fault(replace=http(b"<html>It works!</html>\n")),
        "sent a response that is not JSON lines" + AT_START,
    ),
    (
        "200 with an exception",
        Fault(replace=http(b'{"key":"x"}\n' + TOLD)),
        "refused the query: Code: 241.*Memory limit" + AT_START,
    ),
    (
        "500 with an exception",
        Fault(replace=http(TOLD, "500 Internal Server Error", "X-ClickHouse-Exception-Code: 241\r\n")),
        "did not answer: Code: 241.*Memory limit",
    ),
    ("502", Fault(replace=http(b"no upstream", "502 Bad Gateway")), "did not answer: HTTP status 502"),
    ("wrong credentials", Fault(headers=((b"Authorization: Basic", WRONG_USER),)), "refused the user .code 516."),
)


@dataclass(frozen=True)
class Step:
    """What is harmed, the page that is asked for, and by surface what is said of it beside the reason."""

    harmed: frozenset[str]  # the names of its queries; none: all of them
    sick: str
    says: Mapping[str, tuple[str, ...]]


HERE, WELL = "https://cases.example/indexable", "https://nearby.example/guide"
FAILED = '"id": "{}", "title": "{}", "outcome": "failed"'  # a step in JSON
STEPS: dict[str, Step] = {
    "page": Step(
        frozenset({"crawled", "pages", "text"}),
        HERE,
        {
            "inspect": ("❔ UNKNOWN · ❔ UNKNOWN · ✅ ROBOTS ALLOWED", "Unknown: Crawled Status Check failed: node1"),
            "paste": ("❔ UNKNOWN · ❔ UNKNOWN · ✅ ROBOTS ALLOWED", "Unknown: Crawled Status Check failed: node1"),
            "list": ("24 URLs: 1 indexable, 11 not crawled, 12 unknown", "(12 URLs)", '"verdict": "unknown"'),
            "report": ("UNKNOWN UNKNOWN ROBOTS ALLOWED", "Unknown: Crawled Status Check failed: node1"),
            "command": ('"verdict": "unknown"', '"crawl": "UNKNOWN"', FAILED.format("crawled", "Crawled Status Check")),
            "site": ("Unknown: the pages were not counted.", "Pages: node1"),
            "heavy": ("The index did not answer: node1",),
        },
    ),
    "robots": Step(
        frozenset({"robots", "hosts"}),
        HERE,
        {
            "inspect": ("✅ INDEXABLE · ✅ CRAWLED", "❔ ROBOTS UNKNOWN", "Robots: Unknown. node1"),
            "paste": ("✅ INDEXABLE · ✅ CRAWLED", "❔ ROBOTS UNKNOWN", "Robots.txt Check failed: node1"),
            "list": ("2 indexable", "(12 URLs)", '"verdict": "indexable"', '"robots": "unknown"'),
            "report": ("INDEXABLE CRAWLED", "ROBOTS UNKNOWN", "Robots.txtUnknown. node1"),
            "command": (
                '"verdict": "indexable"',
                '"robots": "ROBOTS UNKNOWN"',
                FAILED.format("robots", "Robots.txt Check"),
            ),
            "site": ("Robots: not answered", "Robots.txt files: node1"),
        },
    ),
    "bans": Step(
        frozenset({"spam"}),
        HERE,
        {
            "inspect": ("✅ INDEXABLE · ✅ CRAWLED", "Host: Spam/Ban Check failed: node1"),
            "paste": ("✅ INDEXABLE · ✅ CRAWLED", "Spam/Ban Check failed: node1"),
            "list": ("2 indexable", "(12 URLs)", '"verdict": "indexable"', '"host_banned": ""'),
            "report": ("INDEXABLE CRAWLED", "HostSpam/Ban Check failed: node1"),
            "command": ('"verdict": "indexable"', FAILED.format("spam", "Spam/Ban Check")),
        },
    ),
    "seen": Step(
        frozenset({"seen", "frontier"}),
        "https://cases.example/seen/only",
        {
            "inspect": ("❌ NOT CRAWLED", "Not crawled: Seen Status Check failed: node1"),
            "paste": ("❌ NOT CRAWLED", "Not crawled: Seen Status Check failed: node1"),
            "list": ("23 not crawled", "(12 URLs)", '"verdict": "not_crawled"', '"seen": ""'),
            "report": ("NOT CRAWLED", "Not crawled: Seen Status Check failed: node1"),
            "command": ('"verdict": "not_crawled"', FAILED.format("seen", "Seen Status Check")),
            "site": ("Only met by the frontier: not answered", "Frontier: node1"),
        },
    ),
    "near": Step(
        frozenset({"near"}),
        "http://cases.example/indexable",
        {
            "inspect": ("❌ NOT CRAWLED", "Near addresses are not known: node1"),
            "paste": ("❌ NOT CRAWLED", "Near addresses are not known: node1"),
            "list": ("23 not crawled", "(12 URLs)", '"verdict": "not_crawled"', '"near": ""'),
            "report": ("NOT CRAWLED", "Near addresses are not known: node1"),
            "command": ('"verdict": "not_crawled"', "Near addresses are not known: node1"),
        },
    ),
    "every": Step(
        frozenset(),
        HERE,
        {
            "inspect": ("❔ UNKNOWN · ❔ UNKNOWN · ❔ ROBOTS UNKNOWN", "Unknown: Crawled Status Check failed: node1"),
            "paste": ("❔ UNKNOWN · ❔ UNKNOWN · ❔ ROBOTS UNKNOWN", "Unknown: Crawled Status Check failed: node1"),
            "list": ("24 URLs: 1 indexable, 11 not crawled, 12 unknown", "(12 URLs)", '"verdict": "unknown"'),
            "report": ("UNKNOWN UNKNOWN ROBOTS UNKNOWN", "Unknown: Crawled Status Check failed: node1"),
            "command": ('"verdict": "unknown"', '"crawl": "UNKNOWN"', '"robots": "ROBOTS UNKNOWN"'),
            "site": ("Unknown: the pages were not counted.", "Pages: node1", "Frontier: node1"),
            "heavy": ("The index did not answer: node1",),
        },
    ),
}
# What is said of the other shard's page on the surfaces where it is asked for at the same time.
WELL_SAYS = {
    "inspect": ("✅ INDEXABLE · ✅ CRAWLED", "ROBOTS ALLOWED"),
    "list": ('"verdict": "indexable"', '"robots": "allowed"', '"problem": ""'),
    "command": ('"verdict": "indexable"', '"robots": "ROBOTS ALLOWED"'),
}
FAULT_OF = {name: (fault, reason) for name, fault, reason in FAULTS}
CELLS = [(fault, step, surface) for fault in FAULT_OF for step in STEPS for surface in STEPS[step].says]

Answers = Mapping[str, Told | BaseException]


@dataclass(frozen=True)
class Matrix:
    """Asks all surfaces at once, once for each fault and step."""

    cluster: Cluster
    profile: IndexProfile
    environment: pytest.MonkeyPatch
    asked: dict[tuple[str, str], Answers] = field(default_factory=dict)

    def told(self, fault: str, step: str, surface: str) -> Told:
        """What a surface said. Raises what it raised, TimeoutError where it was late."""
        if (fault, step) not in self.asked:
            self.asked[fault, step] = asyncio.run(self._ask(FAULT_OF[fault][0], STEPS[step]))
        answer = self.asked[fault, step][surface]
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def _ask(self, fault: Fault, step: Step) -> Answers:
        async with proxied(self.cluster.nodes[SICK].port) as proxy:
            ports = [node.port for node in self.cluster.nodes]
            ports[SICK] = proxy.port
            hosts = ";".join(f"127.0.0.1:{port}" for port in ports)
            self.environment.setenv("CRAWLER_INSPECTOR_CLICKHOUSE_HOST", hosts)
            seconds = SHORT if fault.lasts else LONG
            self.environment.setenv("CRAWLER_INSPECTOR_STEP_TIMEOUT", str(seconds))
            settings = cluster_settings(hosts, step_timeout=seconds, clickhouse_breaker_failures=1_000)
            store = ClusterStore(settings, self.profile)
            inspector = Inspector(store, self.profile, step_timeout=seconds, clock=lambda: LOADED_AT)
            try:
                async with surfaces(inspector) as opened:
                    for url in (step.sick, WELL):
                        await inspector.inspect(inspector.read(url))  # well so far
                    proxy.fault = replace(fault, steps=step.harmed)
                    return await _all(opened, step, 2 * SHORT + MARGIN)  # two steps may follow one another
            finally:
                proxy.fault = Fault()
                await store.close()


async def _all(opened: Surfaces, step: Step, seconds: float) -> Answers:
    async def ask(surface: str) -> Told:
        async with asyncio.timeout(seconds):
            return await opened.ask(surface, Asked(step.sick, WELL))

    answers = await asyncio.gather(*map(ask, step.says), return_exceptions=True)
    return dict(zip(step.says, answers, strict=True))


@dataclass(frozen=True)
class Few:
    """Takes of the sample crawl what is about two sites: small tables answer at once."""

    cluster: Cluster

    def raw_insert(self, table: str, *, insert_block: bytes, fmt: str) -> None:
        """Those rows of one table."""
        names = (b"cases!", b"nearby!", b"cases.example", b"nearby.example")
        lines = [line for line in insert_block.splitlines() if any(name in line for name in names)]
        self.cluster.raw_insert(table, insert_block=b"\n".join(lines), fmt=fmt)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Two servers, a site on each."""
    with running_cluster(tmp_path_factory.mktemp("small"), 2) as running:
        running.run(statements(running.profile(load_profile())))
        load_sample(Few(running), LOADED_AT, lambda *_: None)
        yield running


@pytest.fixture(scope="module")
def matrix(small: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    """The matrix; the environment of the command line names its cluster."""
    profile = tmp_path_factory.mktemp("profile") / "two.toml"
    built_in = Path(bot.index.profile.__file__).with_name("crawler3.toml").read_text(encoding="utf-8")
    profile.write_text(re.sub(r'count = 200\nhost = "laksa', 'count = 2\nhost = "node', built_in), encoding="utf-8")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CRAWLER_INSPECTOR_PROFILE", str(profile))
        environment.setenv("CRAWLER_INSPECTOR_CLICKHOUSE_USER", READER)
        environment.setenv("CLICKHOUSE_PASSWORD", USERS[READER].password)
        yield Matrix(small, small.profile(load_profile()), environment)


@pytest.mark.parametrize(("fault", "step", "surface"), CELLS, ids=["-".join(cell) for cell in CELLS])
def test_what_is_lost_is_one_step_of_one_shard(matrix: Matrix, fault: str, step: str, surface: str) -> None:
    """In time; with the step's own words, the server's name and the reason; the other shard's page is as ever."""
    told = matrix.told(fault, step, surface)
    _, reason = FAULT_OF[fault]

    assert [words for words in STEPS[step].says[surface] if words not in told.sick] == [], told.sick
    assert re.search(f"node{SICK} (?:{reason})", told.sick), told.sick
    assert [words for words in WELL_SAYS.get(surface, ()) if words not in told.well] == [], told.well
    assert f"node{SICK} " not in told.well
