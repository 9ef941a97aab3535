"""Statements past the repositories: what a test prepares, breaks or looks at behind the bot's back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from bot.state.engine import parse_address


async def execute(url: str, statement: str) -> list[tuple[Any, ...]]:
    """Run one statement, committed at once; the rows that it returned."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(str(parse_address(url).database), isolation_level=None)) as file:
            return file.execute(statement).fetchall()
    engine = create_async_engine(parse_address(url), isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        result = await connection.execute(text(statement))
        rows = [tuple(row) for row in result] if result.returns_rows else []
    await engine.dispose()
    return rows
