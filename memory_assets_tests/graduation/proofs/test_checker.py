"""Both checkers behind one interface: what is proved, what is refused, and that one bad entry drags no other."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from memory_assets.graduation.proofs.checker import _blamed, check_sessions, checker_version
from memory_assets.graduation.proofs.model import ProofEntry, ProofSession, RuleFailure, Verdict, claimed_stage
from memory_assets.identifiers import sha256_hex
from memory_assets_tests.graduation.proofs.samples import many_entries, valid_session


def entries_failed(session: ProofSession, verdict: Verdict) -> frozenset[str]:
    """The entries that a verdict refuses; every one where its refusal leads to nothing of the session."""
    blamed = _blamed(session, verdict.rules_failed)
    everything = not verdict.accepted and blamed.nothing
    return frozenset(entry.entry_id for entry in session.entries) if everything else blamed.entries


def _with_entry(session: ProofSession, index: int, **changes: object) -> ProofSession:
    entries = list(session.entries)
    entries[index] = replace(entries[index], **changes)  # type: ignore[arg-type]
    return replace(session, entries=tuple(entries))


def test_a_sound_session() -> None:
    checked = check_sessions([valid_session()])["session-1"]
    assert checked.accepted
    assert checked.verdict.label == checker_version(None) == "embedded 1"
    assert checked.proved == {"ent_a", "ent_b", "ent_c"}
    assert checked.failed == frozenset()
    (module,) = checked.modules
    assert [(hashed.name, hashed.sha256) for hashed in checked.verdict.modules] == [(module.name, sha256_hex(module.source))]
    assert checked.proved_by == checked.verdict.modules
    assert checked.durations_ms == {}


def test_the_verdict_is_a_function_of_the_session_and_time_is_measured_beside_it() -> None:
    ticks = count()
    timed = check_sessions([valid_session()], stopwatch=lambda: next(ticks) / 8)["session-1"]
    assert timed.durations_ms == {"embedded": 125.0}
    assert timed.verdicts == check_sessions([valid_session()])["session-1"].verdicts


def test_a_bad_entry_drags_no_other() -> None:
    session = many_entries(150)
    spoiled = _with_entry(session, 7, title="")
    checked = check_sessions([spoiled])[spoiled.session_id]
    assert not checked.accepted
    assert checked.verdict.rules_failed == (RuleFailure("title-not-empty", "ent_00007"),)
    assert entries_failed(spoiled, checked.verdict) == checked.failed == {"ent_00007"}
    assert checked.proved == {entry.entry_id for entry in session.entries} - {"ent_00007"}
    assert {module.sha256 for module in checked.proved_by}.isdisjoint(m.sha256 for m in checked.verdict.modules[:1])


def test_evidence_and_messages_lead_to_their_entries() -> None:
    session = valid_session()
    # ent_a and ent_d cite the first message.
    by_message = Verdict("embedded", "1", False, (RuleFailure("message-text-fits-length", "msg_1"),), ())
    assert entries_failed(session, by_message) == {"ent_a", "ent_d"}
    by_evidence = Verdict("embedded", "1", False, (RuleFailure("slice-is-source-text", "evi_3"),), ())
    assert entries_failed(session, by_evidence) == {"ent_b"}
    by_task = Verdict("embedded", "1", False, (RuleFailure("legal-task-transition", "tsk_1"),), ())
    assert entries_failed(session, by_task) == frozenset()
    unknown = Verdict("embedded", "1", False, (RuleFailure("ids-unique", "evidence"),), ())
    assert len(entries_failed(session, unknown)) == 5
    assert entries_failed(session, Verdict("embedded", "1", True, (), ())) == frozenset()


def test_wrong_evidence_fails_its_entry_alone_and_the_decision_goes_with_it() -> None:
    session = valid_session()
    evidence = replace(session.entries[0].evidence[0], span_start=1)
    checked = check_sessions([_with_entry(session, 0, evidence=(evidence,))])["session-1"]
    assert checked.failed == {"ent_a"}
    assert checked.proved == {"ent_b", "ent_c"}


def test_a_bad_task_or_decision_fails_no_entry() -> None:
    session = valid_session()
    task = replace(session.tasks[0], moves=session.tasks[0].moves[::-1])
    checked = check_sessions([replace(session, tasks=(task,))])["session-1"]
    assert not checked.accepted
    assert checked.failed == frozenset()
    assert checked.proved == {"ent_a", "ent_b", "ent_c"}


def test_a_fault_of_the_session_as_a_whole_fails_every_entry() -> None:
    session = valid_session()
    doubled = replace(session, messages=(*session.messages, replace(session.messages[0], occurred_at_ms=1)))
    checked = check_sessions([doubled])["session-1"]
    assert checked.verdict.rules_failed[-1] == RuleFailure("ids-unique", "message")
    assert checked.proved == frozenset()
    assert len(checked.failed) == 5


def test_what_cannot_be_written_is_refused_and_the_rest_proved() -> None:
    session = valid_session()
    checked = check_sessions([_with_entry(session, 2, title="\ud800")])["session-1"]
    assert checked.verdict.rules_failed == (RuleFailure("text-is-unicode", "ent_c"),)
    assert checked.failed == {"ent_c"}
    assert checked.proved == {"ent_a", "ent_b"}


def test_a_session_without_entries_proves_nothing_and_is_accepted() -> None:
    checked = check_sessions([ProofSession("empty", (), ())])["empty"]
    assert checked.accepted
    assert checked.proved == frozenset()


def test_sessions_do_not_touch_each_other() -> None:
    good, bad = valid_session("good"), _with_entry(valid_session("bad"), 0, title="")
    checked = check_sessions([good, bad])
    assert checked["good"].accepted
    assert not checked["bad"].accepted


def test_the_stage_that_an_entry_claims() -> None:
    a, _, _, d, e = valid_session().entries
    assert [claimed_stage(entry) for entry in (a, d, e)] == ["verified", "candidate", "working"]
    assert claimed_stage(replace(d, claim="verified")) == "verified"
    assert claimed_stage(ProofEntry("x", "fact", "t", a.evidence, claim="raw")) == "raw"
