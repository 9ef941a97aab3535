"""What an inspection found, in sentences: the verdict with its cause, robots, the host's standing, the frontier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bot.index.profile import IndexProfile
from bot.inspection.conclude import NEAR_UNKNOWN
from bot.inspection.model import (
    FilterResult,
    Inspection,
    NearMatch,
    Outcome,
    RobotsVerdict,
    Step,
    StepOutcome,
    Verdict,
)
from bot.report import words

VERDICT_WORDS: Mapping[Verdict, str] = {
    Verdict.INDEXABLE: "Indexable",
    Verdict.NOT_INDEXABLE: "Not indexable",
    Verdict.NOT_CRAWLED: "Not crawled",
    Verdict.UNKNOWN: "Unknown",
}
NEAR_ADDRESS, NEAR_SITE = "In the table under a near address", "Pages with this root hash"
NEAR_NAMED = 3  # near matches that the verdict sentence names; the list below it shows more


def verdict_sentence(inspection: Inspection, profile: IndexProfile) -> str:
    """The verdict and its cause, with the value judged and the rule's own text."""
    return _SENTENCES[inspection.verdict](inspection, profile)


def _indexable(inspection: Inspection, profile: IndexProfile) -> str:
    return "Indexable: every rule passes."


def _not_indexable(inspection: Inspection, profile: IndexProfile) -> str:
    cause = inspection.filter(inspection.cause)
    if cause is None:
        return "Not indexable."
    rule = profile.filter(cause.id)
    meaning = f" — {rule.meaning}" if rule else ""
    first = f"Not indexable: {cause.title}. {cause.details}{meaning} (rule: {cause.condition})."
    return first + _others(inspection.filters, cause) + _unjudged(inspection.filters)


def _others(filters: Sequence[FilterResult], cause: FilterResult) -> str:
    others = [result.title for result in filters if result.outcome is Outcome.FAIL and result.id != cause.id]
    if not others:
        return ""
    return f" And {_rules(len(others), 'fails', 'fail')}: {words.listed(others)}."


def _rules(count: int, one: str, many: str) -> str:
    return f"1 more rule {one}" if count == 1 else f"{count} more rules {many}"


def _unjudged(filters: Sequence[FilterResult]) -> str:
    unjudged = [result.title for result in filters if result.outcome is Outcome.UNKNOWN]
    return f" Not judged, as a value is NULL: {words.listed(unjudged)}." if unjudged else ""


def _not_crawled(inspection: Inspection, profile: IndexProfile) -> str:
    unknown = f" {NEAR_UNKNOWN}: {inspection.near_error}" if inspection.near_error else ""
    return f"Not crawled: {seen_sentence(inspection)}" + _near(inspection.near_matches) + unknown


def _near(matches: Sequence[NearMatch]) -> str:
    if not matches:
        return ""
    named = [f"{match.url} ({match.difference})" for match in matches[:NEAR_NAMED]]
    more = f" and {len(matches) - NEAR_NAMED} more" if len(matches) > NEAR_NAMED else ""
    return f" {NEAR_ADDRESS}: {words.listed(named)}{more}."


def _unknown(inspection: Inspection, profile: IndexProfile) -> str:
    if inspection.crawled:
        nulls = [result for result in inspection.filters if result.outcome is Outcome.UNKNOWN]
        judged = "; ".join(f"{result.title} ({result.details}; rule: {result.condition})" for result in nulls)
        return f"Unknown: no answer, as a value is NULL: {judged}. An unknown is never a pass."
    step = _step(inspection, "crawled")
    if step is None:
        return "Unknown: the table was not asked."
    if step.outcome is StepOutcome.FAILED:
        return f"Unknown: {step.title} failed: {step.note}"
    return f"Unknown: {step.note}"


_SENTENCES: Mapping[Verdict, Callable[[Inspection, IndexProfile], str]] = {
    Verdict.INDEXABLE: _indexable,
    Verdict.NOT_INDEXABLE: _not_indexable,
    Verdict.NOT_CRAWLED: _not_crawled,
    Verdict.UNKNOWN: _unknown,
}


def seen_sentence(inspection: Inspection) -> str:
    """What the frontier knows of the URL, or why it was not asked."""
    seen, step = inspection.seen, _step(inspection, "seen")
    if seen.seen is None:
        return _unanswered(step, "the frontier was not asked.")
    if not seen.seen:
        return "never seen in the frontier."
    since = f" since {words.time_with_age(seen.first_seen, inspection.as_of)}" if seen.first_seen else ""
    last = f", last met {words.time_with_age(seen.last_seen, inspection.as_of)}" if seen.last_seen else ""
    source = f", from {seen.source}" if seen.source else ""
    return f"seen in the frontier{since}{last}{source}."


def _unanswered(step: Step | None, otherwise: str) -> str:
    """What a step says for itself that found nothing out: skipped, or failed and why."""
    if step is None:
        return otherwise
    failed = f"{step.title} failed: " if step.outcome is StepOutcome.FAILED else ""
    return failed + (step.note or otherwise)


def robots_sentence(inspection: Inspection) -> str:
    """What robots.txt says to our crawler, and which line decided."""
    robots = inspection.robots
    parts = [robots.verdict.capitalize()]
    if robots.rule is not None:
        place = f"line {robots.line}: " if robots.line is not None else ""
        group = f" (group {robots.group})" if robots.group is not None else ""
        parts.append(f" by {place}{robots.rule}{group}")
    parts.append(f". {robots.note}" if robots.note else ".")
    if robots.fetched_at is not None:
        answered = f", answered HTTP {robots.http_code}" if robots.http_code is not None else ""
        parts.append(f" Fetched {words.time_with_age(robots.fetched_at, inspection.as_of)}{answered}.")
    return "".join(parts)


def ban_sentence(inspection: Inspection) -> str:
    """The host's standing, in the words of the step that asked for it."""
    return _unanswered(_step(inspection, "spam"), "The host's standing was not asked.")


def robots_detail(inspection: Inspection) -> str:
    """What stands beside the robots badge: the deciding line, where one decided against the page."""
    robots = inspection.robots
    return f"line {robots.line}" if robots.verdict is RobotsVerdict.DISALLOWED and robots.line is not None else ""


def _step(inspection: Inspection, step_id: str) -> Step | None:
    return next((step for step in inspection.steps if step.id == step_id), None)
