"""A store whose prompts are proposed and approved, for the tests of the registry and of the files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.commands.prompts import (
    propose_update,
    review_update,
)
from memory_assets.configuration import Resources
from memory_assets.memory import Memory
from memory_assets.projections.rebuild import verify
from memory_assets.queries.events import newest_events
from memory_assets.results.prompts import PromptUpdateV1
from memory_assets_tests.filled_store import test_settings as settings_of

FIRST, SECOND, THIRD = "You write code.", "You write code.\nYou test it.", "You write code.\nYou test it twice."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    memory = Memory(settings_of(tmp_path / "home"))
    with memory.database.kept_open():
        yield memory


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


def proposed(memory: Memory, prompt: str = SECOND, role: str = "coder") -> PromptUpdateV1:
    return propose_update(memory.resources, role, prompt, reason="it forgets the tests", by="lee")


def approved(memory: Memory, prompt: str = SECOND, role: str = "coder") -> PromptUpdateV1:
    return review_update(memory.resources, proposed(memory, prompt, role).update_id, "approved", by="kim")


def sound(memory: Memory) -> None:
    report = verify(memory.database, Resources(memory.settings).configured_versions)
    assert report.equal, report.differences


def events(memory: Memory) -> int:
    return len(memory.read(newest_events, limit=1000))
