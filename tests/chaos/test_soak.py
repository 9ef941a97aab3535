from __future__ import annotations

from pathlib import Path

from tests.bench.soak import soaked


async def test_nothing_grows_at_a_steady_load(crawl_port: int, tmp_path: Path) -> None:
    """Neither memory nor tasks, open files, or unfinished work. For longer: python -m tests.bench.soak"""
    crawl = {"CRAWLER_INSPECTOR_CLICKHOUSE_HOST": "127.0.0.1", "CRAWLER_INSPECTOR_CLICKHOUSE_PORT": str(crawl_port)}
    soak = await soaked(tmp_path / "bot", 9, rate=6, **crawl)

    assert len(soak.asked) == 54
    assert soak.grown() == {}, soak
