"""Requests of Slack's, recorded before they are acknowledged; by them doubles are told, so seen events go."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

ID = sa.String(32)
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the table of jobs; the table of seen events has nothing that it needs."""
    op.drop_table("bot_seen_events")
    op.create_table(
        "bot_jobs",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("team", ID, nullable=False),
        sa.Column("channel", ID, nullable=False),
        sa.Column("user_id", ID, nullable=False),
        sa.Column("kind", sa.String(80), nullable=False),
        sa.Column("asked", sa.Text, nullable=False),
        sa.Column("sealed", sa.Text),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("owner", ID, nullable=False),
        sa.Column("due_at", TIME),
        sa.Column("taken_at", TIME, nullable=False),
        sa.Column("done_at", TIME),
        sa.PrimaryKeyConstraint("id", name="pk_bot_jobs"),
    )
    op.create_index("ix_bot_jobs_due_at", "bot_jobs", ["due_at"])
    op.create_index("ix_bot_jobs_taken_at", "bot_jobs", ["taken_at"])
