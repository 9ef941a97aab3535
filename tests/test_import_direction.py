from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

BOT = Path(__file__).parents[1] / "bot"
# Each part and what it may import of the others. Leaves may be imported by all.
LEAVES = {"errors", "settings", "metrics", "logs", "policy"}
ALLOWED = {
    "address": set(),
    "robots": set(),
    "index": {"address"},
    "inspection": {"address", "index", "robots"},
    "store": {"address", "index", "inspection"},
    "report": {"address", "index", "inspection"},
    "render": {"report", "inspection", "index", "address"},
    "state": {"report", "inspection"},
    "links": {"report", "inspection", "index"},
    "workspace": {"render", "report", "address"},
    "web": {"links", "render", "report", "inspection", "index", "address", "state"},
    "slack": {"links", "render", "report", "inspection", "index", "address", "state", "web"},
}


def imports(path: Path) -> Iterator[str]:
    """The parts of `bot` that a module names, those in functions included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("bot."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.ImportFrom) and node.module == "bot":
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("part", sorted(ALLOWED))
def test_a_part_imports_only_what_stands_before_it(part: str) -> None:
    """address ← index ← inspection ← report ← render ← {slack, web} ← app ← __main__; store implements a port."""
    folder = BOT / part
    modules = sorted(folder.rglob("*.py")) if folder.is_dir() else [BOT / f"{part}.py"]
    wrong = {
        f"{module.relative_to(BOT)} imports bot.{name}"
        for module in modules
        for name in imports(module)
        if name != part and name not in ALLOWED[part] | LEAVES
    }

    assert wrong == set()


def test_only_the_store_and_the_command_that_loads_speak_to_clickhouse() -> None:
    """The store is the one seam to ClickHouse."""
    importing = re.compile(r"^\s*(import|from) clickhouse_connect", re.MULTILINE)
    users = {
        path.relative_to(BOT).parts[0]
        for path in BOT.rglob("*.py")
        if importing.search(path.read_text(encoding="utf-8"))
    }

    assert users <= {"store", "commands"}
