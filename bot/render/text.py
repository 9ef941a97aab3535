"""Report → plain text: a message's `text`, which notifications and screen readers read. Slack reads mark-up in it, so
everything is escaped: no text of a page pings anybody.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.render.limits import MESSAGE_TEXT_ADVISED, cut, escape_mrkdwn
from bot.report.model import SYMBOLS, Badge, Report
from bot.report.words import utc_time

TITLE_SHOWN = 500


def summary_text(report: Report) -> str:
    """Verdict, address, the instant where its asker fixed one, badges and cause, escaped."""
    instant = f", as of {utc_time(report.as_of)}" if report.replayed else ""
    return spoken("\n".join((headline(report) + instant, badge_words(report.badges), report.summary)))


def headline(report: Report) -> str:
    """The verdict and what it is about."""
    return f"{SYMBOLS[report.tone]} {report.verdict_words}: {cut(report.title, TITLE_SHOWN)}"


def badge_words(badges: Sequence[Badge]) -> str:
    """The badges on one line, each with its symbol, its word and its detail."""
    return " · ".join(" ".join(filter(None, (SYMBOLS[badge.tone], badge.label, badge.detail))) for badge in badges)


def spoken(text: str) -> str:
    """Any words of ours or a page's as a message's `text`: escaped, and within the length that Slack advises."""
    return cut(escape_mrkdwn(cut(text, MESSAGE_TEXT_ADVISED)), MESSAGE_TEXT_ADVISED)
