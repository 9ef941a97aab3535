"""Any octets are a robots.txt, and none of them cost more than their length."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.robots import MAX_BYTES, decide, judge_response

TEN_MIB = 10 * 2**20
ONE_GROUP = b"User-agent: *\n"
RULES = b"".join(b"Disallow: /%06d/*/page$\n" % number for number in range(TEN_MIB // 20))
FOLDERS = b"".join(b"Disallow: /%06d\n" % number for number in range(22_000))


def calls(work: Callable[[], object]) -> int:
    """How many functions, of Python or C, a piece of work calls: the same on every machine, unlike its seconds."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return counted


def test_ten_mib_cost_what_500_kib_cost() -> None:
    """What is beyond 512,000 bytes is not looked at, be it octets or text."""
    body = (ONE_GROUP + RULES)[:TEN_MIB]
    start = body[:MAX_BYTES]
    long = calls(lambda: decide(body, "ExampleBot", "/000009/a/page"))
    short = calls(lambda: decide(start, "ExampleBot", "/000009/a/page"))

    assert len(body) == TEN_MIB
    assert decide(body, "ExampleBot", "/000009/a/page").line == 11
    assert decide(body, "ExampleBot", f"/{RULES.count(b'Disallow') - 1:06d}/a/page").line is None
    assert abs(long - short) < short / 100  # what the interpreter itself calls meanwhile is counted too
    assert long < MAX_BYTES * 4


@pytest.mark.parametrize(
    ("body", "path"),
    [
        pytest.param(ONE_GROUP + b"Disallow: /" + b"a*" * 20 + b"b\n", "/" + "a" * 2_000, id="20 stars"),
        pytest.param(ONE_GROUP + b"Disallow: /" + b"a*" * 100 + b"b\n", "/" + "a" * 2_000, id="100 stars"),
        pytest.param(ONE_GROUP + b"Disallow: /" + b"*a" * 8_000 + b"b\n", "/" + "a" * 16_000, id="16 KB of stars"),
        pytest.param(ONE_GROUP + b"Disallow: /*x*y\n" * 22_000, "/" + "x" * 200, id="22,000 wildcards"),
        pytest.param(ONE_GROUP + FOLDERS, "/a", id="22,000 folders"),
        pytest.param(b"User-agent: a\nDisallow: /\n" * 20_000, "/a", id="20,000 groups"),
        pytest.param(b"User-agent: a\n" * 36_000 + b"Disallow: /\n", "/a", id="36,000 agents of one group"),
        pytest.param(b"\n" * TEN_MIB, "/a", id="10 MiB of line ends"),
        pytest.param(ONE_GROUP + b"Disallow: /" + b"a" * TEN_MIB, "/aaa", id="10 MiB in one line"),
        pytest.param(bytes(range(1, 256)) * (TEN_MIB // 255), "/a", id="10 MiB of anything"),
    ],
)
def test_hostile_files_cost_at_most_four_calls_an_octet(body: bytes, path: str) -> None:
    """No pattern makes matching go back, and no list of groups is walked once for each of its members."""
    octets = min(len(body), MAX_BYTES) + len(path)

    assert calls(lambda: decide(body, "ExampleBot", path)) < 4 * octets + 200


_octets = st.binary(max_size=300)
_likely = st.lists(
    st.sampled_from(
        [b"User-agent: *", b"Disallow", b"Allow:", b":", b" ", b"/", b"*", b"$", b"%", b"\r", b"\n", b"\xff"]
    )
).map(b"".join)


@given(body=_octets | _likely | st.text(max_size=300), agent=st.text(), path=st.text())
def test_any_input_has_one_decision(body: bytes | str, agent: str, path: str) -> None:
    """Whatever is in the file, the agent and the path: no exception, the same decision twice, a reason for a no."""
    first, second = decide(body, agent, path), decide(body, agent, path)

    assert first == second
    assert first.allowed or (first.line and first.rule and first.group)


@given(code=st.none() | st.integers(-1000, 1000), body=st.none() | _octets | _likely)
def test_any_response_has_an_answer(code: int | None, body: bytes | None) -> None:
    """A verdict comes with the decision that it was read from, or with the sentence that says why there is none."""
    answer, decision, note = judge_response(code, body, "ExampleBot", "https://example.com/a")

    assert answer in ("allowed", "disallowed", "unknown")
    assert decision or note
