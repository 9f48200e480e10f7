"""Sessions as modules: deterministic, inside the language, every obligation on a line of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_assets.graduation.proofs.audit import audit
from memory_assets.graduation.proofs.embedded import judge
from memory_assets.graduation.proofs.embedded_syntax import ModuleText, read_module
from memory_assets.graduation.proofs.error_locations import error_locations
from memory_assets.graduation.proofs.generator import generate
from memory_assets.graduation.proofs.model import (
    OutsideCite,
    ProofDecision,
    ProofEntry,
    ProofMessage,
    ProofMove,
    ProofSession,
    ProofTask,
    RuleFailure,
)
from memory_assets_tests.graduation.proofs.samples import HOSTILE, evidence_of, hostile_session, many_entries, valid_session


def test_it_is_a_function_of_the_session_alone() -> None:
    session = valid_session()
    shuffled = replace(session, entries=session.entries[::-1], messages=session.messages[::-1])
    assert generate(session) == generate(session)
    assert [m.source for m in generate(shuffled).modules] == [m.source for m in generate(session).modules]


def test_modules_of_two_sessions_can_lie_in_one_folder() -> None:
    one, two = generate(valid_session("a")), generate(valid_session('../b"\n\udcff'))
    assert one.modules[0].name != two.modules[0].name
    assert audit(two.modules[0].source) is None


def test_every_ok_has_a_line_of_its_own_with_its_rule_and_subject() -> None:
    (module,) = generate(valid_session()).modules
    lines = module.source.split("\n")
    proofs = [number for number, line in enumerate(lines, 1) if "Ok" in line.split('"')[0::2][0].split()]
    assert proofs
    for number in proofs:
        assert lines[number - 1] == "  Ok"
    table = error_locations(module.source)
    stands = {(table[number].rule, table[number].subject) for number in proofs}
    assert not {"well-typed", "stage-ladder"} & {rule for rule, _ in stands}
    assert ("slice-is-source-text", "evi_1") in stands
    assert ("all-evidence-aligned", "ent_a") in stands
    assert ("legal-task-transition", "tsk_1") in stands
    assert ("ids-unique", "evidence") in stands


def test_slice_text_and_span_are_written_plainly() -> None:
    message = ProofMessage("m", 5, "우리는 DuckDB를 쓴다")
    entry = ProofEntry("e", "fact", "t", (evidence_of(message, "DuckDB를", "v"),))
    (module,) = generate(ProofSession("s", (message,), (entry,))).modules
    assert '  Msg "m" 5 14 0 "우리는 DuckDB를 쓴다"\n' in module.source
    assert '  Cut "v" Exact 10000 4 11 "DuckDB를" "DuckDB를"\n' in module.source


def test_a_message_is_embedded_once_and_only_when_cited() -> None:
    message, other = ProofMessage("m", 5, "cited text"), ProofMessage("o", 6, "never cited")
    entries = tuple(ProofEntry(f"e{n}", "fact", "t", (evidence_of(message, "cited", f"v{n}"),)) for n in range(5))
    (module,) = generate(ProofSession("s", (message, other), entries)).modules
    assert module.source.count("cited text") == 1
    assert "never cited" not in module.source


def test_a_long_message_is_embedded_as_a_window_and_the_module_says_so() -> None:
    (module,) = generate(valid_session()).modules
    assert module.windowed == ("msg_3",)
    assert module.hashed.windowed == ("msg_3",)
    assert "xxx" not in module.source
    text = "a" * 4_000
    whole = ProofMessage("m", 5, text)
    entry = ProofEntry("e", "fact", "t", (evidence_of(whole, text[:10], "v"),))
    assert generate(ProofSession("s", (whole,), (entry,))).modules[0].windowed == ()


def test_segments_have_an_obligation_each() -> None:
    (module,) = generate(valid_session()).modules
    table = list(error_locations(module.source).values())
    assert table.count(RuleFailure("slice-is-source-text", "evi_3")) == 3
    assert table.count(RuleFailure("segments-in-order", "evi_3")) == 1


def test_equal_evidence_of_two_entries_is_written_once() -> None:
    message = ProofMessage("m", 5, "said once")
    shared = evidence_of(message, "said", "v")
    session = ProofSession("s", (message,), tuple(ProofEntry(f"e{n}", "fact", "t", (shared,)) for n in range(2)))
    (module,) = generate(session).modules
    assert module.source.count("Cut ") == 1
    assert judge([module.source]).accepted


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 250])
def test_a_session_is_split_and_the_chain_of_entries_goes_on(count: int) -> None:
    generated = generate(many_entries(count))
    assert len(generated.modules) == max(1, -(-count // 100))
    assert [audit(module.source) for module in generated.modules] == [None] * len(generated.modules)
    judged = judge([module.source for module in generated.modules])
    assert judged.accepted
    assert len(judged.stages) == count
    read = [read_module(module.source) for module in generated.modules]
    names = [d.name for module in read if isinstance(module, ModuleText) for d in module.definitions]
    assert len(names) == len(set(names))


def test_an_id_in_two_modules_of_a_session_is_found() -> None:
    session = many_entries(150)
    twin = replace(session.entries[99], title="the same id again")
    generated = generate(replace(session, entries=(*session.entries, twin)))
    assert len(generated.modules) == 2
    failures = judge([module.source for module in generated.modules]).failures
    assert RuleFailure("entry-ids-unique", "ent_00099") in failures


def test_a_decision_cites_an_entry_of_an_earlier_module() -> None:
    session = many_entries(120)
    decision = ProofDecision("d", 1_800_000_000_000, ("ent_00003", "ent_00110"))
    generated = generate(replace(session, decisions=(decision,)))
    assert 'CiteOther "ent_00003" Verified 1700000000003' in generated.modules[1].source
    assert judge([module.source for module in generated.modules]).accepted
    early = generate(replace(session, decisions=(replace(decision, occurred_at_ms=7),)))
    assert {failure.subject for failure in judge([m.source for m in early.modules]).failures} == {"ent_00003", "ent_00110"}


def test_a_session_full_of_hostile_texts_is_clean_and_valid() -> None:
    generated = generate(hostile_session(HOSTILE))
    assert generated.refused == ()
    assert [audit(module.source) for module in generated.modules] == [None] * len(generated.modules)
    assert judge([module.source for module in generated.modules]).failures == ()


def _refused(session: ProofSession) -> set[tuple[str, str]]:
    return {(failure.rule, failure.subject) for failure in generate(session).refused}


def test_what_no_module_can_hold_is_refused_and_takes_nothing_else_along() -> None:
    message = ProofMessage("m", 5, "good text")
    bad_message = ProofMessage("bad", 5, "lone \ud800 surrogate")
    good = evidence_of(message, "good", "v0")
    entries = (
        ProofEntry("fine", "fact", "t", (good,)),
        ProofEntry("title", "fact", "\udfff", (good,)),
        ProofEntry("far", "fact", "t", (replace(good, evidence_id="v1", span_end=2**60),)),
        ProofEntry("word", "rumour", "t", (good,)),  # type: ignore[arg-type]
        ProofEntry("method", "fact", "t", (replace(good, evidence_id="v2", method="guess"),)),  # type: ignore[arg-type]
        ProofEntry("nan", "fact", "t", (replace(good, evidence_id="v3", confidence=float("nan")),)),
        ProofEntry("nowhere", "fact", "t", (replace(good, evidence_id="v4", message_id="gone"),)),
        ProofEntry("by-message", "fact", "t", (replace(good, evidence_id="v5", message_id="bad"),)),
        ProofEntry("id\udc00", "fact", "t", (good,)),
    )
    tasks = (ProofTask("empty", ()), ProofTask("odd", (ProofMove(0, "someday"),)))  # type: ignore[arg-type]
    decisions = (ProofDecision("d", 9, ("fine", "nobody")), ProofDecision("o", 9, (OutsideCite("e", "verified", 2**60),)))
    session = ProofSession("s", (message, bad_message), entries, tasks, decisions)
    assert _refused(session) == {
        ("text-is-unicode", "title"),
        ("text-is-unicode", "bad"),
        ("text-is-unicode", "id?"),
        ("integer-in-range", "v1"),
        ("integer-in-range", "v3"),
        ("integer-in-range", "o"),
        ("known-word", "word"),
        ("known-word", "v2"),
        ("known-word", "odd"),
        ("evidence-cites-known-message", "v4"),
        ("task-has-event", "empty"),
        ("decision-cites-known-entry", "d"),
    }
    judged = judge([module.source for module in generate(session).modules])
    assert judged.accepted
    assert judged.stages == {"fine": "verified"}


def test_an_uncited_message_refuses_nothing() -> None:
    assert _refused(ProofSession("s", (ProofMessage("m", 2**70, "\ud800"),), ())) == set()
