"""Servers, databases, and where a store lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets_tests.postgres.databases import running, there, there18

__all__ = ["folder", "running", "there", "there18"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a store lies."""
    return tmp_path / "store"
