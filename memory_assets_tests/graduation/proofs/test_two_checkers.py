"""The checker of modules and the checker of data, which share no rule, name the same rules and subjects.

What a test here compares are sets of (rule, subject), never verdicts alone: a rule that is broken may hide behind another.
"""

from __future__ import annotations

import ast
import inspect
import random
from collections import Counter
from dataclasses import replace

import pytest

from memory_assets.graduation.proofs.audit import audit
from memory_assets.graduation.proofs.embedded import judge
from memory_assets.graduation.proofs.error_locations import error_locations
from memory_assets.graduation.proofs.generator import ENTRIES_A_MODULE, generate
from memory_assets.graduation.proofs.model import OutsideCite, ProofDecision, ProofEntry, ProofMessage, ProofSession
from memory_assets_tests.graduation.proofs import session_checker, session_rules
from memory_assets_tests.graduation.proofs.corruptions import SESSION_CORRUPTIONS, Pairs
from memory_assets_tests.graduation.proofs.random_sessions import EDITS, edited, random_session
from memory_assets_tests.graduation.proofs.samples import (
    ENGLISH,
    VALID_SESSIONS,
    evidence_of,
    valid_session,
)
from memory_assets_tests.graduation.proofs.session_checker import judge_session


def by_modules(session: ProofSession, entries_a_module: int = ENTRIES_A_MODULE) -> Pairs:
    """What the embedded checker finds in the session's modules, and what no module can hold."""
    generated = generate(session, entries_a_module=entries_a_module)
    sources = [module.source for module in generated.modules]
    assert [audit(source) for source in sources] == [None] * len(sources)
    return {(failure.rule, failure.subject) for failure in (*generated.refused, *judge(sources).failures)}


def by_data(session: ProofSession, entries_together: int = ENTRIES_A_MODULE) -> Pairs:
    """What the checker of data finds."""
    found = judge_session(session, entries_together=entries_together)
    assert list(found) == sorted(set(found), key=lambda failure: (failure.rule, failure.subject))
    return {(failure.rule, failure.subject) for failure in found}


@pytest.mark.parametrize("name", sorted(VALID_SESSIONS))
def test_both_accept_a_sound_session(name: str) -> None:
    assert by_modules(VALID_SESSIONS[name]) == by_data(VALID_SESSIONS[name]) == set()


@pytest.mark.parametrize("name", sorted(SESSION_CORRUPTIONS))
def test_both_refuse_a_corrupted_session_by_rule_and_subject(name: str) -> None:
    corrupt, expected = SESSION_CORRUPTIONS[name]
    session = corrupt(valid_session())
    assert expected
    assert by_modules(session) == expected
    assert by_data(session) == expected


def test_there_are_enough_kinds_and_they_reach_every_rule() -> None:
    assert len(SESSION_CORRUPTIONS) >= 40
    reached = {rule for _, expected in SESSION_CORRUPTIONS.values() for rule, _ in expected}
    stands = {at.rule for module in generate(valid_session()).modules for at in error_locations(module.source).values()}
    built = {"well-typed", "stage-ladder"}
    # Embedding a text wrongly, or naming nobody where somebody is named, is for the text of a module alone.
    assert stands - built - reached == {"message-text-fits-length"}


@pytest.mark.long
def test_random_edits_give_the_same_rules_and_subjects() -> None:
    rejected = 0
    rules: Counter[str] = Counter()
    for seed in range(3_000):
        rng = random.Random(seed)
        session = edited(rng, random_session(rng), seed % 4)
        together = rng.choice((ENTRIES_A_MODULE, ENTRIES_A_MODULE, 1, 2, 3))
        found = by_modules(session, together)
        assert found == by_data(session, together), seed
        assert seed % 4 or not found, seed
        rejected += bool(found)
        rules.update(rule for rule, _ in found)
    assert 0.30 <= rejected / 3_000 <= 0.95
    # A rule that random edits never break would be compared on its good side alone.
    stands = {at.rule for module in generate(valid_session()).modules for at in error_locations(module.source).values()}
    assert stands - set(rules) == {"message-text-fits-length", "well-typed", "stage-ladder"}


@pytest.mark.parametrize("name", sorted(EDITS))
def test_every_kind_of_edit_can_spoil_a_session(name: str) -> None:
    """An edit that never does anything would make the comparison above look wider than it is."""
    spoilt = changed = 0
    for seed in range(60):
        rng = random.Random(seed)
        session = random_session(rng)
        after = EDITS[name](rng, session)
        changed += after != session
        spoilt += bool(by_data(after))
    assert changed
    assert spoilt or name in ("evidence twice", "evidence shared", "kind", "message longer")


def test_an_entry_under_an_id_of_an_earlier_module_is_cited_alike() -> None:
    """Under one id the first entry counts, but one beside the decision comes before one in an earlier module."""
    message = ProofMessage("m", 10, ENGLISH)
    twin = replace(message, occurred_at_ms=30, text=ENGLISH + "!")
    entry = ProofEntry("e", "fact", "t", (evidence_of(message, ENGLISH[:9], "v1"),))
    other = replace(entry, title="u", evidence=(evidence_of(message, ENGLISH[:8], "v2"),), claim="candidate")
    for entries in ((entry, other), (other, entry), (entry, other, replace(entry, entry_id="f", title=""))):
        for at in (9, 10, 29, 30):
            decisions = (ProofDecision("d", at, ("e", OutsideCite("e", "verified", 10))),)
            session = ProofSession("s", (message, twin), entries, decisions=decisions)
            for together in (1, 2, 3):
                assert by_modules(session, together) == by_data(session, together)


def test_the_checkers_share_no_rule() -> None:
    theirs = (
        "embedded",
        "embedded_rules",
        "embedded_syntax",
        "embedded_values",
        "audit",
        "literals",
        "module_writer",
        "generator",
    )
    for module in (session_checker, session_rules):
        tree = ast.parse(inspect.getsource(module))
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        imported |= {
            f"{node.module}.{name.name}" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for name in node.names
        }
        assert not {f"memory_assets.graduation.{name}" for name in theirs} & imported
