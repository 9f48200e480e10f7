"""The stage of proofs: batches, a compiler that is absent, silent, wrong or of another version, and checks that can fail."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import run
from memory_assets.defs.batches import FIRST_ITEMS
from memory_assets.defs.resources import open_store
from memory_assets.defs.stages import idris_checked
from memory_assets.graduation.proofs.idris2_verdicts import Idris2
from memory_assets.graduation.proofs.model import ProofSession
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.graduation import EntryPromoted, IdrisChecked
from memory_assets.log.proof_session import proof_session
from memory_assets.log.session_history import History, Materialization
from memory_assets.log.upcasting import payload_as
from memory_assets.maintenance.doctor import checks
from memory_assets.memory import Memory
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.dagster_records import in_memory
from memory_assets_tests.defs.files import chat
from memory_assets_tests.defs.state import assert_rebuilds_equal, events, rows
from memory_assets_tests.defs.test_quarantine import latest_check, metadata_of
from memory_assets_tests.depth import IS_DEEP
from memory_assets_tests.graduation.proofs.fake_idris2 import calls_of, write_fake

SOUND = ["We decided to keep the service on PostgreSQL 16.", "앞으로는 캐시를 Redis로 옮기기로 했습니다."]
OTHERS = [
    ["We decided to write the importer in Rust.", "배포는 매주 화요일에 하기로 했습니다."],
    ["We decided to drop support for Windows 7.", "로그는 30일 동안 보관하기로 했습니다."],
    ["We decided to name the new queue Heron.", "문서는 한국어로 먼저 쓰기로 했습니다."],
]
MARKED = ["We decided to call the release MARK seven.", "We decided to keep the log for ever."]


@pytest.fixture(scope="session")
def tested(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A folder with the stand-in in some mode, beside the cache in which it has passed its test already."""
    folders: dict[str, Path] = {}

    def ready(mode: str) -> Path:
        if mode not in folders:
            folders[mode] = tmp_path_factory.mktemp(mode)
            settings = load_settings({"home": folders[mode] / "home", "idris": {"path": str(write_fake(folders[mode], mode))}})
            assert isinstance(Resources(settings).idris2, Idris2)
        return folders[mode]

    return ready


@pytest.fixture
def settings_with(tested: Callable[[str], Path], settings: Settings) -> Callable[..., Settings]:
    """Settings of the test's own store whose compiler is the stand-in in some mode; without a mode there is none."""

    def made(mode: str | None, **sections: Any) -> Settings:
        if mode is None:
            return load_settings({"idris": {"path": "/nowhere/idris2"}, **sections})
        folder = tested(mode)
        shutil.copytree(folder / "home" / "cache", settings.home / "cache", dirs_exist_ok=True)
        (folder / "calls").write_text("")
        return load_settings({"idris": {"path": str(folder / f"idris2-{mode}-0.8.0"), "timeout_seconds": 20}, **sections})

    return made


@pytest.fixture
def import_with(inbox: Path, settings_with: Callable[..., Settings], unrecorded: dg.DagsterInstance) -> Callable[..., Any]:
    """Import the inbox with a compiler in some mode."""

    def imported(mode: str | None, **sections: Any) -> Any:
        return run.import_paths(settings_with(mode, **sections), [inbox], project=None)

    return imported


def checks_of(settings: Settings, session_id: str) -> list[IdrisChecked]:
    log = EventLog(Resources(settings).database)
    return [payload_as(event, IdrisChecked) for event in log.of_sessions([session_id], ["idris_checked"])]


def stages_of(settings: Settings, session_id: str) -> set[tuple[str, str]]:
    found = rows(settings, "SELECT stage, checker FROM entries WHERE session_id = ? AND status = 'active'", session_id)
    return {(stage, checker) for stage, checker in found}


def doctor(settings: Settings) -> str:
    (check,) = [check for check in checks(Memory(settings).resources) if check.name == "idris2"]
    return check.detail


@pytest.mark.long
def test_a_batch_of_sessions_is_one_run_of_the_compiler(
    inbox: Path, tested: Any, settings_with: Callable[..., Settings], import_with: Any
) -> None:
    for number, turns in enumerate([SOUND, *OTHERS][:FIRST_ITEMS]):
        chat(inbox, f"s-{number}", turns)
    report = import_with("good")
    assert [call for call in calls_of(tested("good")) if "--check" in call] == ["--no-prelude -Werror --check Batch.idr"]
    settings = settings_with("good")
    for number in range(FIRST_ITEMS):
        assert stages_of(settings, f"s-{number}") == {("verified", "idris2 0.8.0")}
    assert report.checkers == "embedded 1 and idris2 0.8.0"
    assert_rebuilds_equal(settings)
    # What was judged is not judged again.
    settings = settings_with("good")
    told = len(events(settings))
    run.run_sessions(settings, None)
    assert len(events(settings)) == told
    assert not any("--check" in call for call in calls_of(tested("good")))


@pytest.mark.long
@pytest.mark.deep
def test_a_silent_compiler_is_asked_again_and_what_it_says_then_counts(
    inbox: Path, settings_with: Callable[..., Settings], import_with: Any
) -> None:
    chat(inbox, "plain", SOUND)
    chat(inbox, "silent", MARKED)
    report = import_with("no-ttc")
    settings = settings_with("no-ttc")
    assert "idris2 gave no verdict on 1 session of 2" in report.checkers
    assert stages_of(settings, "plain") == {("verified", "idris2 0.8.0")}
    assert stages_of(settings, "silent") == {("verified", "embedded 1")}
    assert "on 1 session it gave no verdict" in doctor(settings)
    (first,) = checks_of(settings, "silent")
    assert [verdict.checker for verdict in first.verdicts] == ["embedded"]

    told = len(events(settings))
    again = run.run_sessions(settings, None)
    assert len(events(settings)) == told
    assert "1 session of 2" in again.checkers

    mended = settings_with("good")
    last = run.run_sessions(mended, None)
    assert last.checkers == "embedded 1 and idris2 0.8.0"
    assert doctor(mended) == "proofs are judged by embedded 1 and idris2 0.8.0"
    assert stages_of(mended, "silent") == {("verified", "idris2 0.8.0")}
    _, second = checks_of(mended, "silent")
    assert [verdict.checker for verdict in second.verdicts] == ["embedded", "idris2"]
    assert rows(mended, "SELECT count(*) FROM idris_checks WHERE session_id = 'silent'") == [(2,)]
    if IS_DEEP:
        told = len(events(mended))
        run.run_sessions(mended, None)
        run.run_sessions(settings, None)
        assert len(events(mended)) == told
    assert_rebuilds_equal(mended)


@pytest.mark.slow
def test_a_compiler_that_falls_silent_takes_nothing_back(
    inbox: Path, settings_with: Callable[..., Settings], import_with: Any, unrecorded: dg.DagsterInstance
) -> None:
    chat(inbox, "s", SOUND)
    import_with("good")
    chat(inbox, "s", [*SOUND, *MARKED])
    import_with("no-ttc")
    settings = settings_with("good")
    assert stages_of(settings, "s") == {("verified", "idris2 0.8.0"), ("verified", "embedded 1")}
    # What it proved before still stands on grounds: the check looks at all who ever judged the session.
    assert _verified_check(unrecorded) == (True, "none")
    run.run_sessions(settings, ["s"])
    assert stages_of(settings, "s") == {("verified", "idris2 0.8.0")}
    assert_rebuilds_equal(settings)


@pytest.mark.slow
def test_with_idris2_required_a_silent_compiler_verifies_nothing(
    inbox: Path, settings_with: Callable[..., Settings], import_with: Any
) -> None:
    chat(inbox, "s", MARKED)
    import_with("no-ttc", graduation={"require_idris2": True})
    settings = settings_with("good", graduation={"require_idris2": True})
    assert {stage for stage, _ in stages_of(settings, "s")} == {"candidate"}
    run.run_sessions(settings, ["s"])
    assert stages_of(settings, "s") == {("verified", "idris2 0.8.0")}
    assert_rebuilds_equal(settings)


@pytest.mark.long
@pytest.mark.parametrize(
    ("mode", "says"),
    [
        (None, "embedded 1 alone, there is no idris2"),
        pytest.param(
            "crashes",
            "embedded 1 alone, idris2 cannot be used: idris2-crashes-0.8.0 does not answer --version as idris2 does",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "cannot-build",
            "embedded 1 alone, idris2 cannot be used: idris2-cannot-build-0.8.0 cannot build the Memory package",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "says-yes",
            "embedded 1 alone, idris2 cannot be used: idris2 0.8.0 failed its self-test: it accepts a false one",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "hangs-at-once",
            "embedded 1 alone, idris2 cannot be used: idris2-hangs-at-once-0.8.0 gave no answer in time",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_without_a_compiler_that_can_be_trusted_the_road_runs_and_says_so(
    inbox: Path, tmp_path: Path, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch, mode: str | None, says: str
) -> None:
    if mode is None:
        monkeypatch.setenv("PATH", str(tmp_path))
    chat(inbox, "s", SOUND)
    path = str(write_fake(tmp_path, mode)) if mode else None
    settings = load_settings({"idris": {"path": path, "timeout_seconds": 1.5 if mode == "hangs-at-once" else 20}})
    report = run.import_paths(settings, [inbox], project=None)
    assert report.checkers == says
    assert stages_of(settings, "s") == {("verified", "embedded 1")}
    assert "idris2" not in json.dumps([event[-1] for event in events(settings) if event[1] == "entry_promoted"], default=str)


@pytest.mark.slow  # memory_assets_tests/cli/test_proof.py asks for the same name without a run
def test_a_compiler_of_another_version_stands_under_its_own_name(
    inbox: Path, tmp_path: Path, unrecorded: dg.DagsterInstance
) -> None:
    chat(inbox, "s", SOUND)
    path = str(write_fake(tmp_path, "good", version="0.6.1"))
    settings = load_settings({"idris": {"path": path}})
    report = run.import_paths(settings, [inbox], project=None)
    assert report.checkers == "embedded 1 and idris2 0.6.1 (tried were 0.7.0 and 0.8.0)"
    assert stages_of(settings, "s") == {("verified", "idris2 0.6.1")}


@pytest.mark.long
def test_a_session_that_cannot_be_judged_is_put_aside_alone(
    inbox: Path, settings_with: Callable[..., Settings], import_with: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def poisoned(history: History, materialization: Materialization) -> ProofSession:
        if history.session_id == "poison":
            raise RuntimeError(history.messages[0].text)
        return proof_session(history, materialization)

    monkeypatch.setattr(idris_checked, "proof_session", poisoned)
    for name, turns in zip(("a", "poison", "z"), OTHERS, strict=True):
        chat(inbox, name, turns)
    report = import_with(None)
    assert [(letter["session_id"], letter["stage"]) for letter in report.errors] == [("poison", "idris_checked")]
    assert "PostgreSQL" not in str(report.errors)
    settings = settings_with(None)
    assert {stage for name in ("a", "z") for stage, _ in stages_of(settings, name)} == {"verified"}


@pytest.mark.long
@pytest.mark.deep
def test_a_disagreement_proves_nothing_and_fails_the_check(
    inbox: Path, settings_with: Callable[..., Settings], import_with: Any, unrecorded: dg.DagsterInstance
) -> None:
    chat(inbox, "plain", SOUND)
    chat(inbox, "split", MARKED)
    report = import_with("says-no")
    assert report.checkers.endswith("; the checkers disagree on 1 session")
    settings = settings_with("says-no")
    _metadata_is_told(settings, unrecorded)
    assert run.run_sessions(settings, None).checkers.endswith("; the checkers disagree on 1 session")
    assert {stage for stage, _ in stages_of(settings, "split")} == {"candidate"}
    assert {stage for stage, _ in stages_of(settings, "plain")} == {"verified"}
    check = latest_check(unrecorded, "idris_checked", "checkers_agree")
    assert not check.passed and check.metadata["sessions"].value == "split"
    if IS_DEEP:  # what was said before is looked at too
        run.run_sessions(settings, ["split"])
        assert not latest_check(unrecorded, "idris_checked", "checkers_agree").passed
        run.run_sessions(settings, ["plain"])
        assert latest_check(unrecorded, "idris_checked", "checkers_agree").passed


def _metadata_is_told(settings: Settings, unrecorded: dg.DagsterInstance) -> None:
    """What the partitions of two sessions say, one of which the checkers disagree on; one is run again."""
    told = metadata_of(unrecorded, "idris_checked", "split")
    assert (told["entries"], told["held"], told["refused"]) == (2, 0, 2)
    assert (told["checker"], told["disagreement"]) == ("idris2 0.8.0", True)
    (checked,) = checks_of(settings, "split")
    (module,) = checked.verdicts[0].modules
    assert f"{module.name} {module.sha256}" in told["modules"]
    failure = checked.verdicts[1].rules_failed[0]
    assert f"{failure.rule}: {failure.subject}" in told["rules_failed"]
    assert told["proof_ms"] > 0
    assert metadata_of(unrecorded, "idris_checked", "plain")["judged"] == "now"
    before = metadata_of(unrecorded, "idris_checked", "plain")
    assert run.run_sessions(settings, ["plain"]).checkers == "embedded 1 and idris2 0.8.0"
    again = metadata_of(unrecorded, "idris_checked", "plain")
    assert again["judged"] == "before"
    assert all(again[name] == before[name] for name in ("entries", "held", "checker", "modules", "rules_failed"))


# -- the check of what is verified can fail -----------------------------------------------------------------------------


def _wrong(settings: Settings, write: Callable[[EventLog, str], NewEvent]) -> None:
    """Append an event that nobody should have written, under the name of the configured checker."""
    log = EventLog(Resources(settings).database)
    log.append([write(log, Resources(settings).stage_versions["idris_checked"])])


def _verified_check(unrecorded: dg.DagsterInstance) -> tuple[bool, str]:
    check = latest_check(unrecorded, "idris_checked", "verified_is_proved_and_aligned")
    return check.passed, str(check.metadata["wrong"].value)


def _promoted(log: EventLog, version: str, *, method: str, checker: str = "embedded 1") -> NewEvent:
    told = [(event, json.loads(event.payload_json)) for event in log.of_sessions(["s"], ["entry_materialized"])]
    event, payload = next(one for one in told if any(quote["method"] == method for quote in one[1]["evidence"]))
    promoted = EntryPromoted(
        entry_id=payload["entry_id"],
        from_stage="candidate",
        to_stage="verified",
        policy_version="1",
        checker=checker,
        gates={},
    )
    return NewEvent(
        promoted,
        session_id="s",
        inputs=("wrong",),
        stage_version=version,
        causation_id=event.event_id,
        chain_id=event.chain_id,
    )


@pytest.fixture(scope="module")
def judged_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a store of one session that the embedded checker judged: the check finds nothing wrong."""
    folder = tmp_path_factory.mktemp("judged")
    chat(folder / "inbox", "s", SOUND)
    sections = {"home": folder / "home", "embedding": {"model": "hashing"}, "idris": {"path": "/nowhere/idris2"}}
    with pytest.MonkeyPatch.context() as patch:
        instance = in_memory()
        patch.setattr(run, "dagster_instance", lambda settings: instance)
        run.import_paths(load_settings(sections), [folder / "inbox"], project=None)
    assert _verified_check(instance) == (True, "none")
    return folder / "home"


@pytest.fixture
def judged(judged_once: Path, settings_with: Callable[..., Settings], settings: Settings) -> Settings:
    """A copy of it that a test may change."""
    shutil.copytree(judged_once, settings.home, dirs_exist_ok=True)
    return settings_with(None)


@pytest.mark.long
def test_a_promotion_by_a_checker_that_never_judged_is_found(judged: Settings, unrecorded: dg.DagsterInstance) -> None:
    _wrong(judged, lambda log, version: _promoted(log, version, method="exact", checker="idris2 0.8.0"))
    run.run_sessions(judged, ["s"])
    passed, why = _verified_check(unrecorded)
    assert not passed and "idris2 0.8.0 gave no verdict" in why


@pytest.mark.long
def test_a_verdict_on_other_modules_is_found(judged: Settings, unrecorded: dg.DagsterInstance) -> None:
    def other(log: EventLog, version: str) -> NewEvent:
        event = log.current(["s"], "idris_checked")["s"]
        payload = payload_as(event, IdrisChecked)
        module = payload.verdicts[0].modules[0].model_copy(update={"sha256": "0" * 64})
        verdict = payload.verdicts[0].model_copy(update={"modules": [module]})
        return NewEvent(
            payload.model_copy(update={"verdicts": [verdict]}),
            session_id="s",
            inputs=("wrong",),
            stage_version=version,
            causation_id=event.causation_id,
            chain_id=event.chain_id,
        )

    _wrong(judged, other)
    run.run_sessions(judged, ["s"])
    passed, why = _verified_check(unrecorded)
    assert not passed and "not those of the log" in why


def spoiled(history: History, materialization: Materialization) -> ProofSession:
    """The session, but its first message says something else than the slice of an entry."""
    session = proof_session(history, materialization)
    first = session.messages[0]
    message = type(first)(first.message_id, first.occurred_at_ms, "X" + first.text[1:])
    return ProofSession(session.session_id, (message, *session.messages[1:]), session.entries)


@pytest.mark.slow  # what is said of a silent compiler, and of a proof that failed, is asked with every change one by one
def test_what_a_compiler_proved_that_is_silent_now_does_not_stand_against_the_embedded_checker(
    inbox: Path,
    settings_with: Callable[..., Settings],
    import_with: Any,
    unrecorded: dg.DagsterInstance,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chat(inbox, "s", SOUND)
    import_with("good")
    before = stages_of(settings_with("good"), "s")
    assert before == {("verified", "idris2 0.8.0")}
    monkeypatch.setattr(idris_checked, "proof_session", spoiled)
    chat(inbox, "s", [*SOUND, *MARKED])
    import_with("no-ttc")
    (_, checked) = checks_of(settings_with("no-ttc"), "s")
    assert [verdict.checker for verdict in checked.verdicts] == ["embedded"] and checked.failed_entries
    assert "candidate" in {stage for stage, _ in stages_of(settings_with("no-ttc"), "s")}
    assert _verified_check(unrecorded) == (True, "none")


@pytest.mark.long
def test_an_entry_whose_proof_failed_cannot_be_called_verified(
    inbox: Path, settings_with: Callable[..., Settings], unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A spoiled message: the slice of one entry is no longer what the message says, and the log calls it verified."""
    monkeypatch.setattr(idris_checked, "proof_session", spoiled)
    chat(inbox, "s", SOUND)
    settings = settings_with(None)
    run.import_paths(settings, [inbox], project=None)
    assert {stage for stage, _ in stages_of(settings, "s")} == {"candidate", "verified"}
    assert _verified_check(unrecorded) == (True, "none")
    (checked,) = checks_of(settings, "s")
    assert "slice-is-source-text" in {failure.rule for failure in checked.verdicts[0].rules_failed}
    assert checked.proved_by and len(checked.failed_entries) == 1

    def refused(log: EventLog, version: str) -> NewEvent:
        told = log.of_sessions(["s"], ["entry_promotion_rejected"])[-1]
        entry_id = json.loads(told.payload_json)["entry_id"]
        promoted = EntryPromoted(
            entry_id=entry_id, from_stage="candidate", to_stage="verified", policy_version="1", checker="embedded 1", gates={}
        )
        return NewEvent(
            promoted,
            session_id="s",
            inputs=("wrong",),
            stage_version=version,
            causation_id=told.causation_id,
            chain_id=told.chain_id,
        )

    _wrong(settings, refused)
    run.run_sessions(settings, ["s"])
    passed, why = _verified_check(unrecorded)
    assert not passed and "the modules do not prove it" in why


def test_a_verified_entry_with_a_flagged_quote_is_found(judged: Settings) -> None:
    opened = open_store(judged)
    with opened.database.reading():
        history = opened.histories(["s"])["s"]
        from memory_assets.log.proofs import proofs_of
        from memory_assets.log.session_history import materializations

        found = materializations(opened.log, ["s"])["s"]
        proofs = proofs_of(opened.log, ["s"], opened.versions["idris_checked"])["s"]
    assert idris_checked.unfounded(history, found, proofs) == []
    (event, entry), *rest = found.entries
    flagged = entry.model_copy(update={"evidence": [entry.evidence[0].model_copy(update={"critical": True})]})
    wrong = idris_checked.unfounded(history, Materialization(found.event_id, ((event, flagged), *rest)), proofs)
    assert [(name, why[:18]) for name, why in wrong] == [(entry.entry_id, "a quote of it was ")]
