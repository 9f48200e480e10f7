"""Data as literals: whatever a session says comes back as it was, and is never code."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.graduation.proofs.audit import audit
from memory_assets.graduation.proofs.embedded_syntax import read_module
from memory_assets.graduation.proofs.errors import UnwritableError
from memory_assets.graduation.proofs.literals import integer_refusal, num, string_literal, ten_thousandths, text_refusal
from memory_assets_tests.graduation.proofs.lexer import NotOneLiteral, read_literal
from memory_assets_tests.graduation.proofs.samples import HOSTILE

_HEADER = "module Session0123456789abcdefP0\nimport Memory.Session\n%default total\n"

# What fuzzing draws from: what has a meaning inside or beside a literal, and characters of every width.
_ALPHABET = (
    *'"\\{}&?%-|#\'`~$()[],:=;@',
    *"0123456789abfnrtvxoSOHNULDEL",
    *"\n\r\t\0\x01\x0e\x1b\x7f\x85\xa0\xad",
    *"가결정ㄱ漢かé\u0301\u1100\u1161",
    *"\u200b\u200d\u202e\u2028\u3000\ufeff\uffff\ue000👍🏽\U000e0041\U0010ffff",
    "\\{", "\\&", '"""', "believe_me", "import ", "%runElab",
)  # fmt: skip


def _module_with(literals: str) -> str:
    """A module in which these stand where there may be any number of texts."""
    return f'{_HEADER}\nT0 : History "t" Blocked 0\nT0 =\n  Create "t" 0 Blocked [{literals}]\n  Ok\n  Ok\n  Ok\n'


def test_hostile_texts_read_back_as_they_were() -> None:
    assert len(set(HOSTILE)) > 50
    for text in HOSTILE:
        assert read_literal(string_literal(text)) == text


def test_20000_fuzzed_literals_are_one_literal_each_inside_the_language() -> None:
    draw = random.Random(20_000)
    texts = ["".join(draw.choices(_ALPHABET, k=draw.randrange(0, 14))) for _ in range(20_000)]
    for text in texts:
        assert read_literal(string_literal(text)) == text
    for first in range(0, len(texts), 500):
        written = texts[first : first + 500]
        source = _module_with(", ".join(string_literal(text) for text in written))
        assert audit(source) is None
        module = read_module(source)
        assert module.definitions[0].term.args[3].items == tuple(written)  # type: ignore[union-attr]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_reads_back(text: str) -> None:
    assert read_literal(string_literal(text)) == text
    assert audit(_module_with(string_literal(text))) is None


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40), st.data())
def test_naive_quoting_is_what_the_fences_are_for(text: str, data: st.DataObject) -> None:
    """A text that is quoted without escapes either reads back as it was, or is refused by the audit or the lexer model:
    the audit never lets through what the lexer reads differently."""
    spoiled = data.draw(st.sampled_from(["\\{x}", '" ?h "', "\\SOH", "\\x41", "\n", "\u202e", ""])) + text
    source = _module_with(f'"{spoiled}"')
    if audit(source) is None:
        literal = f'"{spoiled}"'
        try:
            read_literal(literal)
        except NotOneLiteral:
            # Two or more whole literals are inside the language; no literal was opened by force.
            assert spoiled.count('"') >= 2


def test_a_lone_surrogate_is_refused_before_it_is_written() -> None:
    assert text_refusal("ok", "bad \udcff") == "text-is-unicode"
    assert text_refusal("ok", "👍") is None
    with pytest.raises(UnwritableError):
        string_literal("\ud83d")


def test_numbers() -> None:
    assert num(0) == "0"
    assert num(-3) == "(minus 3)"
    assert num(2**53) == str(2**53)
    assert integer_refusal(1, -(2**53)) is None
    assert integer_refusal(1, 2**53 + 1) == "integer-in-range"
    with pytest.raises(UnwritableError):
        num(2**53 + 1)


@pytest.mark.parametrize(
    ("confidence", "units"),
    [(1.0, 10_000), (0.95, 9_500), (0.955, 9_550), (0.99999, 9_999), (0.9499999, 9_499), (0.85, 8_500), (-0.00001, -1)],
)
def test_confidence_is_rounded_down_by_its_decimal_spelling(confidence: float, units: int) -> None:
    assert ten_thousandths(confidence) == units
