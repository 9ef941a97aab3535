"""What a robots.txt means that was fetched, redirected, refused, or never answered (RFC 9309 §2.3.1)."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from typing import Any, Literal

from bot.robots.file import MAX_BYTES, ROBOTS_PATH, AgentRules, RobotsDecision, decide, parse
from bot.robots.pattern import path_of

RobotsAnswer = Literal["allowed", "disallowed", "unknown"]

_UNREACHABLE: tuple[RobotsAnswer, str] = (
    "disallowed",
    "The host did not answer for robots.txt; everything is disallowed until it does (RFC 9309 §2.3.1.4).",
)
# By the first digit of the status code. Google alone reads 429 as a server error; here it is a 4xx, as in the RFC.
_BY_CLASS: dict[int, tuple[RobotsAnswer, str]] = {
    3: ("allowed", "The redirects of robots.txt did not end (HTTP {code}); everything is allowed (RFC 9309 §2.3.1.2)."),
    4: ("allowed", "robots.txt is unavailable (HTTP {code}); everything is allowed (RFC 9309 §2.3.1.3)."),
    5: ("disallowed", "robots.txt met a server error (HTTP {code}); everything is disallowed (RFC 9309 §2.3.1.4)."),
}
_STRANGE: tuple[RobotsAnswer, str] = ("unknown", "HTTP {code} for robots.txt says neither yes nor no.")


def judge_response(
    http_code: int | None, body: bytes | str | None, agent: str, url: str
) -> tuple[RobotsAnswer, RobotsDecision | None, str]:
    """The verdict, the decision where a file was read (else None), and a sentence on what the decision leaves unsaid.

    `http_code` None: the host is recorded as not answering. That nothing is recorded of a host is not for here: the
    caller says unknown. The sentence is empty where a rule decided and the whole file was read.
    """
    if http_code is None:
        return _UNREACHABLE[0], None, _UNREACHABLE[1]
    if http_code // 100 != 2:
        answer, note = _BY_CLASS.get(http_code // 100, _STRANGE)
        return answer, None, note.format(code=http_code)
    if body is None:
        return "unknown", None, f"robots.txt answered HTTP {http_code}, but its text is not stored."
    rules = _rules(body, agent)
    decision = rules.decide(url)
    return "allowed" if decision.allowed else "disallowed", decision, _note(rules, decision, agent, url)


@lru_cache(maxsize=4)  # a list of URLs comes host by host, and parsing costs ten times what deciding does
def _rules(body: bytes | str, agent: str) -> AgentRules:
    return parse(body).rules_for(agent)


def run_cli(agent: str, path: str, body: bytes) -> dict[str, Any]:
    """What `robots --agent A --path P` prints: {"allowed", "line", "rule", "group"}, null where there is none."""
    return asdict(decide(body, agent, path))


def _note(rules: AgentRules, decision: RobotsDecision, agent: str, url: str) -> str:
    cut = f"Only the first {MAX_BYTES:,} bytes of robots.txt count." if rules.cut else ""
    return " ".join(filter(None, (_why_no_rule(decision, agent, url), cut)))


def _why_no_rule(decision: RobotsDecision, agent: str, url: str) -> str:
    if decision.rule is not None:
        return ""
    if decision.group is not None:
        return f"No rule of the group {decision.group} matches."
    if path_of(url) == ROBOTS_PATH:
        return "robots.txt itself is always allowed (RFC 9309 §2.2.2)."
    return f"robots.txt has no group for {agent} and none for *."
