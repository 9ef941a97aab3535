from __future__ import annotations

from bot.inspection.model import Deferred


def test_it_is_made_once_and_only_when_read() -> None:
    """From then on it is the tuple that was made."""
    made: list[str] = []

    def make() -> tuple[int, ...]:
        made.append("now")
        return 1, 2, 3

    deferred = Deferred(make)
    before = list(made)

    assert (deferred[0], deferred[1:], len(deferred), list(deferred)) == (1, (2, 3), 3, [1, 2, 3])
    assert deferred == (1, 2, 3) == deferred
    assert deferred == Deferred(lambda: (1, 2, 3)) != Deferred(lambda: (1,))
    assert (before, made) == ([], ["now"])
