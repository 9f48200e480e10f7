"""A store that was filled from files once: each test has a copy of it, and the files as they were."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.defs import run
from memory_assets.settings import load_settings
from memory_assets_tests.dagster_records import in_memory


@dataclass(frozen=True)
class Imported:
    """What was imported, and the store that came of it.

    Attributes:
        inbox: the files, at the path that the store knows them by.
        home: the store, which nobody opens but who copies it.
    """

    inbox: Path
    home: Path
    files: Path
    session_ids: tuple[str, ...]

    def inbox_as_it_was(self) -> Path:
        """The folder of files, without what a test before wrote into it."""
        shutil.rmtree(self.inbox)
        shutil.copytree(self.files, self.inbox)
        return self.inbox

    def copied(self, home: Path, instance: dg.DagsterInstance) -> None:
        """Make a copy of the store; Dagster's instance has its partitions, and nothing of the run that made them."""
        shutil.copytree(self.home, home)
        instance.add_dynamic_partitions("sessions", list(self.session_ids))


def imported(base: Path, write: Callable[[Path], object]) -> Imported:
    """Write files and import them.

    Args:
        base: an empty folder for all of it.
        write: writes the files into a folder.
    """
    write(base / "inbox")
    instance = in_memory()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        patch.delenv("DAGSTER_HOME", raising=False)
        patch.setattr(run, "dagster_instance", lambda settings: instance)
        mask = os.umask(0o022)
        try:
            report = run.import_paths(load_settings({"home": base / "home"}), [base / "inbox"], project=None)
        finally:
            os.umask(mask)
    assert report.errors == []
    shutil.copytree(base / "inbox", base / "files")
    return Imported(base / "inbox", base / "home", base / "files", tuple(report.session_ids))
