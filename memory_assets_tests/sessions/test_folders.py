"""The project that a session belongs to by the folder it worked in."""

from __future__ import annotations

import pytest

from memory_assets.sessions.folders import project_of_folder


@pytest.mark.parametrize(
    ("folder", "project"),
    [
        ("/srv/mina/work/shop", "shop"),
        ("/srv/mina/work/shop/", "shop"),
        (r"C:\Users\mina\가게", "가게"),
        # Work trees of one repository, wherever tools keep them.
        ("/srv/mina/work/shop/.worktrees/2", "shop"),
        ("/srv/mina/work/shop/.worktrees/mina/tax-rates/src", "shop"),
        ("/srv/mina/work/shop/.claude/worktrees/tax-rates", "shop"),
        (r"C:\work\shop\.claude\worktrees\tax-rates", "shop"),
        ("/srv/mina/work/shop/.conductor/lisbon", "shop"),
        ("/srv/mina/.cursor/worktrees/shop/tax-rates", "shop"),
        ("/srv/mina/.codex/worktrees/1f3a/shop", "shop"),
        # What only looks like one.
        ("/.worktrees/2", "2"),
        ("/srv/mina/work/shop/.worktrees", "shop"),
        ("/srv/mina/.cursor/worktrees", "worktrees"),
        ("/srv/mina/worktrees/shop", "shop"),
        ("/srv/mina/work/shop/.claude", ".claude"),
        ("/", None),
        ("", None),
        (None, None),
    ],
)
def test_work_trees_belong_to_the_project_of_their_repository(folder: str | None, project: str | None) -> None:
    assert project_of_folder(folder) == project
