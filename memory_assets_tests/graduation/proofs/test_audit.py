"""The closed vocabulary: what a module may not contain, wherever it stands."""

from __future__ import annotations

import time

import pytest

from memory_assets.graduation.proofs.audit import audit
from memory_assets.graduation.proofs.embedded import judge
from memory_assets.graduation.proofs.generator import generate
from memory_assets_tests.graduation.proofs.samples import VALID_SESSIONS, many_entries, valid_session

_VALID = generate(valid_session()).modules[0].source

_INJECTED = [
    "X = believe_me 0",
    "E0 = ?hole",
    "%unsafe",
    "%default partial",
    '%foreign "C:f"',
    "import System",
    "-- a comment",
    "{- a comment -}",
    "||| words",
    "M0 = assert_total M1",
    "infixl 4 +",
    "M7 : Type",
    "main : IO",
    'M7 = #"raw"#',
    "M7 = '\\''",
    'M7 =\n  Msg """\n',
    'M7 =\n  Msg "a""b"',
    'M7 =\n  Msg "\\{x}"',
    'M7 =\n  Msg "\\n"',
    'M7 =\n  Msg "\\x41"',
    'M7 =\n  Msg "\\65"',
    'M7 =\n  Msg "\\1114112\\&"',
    'M7 =\n  Msg "\\55296\\&"',
    'M7 =\n  Msg "open',
    'M7 =\n  Msg "\u202e"',
    'M7 =\n  Msg "\ud800"',
    "M7 =\n  Msg 12345678901234567",
    "M7 =\n\tMsg",
    "M7 =\r\n  Msg",
    " M7 = Msg",
    "m7 : Message",
    "export import",
    "M7 = Msg; M8 = Msg",
    "M7 = \\x => x",
    "M7 = M1 + M2",
    "M7 = _",
    "M7 = M1.text",
    "가 = Msg",
]


def test_a_generated_module_is_inside_the_language() -> None:
    assert audit(_VALID) is None


@pytest.mark.parametrize("line", _INJECTED)
@pytest.mark.parametrize("where", ["first", "middle", "last"])
def test_an_injected_line_is_refused(line: str, where: str) -> None:
    lines = _VALID.split("\n")
    at = {"first": 3, "middle": lines.index("", len(lines) // 2), "last": len(lines) - 1}[where]
    spoiled = "\n".join([*lines[:at], line, *lines[at:]])
    assert audit(spoiled) is not None


@pytest.mark.parametrize(
    "change",
    [
        ("%default total", "%default partial"),
        ("%default total\n", ""),
        ("import Memory.Session", "import Memory.Rule"),
        ("import Memory.Session\n", "import Memory.Session\nimport System\n"),
        ("import Memory.Session\n", "import Memory.Session\nimport public Session0123456789abcdefP0\n"),
        ("module Session", "module Main.Session"),
        ("module", "-- x\nmodule"),
    ],
)
def test_another_header_is_refused(change: tuple[str, str]) -> None:
    assert audit(_VALID.replace(*change, 1)) is not None


_E0 = _VALID[_VALID.index("E0 : ") : _VALID.index("E1 : ")]
_M0 = _VALID[_VALID.index("M0 : ") : _VALID.index("M1 : ")]
_OK_LINES = '"We will use DuckDB" "We will use DuckDB"\n  Ok\n  Ok\n'


def _bodiless(name: str) -> str:
    """The type line alone of a definition."""
    start = _VALID.index(f"\n{name} : ") + 1
    return _VALID[start : _VALID.index("\n\n", start) if "\n\n" in _VALID[start:] else len(_VALID) - 1]


@pytest.mark.parametrize("name", ["M0", "V0", "G0", "U0", "E0", "C0", "T0", "Q0", "D0", "U3"])
def test_a_definition_without_a_body_is_refused(name: str) -> None:
    """A compiler takes a claim without clauses for something to be filled in later, and says yes."""
    whole = _bodiless(name)
    assert audit(_VALID.replace(whole, whole.split("\n")[0], 1)) is not None
    assert audit(_VALID.replace(whole, "\n".join(whole.split("\n")[:2]), 1)) is not None
    assert audit(_VALID.replace(whole, "\n".join(whole.split("\n")[1:]), 1)) is not None


_SHAPES: dict[str, tuple[str, str]] = {
    "an entry that is only claimed": (_VALID[-20:], _VALID[-20:] + '\nE99 : Entry "zz" Certified 0\n'),
    "two proofs on a line": (_OK_LINES, _OK_LINES.replace("  Ok\n  Ok\n", "  Ok Ok\n")),
    "a proof on the line of the body": (_OK_LINES, _OK_LINES.replace("\n  Ok", " Ok", 1)),
    "a proof in parentheses": (_OK_LINES, _OK_LINES.replace("  Ok\n", "  (Ok)\n", 1)),
    "a proof that is applied": (_OK_LINES, _OK_LINES.replace("  Ok\n", "  (Ok 1)\n", 1)),
    "a proof on a rung's line": ("  Verify\n", "  Verify Ok\n"),
    "all types first": (f"{_E0}E1 :", 'E0 : Entry "ent_a" Verified 0\n\nE1 :'),
    "another definition in between": ("M0 =\n", "M1 : Message\nM0 =\n"),
    "a blank line behind the type": ("M0 : Message\n", "M0 : Message\n\n"),
    "a blank line behind the name": ("M0 =\n", "M0 =\n\n"),
    "a blank line in the body": (_OK_LINES, _OK_LINES.replace("  Ok\n  Ok\n", "  Ok\n\n  Ok\n")),
    "two blank lines": ("\n\nM1", "\n\n\nM1"),
    "no blank line": ("\n\nM1", "\nM1"),
    "a blank line at the end": (_VALID[-20:], _VALID[-20:] + "\n"),
    "no line's end at the end": (_VALID[-20:], _VALID[-20:-1]),
    "deeper": ('  Msg "msg_1"', '    Msg "msg_1"'),
    "a constructor applied in parentheses": ('Msg "msg_1" 1', '(Msg "msg_1") 1'),
    "ground in parentheses": ("[Ev M0 V0]", "[(Ev M0) V0]"),
    "an alias": ("\n\nM1 :", "\n\nM99 : Message\nM99 =\n  M0\n\nM1 :"),
    "an alias of an entry": ("\n\nC0 :", '\n\nE99 : Entry "ent_e" Working 0\nE99 =\n  E4\n\nC0 :'),
    "a cite inside a ruling": ("[Q0, Q1, Q2]", "[Cite E0 Ok Ok]"),
    "a creation inside a move": ("Move T0 ", 'Move (Create "tsk_1" 1700000000000 Pending [] Ok Ok Ok) '),
    "the empty chain inside a link": ("  Add C0 E0", "  Add Empty E0"),
    "an entry inside a link": ("  Add C0 E0", "  Add C0 (E0)"),
    "evidence inside a ground": ("[Ev M0 V0]", '[Ev M0 (Cut "evi_1" Exact 10000 0 18 "We" "We" Ok Ok Ok Ok)]'),
    "a message inside a ground": ("[Ev M0 V0]", '[Ev (Msg "msg_1" 1 2 0 "a" Ok Ok) V0]'),
    "an id that is computed": ('Msg "msg_2"', "Msg (messageId M0)"),
    "a kind that is computed": ('AllUnique "message"', "AllUnique (messageId M0)"),
    "an id that is computed in a type": ('E0 : Entry "ent_a"', "E0 : Entry (messageId M0)"),
    "an id that is computed in a chain": ('C1 : Entries "ent_a"', "C1 : Entries (messageId M0)"),
    "a blocker that is computed": ('["tsk_2"]', "[messageId M0]"),
    "ground by an equal copy": (f"{_M0}M1", f"{_M0}{_M0.replace('M0', 'M90')}M1"),
    "a name that is taken": ("\n\nM1 :", f"\n\n{_M0}M1 :"),
    "a name of another letter": ("M2 : Message\nM2 =", "V99 : Message\nV99 ="),
    "a name that runs on": ("M2 : Message\nM2 =", "M2 : Message\nM20 ="),
    "export of a message": ("M2 : Message", "export\nM2 : Message"),
    "export of a link that is not the last definition": ("C5 : Entries", "export\nC5 : Entries"),
    "a second chain": ("\n\nT0 :", '\n\nC90 : Entries ""\nC90 =\n  Empty\n\nT0 :'),
    "a link that goes back": ("  Add C1 E1", "  Add C0 E1"),
    "a chain without a beginning": ('C0 : Entries ""\nC0 =\n  Empty\n\n', ""),
    "a word of another kind": ('Draft "ent_b" Fact', 'Draft "ent_b" Exact'),
    "a stage that is a status": ('E3 : Entry "ent_d" Candidate', 'E3 : Entry "ent_d" Pending'),
    "ids of several kinds": ("messageId M2]", "evidenceId V0]"),
    "ids written out": ("[decisionId D0]", '["dec_1"]'),
    "parts of another message": ("V2 [V3, V4]", "V2 [V3, V0]"),
    "one part": ("V2 [V3, V4]", "V2 [V2]"),
}


@pytest.mark.parametrize("name", sorted(_SHAPES))
def test_a_definition_in_another_form_is_refused(name: str) -> None:
    before, after = _SHAPES[name]
    assert before in _VALID
    spoiled = _VALID.replace(before, after, 1)
    if name == "ground by an equal copy":
        assert audit(spoiled) is None, "a message twice is no fault of form"
        spoiled = spoiled.replace("[Ev M0 V0]", "[Ev M90 V0]", 1)
    assert spoiled != _VALID
    assert audit(spoiled) is not None


def test_a_module_that_imports_begins_no_chain_and_defines_no_link_that_it_is_shown() -> None:
    first, second = (module.source for module in generate(many_entries(4), entries_a_module=2).modules)
    assert audit(first) is audit(second) is None
    assert "export\nC2 :" in first and "C3 =\n  Add C2 E2\n" in second
    shown_again = second.replace("C3", "C2").replace("C4", "C3")
    assert "C2 =\n  Add C2 E2\n" in shown_again.replace("Add C3", "Add C2")
    assert audit(shown_again) is not None
    begun = second.replace("\nC3 :", '\nC2 : Entries ""\nC2 =\n  Empty\n\nC3 :')
    assert audit(begun) is not None
    assert audit(first.replace("export\n", "", 1).replace("C1 : ", "export\nC1 : ")) is not None
    header = second.split("import Session")
    assert audit(header[0] + header[1].split("\n", 1)[1]) is not None


@pytest.mark.parametrize("name", sorted(VALID_SESSIONS))
@pytest.mark.parametrize("entries_a_module", [1, 3, 100])
def test_all_that_is_generated_is_inside_the_language(name: str, entries_a_module: int) -> None:
    for module in generate(VALID_SESSIONS[name], entries_a_module=entries_a_module).modules:
        assert audit(module.source) is None


def test_a_refusal_names_a_line_and_quotes_nothing() -> None:
    lines = _VALID.split("\n")
    found = audit("\n".join([*lines[:3], "secret = 1", *lines[3:]]))
    assert found is not None
    assert found.line == 4
    assert "secret" not in found.reason


@pytest.mark.parametrize(
    "body",
    [
        '"' + "\\10\\&" * 200_000,
        '"' + "a" * 1_000_000,
        '"' * 1_000_001,
        '"a" ' * 300_000 + '"',
        "M0 : " + "(" * 1_000_000,
        "M0 :\n" + "  Ok\n" * 200_000,
        "M0 : Message\nM0 =\n" + "  Ok\n" * 200_000 + "M1 =",
        "\n" * 1_000_000 + "x",
        "M0 : Message\nM0 =\n  [" + "1, " * 300_000,
        "9" * 1_000_000,
    ],
    ids=range(10),
)
def test_a_megabyte_of_anything_is_judged_in_good_time(body: str) -> None:
    """No text makes the audit or the reader go back over it again and again: a session's texts may be of any length."""
    source = f"module Session0123456789abcdefP0\nimport Memory.Session\n%default total\n\n{body}"
    started = time.process_time()
    refused, judged = audit(source), judge([source])
    assert time.process_time() - started < 5
    assert refused is not None or not judged.accepted
