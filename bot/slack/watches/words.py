"""What the bot says of watches: messages and sentences. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from bot.render.actions import ACTION_UNWATCH
from bot.render.blocks import report_button
from bot.render.elements import (
    Block,
    Element,
    actions,
    bullets,
    button,
    context,
    date,
    lines,
    link,
    message,
    rich,
    section,
    text,
)
from bot.render.text import headline, spoken
from bot.report.model import SYMBOLS, Report
from bot.report.subject import EVENT_TYPE, payload
from bot.report.words import listed, number, plural, readable
from bot.slack.watches.news import CAUSE, OF_THE_PAGE, ROBOTS, VERDICT, Change, News
from bot.state.records import Watch

Payload = dict[str, Any]

SENTENCE, FACT, ADDRESS = 2_500, 400, 1_000  # characters of a sentence, of a fact, of an address
LISTED, ADDRESS_LISTED = 30, 200  # watches of a list, and characters of an address in it
COMPARED = listed(name if name[:2].isupper() else name.lower() for name in (VERDICT, CAUSE, *OF_THE_PAGE, ROBOTS))
NO_DATABASE = "The bot has no database here, and cannot keep watches."
NOT_HERE = (
    "I cannot write in this channel, so nobody would hear what changes. Invite me, or ask me in a direct message."
)
NONE_IN_THREAD = "Nothing is watched in this thread."
NOT_WATCHED = "This is not watched any more."
NOTHING_LISTED = "Nothing is watched here. Example: /inspect watch https://example.com/page"
INDEXED_ALREADY = "It is in the index already, so there is nothing to wait for."
CLOSED = "I cannot write there any more, so the watch has ended. The page as it is now:"
UNREADABLE = "This watch has ended: the page cannot be looked up any more."


@dataclass(frozen=True, slots=True)
class Terms:
    """How often a watched page is looked at, and how many pages may be watched."""

    interval: timedelta
    per_user: int
    per_channel: int

    @property
    def every(self) -> str:
        """The interval: "every hour", "every 90 seconds"."""
        seconds = int(self.interval.total_seconds())
        unit, size = next(
            (unit, size) for unit, size in (("hour", 3_600), ("minute", 60), ("second", 1)) if not seconds % size
        )
        count = seconds // size
        return f"every {unit}" if count == 1 else f"every {plural(count, unit)}"


def user_is_full(terms: Terms) -> str:
    """One person watches as much as one may."""
    return (
        f"You watch {plural(terms.per_user, 'page')}, which is as many as one person may. "
        "/inspect watches lists them, and /inspect unwatch with a number stops one."
    )


def channel_is_full(terms: Terms) -> str:
    """A channel has as many watches as it may."""
    return (
        f"This channel has {plural(terms.per_channel, 'watched page')}, which is as many as one may have. "
        "/inspect watches lists them, and /inspect unwatch with a number stops one."
    )


def watched_already(watch: Watch) -> str:
    """Said to one who asks for what there is."""
    return f"This page is watched in this channel already (watch {watch.number}); its thread is told what changes."


def stopped_sentence(titles: Sequence[str]) -> str:
    """What is not watched any more."""
    return f"Stopped: {listed(titles)}." if titles else NOT_WATCHED


def watching_message(report: Report, watch: Watch, terms: Terms) -> Payload:
    """The first message of a watch: how the page stands, and what is told in this thread from now on."""
    ends = " The watch ends once the page is in the index." if watch.until_indexed else ""
    how = f"I look {terms.every}, and write in this thread when {COMPARED} change.{ends}"
    return _message(report, watch, watch.checks, [[text(report.summary, SENTENCE)]], f"Watching: {how}")


def news_message(report: Report, watch: Watch, news: News) -> Payload:
    """What changed, old beside new."""
    rows = [_change(change) for change in news.changes] or [[text("Everything is back as it was.", FACT)]]
    rows.append([text(report.summary, SENTENCE)])
    often = "" if news.times == 1 else f": changed {number(news.times)} times since it last wrote here"
    return _message(report, watch, watch.checks + 1, rows, f"Watch {watch.number}{often}")


def last_word(report: Report, watch: Watch) -> Payload:
    """A watch until indexed has come to its end."""
    ended = f"The page is in the index, and watch {watch.number} has ended after {plural(watch.checks + 1, 'check')}."
    return _message(report, watch, watch.checks + 1, [[text(report.summary, SENTENCE)]], ended, stop=False)


def closed_message(report: Report) -> Payload:
    """To the owner of a watch whose channel takes nothing any more."""
    rows = [[text(CLOSED, FACT)], _headline(report), [text(report.summary, SENTENCE)]]
    return message(spoken(f"{CLOSED}\n{headline(report)}\n{report.summary}"), [rich(lines(rows))])


def stopped_message(title: str, user: str) -> Payload:
    """In the thread of a watch that somebody stopped."""
    said: list[Element] = [
        {"type": "user", "user_id": user},
        text(" stopped the watch of ", FACT),
        text(title, ADDRESS),
    ]
    return message(spoken(f"The watch of {title} was stopped."), [rich(section(said))])


def list_message(watches: Sequence[tuple[Watch, str]], user: str) -> Payload:
    """Watches with the addresses of their pages; whose, where, and when each is looked at next."""
    if not watches:
        return message(NOTHING_LISTED, [rich(section([text(NOTHING_LISTED, FACT)]))])
    shown = watches[:LISTED]
    blocks = [rich(bullets(_listed(watch, title, user) for watch, title in shown))]
    more = len(watches) - len(shown)
    left_out = f"And {number(more)} more. " if more else ""
    blocks.append(context(f"{left_out}/inspect unwatch with a number or an address stops one."))
    return message(spoken("\n".join(f"{watch.number} {title}" for watch, title in shown)), blocks)


def _listed(watch: Watch, title: str, user: str) -> list[Element]:
    verdict = watch.standing["seen"].get(VERDICT, "Unknown")
    until = ", until indexed" if watch.until_indexed else ""
    by: list[Element] = [] if watch.user == user else [text(" by ", FACT), {"type": "user", "user_id": watch.user}]
    return [
        text(str(watch.number), FACT, code=True),
        text(f" {title}", ADDRESS_LISTED),
        text(f" — {verdict}{until}, ", FACT),
        *_place(watch.channel),
        *by,
        text(", next look ", FACT),
        date(watch.next_at),
    ]


def _place(channel: str) -> list[Element]:
    if channel.startswith("D"):  # Slack shows no name of a direct message
        return [text("in a direct message", FACT)]
    return [text("in ", FACT), {"type": "channel", "channel_id": channel}]


def _message(
    report: Report, watch: Watch, check: int, rows: Sequence[Sequence[Element]], note: str, *, stop: bool = True
) -> Payload:
    """A message of a watch. Its metadata says which watch and which check, so that it can be found again."""
    blocks: list[Block] = [rich(lines([_headline(report), *rows])), context(note)]
    stopping = [button(ACTION_UNWATCH, value=str(watch.number))] if stop else []
    blocks += actions([*report_button(report), *stopping])
    words = "\n".join("".join(str(part["text"]) for part in row) for row in rows)
    about = {**payload(report.subject), "watch": str(watch.number), "check": str(check)}
    return {
        **message(spoken(f"{headline(report)}\n{words}\n{note}"), blocks),
        "metadata": {"event_type": EVENT_TYPE, "event_payload": about},
    }


def _headline(report: Report) -> list[Element]:
    verdict = f"{SYMBOLS[report.tone]} {report.verdict_words}: "
    return [text(verdict, FACT, bold=True), link(report.url, report.title, ADDRESS)]


def _change(change: Change) -> list[Element]:
    before, now = readable(change.before), readable(change.now)
    return [text(f"{change.name}: ", FACT, bold=True), text(before, FACT), text(" → ", FACT), text(now, FACT)]
