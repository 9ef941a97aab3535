"""How often Python looks for garbage: objects that refer to each other in a ring, and to nothing that is in use."""

from __future__ import annotations

import gc

# New containers between two looks; Python's 700 are a look for every page of a list, a sixth of all its time. What
# waits meanwhile is some tens of megabytes at most. https://docs.python.org/3/library/gc.html#gc.set_threshold
NEW_OBJECTS = 100_000


def collect_seldom() -> None:
    """From now on, for the whole process."""
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])
