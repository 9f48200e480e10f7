"""`memory policy` shows how the judge decides, and says by key what is wrong with a file."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from memory_assets.court.policy import FILE, policy
from memory_assets_tests.cli.conftest import Run

SHIPPED = resources.files("memory_assets.court").joinpath(FILE).read_text(encoding="utf-8")


def test_the_policy_is_shown_and_a_file_checked(memory: Run, tmp_path: Path) -> None:
    shown = memory("policy", "--json").json
    assert (shown["schema_version"], shown["version"], shown["numbers"]["likeness.near"]) == (
        "policy.v1",
        policy().version,
        0.6,
    )
    assert f"version {policy().version}" in memory("policy").out
    file = tmp_path / "mine.toml"
    file.write_text(SHIPPED.replace(f'version = "{policy().version}"', 'version = "mine"').replace("near = 0.6", "near = 0.5"))
    checked = memory("policy", "check", str(file), "--json")
    assert checked.code == 0 and checked.json["changes"] == [{"key": "likeness.near", "now": 0.6, "then": 0.5}]
    assert "likeness.near: 0.6 → 0.5" in memory("policy", "check", str(file)).out
    file.write_text(SHIPPED.replace("near = 0.6", "near = 7"))
    wrong = memory("policy", "check", str(file))
    assert wrong.code == 3 and "likeness.near: a number from 0 to 1 is wanted" in wrong.out
    gone = memory("policy", "check", "gone.toml", "--json")
    assert gone.code == 2 and json.loads(gone.err)["code"] == "invalid_argument"
