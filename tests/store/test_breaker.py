"""The breaker, by an injected clock."""

from __future__ import annotations

import pytest

from bot.store.breaker import Breaker, State


class Clock:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ("", State.CLOSED),
        ("ff", State.CLOSED),
        ("fff", State.OPEN),
        ("ffsf", State.CLOSED),  # in a row
        ("fff...", State.OPEN),
        ("fff....", State.HALF_OPEN),
        ("fff....as", State.CLOSED),  # the probe answered
        ("fff....af", State.OPEN),  # the probe failed: another while
        ("fff....af....", State.HALF_OPEN),
        ("fff....ax", State.HALF_OPEN),  # the probe was given up: nothing is learnt
        ("fff....asff", State.CLOSED),  # the count starts again
        ("ffxf", State.OPEN),  # given up is neither a success nor a failure
    ],
)
def test_states(events: str, expected: State) -> None:
    """Three failures in a row open it for four seconds; then one probe decides."""
    clock = Clock()
    breaker = Breaker(failures=3, cooldown=4.0, clock=clock)
    for event in events:
        match event:
            case "f":
                breaker.failed()
            case "s":
                breaker.succeeded()
            case "x":
                breaker.abandoned()
            case "a":
                assert breaker.admit()
            case ".":
                clock.now += 1

    assert breaker.state is expected


def test_half_open_lets_one_through() -> None:
    """While the probe runs, nobody else is let through; afterwards everybody is, or nobody."""
    clock = Clock()
    breaker = Breaker(failures=1, cooldown=4.0, clock=clock)
    breaker.failed()
    closed = breaker.admit()
    clock.now += 4
    probing = [breaker.admit(), breaker.admit()]
    breaker.succeeded()

    assert (closed, probing, breaker.admit()) == (False, [True, False], True)
