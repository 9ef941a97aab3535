"""Every fuzz target for a moment: what was found before, and what Hypothesis makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.door import door
from tests.fuzz.targets import TARGETS

SLOW = {"payloads": 60, "requests": 60}  # examples of those that go over HTTP; the others have ten times as many
EXAMPLES = 400


@pytest.fixture(scope="module", autouse=True)
def _closed_door() -> Iterator[None]:
    yield
    door().close()
    door.cache_clear()


def alike(seeds: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Any octets, and the seeds with some of their octets replaced."""
    spliced = st.builds(
        lambda seed, at, length, octets: seed[: at % (len(seed) + 1)] + octets + seed[at % (len(seed) + 1) + length :],
        st.sampled_from([seed for seed in seeds if len(seed) < 1_000]),
        st.integers(0, 1_000),
        st.integers(0, 8),
        st.binary(max_size=12),
    )
    return st.one_of(spliced, spliced, st.binary(max_size=200))


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_what_is_known_to_be_hard(name: str) -> None:
    """Its seeds: usual inputs, and each that once broke it."""
    for seed in TARGETS[name].seeds:
        TARGETS[name].run(seed)


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_any_octets(name: str) -> None:
    """`python -m tests.fuzz` looks for longer, and with its eyes open."""

    @settings(max_examples=SLOW.get(name, EXAMPLES), database=None, suppress_health_check=[HealthCheck.too_slow])
    @given(alike(TARGETS[name].seeds))
    def takes(octets: bytes) -> None:
        TARGETS[name].run(octets)

    takes()
