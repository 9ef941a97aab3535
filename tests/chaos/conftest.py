"""One server of the test cluster, whose crawl is empty: what is asked matters here, not what the page is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.chaos.traffic import BusyWorkspace, empty_crawl


@pytest.fixture(scope="session")
def crawl_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where the crawl answers."""
    with empty_crawl(tmp_path_factory.mktemp("chaos-crawl")) as port:
        yield port


@pytest.fixture
async def ws() -> AsyncIterator[BusyWorkspace]:
    """A workspace with many channels, which delivers again what is not acknowledged."""
    async with BusyWorkspace() as opened:
        yield opened
