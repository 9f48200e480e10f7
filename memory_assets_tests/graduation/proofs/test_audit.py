"""The closed vocabulary: what a module may not contain, wherever it stands."""

from __future__ import annotations

import time

import pytest

from memory_assets.graduation.proofs.audit import audit
from memory_assets.graduation.proofs.embedded import judge
from memory_assets.graduation.proofs.generator import generate
from memory_assets_tests.graduation.proofs.samples import valid_session

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
