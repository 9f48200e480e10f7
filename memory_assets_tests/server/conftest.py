from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory_assets_tests.filled_store import fill
from memory_assets_tests.server.running import Running, running


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of the filled store that takes nothing in; no test changes what it holds."""
    home = tmp_path_factory.mktemp("served")
    fill(home)
    with running(home, MEMORY_SERVER_TAKE_SESSIONS="false") as found:
        yield found
