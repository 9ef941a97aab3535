"""robots.txt to the letter: the verdict, and the line that decided. Pure; knows nothing of the crawl.

RFC 9309 and the behaviour that Google publishes for its parser; where both speak, Google's test rows decide.
No library gives both the exact verdict and the line, so the parser is ours; protego is the second opinion in tests.
"""

from __future__ import annotations

from bot.robots.file import MAX_BYTES, RobotsDecision, RobotsFile, decide, parse
from bot.robots.response import RobotsAnswer, judge_response, run_cli

__all__ = [
    "MAX_BYTES",
    "RobotsAnswer",
    "RobotsDecision",
    "RobotsFile",
    "decide",
    "judge_response",
    "parse",
    "run_cli",
]
