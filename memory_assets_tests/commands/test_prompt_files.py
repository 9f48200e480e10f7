"""Prompts written into files between their marks, and read from files: never over a hand edit, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_assets.commands.errors import NotPossibleError
from memory_assets.commands.prompt_files import PromptFile, project_folder, prompt_file, read_prompt
from memory_assets.commands.prompts import (
    apply_update,
    register_prompt,
    roll_back,
    write_prompt,
)
from memory_assets.errors import InvalidArgumentError, MemoryAssetsError
from memory_assets.memory import Memory
from memory_assets.queries.prompts import one_prompt, one_update
from memory_assets_tests.commands.prompted import FIRST, approved, events, memory, project, sound

__all__ = ["memory", "project"]


def test_an_applied_prompt_is_written_between_its_marks(memory: Memory, project: Path) -> None:
    path = project / "CLAUDE.md"
    text = "# 프로젝트\r\n\r\nKeep this.  \r\n"
    path.write_bytes(text.encode())
    path.chmod(0o640)
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    write_prompt(memory.resources, "coder", prompt_file(path, project), by="kim")
    written = path.read_bytes().decode()
    assert written.startswith(text) and "You write code.\r\n<!-- /memory_assets:prompt -->\r\n" in written
    path.write_bytes((written + "And this.\r\n").encode())
    applied = apply_update(memory.resources, approved(memory).update_id, by="kim", into=prompt_file(path, project))
    assert applied.written_to == str(path.resolve())
    written = path.read_bytes().decode()
    assert written.startswith(text) and written.endswith("-->\r\nAnd this.\r\n") and "version=2" in written
    assert path.stat().st_mode & 0o777 == 0o640
    assert [file.name for file in project.iterdir() if file.name != ".git"] == ["CLAUDE.md"], "nothing else is left there"
    back = roll_back(memory.resources, "coder", 1, by="kim", into=prompt_file(path, project))
    assert back.versions[0].written_to == str(path.resolve()) and "version=3" in path.read_text()
    sound(memory)


def test_a_hand_edit_is_never_written_over_and_nothing_is_applied(memory: Memory, project: Path) -> None:
    path = project / "AGENTS.md"
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    write_prompt(memory.resources, "coder", prompt_file(path, project), by="kim")
    edited = path.read_text().replace("You write code.", "You write good code.")
    path.write_text(edited)
    update, before = approved(memory), events(memory)
    with pytest.raises(NotPossibleError, match="changed by hand") as refused:
        apply_update(memory.resources, update.update_id, by="kim", into=prompt_file(path, project))
    assert "memory prompts propose" in refused.value.hint
    assert path.read_text() == edited
    assert events(memory) == before and memory.read(one_update, update.update_id).status == "approved"
    assert memory.read(one_prompt, "coder").version == 1
    sound(memory)


@pytest.mark.parametrize("what", ["changed", "vanished", "appeared"])
def test_a_file_that_changes_meanwhile_is_left_alone(memory: Memory, project: Path, what: str) -> None:
    path = project / "CLAUDE.md"
    if what != "appeared":
        path.write_text("# Project\n")
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    update, read = approved(memory), prompt_file(path, project)
    if what == "vanished":
        path.unlink()
    else:
        path.write_text("# Another\n")
    with pytest.raises(NotPossibleError, match="meanwhile"):
        apply_update(memory.resources, update.update_id, by="kim", into=read)
    assert memory.read(one_prompt, "coder").version == 1
    assert (path.read_text() if path.exists() else None) == (None if what == "vanished" else "# Another\n")


def test_where_the_store_cannot_be_written_the_file_is_as_it_was(
    memory: Memory, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    update = approved(memory)
    for name, text in (("CLAUDE.md", "# Project\n"), ("AGENTS.md", None)):
        path = project / name
        if text is not None:
            path.write_text(text)
        with monkeypatch.context() as patch:

            def full(*_: object) -> None:
                assert "version=2" in path.read_text()  # noqa: B023
                raise OSError(28, "No space left on device")

            patch.setattr(memory.database, "commit", full)
            with pytest.raises((OSError, MemoryAssetsError)):
                apply_update(memory.resources, update.update_id, by="kim", into=prompt_file(path, project))
        assert (path.read_text() if path.exists() else None) == text
        assert memory.read(one_prompt, "coder").version == 1


def test_a_folder_that_may_not_be_written_is_named(memory: Memory, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may write everywhere: the system's refusal is put in its place."""
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    read = prompt_file(project / "CLAUDE.md", project)

    def refused(*_: object, **__: object) -> tuple[int, str]:
        raise PermissionError(13, "Permission denied", str(project))

    monkeypatch.setattr("tempfile.mkstemp", refused)
    with pytest.raises(NotPossibleError, match=r"CLAUDE\.md cannot be written: Permission denied"):
        write_prompt(memory.resources, "coder", read, by="kim")
    assert memory.read(one_prompt, "coder").versions[0].written_to is None


def test_no_file_is_written_that_is_none_of_the_project(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "CLAUDE.md").write_text("# Somebody else's\n")
    (project / "CLAUDE.md").symlink_to(outside / "CLAUDE.md")
    (project / "linked").symlink_to(outside)
    (project / "sub").mkdir()
    (project / "sub" / "AGENTS.md").write_bytes(b"\xff\xfe# no UTF-8")
    (project / "sub" / "CLAUDE.md").mkdir()
    refusals = [
        (project / "CLAUDE.md", "leads out of the project"),
        (project / "linked" / "AGENTS.md", "leads out of the project"),
        (project / ".." / "AGENTS.md", "leads out of the project"),
        (project / "README.md", "no file that a prompt"),
        (project / "sub" / "AGENTS.md", "no UTF-8"),
        (project / "sub" / "CLAUDE.md", "is no file"),
        (project / "none" / "CLAUDE.md", "there is no folder"),
    ]
    for path, says in refusals:
        with pytest.raises(InvalidArgumentError, match=says) as refused:
            prompt_file(path, project)
        assert refused.value.hint
    (project / "AGENTS.md").write_text("# Agents\n")
    (project / "AGENTS.md").chmod(0o440)
    with pytest.raises(NotPossibleError, match="may not be written"):
        prompt_file(project / "AGENTS.md", project)


def test_a_new_file_has_the_rights_of_any_new_file_and_an_old_one_keeps_its_own(memory: Memory, project: Path) -> None:
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    mask = os.umask(0o027)
    try:
        write_prompt(memory.resources, "coder", prompt_file(project / "CLAUDE.md", project), by="kim")
    finally:
        os.umask(mask)
    assert (project / "CLAUDE.md").stat().st_mode & 0o777 == 0o640
    (project / "AGENTS.md").write_text("# Agents\n")
    (project / "AGENTS.md").chmod(0o664)
    write_prompt(memory.resources, "coder", prompt_file(project / "AGENTS.md", project), by="kim")
    assert (project / "AGENTS.md").stat().st_mode & 0o777 == 0o664


def test_the_log_does_not_say_whose_home_a_file_lies_in(memory: Memory, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    monkeypatch.setenv("HOME", str(project.parent))
    written = write_prompt(memory.resources, "coder", prompt_file(project / "CLAUDE.md", project), by="kim")
    assert written.versions[0].written_to == f"~/{project.name}/CLAUDE.md"
    with memory.database.reading() as connection:
        told = connection.execute("SELECT payload_json FROM events WHERE event_type = 'prompt_written'").fetchall()
    assert str(project.parent) not in str(told)
    folder = project / "kim@example.com"
    folder.mkdir()
    written = write_prompt(memory.resources, "coder", prompt_file(folder / "AGENTS.md", project), by="kim")
    assert "kim@example.com" not in str(written.versions[0].written_to)


def test_a_link_inside_of_the_project_stays_one(memory: Memory, project: Path) -> None:
    (project / "AGENTS.md").write_text("# Agents\n")
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    write_prompt(memory.resources, "coder", prompt_file(project / "CLAUDE.md", project), by="kim")
    assert (project / "CLAUDE.md").is_symlink() and FIRST in (project / "AGENTS.md").read_text()


def test_a_link_to_what_agents_do_not_read_is_refused(project: Path) -> None:
    (project / ".git").mkdir(exist_ok=True)
    (project / ".git" / "config").write_text("[core]\n")
    (project / "notes.md").write_text("# Notes\n")
    for target in (".git/config", "notes.md"):
        (project / "CLAUDE.md").symlink_to(target)
        with pytest.raises(InvalidArgumentError, match="do not read"):
            prompt_file(project / "CLAUDE.md", project)
        (project / "CLAUDE.md").unlink()


def test_what_somebody_makes_of_the_file_meanwhile_is_left_where_the_store_fails(
    memory: Memory, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    update, path = approved(memory), project / "CLAUDE.md"
    path.write_text("# Project\n")

    def edited(*_: object) -> None:
        path.write_text("# By hand\n")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(memory.database, "commit", edited)
    with pytest.raises((OSError, MemoryAssetsError)):
        apply_update(memory.resources, update.update_id, by="kim", into=prompt_file(path, project))
    assert path.read_text() == "# By hand\n"


def test_the_project_is_where_the_repository_is(project: Path, tmp_path: Path) -> None:
    (project / "a" / "b").mkdir(parents=True)
    assert project_folder(project / "a" / "b") == project.resolve()
    alone = tmp_path / "alone"
    alone.mkdir()
    assert project_folder(alone) == alone.resolve()


def test_a_prompt_is_read_from_a_file_of_text(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_bytes("규칙\r\n".encode())
    assert read_prompt(tmp_path / "good.md") == "규칙\r\n"
    (tmp_path / "bad.md").write_bytes(b"\xed\xa0\x80")
    os.mkfifo(tmp_path / "pipe")
    for name, says in (("bad.md", "no UTF-8"), ("none.md", "there is no file"), ("pipe", "there is no file")):
        with pytest.raises(InvalidArgumentError, match=says):
            read_prompt(tmp_path / name)
    with pytest.raises(InvalidArgumentError, match="there is no file"):
        read_prompt(Path("\udc80\udcff"))


def test_what_was_read_says_what_the_file_said(project: Path) -> None:
    assert prompt_file(project / "CLAUDE.md", project) == PromptFile(
        project / "CLAUDE.md", (project / "CLAUDE.md").resolve(), None
    )
