"""What stands on a line: read from the module's text, it is what the writer meant."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from memory_assets.graduation.proofs.blame import blame_of
from memory_assets.graduation.proofs.generator import generate
from memory_assets.graduation.proofs.model import ProofSession, RuleFailure
from memory_assets.graduation.proofs.module_writer import Module
from memory_assets_tests.graduation.proofs.corruptions import CHAINS, MODULE_CORRUPTIONS, SESSION_CORRUPTIONS
from memory_assets_tests.graduation.proofs.random_sessions import edited, random_session
from memory_assets_tests.graduation.proofs.samples import HOSTILE, VALID_SESSIONS, hostile_session, many_entries, valid_session


def meant(module: Module) -> dict[int, RuleFailure]:
    """The writer's own table."""
    return {line: RuleFailure(at.rule, at.subject) for line, at in module.lines.items()}


def read(module: Module) -> dict[int, RuleFailure]:
    """What the text says, without the start of the chain of entries: the writer says nothing of its three lines."""
    table = blame_of(module.source)
    lines = module.source.split("\n")
    start = next((number for number, line in enumerate(lines, 1) if line == "  Empty"), None)
    return {line: at for line, at in table.items() if start is None or not start - 2 <= line <= start}


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


def test_it_is_the_writers_table_for_every_session() -> None:
    for session in sessions():
        for module in generate(session).modules:
            assert read(module) == meant(module), session.session_id


def test_it_is_the_writers_table_for_random_sessions() -> None:
    for seed in range(150):
        draw = random.Random(seed)
        for module in generate(edited(draw, random_session(draw), seed % 4), entries_a_module=3).modules:
            assert read(module) == meant(module), seed


def test_it_is_the_writers_table_over_several_modules() -> None:
    session = many_entries(12)
    session = replace(session, decisions=valid_session().decisions[:0])
    modules = generate(session, entries_a_module=5).modules
    assert len(modules) == 3
    for module in modules:
        assert read(module) == meant(module)


@pytest.mark.parametrize("seed", range(20))
def test_text_that_looks_like_an_obligation_moves_no_line(seed: int) -> None:
    draw = random.Random(seed)
    session = valid_session()
    words = ["Ok", "  Ok", "\n  Ok", '" Ok', "Ok\\", "(Verify", "export"]
    entries = tuple(replace(entry, title=" ".join(draw.choices(words, k=5))) for entry in session.entries)
    for module in generate(replace(session, entries=entries)).modules:
        assert read(module) == meant(module)


@pytest.mark.parametrize("name", sorted(MODULE_CORRUPTIONS))
def test_what_a_corrupted_module_is_refused_for_stands_on_its_lines(name: str) -> None:
    before, after, expected = MODULE_CORRUPTIONS[name]
    source = generate(valid_session()).modules[0].source
    table = {(at.rule, at.subject) for at in blame_of(source.replace(before, after, 1)).values()}
    assert expected <= table


# A name that is taken in another module is another name to the compiler.
@pytest.mark.parametrize("name", sorted(set(CHAINS) - {"a name that is taken elsewhere"}))
def test_what_a_chain_is_refused_for_stands_on_the_lines_of_its_modules(name: str) -> None:
    sources, expected = CHAINS[name]
    tables = [blame_of(source, sources[:place]) for place, source in enumerate(sources)]
    table = {(at.rule, at.subject) for one in tables for at in one.values()}
    assert {(rule, subject) for rule, subject in expected if rule != "well-formed"} <= table


def test_a_module_that_cannot_be_read_blames_no_line() -> None:
    assert blame_of("") == {}
    assert blame_of(generate(valid_session()).modules[0].source.replace("AllUnique", "AllUnique (")) == {}


def test_an_obligation_too_many_is_no_obligation() -> None:
    (module,) = generate(many_entries(1)).modules
    before, after = module.source.split("  Ok\n", 1)
    source = f"{before}  Ok\n  Ok\n{after}"
    table = blame_of(source)
    message = [table[line].rule for line in sorted(table) if table[line].subject == "msg_00000"]
    assert message == ["well-typed"] * 3 + ["message-id-not-empty", "message-text-fits-length", "well-typed"]
