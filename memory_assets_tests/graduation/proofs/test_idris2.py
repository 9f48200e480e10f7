"""The runner of the real compiler: with a stand-in that misbehaves, and, where there is one, with the real thing."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory_assets.graduation.proofs.checker import check_sessions
from memory_assets.graduation.proofs.error_locations import error_locations
from memory_assets.graduation.proofs.errors import CacheUnusableError
from memory_assets.graduation.proofs.generator import generate
from memory_assets.graduation.proofs.idris2 import find_idris2, prepare
from memory_assets.graduation.proofs.idris2_verdicts import Compiled, Idris2, Unavailable, check
from memory_assets.graduation.proofs.model import ProofSession, RuleFailure
from memory_assets.shipped_files import shipped_folder
from memory_assets_tests.graduation.proofs.corruptions import SESSION_CORRUPTIONS
from memory_assets_tests.graduation.proofs.fake_idris2 import calls_of, write_fake
from memory_assets_tests.graduation.proofs.samples import HOSTILE, hostile_session, many_entries, valid_session

_ENVIRON = {"PATH": os.environ["PATH"]}


def _prepare(program: Path, cache: Path, **limits: float) -> Idris2 | Unavailable:
    return prepare(program, cache=cache, package=shipped_folder("idris"), environ=_ENVIRON, **limits)


def _ready(folder: Path, mode: str = "good", *, place: int = 0, timeout_s: float = 20.0) -> Idris2:
    tool = _prepare(write_fake(folder, mode, place=place), folder / "cache", timeout_s=timeout_s)
    assert isinstance(tool, Idris2)
    return tool


def _marked() -> ProofSession:
    """A sound session at which the stand-in misbehaves."""
    session = valid_session()
    return replace(session, entries=(replace(session.entries[0], title="MARK"), *session.entries[1:]))


# -- finding and preparing ---------------------------------------------------------------------------------------------


def test_settings_come_before_the_environment_before_the_path(tmp_path: Path) -> None:
    on_path = tmp_path / "idris2"
    on_path.write_text("#!/bin/sh\n")
    on_path.chmod(0o755)
    environ = {"PATH": str(tmp_path)}
    assert find_idris2(None, environ) == on_path
    assert find_idris2(None, {**environ, "MEMORY_IDRIS2": "/else/where"}) == Path("/else/where")
    assert find_idris2("/set/here", {**environ, "MEMORY_IDRIS2": "/else/where"}) == Path("/set/here")
    assert find_idris2("idris2", environ) == on_path
    assert find_idris2(None, {"PATH": str(tmp_path / "empty")}) is None


def test_the_package_is_built_once_for_a_compiler_version(tmp_path: Path) -> None:
    program = write_fake(tmp_path)
    first, second = _prepare(program, tmp_path / "cache"), _prepare(program, tmp_path / "cache")
    assert isinstance(first, Idris2)
    assert first == second
    assert first.version == "0.8.0"
    assert sum(call.startswith("--build") for call in calls_of(tmp_path)) == 1
    assert isinstance(_prepare(write_fake(tmp_path, version="0.7.0"), tmp_path / "cache"), Idris2)
    assert sum(call.startswith("--build") for call in calls_of(tmp_path)) == 2
    assert not (shipped_folder("idris") / "build").exists()


def test_the_compiler_sees_of_our_environment_only_what_it_needs(tmp_path: Path) -> None:
    needed = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "LANG": "ko_KR.UTF-8",
        "LC_MESSAGES": "C",
        "TMPDIR": str(tmp_path),
        "IDRIS2_PREFIX": "/opt/idris2",
        "CHEZSCHEMELIBDIRS": "/opt/chez",
        "LD_LIBRARY_PATH": "/opt/lib",
        "DYLD_LIBRARY_PATH": "/opt/lib",
        "NIX_PROFILES": "/nix",
    }
    ours = {**needed, "OPENAI_API_KEY": "secret", "AWS_SECRET_ACCESS_KEY": "secret", "MEMORY_HOME": "/m", "PYTHONPATH": "/p"}
    tool = prepare(write_fake(tmp_path), cache=tmp_path / "cache", package=shipped_folder("idris"), environ=ours)
    assert isinstance(tool, Idris2)
    assert tool.environ == {**needed, "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    assert check(tool, generate(valid_session()).modules)
    seen = set((tmp_path / "seen").read_text(encoding="utf-8").split())
    assert set(needed) <= seen
    assert not {"OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "MEMORY_HOME", "PYTHONPATH"} & seen


@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("other-program", "does not answer --version"),
        ("crashes", "does not answer --version"),
        ("cannot-build", "cannot build the Memory package"),
        ("says-yes", "accepts a false one"),
        ("stale-ttc", "without a proof and without an error"),
    ],
)
def test_a_program_that_is_no_compiler_is_unavailable(tmp_path: Path, mode: str, says: str) -> None:
    outcome = _prepare(write_fake(tmp_path, mode), tmp_path / "cache")
    assert isinstance(outcome, Unavailable)
    assert says in outcome.reason
    assert "\n" not in outcome.reason


def test_another_program_in_the_place_of_a_tested_one_is_tested_again(tmp_path: Path) -> None:
    program = write_fake(tmp_path)
    assert isinstance(_prepare(program, tmp_path / "cache"), Idris2)
    program.write_text(write_fake(tmp_path, "says-yes").read_text(encoding="utf-8"), encoding="utf-8")
    assert isinstance(_prepare(program, tmp_path / "cache"), Unavailable)


def test_a_program_that_never_says_who_it_is_is_unavailable(tmp_path: Path) -> None:
    outcome = _prepare(write_fake(tmp_path, "hangs-at-once"), tmp_path / "cache", timeout_s=1.0)
    assert isinstance(outcome, Unavailable)
    assert "gave no answer in time" in outcome.reason


def test_a_missing_program_is_unavailable(tmp_path: Path) -> None:
    outcome = _prepare(tmp_path / "nothing-here", tmp_path / "cache")
    assert isinstance(outcome, Unavailable)
    assert "cannot be started" in outcome.reason


def test_a_cache_that_cannot_be_written_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(CacheUnusableError):
        _prepare(write_fake(tmp_path), tmp_path / "cache")


# -- verdicts ----------------------------------------------------------------------------------------------------------


def test_a_sound_session_is_accepted_also_over_several_modules(tmp_path: Path) -> None:
    tool = _ready(tmp_path)
    for session in (valid_session(), many_entries(101)):
        outcome = check(tool, generate(session).modules)
        assert isinstance(outcome, Compiled)
        assert outcome.accepted


def test_blame_comes_from_the_line(tmp_path: Path) -> None:
    (module,) = generate(_marked()).modules
    wanted = RuleFailure("all-evidence-aligned", "ent_b")
    place = next(n for n, at in error_locations(module.source).items() if at == wanted)
    outcome = check(_ready(tmp_path, "says-no", place=place), (module,))
    assert isinstance(outcome, Compiled)
    assert not outcome.accepted
    assert outcome.failures == (wanted,)


def test_an_error_with_exit_status_0_is_a_no(tmp_path: Path) -> None:
    outcome = check(_ready(tmp_path, "error-but-exit-0"), generate(_marked()).modules)
    assert isinstance(outcome, Compiled)
    assert [failure.rule for failure in outcome.failures] == ["compiler-error"]


@pytest.mark.parametrize("mode", ["no-ttc", "dies"])
def test_no_proof_and_no_error_is_no_verdict(tmp_path: Path, mode: str) -> None:
    outcome = check(_ready(tmp_path, mode), generate(_marked()).modules)
    assert isinstance(outcome, Unavailable)


def test_a_package_that_is_gone_is_no_verdict(tmp_path: Path) -> None:
    tool = replace(_ready(tmp_path), core=tmp_path / "elsewhere")
    outcome = check(tool, generate(valid_session()).modules)
    assert isinstance(outcome, Unavailable)
    assert "cannot import" in outcome.reason


@pytest.mark.long
@pytest.mark.parametrize("mode", ["hangs", "talks"])
def test_a_compiler_that_does_not_end_is_ended_with_all_that_it_started(tmp_path: Path, mode: str) -> None:
    tool = replace(_ready(tmp_path, mode), timeout_s=1.5)
    started = time.monotonic()
    outcome = check(tool, generate(_marked()).modules)
    assert isinstance(outcome, Unavailable)
    assert time.monotonic() - started < 10
    # A killed process is gone when the system has come to it: a busy machine takes its time.
    until = time.monotonic() + 5
    while (left := _running(tmp_path)) and time.monotonic() < until:
        time.sleep(0.05)
    assert left == []


def _running(folder: Path) -> list[bytes]:
    """The commands of processes that name a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            command = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            if str(folder).encode() in command:
                found.append(command)
    return found


# -- both checkers -----------------------------------------------------------------------------------------------------


def test_both_verdicts_are_kept_and_the_compilers_counts(tmp_path: Path) -> None:
    checked = check_sessions([valid_session()], idris2=_ready(tmp_path))["session-1"]
    assert [verdict.label for verdict in checked.verdicts] == ["embedded 1", "idris2 0.8.0"]
    assert checked.verdict.checker == "idris2"
    assert checked.proved == {"ent_a", "ent_b", "ent_c"}
    assert set(checked.durations_ms) == {"idris2"}


def test_a_disagreement_proves_nothing(tmp_path: Path) -> None:
    checked = check_sessions([_marked()], idris2=_ready(tmp_path, "says-no"))["session-1"]
    assert [verdict.accepted for verdict in checked.verdicts] == [True, False]
    assert checked.disagreement
    assert checked.proved == frozenset()
    assert len(checked.failed) == 5


@pytest.mark.long
def test_without_an_answer_the_embedded_verdict_stands_under_its_own_name(tmp_path: Path) -> None:
    tool = replace(_ready(tmp_path, "hangs"), timeout_s=1.0)
    checked = check_sessions([_marked()], idris2=tool)["session-1"]
    assert checked.verdict.label == "embedded 1"
    assert checked.proved == {"ent_a", "ent_b", "ent_c"}
    assert checked.notes == ("idris2 0.8.0 gave no answer in time",)


def test_one_bad_entry_is_refused_by_both_and_the_rest_compiled_again(tmp_path: Path) -> None:
    session = valid_session()
    spoiled = replace(session, entries=(*session.entries[:2], replace(session.entries[2], title=""), *session.entries[3:]))
    checked = check_sessions([spoiled], idris2=_ready(tmp_path))["session-1"]
    assert not checked.disagreement
    assert [verdict.accepted for verdict in checked.verdicts] == [False, False]
    assert checked.verdict.rules_failed == (RuleFailure("title-not-empty", "ent_c"),)
    assert checked.failed == {"ent_c"}
    assert checked.proved == {"ent_a", "ent_b"}


# -- the real compiler -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Idris2]:
    """A real idris2, or the test is skipped."""
    found = find_idris2(None, os.environ)
    if found is None:
        pytest.skip("no idris2 on PATH or in MEMORY_IDRIS2")
    tool = prepare(found, cache=tmp_path_factory.mktemp("idris2"), package=shipped_folder("idris"), environ=dict(os.environ))
    if isinstance(tool, Unavailable):
        pytest.fail(tool.reason)
    yield tool


@pytest.mark.idris2
def test_real_accepts_sound_sessions(real: Idris2) -> None:
    for session in (valid_session(), many_entries(0), many_entries(101), hostile_session(HOSTILE)):
        outcome = check(real, generate(session).modules)
        assert isinstance(outcome, Compiled)
        assert outcome.accepted, session.session_id


@pytest.mark.idris2
@pytest.mark.parametrize("name", sorted(SESSION_CORRUPTIONS))
def test_real_refuses_what_the_embedded_checker_refuses(real: Idris2, name: str) -> None:
    corrupt, _ = SESSION_CORRUPTIONS[name]
    session = corrupt(valid_session())
    embedded, compiled = check_sessions([session], idris2=real)[session.session_id].verdicts
    assert not compiled.accepted
    assert set(compiled.rules_failed) <= set(embedded.rules_failed)
