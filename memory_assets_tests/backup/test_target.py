"""Where an export or a backup may go: nothing that people keep is lost to it, and nobody is waited for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory_assets.backup.archive import back_up
from memory_assets.backup.errors import FileExistsAlreadyError
from memory_assets.backup.target import refuse_what_is_there, workplace
from memory_assets.configuration import Resources
from memory_assets.errors import InvalidArgumentError, is_read_only
from memory_assets.exchange.exporting import export_to_file
from memory_assets.log.database import Database
from memory_assets.log.errors import StoreError
from memory_assets_tests.filled_store import fill
from memory_assets_tests.filled_store import test_settings as store_settings


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("store")
    fill(home)
    return home


def write(kind: str, store: Path, target: Path, *, force: bool = False) -> None:
    if kind == "backup":
        back_up(Database(store), target, force=force)
    else:
        versions = Resources(store_settings(store)).configured_versions
        export_to_file(Database(store), target, "markdown", versions=versions, force=force)


def test_a_link_to_nothing_is_something_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "page").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsAlreadyError):
        refuse_what_is_there(tmp_path / "page", force=False)
    refuse_what_is_there(tmp_path / "page", force=True)


def test_what_is_no_file_is_kept_though_asked_to_be_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for target in (tmp_path, tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(FileExistsAlreadyError) as caught:
            refuse_what_is_there(target, force=True)
        assert "--force" not in caught.value.hint


def test_a_lock_that_somebody_put_there_as_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("kept")
    (tmp_path / ".page.lock").symlink_to(tmp_path / "theirs")
    with pytest.raises(OSError, match="symbolic"), workplace(tmp_path / "page"):
        pass
    assert (tmp_path / "theirs").read_text() == "kept"


def test_a_lock_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".page.lock")
    code = "import sys; from pathlib import Path; from memory_assets.backup.target import workplace\n"
    code += "with workplace(Path(sys.argv[1])) as work: (work / 'made').touch()"
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "page")], timeout=30, check=True)


@pytest.mark.parametrize("kind", ["backup", "export"])
@pytest.mark.parametrize(
    "name", ["memory.duckdb", "memory.duckdb.wal", "store.tip", "store.swap", "memory.toml", "vectors/words.lance/x"]
)
def test_the_store_is_not_replaced_by_what_is_made_of_it(kind: str, name: str, store: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(store)
    before = sorted((path.name, path.read_bytes()) for path in store.iterdir() if path.is_file())
    for folder in (store, tmp_path / "link"):
        with pytest.raises(InvalidArgumentError):
            write(kind, store, folder / name, force=True)
    assert sorted((path.name, path.read_bytes()) for path in store.iterdir() if path.is_file()) == before


@pytest.mark.parametrize("kind", ["backup", "export"])
def test_a_page_beside_the_store_is_no_file_of_the_store(kind: str, store: Path) -> None:
    write(kind, store, store / f"my-{kind}")
    write(kind, store, store / f"my-{kind}", force=True)
    (store / f"my-{kind}").unlink()


@pytest.mark.parametrize("kind", ["backup", "export"])
def test_a_target_that_cannot_be_written_is_named_and_is_not_the_store(kind: str, store: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for target in (tmp_path / "file" / "x", tmp_path / ("a" * 300), Path("/proc/nobody/may/write")):
        with pytest.raises(StoreError) as caught:
            write(kind, store, target)
        assert f"{target} cannot be written" in str(caught.value)
        assert "MEMORY_HOME" not in caught.value.hint


@pytest.mark.parametrize("kind", ["backup", "export"])
def test_no_right_to_the_target_is_no_store_that_cannot_be_written(
    kind: str, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The right is denied by hand, for whoever runs tests may have every right."""

    replace = Path.replace

    def denied(source: Path, target: Path) -> Path:
        if target == tmp_path / "made":
            raise PermissionError(13, "Permission denied", str(target))
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", denied)
    with pytest.raises(StoreError) as caught:
        write(kind, store, tmp_path / "made")
    assert f"{tmp_path / 'made'} cannot be written: Permission denied" in str(caught.value)
    assert not is_read_only(caught.value)
    assert list(tmp_path.iterdir()) == []
