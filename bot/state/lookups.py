"""What was looked up: a user's last ten, and which message answered a key in a channel."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, tuple_

from bot.inspection.model import Verdict
from bot.state.conversations import Clock
from bot.state.database import Database, digest_of
from bot.state.records import Answer, RecentLookup
from bot.state.tables import answers, recent

RECENT = 10  # lookups of a user that App Home shows
RECENT_KEPT = timedelta(days=90)
ANSWERS_KEPT = timedelta(days=7)  # longer than anyone calls "a short while ago"


class Recent:
    """(team, user) → the last ten lookups, newest first; one that is repeated moves up instead of standing twice."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, team: str, user: str, text: str, verdict: Verdict) -> None:
        """The user looked `text` up, and this was the answer."""
        values = {
            "team": team,
            "user_id": user,
            "digest": digest_of(text),
            "text": text,
            "verdict": verdict.value,
            "at": self._clock(),
        }
        await self._database.put(recent, values)

    async def last(self, team: str, user: str) -> tuple[RecentLookup, ...]:
        """At most ten, newest first."""
        theirs = (recent.c.team == team) & (recent.c.user_id == user)
        query = select(recent).where(theirs).order_by(recent.c.at.desc(), recent.c.digest).limit(RECENT)
        rows = await self._database.rows(query)
        return tuple(RecentLookup(row.text, Verdict(row.verdict), row.at) for row in rows)

    async def sweep(self, now: datetime) -> int:
        """Delete lookups older than `RECENT_KEPT`, and of each user all but the last ten; how many."""
        key = tuple(recent.primary_key)
        theirs = (recent.c.team, recent.c.user_id)
        place = func.row_number().over(partition_by=theirs, order_by=(recent.c.at.desc(), recent.c.digest))
        placed = select(*key, place.label("place")).subquery()
        beyond = select(*(placed.c[column.name] for column in key)).where(placed.c.place > RECENT)
        old = (recent.c.at < now - RECENT_KEPT) | tuple_(*key).in_(beyond)
        return await self._database.change(delete(recent).where(old))


class Answers:
    """(team, channel, unparsed key) → the message that answered it last."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, team: str, channel: str, unparsed: str, message_ts: str, permalink: str) -> None:
        """This message answered the key in this channel, now."""
        values = {
            "team": team,
            "channel": channel,
            "digest": digest_of(unparsed),
            "message_ts": message_ts,
            "permalink": permalink,
            "at": self._clock(),
        }
        await self._database.put(answers, values)

    async def find(self, team: str, channel: str, unparsed: str, within: timedelta) -> Answer | None:
        """The answer to the key that is younger than `within`; None where there is none."""
        this = (answers.c.team == team) & (answers.c.channel == channel) & (answers.c.digest == digest_of(unparsed))
        query = select(answers).where(this, answers.c.at > self._clock() - within)
        row = await self._database.row(query)
        return None if row is None else Answer(row.message_ts, row.permalink, row.at)

    async def forget(self, team: str, channel: str, message_ts: str) -> None:
        """The message is gone; so are the answers in it."""
        this = (answers.c.team == team) & (answers.c.channel == channel) & (answers.c.message_ts == message_ts)
        await self._database.change(delete(answers).where(this))

    async def sweep(self, now: datetime) -> int:
        """Delete answers older than `ANSWERS_KEPT`; how many."""
        return await self._database.change(delete(answers).where(answers.c.at < now - ANSWERS_KEPT))
