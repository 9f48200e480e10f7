"""`memory policy` shows how the judge decides, and says by key what is wrong with a file."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from memory_assets.court.policy import FILE, policy
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.cli.test_prompts import on_a_terminal, valid

__all__ = ["on_a_terminal"]

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


@pytest.mark.long
def test_a_policy_is_activated_by_a_person_on_a_terminal(
    memory: Run, on_a_terminal: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mine = SHIPPED.replace(f'version = "{policy().version}"', 'version = "mine"').replace("near = 0.6", "near = 0.5")
    (tmp_path / "mine.toml").write_text(mine)
    (tmp_path / "wrong.toml").write_text(mine.replace("near = 0.5", "near = 7"))
    told = ("policy", "activate", "mine.toml", "--by", "kim", "--json")
    refused = memory(*told)
    error = valid(json.loads(refused.err), "error")
    assert refused.code == 2 and error["code"] == "terminal_needed" and error["hint"]
    done = on_a_terminal(*told)
    assert done.code == 0 and valid(done.json, "policy")["version"] == "mine", done
    shown = memory("policy", "show")
    assert "version mine  a file that a person activated" in shown.out and "by kim: version mine" in shown.out
    assert valid(memory("policy", "--json").json, "policy")["history"][0]["activated_by"] == "kim"
    for arguments, code in (
        (("wrong.toml",), "invalid_argument"),
        (("gone.toml",), "invalid_argument"),
        (("mine.toml",), "not_possible"),
        ((), "invalid_argument"),
        (("mine.toml", "--shipped"), "invalid_argument"),
    ):
        wrong = on_a_terminal("policy", "activate", *arguments, "--by", "kim", "--json")
        error = valid(json.loads(wrong.err), "error")
        assert wrong.code == 2 and error["code"] == code and error["hint"], (arguments, wrong)
    assert memory("policy", "--json").json["version"] == "mine", "nothing of it was done"
    back = on_a_terminal("policy", "activate", "--shipped", "--json")
    assert back.code == 0 and back.json["version"] == policy().version and len(back.json["history"]) == 2
