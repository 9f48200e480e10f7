"""What `memory restore` and `memory recover` are given that is none of ours, or was made to look like it."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from memory_assets.backup.archive import MANIFEST, back_up, opened_archive
from memory_assets.backup.errors import BackupInvalidError
from memory_assets.backup.recover import recover
from memory_assets.backup.restore import restore
from memory_assets.errors import is_read_only
from memory_assets.log.database import Database
from memory_assets.log.errors import StoreError
from memory_assets_tests.filled_store import fill


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("store")
    fill(home)
    back_up(Database(home), home / "b")
    return home / "b"


def sealed(members: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A backup as somebody makes it who knows how it is sealed."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", kind) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.comment = bytes(64)
    body = made.getvalue()[:-64]
    return body + hashlib.sha256(body).hexdigest().encode()


@pytest.mark.parametrize("what", ["a folder", "a pipe"])
def test_what_is_no_file_is_no_backup_and_is_not_waited_for(what: str, tmp_path: Path) -> None:
    if what == "a folder":
        (tmp_path / "b").mkdir()
    else:
        os.mkfifo(tmp_path / "b")
    code = (
        "import sys; from pathlib import Path; from memory_assets.backup.restore import restore\n"
        "from memory_assets.backup.errors import BackupInvalidError\n"
        "try: restore(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "except BackupInvalidError as error: print(error)"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "home"), str(tmp_path / "b")],
        timeout=30, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert str(tmp_path / "b") in said.stdout


def test_a_backup_that_may_not_be_read_is_named_and_is_not_the_store(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The right is denied by hand, for whoever runs tests may have every right."""
    open_ = Path.open

    def denied(path: Path, *arguments: object, **further: object) -> object:
        if path == backup:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return open_(path, *arguments, **further)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(BackupInvalidError) as caught:
        restore(tmp_path / "home", backup)
    assert f"{backup} cannot be read: Permission denied" in str(caught.value)
    assert not is_read_only(caught.value)


@pytest.mark.parametrize("said", ["5", "null", '"text"', "[]", "{}", "[" * 100_000, '{"format":"memory_backup.v1"}'])
def test_a_manifest_of_another_shape_is_no_backup(said: str, tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(sealed({MANIFEST: said.encode()}))
    with pytest.raises(BackupInvalidError), opened_archive(tmp_path / "b"):
        pass


@pytest.mark.parametrize("changed", [{"sha256": None}, {"sizes": []}, {"sizes": {}}, {"store_schema": "x"}, {"seq": None}])
def test_a_manifest_with_other_values_is_no_backup(changed: dict[str, object], backup: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(backup) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members[MANIFEST] = json.dumps(json.loads(members[MANIFEST]) | changed).encode()
    (tmp_path / "b").write_bytes(sealed(members))
    with pytest.raises(BackupInvalidError):
        restore(tmp_path / "home", tmp_path / "b")
    assert not (tmp_path / "home" / "memory.duckdb").exists()


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_that_another_packer_damaged_is_no_backup(kind: int, tmp_path: Path) -> None:
    whole = sealed({MANIFEST: b"{" + b" " * 5_000 + b"}"}, kind)
    body = bytearray(whole[:-64])
    body[60:70] = b"\xff" * 10
    (tmp_path / "b").write_bytes(body + hashlib.sha256(body).hexdigest().encode())
    with pytest.raises(BackupInvalidError), opened_archive(tmp_path / "b"):
        pass


def test_a_store_file_that_is_a_pipe_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "memory.duckdb")
    with pytest.raises(StoreError, match=r"memory\.duckdb") as caught:
        recover(tmp_path / "memory.duckdb", tmp_path / "to")
    assert "None" not in str(caught.value)
