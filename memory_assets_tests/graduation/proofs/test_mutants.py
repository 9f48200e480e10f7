"""Whoever breaks one rule or one decision of the embedded checker is noticed: each mutant gives another (rule, subject) set
than the checker of data does, or than the catalogue of corrupted modules says.
"""

from __future__ import annotations

import re

import pytest

from memory_assets.graduation.proofs import embedded, embedded_rules
from memory_assets.graduation.proofs.generator import generate
from memory_assets.shipped_files import shipped_folder
from memory_assets_tests.graduation.proofs.corruptions import (
    CHAINS,
    MODULE_CORRUPTIONS,
    SESSION_CORRUPTIONS,
    UNREADABLE_MODULES,
    Pairs,
)
from memory_assets_tests.graduation.proofs.mutants import Mutant, decision_mutants, rule_mutants, rule_names
from memory_assets_tests.graduation.proofs.samples import VALID_SESSIONS, valid_session
from memory_assets_tests.graduation.proofs.session_checker import judge_session

pytestmark = pytest.mark.long

_SMALL = sorted(set(VALID_SESSIONS) - {"three modules", "hostile"})
Case = tuple[list[str], Pairs, dict[str, str]]


def _sessions() -> list[Case]:
    """Modules of sound and of corrupted sessions, and what the checker of data says of the session."""
    sessions = [VALID_SESSIONS[name] for name in _SMALL]
    sessions += [corrupt(valid_session()) for corrupt, _ in SESSION_CORRUPTIONS.values()]
    cases = []
    for session in sessions:
        generated = generate(session)
        by_data = set(judge_session(session)) - set(generated.refused)
        sources = [module.source for module in generated.modules]
        cases.append((sources, {(failure.rule, failure.subject) for failure in by_data}, embedded.judge(sources).stages))
    return cases


def _modules() -> list[Case]:
    """Corrupted modules, and what the catalogue says of them."""
    (module,) = generate(valid_session()).modules
    spoiled = [([module.source.replace(before, after, 1)], expected) for before, after, expected in MODULE_CORRUPTIONS.values()]
    for before, after in UNREADABLE_MODULES.values():
        source = module.source.replace(before, after, 1)
        spoiled.append(([source], {(failure.rule, failure.subject) for failure in embedded.judge([source]).failures}))
    return [(sources, expected, embedded.judge(sources).stages) for sources, expected in (*spoiled, *CHAINS.values())]


def _differs(case: Case) -> bool:
    sources, expected, stages = case
    try:
        judged = embedded.judge(sources)
    except Exception:
        return True
    return {(failure.rule, failure.subject) for failure in judged.failures} != expected or judged.stages != stages


def _unnoticed(mutants: list[Mutant], cases: list[Case]) -> list[str]:
    assert not any(_differs(case) for case in cases)
    unnoticed = []
    for mutant in mutants:
        with pytest.MonkeyPatch.context() as patch:
            for name, broken in mutant.load().items():
                patch.setattr(embedded, name, broken)
            at = next((at for at, case in enumerate(cases) if _differs(case)), None)
        if at is None:
            unnoticed.append(mutant.name)
        else:
            # What noticed one mutant is likely to notice the next, which breaks the same line another way.
            cases.insert(0, cases.pop(at))
    return unnoticed


def test_every_rule_always_true_or_always_false_is_noticed_by_sessions_alone() -> None:
    """The text of a module takes part only where no session leads to it."""
    mutants = list(rule_mutants())
    assert len(mutants) == 2 * len(rule_names())
    assert _unnoticed(mutants, _sessions()) == ["message_text_fits_length is always True"]
    assert _unnoticed(mutants, [*_sessions(), *_modules()]) == []


def test_every_decision_in_the_checkers_code_is_noticed() -> None:
    mutants = list(decision_mutants())
    assert len(mutants) > 150
    assert _unnoticed(mutants, [*_modules(), *_sessions()]) == []


def test_there_is_one_rule_for_each_obligation_of_the_package() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (shipped_folder("idris") / "src" / "Memory").glob("*.idr")]
    obligations = {name for source in sources for name in re.findall(r'Holds "([a-z-]+)"', source)}
    assert {name.replace("_", "-") for name in rule_names()} == obligations


@pytest.mark.parametrize("name", rule_names())
def test_a_rule_that_always_says_no_is_named_by_what_it_refuses(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_rules, name, lambda *_: False)
    session = VALID_SESSIONS["Korean alone"] if name == "certifier_named" else valid_session()
    failures = embedded.judge([module.source for module in generate(session).modules]).failures
    assert name.replace("_", "-") in {failure.rule for failure in failures}
