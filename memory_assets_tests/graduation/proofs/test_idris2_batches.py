"""Sessions through the compiler in batches: what comes out for each is what judging it alone gives."""

from __future__ import annotations

import os
import random
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from memory_assets.graduation.proofs import idris2_batches
from memory_assets.graduation.proofs.checker import CheckedSession, check_sessions
from memory_assets.graduation.proofs.generator import generate
from memory_assets.graduation.proofs.idris2 import find_idris2, prepare
from memory_assets.graduation.proofs.idris2_batches import compile_all
from memory_assets.graduation.proofs.idris2_verdicts import Chain, Compiled, Idris2, NotTogether, Unavailable, check_together
from memory_assets.graduation.proofs.model import ProofSession
from memory_assets.shipped_files import shipped_folder
from memory_assets_tests.depth import cases
from memory_assets_tests.graduation.proofs.corruptions import SESSION_CORRUPTIONS
from memory_assets_tests.graduation.proofs.fake_idris2 import calls_of, write_fake
from memory_assets_tests.graduation.proofs.samples import many_entries, valid_session

_ENVIRON = {"PATH": os.environ["PATH"]}


def ready(folder: Path, mode: str = "good", *, timeout_s: float = 20.0, processes: int = 2) -> Idris2:
    program = write_fake(folder, mode)
    tool = prepare(
        program,
        cache=folder / "cache",
        package=shipped_folder("idris"),
        environ=_ENVIRON,
        timeout_s=timeout_s,
        processes=processes,
    )
    assert isinstance(tool, Idris2)
    (folder / "calls").write_text("")
    return tool


def marked(session_id: str) -> ProofSession:
    """A sound session at which the stand-in misbehaves."""
    session = valid_session(session_id)
    return replace(session, entries=(replace(session.entries[0], title="MARK"), *session.entries[1:]))


def chain(session: ProofSession) -> Chain:
    return Chain(generate(session).modules, len(session.entries))


def said(checked: CheckedSession) -> CheckedSession:
    """What the checkers say, without what was measured."""
    return replace(checked, durations_ms={})


def test_sound_sessions_take_one_process(tmp_path: Path) -> None:
    tool = ready(tmp_path)
    checked = check_sessions([valid_session(f"s{n}") for n in range(8)], idris2=tool)
    assert calls_of(tmp_path) == ["--no-prelude -Werror --check Batch.idr"]
    assert all(one.verdict.label == "idris2 0.8.0" and one.accepted for one in checked.values())
    assert all(one.durations_ms["idris2"] > 0 for one in checked.values())


def test_a_batch_has_so_many_entries_and_a_long_session_is_alone(tmp_path: Path) -> None:
    tool = replace(ready(tmp_path), batch_entries=10)
    check_sessions([many_entries(101), *(valid_session(f"s{n}") for n in range(4))], idris2=tool)
    calls = calls_of(tmp_path)
    assert len(calls) == 3
    assert sum("Batch" in call for call in calls) == 2
    assert sum(call.endswith("P1.idr") for call in calls) == 1


def test_what_the_embedded_checker_refuses_goes_alone(tmp_path: Path) -> None:
    corrupt = SESSION_CORRUPTIONS["slice changed"][0]
    sessions = [valid_session("a"), corrupt(valid_session("b")), valid_session("c")]
    checked = check_sessions(sessions, idris2=ready(tmp_path))
    # The two sound ones; the corrupt one; what is left of it without what is refused.
    assert sorted("Batch" in call for call in calls_of(tmp_path)) == [False, False, True]
    assert [verdict.accepted for verdict in checked["b"].verdicts] == [False, False]
    assert checked["b"].proved == {"ent_b", "ent_c"}


def test_without_batches_each_session_has_a_process(tmp_path: Path) -> None:
    tool = replace(ready(tmp_path), batch_entries=0)
    check_sessions([valid_session(f"s{n}") for n in range(3)], idris2=tool)
    assert len(calls_of(tmp_path)) == 3
    assert not any("Batch" in call for call in calls_of(tmp_path))


def test_a_compiler_that_knows_no_batches_gets_none_and_this_is_remembered(tmp_path: Path) -> None:
    assert ready(tmp_path, "no-batches").batch_entries == 0
    tool = ready(tmp_path, "no-batches")
    assert tool.batch_entries == 0
    checked = check_sessions([valid_session(f"s{n}") for n in range(2)], idris2=tool)
    assert all(one.accepted and len(one.verdicts) == 2 for one in checked.values())


@pytest.mark.long
@pytest.mark.parametrize("mode", cases(["says-no", "no-ttc"], ["good", "dies", "error-but-exit-0"]))
def test_a_batch_says_of_each_session_what_judging_it_alone_says(tmp_path: Path, mode: str) -> None:
    tool = ready(tmp_path, mode)
    draw = random.Random(mode)
    corruptions = sorted(SESSION_CORRUPTIONS)
    for round_ in range(2):
        sessions: list[ProofSession] = []
        for number in range(6):
            session_id = f"{mode}-{round_}-{number}"
            kind = draw.choice(["sound", "sound", "marked", "corrupt", "long"])
            if kind == "corrupt":
                corrupt = SESSION_CORRUPTIONS[draw.choice(corruptions)][0]
                sessions.append(replace(corrupt(valid_session(session_id)), session_id=session_id))
            elif kind == "long":
                sessions.append(replace(many_entries(101), session_id=session_id))
            else:
                sessions.append(marked(session_id) if kind == "marked" else valid_session(session_id))
        together = check_sessions(sessions, idris2=tool)
        alone = [check_sessions([session], idris2=replace(tool, batch_entries=0)) for session in sessions]
        for one in alone:
            for session_id, checked in one.items():
                assert said(together[session_id]) == said(checked)


@pytest.mark.long
def test_after_a_time_out_each_session_is_asked_about_alone(tmp_path: Path) -> None:
    tool = replace(ready(tmp_path, "hangs"), timeout_s=2.5)
    checked = check_sessions([valid_session("a"), marked("b"), valid_session("c")], idris2=tool)
    assert [len(checked[name].verdicts) for name in "abc"] == [2, 1, 2]
    assert checked["b"].notes == ("idris2 0.8.0 gave no answer in time",)
    assert len(calls_of(tmp_path)) == 4


@pytest.mark.long
def test_a_compiler_that_hangs_at_everything_is_not_asked_for_ever(tmp_path: Path) -> None:
    tool = replace(ready(tmp_path, "hangs", processes=2), timeout_s=1.0)
    started = time.monotonic()
    checked = check_sessions([marked(f"s{n}") for n in range(12)], idris2=tool)
    assert time.monotonic() - started < 8
    assert all(one.verdict.label == "embedded 1" and len(one.notes) == 1 for one in checked.values())
    assert len(calls_of(tmp_path)) <= 1 + idris2_batches.HOPELESS + 1


def test_a_refused_batch_names_whom_it_stopped_at(tmp_path: Path) -> None:
    tool = ready(tmp_path, "says-no")
    outcome = check_together(tool, [chain(valid_session("a")), chain(marked("b")), chain(valid_session("c"))])
    assert outcome == NotTogether(frozenset({1}))


def test_modules_of_one_name_never_lie_in_one_folder(tmp_path: Path) -> None:
    tool = ready(tmp_path)
    corrupt = SESSION_CORRUPTIONS["slice changed"][0](valid_session())
    verdicts = compile_all(tool, {"one": chain(valid_session()), "other": chain(corrupt), "third": chain(valid_session())})
    assert [isinstance(one, Compiled) and one.accepted for one in verdicts.values()] == [True, False, True]


@pytest.mark.long
def test_processes_run_at_the_same_time(tmp_path: Path) -> None:
    tool = replace(ready(tmp_path, "hangs", processes=3), timeout_s=1.5, batch_entries=0)
    started = time.monotonic()
    compile_all(tool, {f"s{n}": chain(marked(f"s{n}")) for n in range(3)})
    assert time.monotonic() - started < 3.5


def test_who_is_interrupted_does_not_wait_for_the_compiler(tmp_path: Path) -> None:
    tool = replace(ready(tmp_path, "hangs"), timeout_s=60)
    stop = threading.Event()
    threading.Timer(0.7, stop.set).start()
    started = time.monotonic()
    outcome = check_together(tool, [chain(marked("a")), chain(marked("b"))], stop=stop)
    assert isinstance(outcome, Unavailable)
    assert time.monotonic() - started < 5


@pytest.mark.idris2
def test_real_judges_batches_as_it_judges_each_alone(tmp_path: Path) -> None:
    found = find_idris2(None, os.environ)
    if found is None:
        pytest.skip("no idris2 on PATH or in MEMORY_IDRIS2")
    tool = prepare(found, cache=tmp_path, package=shipped_folder("idris"), environ=dict(os.environ), processes=2)
    assert isinstance(tool, Idris2)
    assert tool.batch_entries == 100
    corrupt = SESSION_CORRUPTIONS["slice changed"][0]
    sessions = [valid_session("a"), replace(corrupt(valid_session("b")), session_id="b"), many_entries(101), valid_session("d")]
    together = check_sessions(sessions, idris2=tool)
    for session in sessions:
        (alone,) = check_sessions([session], idris2=replace(tool, batch_entries=0)).values()
        assert said(together[session.session_id]) == said(alone)
        assert not alone.disagreement
    outcome = check_together(tool, [chain(valid_session("a")), chain(sessions[1]), chain(valid_session("d"))])
    assert outcome == NotTogether(frozenset({1}))
