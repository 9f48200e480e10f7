"""The embedded checker judges module texts: the sound ones pass, each corruption is refused by its own rule."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from memory_assets.graduation.proofs.audit import audit
from memory_assets.graduation.proofs.embedded import judge
from memory_assets.graduation.proofs.embedded_syntax import ModuleText, Unreadable, read_module
from memory_assets.graduation.proofs.error_locations import error_locations
from memory_assets.graduation.proofs.generator import generate
from memory_assets.graduation.proofs.model import ProofEntry, ProofMessage, ProofSession
from memory_assets_tests.graduation.proofs.corruptions import (
    CHAINS,
    IN_FORM,
    MODULE_CORRUPTIONS,
    UNREADABLE_MODULES,
    Pairs,
    entry_with,
)
from memory_assets_tests.graduation.proofs.samples import evidence_of, many_entries, valid_session

_SOURCE = generate(valid_session()).modules[0].source


def _pairs(sources: Sequence[str]) -> Pairs:
    return {(failure.rule, failure.subject) for failure in judge(sources).failures}


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


def test_what_rests_on_a_failed_definition_fails_too() -> None:
    session = entry_with(0, title="")(valid_session())
    sources = [module.source for module in generate(session).modules]
    assert _pairs(sources) == {("title-not-empty", "ent_a"), ("evidence-precedes-decision", "ent_a")}
    assert "ent_a" not in judge(sources).stages


# -- corruptions of the module's text ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(MODULE_CORRUPTIONS))
def test_a_corrupted_module_is_refused_by_rule_and_subject(name: str) -> None:
    before, after, expected = MODULE_CORRUPTIONS[name]
    assert before in _SOURCE
    spoiled = _SOURCE.replace(before, after, 1)
    assert (audit(spoiled) is None) == (name in IN_FORM)
    assert _pairs([spoiled]) == expected


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ('Msg "msg_1" 1700000000000', "Msg 1700000000000", "M0"),
        ('Msg "msg_1" 1700000000000 96 0 "', 'Msg "', "M0"),
        ('Cut "evi_1" Exact', "Cut Exact", "V0"),
        ('Cut "evi_1" Exact 10000 0 18 "', 'Cut "', "V0"),
        ('InOrder "evi_3" V2', "InOrder V2", "G0"),
        ('E0 : Entry "ent_a" Verified', "E0 : Entry Verified", "E0"),
        ('CiteOther "ent_z"', "CiteOther", "Q2"),
        ('AllUnique "task" [', "AllUnique [", "U2"),
    ],
)
def test_what_was_said_is_never_a_subject(before: str, after: str, name: str) -> None:
    """Where its id is taken away, a definition goes by its name, not by the next text in it."""
    assert before in _SOURCE
    spoiled = _SOURCE.replace(before, after, 1)
    rule = "stage-ladder" if name.startswith("E") else "well-typed"
    assert (rule, name) in _pairs([spoiled]) or (name == "E0" and ("well-typed", name) in _pairs([spoiled]))
    subjects = {subject for _, subject in _pairs([spoiled])} | {at.subject for at in error_locations(spoiled).values()}
    assert name in {at.subject for at in error_locations(spoiled).values()}
    assert not [subject for subject in subjects if " " in subject]


def test_a_draft_without_its_id_goes_by_its_name() -> None:
    (module,) = generate(ProofSession("s", (), (ProofEntry("ent_1", "fact", "what was said", (), claim="raw"),))).modules
    spoiled = module.source.replace('Entry "ent_1" Raw 0', "Entry Raw 0").replace('Draft "ent_1" Fact', "Draft Fact")
    assert {subject for _, subject in _pairs([spoiled])} == {"E0", "ent_1"}
    assert {at.subject for at in error_locations(spoiled).values()} == {"E0", "ent_1", ""}


@pytest.mark.parametrize("name", sorted(UNREADABLE_MODULES))
def test_what_is_no_module_is_refused_as_such(name: str) -> None:
    before, after = UNREADABLE_MODULES[name]
    assert before in _SOURCE
    found = judge([_SOURCE.replace(before, after, 1)])
    assert {failure.rule for failure in found.failures} == {"well-formed"}


def test_an_unreadable_module_is_named_by_its_line() -> None:
    spoiled = _SOURCE.replace("[Ev M0 V0]", "[Ev M0 V0", 1)
    found = read_module(spoiled)
    assert isinstance(found, Unreadable)
    assert spoiled.split("\n")[found.line - 1].startswith("E0 : Entry")


def test_a_line_of_a_definition_is_where_it_begins() -> None:
    found = read_module(_SOURCE)
    assert isinstance(found, ModuleText)
    for definition in found.definitions:
        assert _SOURCE.split("\n")[definition.line - 1].startswith(f"{definition.name} :")


def test_every_constructor_has_a_corruption_of_its_shape() -> None:
    """Whichever argument of whichever definition is taken away, or put there twice, the module is refused."""
    for number, line in enumerate(_SOURCE.split("\n")[3:], 3):
        if line.startswith("  ") and line.strip() not in (")", "Empty"):
            lines = _SOURCE.split("\n")
            assert _pairs(["\n".join([*lines[:number], *lines[number + 1 :]])])
            assert _pairs(["\n".join([*lines[:number], line, *lines[number:]])])


# -- several modules ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(CHAINS))
def test_a_chain_of_modules_is_judged_by_what_each_may_know_of_those_before(name: str) -> None:
    sources, expected = CHAINS[name]
    assert _pairs(sources) == expected


# -- what anything may be ----------------------------------------------------------------------------------------------


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
