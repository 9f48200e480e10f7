"""Modules in files: what is wrong with a file is a refusal with a rule and a subject, whoever judges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.graduation.proofs.generator import generate
from memory_assets.graduation.proofs.model import RuleFailure
from memory_assets.graduation.proofs.module_files import FileVerdict, judge_files
from memory_assets.graduation.proofs.module_writer import Module
from memory_assets.queries.idris import read_module_file
from memory_assets_tests.graduation.proofs.corruptions import SESSION_CORRUPTIONS
from memory_assets_tests.graduation.proofs.fake_idris2 import calls_of
from memory_assets_tests.graduation.proofs.samples import many_entries, valid_session
from memory_assets_tests.graduation.proofs.test_idris2_batches import ready

(SOUND,) = generate(valid_session()).modules
CHAIN = generate(many_entries(7), entries_a_module=3).modules


def write(folder: Path, modules: tuple[Module, ...]) -> list[Path]:
    for module in modules:
        (folder / f"{module.name}.idr").write_text(module.source, encoding="utf-8", newline="\n")
    return [folder / f"{module.name}.idr" for module in modules]


def judged(path: Path) -> FileVerdict:
    (verdict,) = judge_files([path], read_module_file)
    return verdict


def failed(path: Path) -> set[tuple[str, str]]:
    verdict = judged(path)
    assert not verdict.accepted
    return {(failure.rule, failure.subject) for failure in verdict.rules_failed}


def test_a_sound_module_under_any_file_name(tmp_path: Path) -> None:
    path = tmp_path / "모듈 1.txt"
    path.write_text(SOUND.source, encoding="utf-8", newline="\n")
    assert judged(path) == FileVerdict(path, True, "embedded", "1", ())


def test_what_a_module_imports_lies_beside_it(tmp_path: Path) -> None:
    paths = write(tmp_path, CHAIN)
    assert len(paths) == 3
    assert all(verdict.accepted for verdict in judge_files(paths, read_module_file))
    paths[0].unlink()
    assert failed(paths[2]) == failed(paths[1]) == {("import-beside", CHAIN[0].name)}


def test_a_fault_of_an_imported_module_is_the_importers_too(tmp_path: Path) -> None:
    paths = write(tmp_path, CHAIN)
    paths[0].write_text(CHAIN[0].source.replace('"ent_00001"', '"ent_99999"'), encoding="utf-8", newline="\n")
    assert not judged(paths[2]).accepted
    paths[0].write_text(CHAIN[0].source + "X = ?hole\n", encoding="utf-8", newline="\n")
    assert failed(paths[2]) == {("closed-vocabulary", CHAIN[0].name)}


def test_an_import_that_holds_another_module(tmp_path: Path) -> None:
    paths = write(tmp_path, CHAIN)
    paths[0].write_text(SOUND.source, encoding="utf-8", newline="\n")
    assert failed(paths[1]) == {("import-beside", CHAIN[0].name)}


def test_modules_that_import_each_other(tmp_path: Path) -> None:
    paths = write(tmp_path, CHAIN)
    paths[1].write_text(
        CHAIN[1].source.replace(f"import {CHAIN[0].name}", f"import {CHAIN[2].name}"), encoding="utf-8", newline="\n"
    )
    for path in paths[1:]:
        ((rule, _),) = failed(path)
        assert rule == "imports-acyclic"


@pytest.mark.parametrize(
    ("content", "rule", "subject"),
    [
        (b"", "closed-vocabulary", "x.idr"),
        (b"\xff\xfe\x00", "text-is-unicode", "x.idr"),
        (b"module Main\n\nmain : IO ()\n", "closed-vocabulary", "x.idr"),
        (SOUND.source.replace("import Memory.Session", "import System").encode(), "closed-vocabulary", "x.idr"),
        (SOUND.source.replace("\n", "\r\n").encode(), "closed-vocabulary", "x.idr"),
        (b"\xef\xbb\xbf" + SOUND.source.encode(), "closed-vocabulary", "x.idr"),
        (SOUND.source.replace("  Ok", "  ?hole", 1).encode(), "closed-vocabulary", SOUND.name),
        (b"-" * (16 * 2**20 + 1), "file-size", "x.idr"),
    ],
    ids=["empty", "not utf-8", "another program", "another header", "crlf", "byte order mark", "hole", "too large"],
)
def test_a_file_that_is_no_module(tmp_path: Path, content: bytes, rule: str, subject: str) -> None:
    path = tmp_path / "x.idr"
    path.write_bytes(content)
    assert failed(path) == {(rule, subject)}


def test_what_cannot_be_read(tmp_path: Path) -> None:
    assert failed(tmp_path / "nothing") == {("file-readable", "nothing")}
    assert failed(tmp_path) == {("file-readable", tmp_path.name)}
    assert failed(Path("/dev/zero")) == {("file-readable", "zero")}
    assert failed(tmp_path / "\udcff") == {("file-readable", "?")}
    assert failed(tmp_path / "a\0b") == {("file-readable", "a\0b")}


@settings(max_examples=150)
@given(st.binary(max_size=300), st.integers(0, len(SOUND.source)))
def test_no_content_gives_an_exception(tmp_path_factory: pytest.TempPathFactory, piece: bytes, place: int) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.idr"
    path.write_bytes(SOUND.source.encode()[:place] + piece + SOUND.source.encode()[place:])
    assert judged(path).accepted in (True, False)


def test_the_compiler_judges_the_same_files_some_of_them_in_one_process(tmp_path: Path) -> None:
    tool = ready(tmp_path)
    folder = tmp_path / "modules"
    folder.mkdir()
    paths = write(folder, (*CHAIN, SOUND, *generate(valid_session("other")).modules))
    for number, name in enumerate(("slice changed", "start one early")):
        (bad,) = generate(SESSION_CORRUPTIONS[name][0](valid_session())).modules
        paths.append(folder / f"bad{number}.idr")
        paths[-1].write_text(bad.source, encoding="utf-8", newline="\n")
    paths.append(folder / "nothing.idr")
    embedded = judge_files(paths, read_module_file)
    compiled = judge_files(paths, read_module_file, idris2=tool)
    assert [verdict.accepted for verdict in compiled] == [verdict.accepted for verdict in embedded] == [True] * 5 + [False] * 3
    assert {(verdict.checker, verdict.checker_version) for verdict in compiled} == {("idris2", "0.8.0")}
    for ours, theirs in zip(embedded, compiled, strict=True):
        assert set(theirs.rules_failed) <= set(ours.rules_failed)
        assert bool(theirs.rules_failed) == bool(ours.rules_failed)
    calls = calls_of(tmp_path)
    assert any("Batch" in call for call in calls) and len(calls) < len(paths)


def test_a_compilers_yes_is_none_where_the_embedded_checker_says_no(tmp_path: Path) -> None:
    tool = ready(tmp_path, "says-yes-to-it")
    session = valid_session()
    bad = replace(session, entries=(replace(session.entries[0], title="MARK", claim="certified"), *session.entries[1:]))
    (path,) = write(tmp_path, generate(bad).modules)
    (alone,) = judge_files([path], read_module_file)
    (verdict,) = judge_files([path], read_module_file, idris2=tool)
    assert RuleFailure("certifier-named", "ent_a") in alone.rules_failed
    assert not verdict.accepted
    assert (verdict.checker, verdict.rules_failed) == ("idris2", alone.rules_failed)
    assert verdict.note == "the checkers disagree: idris2 0.8.0 accepts what embedded 1 refuses"


def test_a_compilers_no_counts_also_where_the_embedded_checker_says_yes(tmp_path: Path) -> None:
    tool = ready(tmp_path, "says-no")
    session = valid_session()
    session = replace(session, entries=(replace(session.entries[0], title="MARK"), *session.entries[1:]))
    (path,) = write(tmp_path, generate(session).modules)
    assert judged(path).accepted
    (verdict,) = judge_files([path], read_module_file, idris2=tool)
    assert not verdict.accepted and verdict.rules_failed


def test_an_entry_that_is_only_claimed_is_accepted_by_no_checker(tmp_path: Path) -> None:
    tool = ready(tmp_path, "says-yes-to-it")
    source = SOUND.source.replace("Use DuckDB", "MARK") + '\nE99 : Entry "zz" Certified 0\n'
    path = tmp_path / "x.idr"
    path.write_text(source, encoding="utf-8", newline="\n")
    (verdict,) = judge_files([path], read_module_file, idris2=tool)
    assert not verdict.accepted
    assert verdict.rules_failed == (RuleFailure("closed-vocabulary", SOUND.name),)
    assert calls_of(tmp_path) == []


def test_equal_texts_are_judged_once(tmp_path: Path) -> None:
    tool = ready(tmp_path)
    (one,) = write(tmp_path, (SOUND,))
    copies = [tmp_path / f"copy{number}.idr" for number in range(5)]
    for copy in copies:
        copy.write_bytes(one.read_bytes())
    verdicts = judge_files([one, *copies, one], read_module_file, idris2=tool)
    assert [(verdict.path, verdict.accepted) for verdict in verdicts] == [(path, True) for path in [one, *copies, one]]
    assert len(calls_of(tmp_path)) == 1


def test_without_an_answer_nothing_is_accepted(tmp_path: Path) -> None:
    tool = ready(tmp_path, "no-ttc")
    session = valid_session()
    session = replace(session, entries=(replace(session.entries[0], title="MARK"), *session.entries[1:]))
    (path,) = write(tmp_path, generate(session).modules)
    (verdict,) = judge_files([path], read_module_file, idris2=tool)
    assert not verdict.accepted
    assert verdict.rules_failed == (RuleFailure("checker-answers", path.name),)
    assert verdict.note == "idris2 0.8.0 ended without a proof and without an error"
