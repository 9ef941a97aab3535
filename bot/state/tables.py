"""The tables of the bot's own database. A change here needs a revision in `migrations/versions`; a test compares.

Names start with `bot_`, for a Postgres database that is shared with others. Keys and URLs can be longer than an
index entry of Postgres may be (2,704 bytes), so they are found by their SHA-256.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)

VERSION_TABLE = "bot_schema_version"


class UtcTime(TypeDecorator[datetime]):
    """An instant: refuses a time without a zone, gives back UTC. SQLite keeps no zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError(f"a time without a zone: {value}")
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class ChatText(TypeDecorator[str]):
    """Text that people typed: NUL, which Postgres refuses, and lone surrogates become U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


metadata = MetaData(naming_convention={"pk": "pk_%(table_name)s", "ix": "ix_%(table_name)s_%(column_0_name)s"})

threads = Table(
    "bot_threads",
    metadata,
    Column("team", String(32), primary_key=True),
    Column("channel", String(32), primary_key=True),
    Column("thread_ts", String(32), primary_key=True),
    Column("subject", JSON, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("used_at", UtcTime, nullable=False, index=True),
)

channels = Table(
    "bot_channels",
    metadata,
    Column("team", String(32), primary_key=True),
    Column("channel", String(32), primary_key=True),
    Column("paste", String(16), nullable=False),
    Column("profile", String(200)),
    Column("visibility", String(16), nullable=False),
    Column("updated_by", String(32), nullable=False),
    Column("updated_at", UtcTime, nullable=False),
)

recent = Table(
    "bot_recent_lookups",
    metadata,
    Column("team", String(32), primary_key=True),
    Column("user_id", String(32), primary_key=True),
    Column("digest", String(64), primary_key=True),
    Column("text", ChatText, nullable=False),
    Column("verdict", String(32), nullable=False),
    Column("at", UtcTime, nullable=False, index=True),
)

answers = Table(
    "bot_answers",
    metadata,
    Column("team", String(32), primary_key=True),
    Column("channel", String(32), primary_key=True),
    Column("digest", String(64), primary_key=True),
    Column("message_ts", String(32), nullable=False),
    Column("permalink", Text, nullable=False),
    Column("at", UtcTime, nullable=False, index=True),
)

# `sealed` is the whole record, encrypted: tokens, webhook address and names alike. "" stands for an absent id,
# because NULL is never equal to NULL in a primary key.
bots = Table(
    "bot_installed_bots",
    metadata,
    Column("enterprise", String(32), primary_key=True),
    Column("team", String(32), primary_key=True),
    Column("sealed", Text, nullable=False),
    Column("installed_at", UtcTime, nullable=False),
)

installations = Table(
    "bot_installations",
    metadata,
    Column("enterprise", String(32), primary_key=True),
    Column("team", String(32), primary_key=True),
    Column("user_id", String(32), primary_key=True),
    Column("sealed", Text, nullable=False),
    Column("installed_at", UtcTime, nullable=False),
)

oauth_states = Table(
    "bot_oauth_states",
    metadata,
    Column("state", String(64), primary_key=True),
    Column("expires_at", UtcTime, nullable=False, index=True),
)

# A request of Slack's, from before it is acknowledged until it is old: work to do, then the trail of who asked what.
# `sealed` is what Slack sent, encrypted, as its addresses and triggers are secrets while they last; it goes once the
# request is answered. `due_at` is when somebody else
# may take the work up: pushed on while its `owner` lives, NULL once nothing is left to do.
jobs = Table(
    "bot_jobs",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("team", String(32), nullable=False),
    Column("channel", String(32), nullable=False),
    Column("user_id", String(32), nullable=False),
    Column("kind", String(80), nullable=False),
    Column("asked", ChatText, nullable=False),
    Column("sealed", Text),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("owner", String(32), nullable=False),
    Column("due_at", UtcTime, index=True),
    Column("taken_at", UtcTime, nullable=False, index=True),
    Column("done_at", UtcTime),
)

# A page that is inspected again and again. `digest` is that of `key` and `profile`: a channel watches a page once.
# `standing` is what was told last and what was seen since. `next_at` is when the next check is due; while a replica
# makes that check, it is the end of its lease. `tries` counts who began that check and did not finish it.
watches = Table(
    "bot_watches",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("enterprise", String(32), nullable=False),
    Column("team", String(32), nullable=False),
    Column("channel", String(32), nullable=False),
    Column("thread_ts", String(32), nullable=False),
    Column("user_id", String(32), nullable=False),
    Column("profile", String(200)),
    Column("digest", String(64), nullable=False),
    Column("key", ChatText, nullable=False),
    Column("shard", Integer),
    Column("until_indexed", Boolean, nullable=False),
    Column("standing", JSON, nullable=False),
    Column("checks", Integer, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("next_at", UtcTime, nullable=False, index=True),
    Column("created_at", UtcTime, nullable=False),
    Index("ix_bot_watches_place", "team", "channel", "digest", unique=True),
    Index("ix_bot_watches_user", "team", "user_id"),
    sqlite_autoincrement=True,  # buttons name a watch by its number, which is never given twice
)

# A list of many URLs. `runs_until` is pushed on while a replica looks it up and NULL afterwards; `answer` is then what
# came of it. A click on Cancel may reach another replica than the one that runs it, and leaves its mark here.
lists = Table(
    "bot_lists",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("team", String(32), nullable=False),
    Column("user_id", String(32), nullable=False),
    Column("answer", JSON),
    Column("cancelled_at", UtcTime),
    Column("runs_until", UtcTime),
    Column("expires_at", UtcTime, nullable=False, index=True),
)

# Whose the links of a message are, the card's or the thread's: two events ask, and either may be the first.
claims = Table(
    "bot_claims",
    metadata,
    Column("team", String(32), primary_key=True),
    Column("channel", String(32), primary_key=True),
    Column("message_ts", String(32), primary_key=True),
    Column("by", String(16), nullable=False),
    Column("at", UtcTime, nullable=False, index=True),
)
