"""What stands on a line, read from the module's text."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from memory_assets.graduation.proofs.error_locations import error_locations
from memory_assets.graduation.proofs.generator import generate
from memory_assets.graduation.proofs.model import ProofSession, RuleFailure
from memory_assets_tests.graduation.proofs.corruptions import CHAINS, MODULE_CORRUPTIONS, SESSION_CORRUPTIONS
from memory_assets_tests.graduation.proofs.lexer import read_literal
from memory_assets_tests.graduation.proofs.random_sessions import edited, random_session
from memory_assets_tests.graduation.proofs.samples import HOSTILE, VALID_SESSIONS, hostile_session, many_entries, valid_session

_RULES = {
    "M": ("message-id-not-empty", "message-text-fits-length"),
    "V": ("span-inside-message", "confidence-fits-method", "slice-is-source-text", "exact-quote-is-slice"),
    "G": ("segments-in-order",),
    "U": ("ids-unique",),
    "E": ("entry-id-not-empty", "title-not-empty", "has-evidence", "all-evidence-aligned", "certifier-named"),
    "C": ("entry-ids-unique",),
    "Q": ("decision-cites-verified", "evidence-precedes-decision"),
    "D": ("decision-id-not-empty", "decision-has-evidence"),
}
_CREATE = ("task-id-not-empty", "task-starts-legally", "blockers-fit-status")
_MOVE = ("legal-task-transition", "events-in-time-order", "blockers-fit-status")
_LITERAL = re.compile(r'"[^"]*"')


def meant(source: str) -> dict[int, RuleFailure]:
    """What stands on each line of a generated module, by the kind of the definition and the order of its proofs alone."""
    ids: dict[str, str] = {}
    table: dict[int, RuleFailure] = {}
    line = source.count("\n", 0, source.index("%default")) + 3
    for block in source.split("%default total\n\n", 1)[1].rstrip("\n").split("\n\n"):
        lines = block.split("\n")
        at = line + 1 if lines[0] == "export" else line
        lines = lines[at - line :]
        letter, name = lines[0][0], lines[0].split(" ")[0]
        first = _LITERAL.search("\n".join(lines))
        subject = read_literal(first[0]) if first else ids[lines[2].removeprefix("  Cite ")]
        ids[name] = subject
        rules = list(_RULES.get(letter, _CREATE if lines[2].startswith("  Create ") else _MOVE))
        built = "stage-ladder" if letter == "E" else "well-typed"
        for number, text in enumerate(lines, at):
            table[number] = RuleFailure(rules.pop(0) if text == "  Ok" else built, subject)
        line = at + len(lines) + 1
    return table


def sessions() -> list[ProofSession]:
    certified = replace(valid_session(), entries=(replace(valid_session().entries[0], claim="certified", certifier="me"),))
    return [
        valid_session(),
        replace(certified, decisions=()),
        ProofSession("empty", (), ()),
        many_entries(0),
        many_entries(3),
        hostile_session(HOSTILE),
        *VALID_SESSIONS.values(),
        *(corrupt(valid_session()) for corrupt, _ in SESSION_CORRUPTIONS.values()),
    ]


def test_every_line_is_blamed_for_every_session() -> None:
    for session in sessions():
        for module in generate(session).modules:
            assert error_locations(module.source) == meant(module.source), session.session_id


def test_every_line_is_blamed_for_random_sessions() -> None:
    for seed in range(150):
        draw = random.Random(seed)
        for module in generate(edited(draw, random_session(draw), seed % 4), entries_a_module=3).modules:
            assert error_locations(module.source) == meant(module.source), seed


def test_every_line_is_blamed_over_several_modules() -> None:
    session = many_entries(12)
    session = replace(session, decisions=valid_session().decisions[:0])
    modules = generate(session, entries_a_module=5).modules
    assert len(modules) == 3
    for module in modules:
        assert error_locations(module.source) == meant(module.source)


@pytest.mark.parametrize("seed", range(20))
def test_text_that_looks_like_an_obligation_moves_no_line(seed: int) -> None:
    draw = random.Random(seed)
    session = valid_session()
    words = ["Ok", "  Ok", "\n  Ok", '" Ok', "Ok\\", "(Verify", "export"]
    entries = tuple(replace(entry, title=" ".join(draw.choices(words, k=5))) for entry in session.entries)
    for module in generate(replace(session, entries=entries)).modules:
        assert error_locations(module.source) == meant(module.source)


@pytest.mark.parametrize("name", sorted(MODULE_CORRUPTIONS))
def test_what_a_corrupted_module_is_refused_for_stands_on_its_lines(name: str) -> None:
    before, after, expected = MODULE_CORRUPTIONS[name]
    source = generate(valid_session()).modules[0].source
    table = {(at.rule, at.subject) for at in error_locations(source.replace(before, after, 1)).values()}
    assert expected <= table


# A name that is taken in another module is another name to the compiler.
@pytest.mark.parametrize("name", sorted(set(CHAINS) - {"a name that is taken elsewhere"}))
def test_what_a_chain_is_refused_for_stands_on_the_lines_of_its_modules(name: str) -> None:
    sources, expected = CHAINS[name]
    tables = [error_locations(source, sources[:place]) for place, source in enumerate(sources)]
    table = {(at.rule, at.subject) for one in tables for at in one.values()}
    assert {(rule, subject) for rule, subject in expected if rule != "well-formed"} <= table


def test_a_module_that_cannot_be_read_blames_no_line() -> None:
    assert error_locations("") == {}
    assert error_locations("module Session0123456789abcdefP0\nimport Memory.Session\n%default total\n") == {}
    assert error_locations(generate(valid_session()).modules[0].source.replace("AllUnique", "AllUnique (")) == {}


def test_an_obligation_belongs_to_the_constructor_around_it() -> None:
    """Where a rung is missing, the obligations of the others stay their own."""
    before, after, _ = MODULE_CORRUPTIONS["stage skipped"]
    source = generate(valid_session()).modules[0].source.replace(before, after, 1)
    lines, table = source.split("\n"), error_locations(source)
    proofs = [table[n].rule for n, line in enumerate(lines, 1) if line == "  Ok" and table.get(n, _NOBODY).subject == "ent_a"]
    assert proofs[:4] == ["entry-id-not-empty", "title-not-empty", "stage-ladder", "all-evidence-aligned"]


_NOBODY = RuleFailure("", "")


def test_an_obligation_too_many_is_no_obligation() -> None:
    (module,) = generate(many_entries(1)).modules
    before, after = module.source.split("  Ok\n", 1)
    source = f"{before}  Ok\n  Ok\n{after}"
    table = error_locations(source)
    message = [table[line].rule for line in sorted(table) if table[line].subject == "msg_00000"]
    assert message == ["well-typed"] * 3 + ["message-id-not-empty", "message-text-fits-length", "well-typed"]
