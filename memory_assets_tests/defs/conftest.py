from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.defs import run
from memory_assets.defs.reports import ImportReport
from memory_assets.memory import Memory
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.dagster_records import in_memory
from memory_assets_tests.defs.corrected_store import corrected_store
from memory_assets_tests.defs.files import chat, claude, records, talk


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name in list(os.environ):
        if name.startswith("MEMORY_"):
            monkeypatch.delenv(name)
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.setenv("MEMORY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
    mask = os.umask(0o022)
    yield
    os.umask(mask)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A store of the test's own."""
    return load_settings()


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    """A folder for session files."""
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


@pytest.fixture
def unrecorded(monkeypatch: pytest.MonkeyPatch) -> dg.DagsterInstance:
    """Runs are recorded in memory: half of what a run costs is Dagster's SQLite, which most tests do not look at."""
    instance = in_memory()
    monkeypatch.setattr(run, "dagster_instance", lambda settings: instance)
    return instance


Import = Callable[..., ImportReport]


@pytest.fixture
def take(settings: Settings, unrecorded: dg.DagsterInstance) -> Import:
    """Import paths into the test's store."""

    def imported(*paths: Path, project: str | None = None) -> ImportReport:
        return run.import_paths(settings, paths, project=project)

    return imported


@dataclass(frozen=True)
class Mixed:
    """A store that a mixed set of files was imported into, and the files."""

    settings: Settings
    folder: Path
    report: ImportReport


GROWN = "grown-session"
HALVED = "two-files"
POISONED_FILE = "no-session.txt"


def write_mixed(folder: Path) -> Sequence[Path]:
    """Files of every kind that the union of sessions knows: growth, one session in two files, two sessions in one."""
    paths = [chat(folder, f"plain-{number}", talk(number), project="shop") for number in range(4)]
    paths.append(claude(folder, "a-grown.jsonl", records(GROWN, talk(10, 2))))
    paths.append(claude(folder, "b-grown.jsonl", records(GROWN, talk(10, 6))))
    paths.append(claude(folder, "first-half.jsonl", records(HALVED, talk(11, 4))))
    paths.append(claude(folder, "second-half.jsonl", records(HALVED, talk(11, 6)[3:], first=3)))
    paths.append(claude(folder, "both.jsonl", [*records("one-of-two", talk(12)), *records("other-of-two", talk(13))]))
    paths.append(chat(folder, "장애 회고 2025", talk(14, 6), name="장애 회고.json", title="장애 회고"))
    paths.append(chat(folder, "no-ids", talk(15), ids=False))
    return paths


@pytest.fixture(scope="session")
def mixed_store(tmp_path_factory: pytest.TempPathFactory) -> Mixed:
    """Imported once, recorded in a real Dagster instance; only read afterwards (see ``mixed_copy``)."""
    base = tmp_path_factory.mktemp("mixed")
    write_mixed(base / "inbox")
    (base / "inbox" / "empty.json").write_text("")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        patch.delenv("DAGSTER_HOME", raising=False)
        settings = load_settings({"home": base / "home"})
        mask = os.umask(0o022)
        report = run.import_paths(settings, [base / "inbox"], project=None)
        os.umask(mask)
    return Mixed(settings, base / "inbox", report)


@pytest.fixture
def mixed_copy(mixed_store: Mixed, tmp_path: Path) -> Mixed:
    """A copy of the mixed store that a test may change; the files' paths are those that were imported."""
    home = tmp_path / "home"
    shutil.copytree(mixed_store.settings.home, home)
    return Mixed(load_settings(), mixed_store.folder, mixed_store.report)


@pytest.fixture(scope="session")
def corrected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A store in which persons said otherwise; it is only read."""
    with corrected_store(tmp_path_factory.mktemp("corrected")) as memory:
        yield memory
