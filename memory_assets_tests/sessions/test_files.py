from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_assets.sessions.files import SourceFile, iter_source_files, load_source
from memory_assets.sessions.model import Defect, SourceRefused


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def found(*paths: Path) -> list[str]:
    return [Path(item.path).name for item in iter_source_files(paths) if isinstance(item, SourceFile)]


def test_a_folder_is_walked_in_order_and_hidden_files_are_passed_over(tmp_path: Path) -> None:
    make(tmp_path, "b.md", "a.jsonl", "c.png", ".hidden.md", ".git/x.md", "세션 폴더/한글 이름.JSON")
    make(tmp_path, ".aider.chat.history.md", ".specstory/history/s.md")
    assert found(tmp_path) == [".aider.chat.history.md", "s.md", "a.jsonl", "b.md", "한글 이름.JSON"]


def test_a_named_file_is_always_given(tmp_path: Path) -> None:
    make(tmp_path, "log.bin", ".hidden")
    listed = list(iter_source_files([tmp_path / "log.bin", tmp_path / ".hidden", tmp_path / "log.bin"]))
    assert listed == [SourceFile(str(tmp_path / "log.bin"), True), SourceFile(str(tmp_path / ".hidden"), True)]


def test_a_codex_folder_gives_rollouts_only(tmp_path: Path) -> None:
    make(tmp_path, "home/auth.json", "home/config.toml", "home/history.jsonl", "home/notes.md")
    make(tmp_path, "home/sessions/2026/03/rollout-1.jsonl", "home/sessions/2026/03/other.jsonl")
    make(tmp_path, ".codex/sessions/rollout-2.jsonl", ".codex/log.json")
    assert found(tmp_path) == ["rollout-2.jsonl", "rollout-1.jsonl"]
    assert found(tmp_path / ".codex" / "sessions") == ["rollout-2.jsonl"]


def test_credentials_are_never_opened(tmp_path: Path) -> None:
    make(tmp_path, "auth.json", "a.md")
    assert found(tmp_path) == ["a.md"]
    (defect,) = iter_source_files([tmp_path / "auth.json"])
    assert isinstance(defect, Defect) and defect.reason == "unreadable_file"
    assert isinstance(load_source(str(tmp_path / "auth.json")), SourceRefused)


def test_links_are_followed_and_loops_are_named(tmp_path: Path) -> None:
    make(tmp_path, "folder/a.md", "elsewhere/b.md")
    (tmp_path / "folder" / "up").symlink_to(tmp_path / "folder")
    (tmp_path / "folder" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "folder" / "self.md").symlink_to("self.md")
    listed = list(iter_source_files([tmp_path / "folder"]))
    assert [Path(item.path).name for item in listed] == ["a.md", "b.md", "self.md", "up"]
    assert [item.reason for item in listed if isinstance(item, Defect)] == ["symlink_loop", "symlink_loop"]


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "gone.md").symlink_to("nowhere")
    reasons = {Path(i.path).name: i.reason for i in iter_source_files([tmp_path]) if isinstance(i, Defect)}
    assert reasons == {"gone.md": "unreadable_file", "pipe.jsonl": "not_a_session"}
    for path in (tmp_path / "missing.md", tmp_path / "pipe.jsonl", "bad\0name"):
        (defect,) = iter_source_files([path])
        assert isinstance(defect, Defect) and defect.reason == "unreadable_file"
    assert isinstance(load_source(str(tmp_path / "missing.md")), SourceRefused)


def test_a_file_is_loaded(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    assert load_source(str(tmp_path / "a.md")) == b"x"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    (tmp_path / "a.md").chmod(0)
    assert isinstance(load_source(str(tmp_path / "a.md")), SourceRefused)


def test_a_name_that_is_not_utf8_is_named_and_the_others_are_found(tmp_path: Path) -> None:
    make(tmp_path, "good.md")
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff name.md"))).write_text("x")
    listed = list(iter_source_files([tmp_path]))
    assert [Path(item.path).name for item in listed if not isinstance(item, Defect)] == ["good.md"]
    (defect,) = [item for item in listed if isinstance(item, Defect)]
    assert defect.reason == "unreadable_file" and defect.path.encode("utf-8").endswith("bad\ufffd name.md".encode())
