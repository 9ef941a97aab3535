"""Pages that are watched."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

ID = sa.String(32)
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the table of watches."""
    op.create_table(
        "bot_watches",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("enterprise", ID, nullable=False),
        sa.Column("team", ID, nullable=False),
        sa.Column("channel", ID, nullable=False),
        sa.Column("thread_ts", ID, nullable=False),
        sa.Column("user_id", ID, nullable=False),
        sa.Column("profile", sa.String(200)),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("shard", sa.Integer),
        sa.Column("until_indexed", sa.Boolean, nullable=False),
        sa.Column("standing", sa.JSON, nullable=False),
        sa.Column("checks", sa.Integer, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("next_at", TIME, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_bot_watches"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_bot_watches_next_at", "bot_watches", ["next_at"])
    op.create_index("ix_bot_watches_place", "bot_watches", ["team", "channel", "digest"], unique=True)
    op.create_index("ix_bot_watches_user", "bot_watches", ["team", "user_id"])
