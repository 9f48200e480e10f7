from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memory_assets.cli.main import main
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.filled_store import fill


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        lines = self.out.splitlines()
        assert len(lines) == 1, self
        return json.loads(lines[0])


Run = Callable[..., Ended]


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in os.environ:
        if name.startswith("MEMORY_") or name in ("DAGSTER_HOME", "NO_COLOR", "FORCE_COLOR", "COLUMNS"):
            monkeypatch.delenv(name)
    # A run in this process sets it; it is taken away again after the test.
    monkeypatch.setenv("DAGSTER_HOME", "")
    monkeypatch.setenv("MEMORY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")


@pytest.fixture
def memory(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process, as the console script does."""

    def run(*arguments: str) -> Ended:
        capsys.readouterr()
        mask = os.umask(0o022)
        try:
            code = main(list(arguments))
        finally:
            os.umask(mask)
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def unused_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A filled store that nobody opens but who copies it."""
    home = tmp_path_factory.mktemp("unused")
    fill(home)
    return home


@pytest.fixture(scope="session")
def filled_home(unused_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(unused_home, tmp_path_factory.mktemp("filled") / "home"))


@pytest.fixture(scope="session")
def imported_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that the stages filled from files; session ``one`` grew between two imports. To be read only."""
    home, inbox = tmp_path_factory.mktemp("imported"), tmp_path_factory.mktemp("inbox")
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith("MEMORY_"):
                patch.delenv(name)
        patch.setenv("DAGSTER_HOME", "")
        patch.setenv("MEMORY_HOME", str(home))
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        mask = os.umask(0o022)
        try:
            chat(inbox, "one", talk(1, 4))
            assert main(["import", str(inbox)]) == 0
            chat(inbox, "one", talk(1, 9))
            chat(inbox, "two", [*talk(2, 6), "가족 이모지 👨‍👩‍👧로 표시하기로 했다. We decided to keep it."])
            assert main(["import", str(inbox)]) == 0
        finally:
            os.umask(mask)
    return home


@pytest.fixture
def store(imported_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of a store that the stages filled, to be changed."""
    home = tmp_path / "copy"
    shutil.copytree(imported_home, home)
    monkeypatch.setenv("MEMORY_HOME", str(home))
    return home


@pytest.fixture
def writable(unused_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A filled store of the test's own, which no search has shown anything of."""
    home = tmp_path / "writable"
    shutil.copytree(unused_home, home)
    monkeypatch.setenv("MEMORY_HOME", str(home))
    return home


@pytest.fixture
def filled(filled_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with everything in it, to be read only."""
    monkeypatch.setenv("MEMORY_HOME", str(filled_home))
    return filled_home
