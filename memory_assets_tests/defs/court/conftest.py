"""The sessions that a module's tests hear: taken in once, and copied for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.defs.court import steps
from memory_assets_tests.court.findings import orders_of
from memory_assets_tests.defs.imported import Imported, imported


@pytest.fixture(scope="module")
def sessions(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Imported:
    """What the module's ``write_sessions`` writes, taken in."""
    return imported(tmp_path_factory.mktemp("sessions"), request.module.write_sessions)


@pytest.fixture
def inbox(sessions: Imported) -> Path:
    """The folder of files, as it was."""
    return sessions.inbox_as_it_was()


@pytest.fixture
def small_detector(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a person orders with `always` or `never`, and nothing else."""
    monkeypatch.setattr(steps, "findings_of", orders_of)
