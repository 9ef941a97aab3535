"""Lists of many URLs: cancelled from any replica, and kept for their page."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the table of lists."""
    op.create_table(
        "bot_lists",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("user_id", sa.String(32), nullable=False),
        sa.Column("answer", sa.JSON),
        sa.Column("cancelled_at", TIME),
        sa.Column("runs_until", TIME),
        sa.Column("expires_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_bot_lists"),
    )
    op.create_index("ix_bot_lists_expires_at", "bot_lists", ["expires_at"])
