"""The first tables: threads, channels, recent lookups, answers, installations, OAuth states, seen events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision: str | None = None

ID = sa.String(32)
DIGEST = sa.String(64)
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create what `bot.state.tables` describes. Later revisions change it; this one stays as it shipped."""
    _conversations()
    _lookups()
    _oauth()
    _expiring("bot_seen_events", sa.Column("digest", DIGEST, nullable=False))


def _conversations() -> None:
    op.create_table(
        "bot_threads",
        sa.Column("team", ID, nullable=False),
        sa.Column("channel", ID, nullable=False),
        sa.Column("thread_ts", ID, nullable=False),
        sa.Column("subject", sa.JSON, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("used_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("team", "channel", "thread_ts", name="pk_bot_threads"),
    )
    op.create_index("ix_bot_threads_used_at", "bot_threads", ["used_at"])
    op.create_table(
        "bot_channels",
        sa.Column("team", ID, nullable=False),
        sa.Column("channel", ID, nullable=False),
        sa.Column("paste", sa.String(16), nullable=False),
        sa.Column("profile", sa.String(200)),
        sa.Column("visibility", sa.String(16), nullable=False),
        sa.Column("updated_by", ID, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("team", "channel", name="pk_bot_channels"),
    )


def _lookups() -> None:
    op.create_table(
        "bot_recent_lookups",
        sa.Column("team", ID, nullable=False),
        sa.Column("user_id", ID, nullable=False),
        sa.Column("digest", DIGEST, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("verdict", sa.String(32), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("team", "user_id", "digest", name="pk_bot_recent_lookups"),
    )
    op.create_index("ix_bot_recent_lookups_at", "bot_recent_lookups", ["at"])
    op.create_table(
        "bot_answers",
        sa.Column("team", ID, nullable=False),
        sa.Column("channel", ID, nullable=False),
        sa.Column("digest", DIGEST, nullable=False),
        sa.Column("message_ts", ID, nullable=False),
        sa.Column("permalink", sa.Text, nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("team", "channel", "digest", name="pk_bot_answers"),
    )
    op.create_index("ix_bot_answers_at", "bot_answers", ["at"])


def _oauth() -> None:
    for table, key in (
        ("bot_installed_bots", ("enterprise", "team")),
        ("bot_installations", ("enterprise", "team", "user_id")),
    ):
        op.create_table(
            table,
            *(sa.Column(name, ID, nullable=False) for name in key),
            sa.Column("sealed", sa.Text, nullable=False),
            sa.Column("installed_at", TIME, nullable=False),
            sa.PrimaryKeyConstraint(*key, name=f"pk_{table}"),
        )
    _expiring("bot_oauth_states", sa.Column("state", sa.String(64), nullable=False))


def _expiring(table: str, key: sa.Column[str]) -> None:
    op.create_table(
        table,
        key,
        sa.Column("expires_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint(key.name, name=f"pk_{table}"),
    )
    op.create_index(f"ix_{table}_expires_at", table, ["expires_at"])
