"""The promotion policy: which facts open which gate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_assets.graduation.policy import POLICY_VERSION, Promoted, PromotionFacts, Refused, decide
from memory_assets.vocabulary import STAGES, Stage

_CANDIDATE = PromotionFacts(
    entry_id="ent_a",
    stage="candidate",
    aligned_quotes=2,
    module_generated=True,
    checker="embedded",
    checker_version="1",
    proof_passed=True,
)
_VERIFIED = replace(_CANDIDATE, stage="verified", checker="idris2", checker_version="0.8.0", supporting_sessions=2)


def test_a_proved_and_aligned_candidate_is_verified_by_the_checkers_name() -> None:
    outcome = decide(_CANDIDATE)
    assert isinstance(outcome, Promoted)
    assert (outcome.from_stage, outcome.to_stage, outcome.checker) == ("candidate", "verified", "embedded 1")
    assert outcome.policy_version == POLICY_VERSION
    assert all(outcome.gates.values())


@pytest.mark.parametrize(
    ("change", "gate", "reason"),
    [
        ({"failed_quotes": ("not there",)}, "evidence_aligned", "Evidence alignment failed: 1 of 3 quotes not found"),
        ({"aligned_quotes": 0}, "evidence_aligned", "Evidence alignment failed: 0 of 0 quotes not found"),
        ({"critical_quotes": ("three of four",)}, "no_critical_difference", "Evidence differs"),
        ({"disagreement": True}, "checkers_agree", "disagree"),
        ({"checker": None}, "checker_present", "No proof checker"),
        ({"require_idris2": True}, "checker_accepted", "require idris2"),
        ({"proof_passed": False}, "proof_passed", "proof of the entry failed"),
        ({"stage": "working"}, "next_on_ladder", "working does not lead to verified"),
        ({"stage": "verified"}, "next_on_ladder", "verified does not lead to verified"),
    ],
)
def test_each_gate_of_verified_can_shut(change: dict[str, object], gate: str, reason: str) -> None:
    outcome = decide(replace(_CANDIDATE, **change))  # type: ignore[arg-type]
    assert isinstance(outcome, Refused)
    assert reason in outcome.reason
    assert outcome.gates[gate] is False
    assert next(name for name, holds in outcome.gates.items() if not holds) == gate


def test_a_refusal_carries_the_failed_quotes() -> None:
    outcome = decide(replace(_CANDIDATE, failed_quotes=("하나", "two")))
    assert isinstance(outcome, Refused)
    assert outcome.failed_quotes == ("하나", "two")


def test_idris2_satisfies_the_setting_that_asks_for_it() -> None:
    outcome = decide(replace(_CANDIDATE, checker="idris2", checker_version="0.8.0", require_idris2=True))
    assert isinstance(outcome, Promoted)
    assert outcome.checker == "idris2 0.8.0"


def test_nobody_skips_a_stage() -> None:
    facts = replace(_VERIFIED, user_confirmed=True)
    for below, stage in enumerate(STAGES):
        for above, target in enumerate(STAGES):
            outcome = decide(replace(facts, stage=stage), target)
            assert isinstance(outcome, Promoted) == (above == below + 1)


@pytest.mark.parametrize(
    ("stage", "to_stage", "promoted"),
    [("raw", "working", True), ("working", "candidate", True), ("candidate", "candidate", False)],
)
def test_the_lower_rungs(stage: Stage, to_stage: Stage, promoted: bool) -> None:
    outcome = decide(replace(_CANDIDATE, stage=stage), to_stage)
    assert isinstance(outcome, Promoted) is promoted
    assert isinstance(outcome, Refused) or outcome.checker == ""


def test_a_candidate_needs_a_found_quote_and_a_module() -> None:
    working = replace(_CANDIDATE, stage="working")
    nowhere = decide(replace(working, aligned_quotes=0, failed_quotes=("gone",)), "candidate")
    unwritten = decide(replace(working, module_generated=False), "candidate")
    assert isinstance(nowhere, Refused)
    assert nowhere.reason.startswith("Evidence alignment failed")
    assert isinstance(unwritten, Refused)
    # One quote found and one not is enough for a candidate, not for more.
    assert isinstance(decide(replace(working, failed_quotes=("gone",)), "candidate"), Promoted)


def test_certified() -> None:
    assert isinstance(decide(_VERIFIED, "certified"), Promoted)
    assert isinstance(decide(replace(_VERIFIED, supporting_sessions=1, user_confirmed=True), "certified"), Promoted)
    for change in (
        {"checker": "embedded"},
        {"supporting_sessions": 1},
        {"open_conflicts": 1},
        {"demoted": True},
        {"stage": "candidate"},
    ):
        assert isinstance(decide(replace(_VERIFIED, **change), "certified"), Refused)  # type: ignore[arg-type]
