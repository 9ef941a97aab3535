"""Who answers the links of a message, where two events ask for it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the table of claims."""
    op.create_table(
        "bot_claims",
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("message_ts", sa.String(32), nullable=False),
        sa.Column("by", sa.String(16), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("team", "channel", "message_ts", name="pk_bot_claims"),
    )
    op.create_index("ix_bot_claims_at", "bot_claims", ["at"])
