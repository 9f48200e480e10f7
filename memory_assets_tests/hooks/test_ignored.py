"""A project that is left out is left out by whatever name its folder is called: in the package and in the script."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory_assets.hooks import script
from memory_assets.hooks.folders import HookFolders
from memory_assets.hooks.ignored import is_left_out, leave_out, left_out, take_back


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder that is also reached by a link, with a folder in it and one beside it."""
    real = tmp_path / "real" / "secret"
    (real / "below").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "linked").symlink_to(real)
    return real


def names(project: Path) -> list[Path]:
    base = project.parents[1]
    return [project, base / "linked", base / "other" / ".." / "real" / "secret", project / "below" / ".."]


@pytest.mark.parametrize("said", range(4))
@pytest.mark.parametrize("worked_in", range(4))
def test_every_name_of_a_folder_is_the_folder(project: Path, said: int, worked_in: int) -> None:
    home = project.parents[1] / "home"
    folders = HookFolders(home / "hooks")
    cwd = names(project)[worked_in]
    assert leave_out(folders, names(project)[said]) and not leave_out(folders, project)
    for folder in (cwd, cwd / "below"):
        assert is_left_out(folders, str(folder)) and script._is_left_out(str(home), {"cwd": str(folder)})
    beside = project.parents[1] / "other"
    assert not is_left_out(folders, str(beside)) and not script._is_left_out(str(home), {"cwd": str(beside)})
    assert take_back(folders, cwd) and left_out(folders) == ()
    assert not is_left_out(folders, str(cwd)) and not script._is_left_out(str(home), {"cwd": str(cwd)})


def test_a_mark_counts_by_every_name(project: Path) -> None:
    home = project.parents[1] / "home"
    (project / ".memoryignore").touch()
    for folder in names(project):
        assert is_left_out(HookFolders(home / "hooks"), str(folder / "below"))
        assert script._is_left_out(str(home), {"cwd": str(folder / "below")})


def test_a_folder_that_was_left_out_by_another_name_before_stays_left_out(project: Path) -> None:
    """A list that an earlier version wrote, of names as they were given."""
    home = project.parents[1] / "home"
    folders = HookFolders(home / "hooks")
    folders.root.mkdir(parents=True)
    (folders.root / "off.json").write_text(f'["{names(project)[2]}", "{project.parents[1] / "linked"}"]')
    assert is_left_out(folders, str(project)) and script._is_left_out(str(home), {"cwd": str(project)})
    assert take_back(folders, project) and not is_left_out(folders, str(project))


def test_no_path_that_cannot_be_one_stops_anybody(tmp_path: Path) -> None:
    for folder in ("/srv/a\0b", "", "/" + "x" * 5_000):
        assert not is_left_out(HookFolders(tmp_path / "hooks"), folder)
        assert not script._is_left_out(str(tmp_path), {"cwd": folder})


@pytest.mark.parametrize("is_out", [True, False])
def test_a_call_that_is_no_json_is_kept_only_where_the_agent_works_in_no_such_project(project: Path, is_out: bool) -> None:
    home = project.parents[1] / "home"
    (project / ".memoryignore").touch()
    command = [sys.executable, "-I", "-S", script.__file__, "user-prompt-submit", "--home", str(home)]
    folder = project if is_out else project.parents[1] / "other"
    environ = {**os.environ, "PATH": ""}  # no server is started
    ended = subprocess.run(command, input="a secret, and no JSON", cwd=folder, env=environ, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout.strip()) == (0, "{}")
    assert (home / "hooks" / "spool" / "calls.jsonl").exists() is not is_out
