"""The promotion policy: from facts to a decision, nothing else.

Every way up the ladder has its gates. A decision names all of them, open or shut; the reason is the first that is shut.
How often something is read or found is no fact here: popularity never promotes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from memory_assets.graduation.proofs.model import Checker
from memory_assets.vocabulary import STAGES, Stage

POLICY_VERSION: Final = "1"
SUPPORTING_SESSIONS: Final = 2
"""Sessions that must say a thing before it is certified without a person's word."""
CONTESTED: Final = "A conflict about the memory is open"
DEMOTED: Final = "It was demoted, and neither said again nor confirmed since"


@dataclass(frozen=True, slots=True)
class PromotionFacts:
    """What is known of an entry when its promotion is decided.

    Attributes:
        aligned_quotes, failed_quotes: the quotes that the aligner placed (how many) and could not place (verbatim).
        critical_quotes: placed quotes whose number, negation or word differs from the source.
        module_generated: whether the entry could be written into a module at all.
        checker, checker_version: whose verdict counts; None where none was given.
        proof_passed: that checker proved the entry at the stage asked for, or above.
        disagreement: the two checkers differ on the entry's session.
        supporting_sessions: sessions whose aligned evidence says the same.
        user_confirmed: a person vouched for it.
        open_conflicts: conflicts of its memory that nobody has resolved.
        demoted: it counts for less by age or by a person's word.
    """

    entry_id: str
    stage: Stage
    aligned_quotes: int
    failed_quotes: tuple[str, ...] = ()
    critical_quotes: tuple[str, ...] = ()
    module_generated: bool = False
    checker: Checker | None = None
    checker_version: str = ""
    proof_passed: bool = False
    disagreement: bool = False
    require_idris2: bool = False
    supporting_sessions: int = 1
    user_confirmed: bool = False
    open_conflicts: int = 0
    demoted: bool = False


@dataclass(frozen=True, slots=True)
class Promoted:
    """The entry is at ``to_stage`` now. ``checker`` is the label that stands behind the stage, empty below verified."""

    entry_id: str
    from_stage: Stage
    to_stage: Stage
    gates: dict[str, bool]
    checker: str = ""
    policy_version: str = POLICY_VERSION


@dataclass(frozen=True, slots=True)
class Refused:
    """The entry stays where it is. ``gates`` has every gate that was looked at; ``reason`` is for people."""

    entry_id: str
    from_stage: Stage
    to_stage: Stage
    reason: str
    gates: dict[str, bool]
    failed_quotes: tuple[str, ...] = ()
    policy_version: str = POLICY_VERSION


# Its name, whether it is open, and what to say when it is shut.
_Gate = tuple[str, bool, str]


def decide(facts: PromotionFacts, to_stage: Stage = "verified") -> Promoted | Refused:
    """Whether an entry rises to a stage, which must be the one just above its own.

    Verified rests on the session alone. Certified rests on a verified entry, the real compiler, evidence from two
    sessions or a person's word, and no open conflict.
    """
    next_up = STAGES.index(to_stage) == STAGES.index(facts.stage) + 1
    gates: list[_Gate] = [("next_on_ladder", next_up, f"{facts.stage} does not lead to {to_stage}")]
    match to_stage:
        case "raw" | "working":
            pass
        case "candidate":
            gates += _candidate_gates(facts)
        case "verified":
            gates += _verified_gates(facts)
        case "certified":
            gates += _certified_gates(facts)

    opened = {name: holds for name, holds, _ in gates}
    reason = next((reason for _, holds, reason in gates if not holds), None)
    if reason is not None:
        return Refused(facts.entry_id, facts.stage, to_stage, reason, opened, facts.failed_quotes)
    stands_on_proof = to_stage in ("verified", "certified")
    checker = f"{facts.checker} {facts.checker_version}" if stands_on_proof else ""
    return Promoted(facts.entry_id, facts.stage, to_stage, opened, checker)


def _candidate_gates(facts: PromotionFacts) -> list[_Gate]:
    return [
        ("has_evidence", facts.aligned_quotes > 0, "Evidence alignment failed: no quote was found in the session"),
        ("module_generated", facts.module_generated, "The entry cannot be written into a proof module"),
    ]


def _verified_gates(facts: PromotionFacts) -> list[_Gate]:
    failed = len(facts.failed_quotes)
    return [
        (
            "evidence_aligned",
            facts.aligned_quotes > 0 and failed == 0,
            f"Evidence alignment failed: {failed} of {failed + facts.aligned_quotes} quotes not found",
        ),
        (
            "no_critical_difference",
            not facts.critical_quotes,
            "Evidence differs from the source in a number, a negation or a word",
        ),
        ("checkers_agree", not facts.disagreement, "The two proof checkers disagree about the session"),
        ("checker_present", facts.checker is not None, "No proof checker gave a verdict"),
        (
            "checker_accepted",
            facts.checker == "idris2" or not facts.require_idris2,
            "The settings require idris2, and it gave no verdict",
        ),
        ("proof_passed", facts.proof_passed, "The proof of the entry failed"),
    ]


def _certified_gates(facts: PromotionFacts) -> list[_Gate]:
    # That it is verified says that the gates of evidence and proof were open.
    return [
        ("proved_by_idris2", facts.checker == "idris2", "Only the real idris2 certifies"),
        (
            "supported_twice",
            facts.supporting_sessions >= SUPPORTING_SESSIONS or facts.user_confirmed,
            "Certified needs evidence from two sessions or a person's confirmation",
        ),
        ("no_open_conflict", facts.open_conflicts == 0, CONTESTED),
        ("not_demoted", not facts.demoted, DEMOTED),
    ]
