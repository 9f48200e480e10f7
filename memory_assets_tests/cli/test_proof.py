"""`memory proof show` and `memory idris`: what acceptance programs read, and what people see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_assets.configuration import Resources
from memory_assets.identifiers import sha256_hex
from memory_assets.log.event_log import EventLog
from memory_assets.log.payloads.graduation import IdrisChecked
from memory_assets.log.proof_session import proof_session
from memory_assets.log.upcasting import payload_as
from memory_assets.settings import load_settings
from memory_assets_tests.cli.conftest import Ended, Run
from memory_assets_tests.defs.files import chat
from memory_assets_tests.graduation.proofs.fake_idris2 import write_fake

pytestmark = pytest.mark.long


@pytest.fixture
def imported(imported_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORY_HOME", str(imported_home))
    monkeypatch.setenv("MEMORY_IDRIS2", "/nowhere/idris2")
    return imported_home


def lines(ended: Ended) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ended.out.splitlines()]


# -- proof show --------------------------------------------------------------------------------------------------------


def test_the_proof_of_a_session_as_json(memory: Run, imported: Path) -> None:
    ended = memory("proof", "show", "one", "--json")
    assert ended.code == 0
    shown = ended.json
    assert (shown["session_id"], shown["verdict"], shown["rules_failed"]) == ("one", "accepted", [])
    assert (shown["checker"], shown["checker_version"]) == ("embedded", "1")
    (module,) = shown["modules"]
    assert sha256_hex(module["source"]) == module["sha256"] == module["recorded_sha256"]
    assert shown["as_recorded"] is module["as_recorded"] is True
    log = EventLog(Resources(load_settings()).database)
    recorded = payload_as(log.current(["one"], "idris_checked")["one"], IdrisChecked)
    assert [(m.name, m.sha256) for m in recorded.verdicts[0].modules] == [(module["name"], module["sha256"])]
    assert len(shown["entries"]) == shown["obligations"]["entry-ids-unique"] > 0
    for entry in shown["entries"]:
        assert entry["proved"] == (entry["stage"] in ("verified", "certified")) == (entry["reason"] is None)


def test_every_module_that_is_shown_is_accepted_by_the_checker(memory: Run, imported: Path, tmp_path: Path) -> None:
    files = []
    for session in ("one", "two"):
        for module in memory("proof", "show", session, "--json").json["modules"]:
            files.append(tmp_path / f"{module['name']}.idr")
            files[-1].write_text(module["source"], encoding="utf-8", newline="\n")
    ended = memory("idris", "check", *map(str, files), "--json")
    assert ended.code == 0
    assert [(line["path"], line["accepted"]) for line in lines(ended)] == [(str(file), True) for file in files]


def test_the_proof_for_people(memory: Run, imported: Path) -> None:
    ended = memory("proof", "show", "two")
    assert ended.code == 0
    assert ended.out.startswith("accepted by embedded 1\n")
    assert "slice-is-source-text" in ended.out
    assert "the log gives the same" in ended.out
    assert "👨" in ended.out or "가족" in ended.out or "PostgreSQL" in ended.out
    assert "import Memory.Session" not in ended.out
    with_module = memory("proof", "show", "two", "--module")
    assert "import Memory.Session" in with_module.out
    assert "  Ok  span-inside-message" in with_module.out


def test_a_log_that_gives_other_modules_says_so(memory: Run, imported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other(history: Any, materialization: Any) -> Any:
        session = proof_session(history, materialization)
        return type(session)(session.session_id, session.messages, session.entries[:-1])

    monkeypatch.setattr("memory_assets.queries.proof.proof_session", other)
    shown = memory("proof", "show", "one", "--json").json
    assert shown["as_recorded"] is False and shown["modules"][0]["as_recorded"] is False
    assert shown["modules"][0]["recorded_sha256"] != shown["modules"][0]["sha256"]
    assert not any(entry["proved"] for entry in shown["entries"])
    assert "the log gives another one now" in memory("proof", "show", "one").out


@pytest.mark.long
def test_a_session_that_a_checker_refuses(memory: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_IDRIS2", str(write_fake(tmp_path, "says-no")))
    chat(
        tmp_path / "inbox",
        "split",
        ["We decided to call the release MARK seven.", "We decided to keep\x1b[31m the log for ever."],
    )
    taken = memory("import", str(tmp_path / "inbox"))
    assert taken.code == 0
    assert "proofs judged by embedded 1 and idris2 0.8.0; the checkers disagree on 1 session\n" in taken.out
    shown = memory("proof", "show", "split", "--json").json
    assert (shown["verdict"], shown["checker"], shown["disagreement"]) == ("rejected", "idris2", True)
    assert [(verdict["checker"], verdict["accepted"]) for verdict in shown["verdicts"]] == [
        ("embedded", True),
        ("idris2", False),
    ]
    (failure,) = shown["rules_failed"]
    assert set(failure) == {"rule", "subject"}
    assert {entry["stage"] for entry in shown["entries"]} == {"candidate"}
    assert {entry["reason"] for entry in shown["entries"]} == {"The two proof checkers disagree about the session"}
    people = memory("proof", "show", "split", "--module")
    assert people.code == 0
    assert people.out.startswith("rejected: embedded 1 accepts it, idris2 0.8.0 refuses it\n")
    assert "the checkers disagree: nothing is proved" in people.out
    assert f"<- {failure['rule']} {failure['subject']}" in people.out
    assert "\x1b" not in people.out


def test_a_session_without_a_proof(memory: Run, imported: Path) -> None:
    ended = memory("proof", "show", "nobody")
    assert (ended.code, ended.out) == (2, "")
    assert "there is no session" in ended.err


# -- idris -------------------------------------------------------------------------------------------------------------


def _module(memory: Run, folder: Path) -> Path:
    (module,) = memory("proof", "show", "one", "--json").json["modules"]
    path = folder / "sound.idr"
    path.write_text(module["source"], encoding="utf-8", newline="\n")
    return path


def test_check_names_rule_and_subject_in_the_order_of_the_files(memory: Run, imported: Path, tmp_path: Path) -> None:
    sound = _module(memory, tmp_path)
    bad = tmp_path / "bad.idr"
    bad.write_text(sound.read_text(encoding="utf-8").replace(" 10000 ", " 9999 ", 1), encoding="utf-8", newline="\n")
    missing = tmp_path / "missing.idr"
    ended = memory("idris", "check", str(bad), str(missing), str(sound), "--json")
    assert ended.code == 1
    first, second, third = lines(ended)
    assert [line["path"] for line in (first, second, third)] == [str(bad), str(missing), str(sound)]
    assert [line["accepted"] for line in (first, second, third)] == [False, False, True]
    assert "confidence-fits-method" in {failure["rule"] for failure in first["rules_failed"]}
    assert all(set(failure) == {"rule", "subject"} for failure in first["rules_failed"])
    assert second["rules_failed"] == [{"rule": "file-readable", "subject": "missing.idr"}]
    assert (third["checker"], third["rules_failed"]) == ("embedded", [])
    people = memory("idris", "check", str(bad), str(sound))
    assert people.code == 1
    assert "rejected" in people.out and "1 of 2 modules accepted" in people.out


def test_check_takes_two_hundred_files(memory: Run, imported: Path, tmp_path: Path) -> None:
    sound = _module(memory, tmp_path)
    files = [tmp_path / f"{number}.idr" for number in range(200)]
    for file in files:
        file.write_bytes(sound.read_bytes())
    ended = memory("idris", "check", *map(str, files), "--json")
    assert ended.code == 0
    assert [line["path"] for line in lines(ended)] == list(map(str, files))


def test_check_by_a_compiler(memory: Run, imported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = _module(memory, tmp_path)
    monkeypatch.setenv("MEMORY_IDRIS2", str(write_fake(tmp_path)))
    monkeypatch.setenv("MEMORY_HOME", str(tmp_path / "home"))
    for arguments in ((), ("--checker", "idris2")):
        (line,) = lines(memory("idris", "check", *arguments, str(sound), "--json"))
        assert (line["accepted"], line["checker"], line["checker_version"]) == (True, "idris2", "0.8.0")
    (line,) = lines(memory("idris", "check", "--checker", "embedded", str(sound), "--json"))
    assert line["checker"] == "embedded"


def test_check_by_a_compiler_that_is_not_there(memory: Run, imported: Path, tmp_path: Path) -> None:
    sound = _module(memory, tmp_path)
    ended = memory("idris", "check", "--checker", "idris2", str(sound), "--json")
    assert (ended.code, ended.out) == (2, "")
    assert json.loads(ended.err)["code"] == "checker_unavailable"
    assert "idris2 cannot be started" in json.loads(ended.err)["message"]
    assert memory("idris", "check", "--checker", "coq", str(sound)).code == 2


def test_check_needs_no_store(memory: Run, tmp_path: Path) -> None:
    (tmp_path / "x.idr").write_text("module Main\n")
    assert memory("idris", "check", "--checker", "embedded", str(tmp_path / "x.idr")).code == 1
    assert not (tmp_path / "home").exists()


def test_status_with_and_without_a_compiler(memory: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    none = memory("idris", "status", "--json").json
    assert (none["usable"], none["executable"], none["judges"]) == (False, None, ["embedded 1"])
    assert "none on PATH" in memory("idris", "status").out

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("MEMORY_IDRIS2", str(write_fake(tmp_path, "says-yes")))
    broken = memory("idris", "status", "--json").json
    assert not broken["usable"] and broken["reason"].endswith("it accepts a false one")
    assert "so by nobody now" in memory("--set", "graduation.require_idris2=true", "idris", "status").out

    monkeypatch.setenv("MEMORY_IDRIS2", str(write_fake(tmp_path, version="0.6.0")))
    other = memory("idris", "status", "--json").json
    assert (other["usable"], other["tried"], other["version"]) == (True, False, "0.6.0")
    assert Path(other["package"]).is_dir()
    assert other["judges"] == ["embedded 1", "idris2 0.6.0"]
    shown = memory("idris", "status").out
    assert "self-test  passed" in shown and "not one of those" in shown
    (check,) = [check for check in memory("doctor", "--json").json["checks"] if check["name"] == "idris2"]
    assert check["ok"] and "idris2 0.6.0 (tried were 0.7.0 and 0.8.0)" in check["detail"]
