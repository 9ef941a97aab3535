"""Alembic's entry: runs the revisions on the connection, and inside the transaction, that `bot.state.migrate` opened.

A new revision is a file in `versions/` written by hand; the test of `bot.state.tables` prints what is missing in it.
"""

from __future__ import annotations

from alembic import context

from bot.state.tables import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,  # SQLite alters a table by making a new one
    transactional_ddl=True,  # true of SQLite too, since we begin its transactions ourselves
)
with context.begin_transaction():
    context.run_migrations()
