"""Which gate keeps apart the questions that a store can answer and those that it cannot, by the numbers that they got."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

GATES = tuple(number / 100 for number in range(2, 100, 2))
FEWEST = 5
"""Questions of each of the two kinds, from which a gate is chosen."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """A question that was asked.

    Attributes:
        number: its answerability, 0 to 1.
        can_be_answered: what its author says of it.
    """

    number: float
    can_be_answered: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """What a gate does to some questions.

    Attributes:
        refused_wrongly: the share of those that can be answered.
        refused_rightly: the share of the others.
    """

    refused_wrongly: float
    refused_rightly: float


def judged(questions: Sequence[Numbered], gate: float) -> Judged:
    """The shares of both kinds that are refused, 0 where there is none of a kind."""
    return Judged(*(_refused([one for one in questions if one.can_be_answered is kind], gate) for kind in (True, False)))


def chosen_gate(questions: Sequence[Numbered], most_wrong: float) -> float | None:
    """The gate that refuses the most of what cannot be answered, and of what can no larger share than told.

    Of gates that do alike it is the middle one, which what was not asked yet is the least likely to upset.

    Returns:
        None where there are fewer than FEWEST questions of a kind.
    """
    able = sum(one.can_be_answered for one in questions)
    if min(able, len(questions) - able) < FEWEST:
        return None
    by_gate = {gate: judged(questions, gate) for gate in GATES}
    allowed = [gate for gate, does in by_gate.items() if does.refused_wrongly <= most_wrong] or [GATES[0]]
    best = max(by_gate[gate].refused_rightly for gate in allowed)
    alike = [gate for gate in allowed if by_gate[gate].refused_rightly == best]
    return alike[len(alike) // 2]


def left_out(questions: Sequence[Numbered], most_wrong: float) -> Judged | None:
    """What is refused where the gate for each question is chosen by all the others: what to expect of questions to come."""
    refused = []
    for place, one in enumerate(questions):
        gate = chosen_gate([*questions[:place], *questions[place + 1 :]], most_wrong)
        if gate is None:
            return None
        refused.append(Numbered(0.0 if one.number < gate else 1.0, one.can_be_answered))
    return judged(refused, 0.5) if refused else None


def _refused(questions: Sequence[Numbered], gate: float) -> float:
    return sum(one.number < gate for one in questions) / len(questions) if questions else 0.0
