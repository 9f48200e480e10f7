"""What the settings choose, and the versions that follow from them."""

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from memory_assets.configuration import Resources
from memory_assets.errors import ConfigInvalidError
from memory_assets.extraction.errors import RulesInvalidError
from memory_assets.graduation.proofs.idris2_verdicts import Idris2, Unavailable
from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.settings import Settings, load_settings
from memory_assets.vocabulary import PIPELINE_STAGES
from memory_assets_tests.graduation.proofs.fake_idris2 import write_fake


def settings(home: Path, **sections: Any) -> Settings:
    return load_settings({"home": home, "embedding": {"model": "hashing"}} | sections)


def test_every_stage_behind_the_first_has_a_version(tmp_path: Path) -> None:
    versions = Resources(settings(tmp_path)).stage_versions
    assert tuple(versions) == PIPELINE_STAGES[1:]
    assert all(version.strip() for version in versions.values())
    assert Resources(settings(tmp_path)).configured_versions == {CHAIN[stage]: version for stage, version in versions.items()}


def test_versions_are_the_same_in_another_home(tmp_path: Path) -> None:
    assert Resources(settings(tmp_path / "a")).stage_versions == Resources(settings(tmp_path / "b")).stage_versions


@pytest.mark.parametrize(
    ("section", "values", "stage"),
    [
        ("extraction", {"model": "some/model"}, "extracted"),
        ("extraction", {"window_characters": 1000}, "extracted"),
        ("alignment", {"max_quote_length": 100}, "aligned"),
        ("alignment", {"fuzzy": False}, "aligned"),
        ("alignment", {"fuzzy_threshold": 0.9}, "aligned"),
        ("graduation", {"require_idris2": True}, "idris_checked"),
        ("embedding", {"model": "bundled"}, "vectorized"),
    ],
)
def test_a_setting_that_changes_a_result_changes_that_stage_s_version_alone(
    tmp_path: Path, section: str, values: dict[str, Any], stage: str
) -> None:
    before = Resources(settings(tmp_path)).stage_versions
    after = Resources(settings(tmp_path, **{section: values})).stage_versions
    assert {name for name in before if before[name] != after[name]} == {stage}


@pytest.mark.parametrize(
    ("section", "values"),
    [
        ("idris", {"batch_entries": 5, "processes": 2}),
        ("dagster", {"batch_size": 3, "batch_bytes": 5000}),
        ("store", {"lock_timeout_seconds": 1}),
        ("extraction", {"timeout_seconds": 5}),
    ],
)
def test_a_setting_that_changes_no_result_changes_no_version(tmp_path: Path, section: str, values: dict[str, Any]) -> None:
    assert Resources(settings(tmp_path, **{section: values})).stage_versions == Resources(settings(tmp_path)).stage_versions


def test_a_persons_own_rules_are_another_version_and_are_read_when_they_change(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    own = settings(tmp_path, extraction={"rules_file": file})
    with pytest.raises(ConfigInvalidError, match=r"rules\.toml cannot be read"):
        _ = Resources(own).extractor
    file.write_text("[limits]\nuser = 1.0\n")
    with pytest.raises(RulesInvalidError):
        _ = Resources(own).extractor
    with pytest.raises(RulesInvalidError, match=r"rules\.toml: \[limits\] has no assistant"):
        _ = Resources(own).extractor
    built_in = files("memory_assets.extraction").joinpath("rules.toml").read_text(encoding="utf-8")
    file.write_text(built_in)
    assert Resources(own).stage_versions == Resources(settings(tmp_path)).stage_versions
    file.write_text(built_in + "# one more line\n")
    assert Resources(own).stage_versions["extracted"] != Resources(settings(tmp_path)).stage_versions["extracted"]


def test_the_lock_waits_as_long_as_the_settings_say(tmp_path: Path) -> None:
    database = Resources(settings(tmp_path / "home", store={"lock_timeout_seconds": 0.5})).database
    assert database.path == tmp_path / "home" / "memory.duckdb"
    assert database._lock.timeout == 0.5


def test_a_policy_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path, content in (
        (tmp_path / "gone.json", None),
        (tmp_path / "bad.json", b"\xff\xfe"),
        (tmp_path / "odd.json", b"[1]"),
    ):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(ConfigInvalidError):
            _ = Resources(settings(tmp_path, privacy={"policy_file": path})).redaction_policy


def test_another_policy_is_another_reading(tmp_path: Path) -> None:
    plain = Resources(settings(tmp_path)).redaction_policy
    assert plain == Resources(settings(tmp_path)).redaction_policy
    assert plain.policy_hash


def test_the_compiler_runs_as_the_settings_say_and_a_cache_that_cannot_be_used_is_no_end(tmp_path: Path) -> None:
    program = str(write_fake(tmp_path))
    tool = Resources(settings(tmp_path, idris={"path": program, "processes": 3, "batch_entries": 7})).idris2
    assert isinstance(tool, Idris2)
    assert (tool.processes, tool.batch_entries, tool.timeout_s) == (3, 7, 60)
    by_default = Resources(settings(tmp_path, idris={"path": program})).idris2
    assert isinstance(by_default, Idris2)
    assert by_default.processes >= 1 and by_default.batch_entries == 100
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "cache").write_text("a file")
    unusable = settings(tmp_path / "other", idris={"path": program})
    assert isinstance(Resources(unusable).idris2, Unavailable)
    assert Resources(unusable).usable_idris2 is None
    assert Resources(unusable).checkers_line.startswith("embedded 1 alone, idris2 cannot be used: the cache")
    assert Resources(unusable).stage_versions["idris_checked"].startswith("embedded 1 ")
