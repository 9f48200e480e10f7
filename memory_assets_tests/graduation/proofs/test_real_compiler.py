"""The embedded checker against the real compiler, where there is one: the verdicts are equal, and what the compiler blames
the embedded checker blames too (it may blame more: the compiler stops at the first fault of a definition).
"""

from __future__ import annotations

import os
import random

import pytest

from memory_assets.graduation.proofs.audit import audit
from memory_assets.graduation.proofs.checker import check_sessions
from memory_assets.graduation.proofs.embedded import judge
from memory_assets.graduation.proofs.embedded_syntax import ModuleText, read_module
from memory_assets.graduation.proofs.generator import generate
from memory_assets.graduation.proofs.idris2 import find_idris2, prepare
from memory_assets.graduation.proofs.idris2_verdicts import Compiled, Idris2, Unavailable, check
from memory_assets.graduation.proofs.module_writer import Module
from memory_assets.shipped_files import shipped_folder
from memory_assets_tests.graduation.proofs.corruptions import CHAINS, IN_FORM, MODULE_CORRUPTIONS, UNREADABLE_MODULES
from memory_assets_tests.graduation.proofs.random_sessions import edited, random_session
from memory_assets_tests.graduation.proofs.samples import VALID_SESSIONS, valid_session

pytestmark = pytest.mark.idris2

# Two modules of one name cannot lie in one folder, and a name that is taken elsewhere is another name to the compiler.
_OF_FILES = [
    name
    for name, (_, expected) in CHAINS.items()
    if "well-formed" not in {rule for rule, _ in expected} and name != "a name that is taken elsewhere"
]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Idris2:
    """A real idris2, or the test is skipped."""
    found = find_idris2(None, os.environ)
    if found is None:
        pytest.skip("no idris2 on PATH or in MEMORY_IDRIS2")
    cache = tmp_path_factory.mktemp("idris2")
    tool = prepare(found, cache=cache, package=shipped_folder("idris"), environ=dict(os.environ))
    if isinstance(tool, Unavailable):
        pytest.fail(tool.reason)
    return tool


def _accepts(tool: Idris2, sources: list[str]) -> bool:
    return _compiled(tool, sources).accepted


def _compiled(tool: Idris2, sources: list[str]) -> Compiled:
    outcome = check(tool, [Module(_name(source), source) for source in sources])
    assert isinstance(outcome, Compiled)
    return outcome


def _name(source: str) -> str:
    return source.split("\n", 1)[0].removeprefix("module ")


@pytest.mark.parametrize("name", sorted(VALID_SESSIONS))
def test_sound_sessions_are_accepted(real: Idris2, name: str) -> None:
    assert _accepts(real, [module.source for module in generate(VALID_SESSIONS[name]).modules])


@pytest.mark.parametrize("seed", range(60))
def test_random_edits_get_the_same_verdict(real: Idris2, seed: int) -> None:
    rng = random.Random(seed)
    session = edited(rng, random_session(rng), seed % 4)
    embedded, compiled = check_sessions([session], idris2=real)[session.session_id].verdicts
    assert compiled.accepted == embedded.accepted
    assert set(compiled.rules_failed) <= set(embedded.rules_failed)


@pytest.mark.parametrize("name", sorted(MODULE_CORRUPTIONS))
def test_corrupted_modules_get_the_same_verdict(real: Idris2, name: str) -> None:
    before, after, expected = MODULE_CORRUPTIONS[name]
    (module,) = generate(valid_session()).modules
    outcome = _compiled(real, [module.source.replace(before, after, 1)])
    assert outcome.accepted == (not expected)
    if name in IN_FORM:
        assert {(failure.rule, failure.subject) for failure in outcome.failures} <= expected


@pytest.mark.parametrize("name", sorted(_OF_FILES))
def test_chains_of_modules_get_the_same_verdict(real: Idris2, name: str) -> None:
    sources, expected = CHAINS[name]
    assert _accepts(real, sources) == (not expected)


@pytest.mark.parametrize("name", sorted(set(UNREADABLE_MODULES) - {"unknown import"}))
def test_what_cannot_be_read_is_not_accepted_either(real: Idris2, name: str) -> None:
    (module,) = generate(valid_session()).modules
    source = module.source.replace(*UNREADABLE_MODULES[name], 1)
    assert not isinstance(read_module(source), ModuleText)
    assert not judge([source]).accepted
    if audit(source) is None:
        assert not _accepts(real, [source])
