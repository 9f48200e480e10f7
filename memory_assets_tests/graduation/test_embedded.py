"""The embedded checker judges module texts: the sound ones pass, each corruption is refused by its own rule."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from memory_assets.graduation.audit import audit
from memory_assets.graduation.embedded import judge
from memory_assets.graduation.generator import generate
from memory_assets.graduation.model import ProofEntry, ProofEvidence, ProofMessage, ProofMove, ProofSession
from memory_assets_tests.graduation.samples import evidence_of, many_entries, valid_session

_SOURCE = generate(valid_session()).modules[0].source


def _failures(session: ProofSession) -> set[tuple[str, str]]:
    modules = generate(session).modules
    assert all(audit(module.source) is None for module in modules)
    return {(failure.rule, failure.subject) for failure in judge([module.source for module in modules]).failures}


def test_a_sound_session_is_accepted_and_the_stages_are_those_claimed() -> None:
    judged = judge([_SOURCE])
    assert judged.failures == ()
    assert judged.stages == {
        "ent_a": "verified",
        "ent_b": "verified",
        "ent_c": "verified",
        "ent_d": "candidate",
        "ent_e": "working",
    }


# -- corruptions of the session ----------------------------------------------------------------------------------------


def _entry(index: int, **changes: object) -> Callable[[ProofSession], ProofSession]:
    def change(session: ProofSession) -> ProofSession:
        entries = list(session.entries)
        entries[index] = replace(entries[index], **changes)  # type: ignore[arg-type]
        return replace(session, entries=tuple(entries))

    return change


def _evidence(
    index: int, change: Callable[[ProofEvidence], ProofEvidence], item: int = 0
) -> Callable[[ProofSession], ProofSession]:
    def changed(session: ProofSession) -> ProofSession:
        evidence = list(session.entries[index].evidence)
        evidence[item] = change(evidence[item])
        return _entry(index, evidence=tuple(evidence))(session)

    return changed


def _shifted(start: int, end: int) -> Callable[[ProofEvidence], ProofEvidence]:
    return lambda e: replace(e, span_start=e.span_start + start, span_end=e.span_end + end)


def _message(index: int, **changes: object) -> Callable[[ProofSession], ProofSession]:
    def change(session: ProofSession) -> ProofSession:
        messages = list(session.messages)
        messages[index] = replace(messages[index], **changes)  # type: ignore[arg-type]
        return replace(session, messages=tuple(messages))

    return change


def _moves(change: Callable[[list[ProofMove]], list[ProofMove]]) -> Callable[[ProofSession], ProofSession]:
    def changed(session: ProofSession) -> ProofSession:
        task = session.tasks[0]
        return replace(session, tasks=(replace(task, moves=tuple(change(list(task.moves)))),))

    return changed


def _decision(**changes: object) -> Callable[[ProofSession], ProofSession]:
    return lambda s: replace(s, decisions=(replace(s.decisions[0], **changes),))  # type: ignore[arg-type]


_SLICE = ("slice-is-source-text", "evi_1")
_SESSION_CORRUPTIONS: dict[str, tuple[Callable[[ProofSession], ProofSession], set[tuple[str, str]]]] = {
    "start one early": (_evidence(1, _shifted(-1, 0)), {("slice-is-source-text", "evi_2")}),
    "start one late": (_evidence(0, _shifted(1, 0)), {_SLICE}),
    "end one early": (_evidence(0, _shifted(0, -1)), {_SLICE}),
    "end one late": (_evidence(0, _shifted(0, 1)), {_SLICE}),
    "span moved": (_evidence(0, _shifted(3, 3)), {_SLICE}),
    "span behind the message": (_evidence(0, _shifted(500, 500)), {_SLICE, ("span-inside-message", "evi_1")}),
    "span before the message": (_evidence(0, _shifted(-1, 0)), {_SLICE, ("span-inside-message", "evi_1")}),
    "span inverted": (
        _evidence(0, lambda e: replace(e, span_start=e.span_end, span_end=e.span_start)),
        {_SLICE, ("span-inside-message", "evi_1")},
    ),
    "empty span": (
        _evidence(1, lambda e: replace(e, span_end=e.span_start, matched_text="")),
        {("span-inside-message", "evi_2")},
    ),
    "end one late at the edge of a window": (
        _evidence(2, lambda e: replace(e, span_end=e.span_end + 1)),
        {("slice-is-source-text", "evi_4")},
    ),
    "slice changed": (
        _evidence(0, lambda e: replace(e, matched_text="We will use DuckDb")),
        {_SLICE, ("exact-quote-is-slice", "evi_1")},
    ),
    "slice and quote changed alike": (
        _evidence(0, lambda e: replace(e, matched_text="We will use SQLite", quote="We will use SQLite")),
        {_SLICE},
    ),
    "exact quote is not the slice": (
        _evidence(0, lambda e: replace(e, quote="We will use duckdb")),
        {("exact-quote-is-slice", "evi_1")},
    ),
    "empty quote": (_evidence(1, lambda e: replace(e, quote="")), {("exact-quote-is-slice", "evi_2")}),
    "confidence above its method": (
        _evidence(1, lambda e: replace(e, confidence=1.0)),
        {("confidence-fits-method", "evi_2")},
    ),
    "confidence below its method": (
        _evidence(0, lambda e: replace(e, confidence=0.9999)),
        {("confidence-fits-method", "evi_1")},
    ),
    "fuzzy at the normalized bar": (
        _evidence(1, lambda e: replace(e, method="fuzzy", confidence=0.95)),
        {("confidence-fits-method", "evi_2")},
    ),
    "fuzzy below its bar": (
        _evidence(1, lambda e: replace(e, method="fuzzy", confidence=0.8499)),
        {("confidence-fits-method", "evi_2")},
    ),
    "message changed under its quote": (_message(0, text="We will use SQLite"), {_SLICE, ("span-inside-message", "evi_5")}),
    "message id empty": (
        lambda s: _evidence(0, lambda e: replace(e, message_id=""))(
            _evidence(3, lambda e: replace(e, message_id=""))(_message(0, message_id="")(s))
        ),
        {("message-id-not-empty", "")},
    ),
    "segment moved out of its quote": (
        _evidence(1, lambda e: replace(e, segments=(e.segments[0], (e.span_end - 1, e.span_end + 1))), item=1),
        {("segments-in-order", "evi_3"), ("slice-is-source-text", "evi_3")},
    ),
    "segments swapped": (
        _evidence(1, lambda e: replace(e, segments=e.segments[::-1]), item=1),
        {("segments-in-order", "evi_3")},
    ),
    "segments do not reach the end": (
        _evidence(1, lambda e: replace(e, segments=(e.segments[0], (e.segments[1][0], e.segments[1][1] - 1))), item=1),
        {("segments-in-order", "evi_3")},
    ),
    "failed quote yet verified": (_entry(3, claim="verified"), {("all-evidence-aligned", "ent_d")}),
    "no evidence yet candidate": (_entry(4, claim="candidate"), {("has-evidence", "ent_e")}),
    "empty title": (_entry(0, title=""), {("title-not-empty", "ent_a")}),
    "certified by nobody": (_entry(0, claim="certified"), {("certifier-named", "ent_a")}),
    "entry id empty": (_entry(4, entry_id=""), {("entry-id-not-empty", ""), ("entry-ids-unique", "")}),
    "entry id twice": (_entry(4, entry_id="ent_d"), {("entry-ids-unique", "ent_d")}),
    "evidence id twice": (_evidence(2, lambda e: replace(e, evidence_id="evi_1")), {("ids-unique", "evidence")}),
    "message id twice": (
        lambda s: replace(s, messages=(*s.messages, ProofMessage("msg_1", 9, s.messages[0].text))),
        {("ids-unique", "message")},
    ),
    "task id twice": (lambda s: replace(s, tasks=s.tasks * 2), {("ids-unique", "task")}),
    "decision id twice": (lambda s: replace(s, decisions=s.decisions * 2), {("ids-unique", "decision")}),
    "pending to done": (_moves(lambda m: [m[0], m[4]]), {("legal-task-transition", "tsk_1")}),
    "starts done": (_moves(lambda m: m[4:]), {("task-starts-legally", "tsk_1")}),
    "blocked by nothing": (
        _moves(lambda m: [*m[:2], replace(m[2], blockers=()), *m[3:]]),
        {("blockers-fit-status", "tsk_1")},
    ),
    "created blocked by nothing": (
        _moves(lambda m: [replace(m[2], blockers=())]),
        {("blockers-fit-status", "tsk_1")},
    ),
    "task id empty": (
        lambda s: replace(s, tasks=(replace(s.tasks[0], task_id=""),)),
        {("task-id-not-empty", "")},
    ),
    "blocked by itself": (
        _moves(lambda m: [*m[:2], replace(m[2], blockers=("tsk_2", "tsk_1")), *m[3:]]),
        {("blockers-fit-status", "tsk_1")},
    ),
    "done yet blocked": (
        _moves(lambda m: [*m[:4], replace(m[4], blockers=("tsk_2",))]),
        {("blockers-fit-status", "tsk_1")},
    ),
    "events out of order": (
        _moves(lambda m: [m[0], replace(m[1], occurred_at_ms=m[0].occurred_at_ms - 1), *m[2:]]),
        {("events-in-time-order", "tsk_1")},
    ),
    "decision cites a candidate": (_decision(cites=("ent_d",)), {("decision-cites-verified", "ent_d")}),
    "decision cites nothing": (_decision(cites=()), {("decision-has-evidence", "dec_1")}),
    "decision before its evidence": (
        _decision(occurred_at_ms=1_700_000_059_999),
        {("evidence-precedes-decision", "ent_b")},
    ),
    "decision id empty": (_decision(decision_id=""), {("decision-id-not-empty", "")}),
}


@pytest.mark.parametrize("name", sorted(_SESSION_CORRUPTIONS))
def test_a_corrupted_session_is_refused_by_rule_and_subject(name: str) -> None:
    corrupt, expected = _SESSION_CORRUPTIONS[name]
    found = _failures(corrupt(valid_session()))
    assert found
    assert expected <= found
    # What computes with a failed definition fails too, and nothing else does.
    cascades = {"ids-unique", "evidence-precedes-decision", "segments-in-order", "span-inside-message", "slice-is-source-text"}
    assert {rule for rule, _ in found - expected} <= cascades


def test_what_rests_on_a_failed_definition_fails_too() -> None:
    session = _entry(0, title="")(valid_session())
    assert _failures(session) == {("title-not-empty", "ent_a"), ("evidence-precedes-decision", "ent_a")}


# -- corruptions of the module's text ----------------------------------------------------------------------------------

_TEXT_CORRUPTIONS: dict[str, tuple[str, str, tuple[str, str]]] = {
    "stage skipped": (
        "  Verify\n  (Ground\n  (Extract\n  (Draft \"ent_a\"",
        "  Verify\n  (Extract\n  (Extract\n  (Draft \"ent_a\"",
        ("stage-ladder", "ent_a"),
    ),
    "stage above the ladder": ('E0 : Entry "ent_a" Verified 0', 'E0 : Entry "ent_a" Certified 0', ("stage-ladder", "ent_a")),
    "entry of another id": ('E0 : Entry "ent_a" Verified', 'E0 : Entry "ent_x" Verified', ("stage-ladder", "ent_x")),
    "failed quotes hidden": ('E3 : Entry "ent_d" Candidate 1', 'E3 : Entry "ent_d" Candidate 0', ("stage-ladder", "ent_d")),
    "another kind of word": ("Fact", "Exact", ("stage-ladder", "ent_b")),
    "evidence of another message": ("[Ev M0 V0]", "[Ev M1 V0]", ("stage-ladder", "ent_a")),
    "unknown evidence": ("[Ev M0 V0]", "[Ev M0 V99]", ("stage-ladder", "ent_a")),
    "a proof too few": ("  Ok\n  Ok\n  Ok\n  Ok\n\nV1", "  Ok\n  Ok\n  Ok\n\nV1", ("well-typed", "evi_1")),
    "a proof too many": ("  Ok\n  Ok\n  Ok\n  Ok\n\nV1", "  Ok\n  Ok\n  Ok\n  Ok\n  Ok\n\nV1", ("well-typed", "evi_1")),
    "chain of another entry": ("  Add C0 E0", "  Add C0 E1", ("well-typed", "ent_a")),
    "chain starts full": ('C0 : Entries ""', 'C0 : Entries "a"', ("well-typed", "a")),
    "message text changed": ("We will use DuckDB for", "We shall use DuckDB fo", ("slice-is-source-text", "evi_1")),
    "message longer than it says": (" 96 0 ", " 95 0 ", ("message-text-fits-length", "msg_1")),
    "window moved": (" 6096 3072 ", " 6096 3071 ", ("slice-is-source-text", "evi_4")),
    "window before the message": (" 6096 3072 ", " 6096 (minus 1) ", ("message-text-fits-length", "msg_3")),
    "span before the window": (" 3072 3096 ", " 3000 3024 ", ("slice-is-source-text", "evi_4")),
    "history of another task": ('T0 : History "tsk_1"', 'T0 : History "tsk_9"', ("well-typed", "tsk_9")),
    "history of another time": ("Create \"tsk_1\" 1700000000000", "Create \"tsk_1\" 1700000000001", ("well-typed", "tsk_1")),
    "cite at another time": ("Q0 : Cited 1700000200000", "Q0 : Cited 1700000200001", ("well-typed", "dec_1")),
    "name twice": ("V1 : EvidenceOf M1\nV1 =", "V0 : EvidenceOf M1\nV0 =", ("well-typed", "V0")),
    "use before definition": ("V0 : EvidenceOf M0", "V0 : EvidenceOf M9", ("well-typed", "evi_1")),
    "type without its definition": ("C0 =\n  Empty\n", "", ("well-formed", "")),
    "bracket open": ("[Ev M0 V0]", "[Ev M0 V0", ("well-formed", "")),
    "unknown import": (
        "import Memory.Session\n",
        "import Memory.Session\nimport Session0123456789abcdefP0\n",
        ("well-formed", ""),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(_TEXT_CORRUPTIONS))
def test_a_corrupted_module_is_refused_by_rule_and_subject(name: str) -> None:
    before, after, (rule, subject) = _TEXT_CORRUPTIONS[name]
    assert before in _SOURCE
    spoiled = _SOURCE.replace(before, after, 1)
    failures = {(failure.rule, failure.subject) for failure in judge([spoiled]).failures}
    if rule == "well-formed":
        assert rule in {found for found, _ in failures}
    else:
        assert (rule, subject) in failures


def test_every_number_and_every_character_of_a_slice_counts() -> None:
    """Spans of whole messages, slices and messages' cited characters: any single change is refused."""
    message = ProofMessage("m", 5, "우리는 DuckDB를 쓴다, always.")
    entry = ProofEntry("e", "fact", "t", (evidence_of(message, "DuckDB를 쓴다", "v"),))
    (module,) = generate(ProofSession("s", (message,), (entry,))).modules
    line = '  Cut "v" Exact 10000 4 14 "DuckDB를 쓴다" "DuckDB를 쓴다"'
    assert line in module.source
    for start, end in [(s, e) for s in range(16) for e in range(16) if (s, e) != (4, 14)]:
        assert not judge([module.source.replace(" 4 14 ", f" {start} {end} ")]).accepted
    draw = random.Random(7)
    for literal in ("DuckDB를 쓴다", message.text):
        for at in range(len("DuckDB를 쓴다")):
            place = at if literal is not message.text else at + 4
            other = draw.choice([c for c in "xy결정 " if c != literal[place]])
            changed = literal[:place] + other + literal[place + 1 :]
            spoiled = module.source.replace(f'"{literal}"\n', f'"{changed}"\n', 1)
            assert spoiled != module.source
            assert not judge([spoiled]).accepted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "module X",
        _SOURCE[:200],
        _SOURCE.replace("Ok", "(" * 5_000 + "Ok"),
        _SOURCE.replace("  Empty", "  " + "[" * 50_000),
        _SOURCE + "X0 : Message\n",
        "\x00" * 100,
        _SOURCE.replace("10000", "9" * 10_000),
    ],
    ids=range(9),
)
def test_what_is_no_module_is_refused_without_a_traceback(text: str) -> None:
    assert not judge([text]).accepted


def test_random_cuts_and_swaps_never_raise() -> None:
    draw = random.Random(11)
    lines = _SOURCE.split("\n")
    for _ in range(300):
        spoiled = list(lines)
        for _ in range(draw.randrange(1, 4)):
            at, other = draw.randrange(3, len(spoiled)), draw.randrange(3, len(spoiled))
            spoiled[at] = draw.choice(["", spoiled[other], spoiled[at][: draw.randrange(0, 20)]])
        judge(["\n".join(spoiled)])


def test_a_thousand_entries_are_accepted_and_their_modules_grow_with_them_alone() -> None:
    large, small = generate(many_entries(1_000)).modules, generate(many_entries(100)).modules
    assert sum(len(module.source) for module in large) <= 10.5 * sum(len(module.source) for module in small)
    assert judge([module.source for module in large]).accepted
