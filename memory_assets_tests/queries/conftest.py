"""A store for the tests of what is looked up around something."""

from __future__ import annotations

import pytest

from memory_assets.settings import Settings
from memory_assets_tests.queries.layers_store import fill_layers


@pytest.fixture(scope="session")
def layers(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings of `layers_store`; its derived tables are to be read only."""
    return fill_layers(tmp_path_factory.mktemp("layers"))
