"""Ids and checksums: the same thing gives the same on every machine."""

import hashlib
import json
import math
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.identifiers import canonical_json, sha256_hex, typed_id

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_canonical_json_is_json_and_one_spelling(value: object) -> None:
    text = canonical_json(value)
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_the_order_of_keys_does_not_matter(value: dict[str, int]) -> None:
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)


def test_text_is_left_as_it_is() -> None:
    decomposed = unicodedata.normalize("NFD", "각")
    assert canonical_json({"b": "가 \x00\n", "a": decomposed}) == f'{{"a":"{decomposed}","b":"가 \\u0000\\n"}}'


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_json_cannot_hold_is_refused(value: float) -> None:
    with pytest.raises(ValueError):
        canonical_json({"x": value})


def test_hashes_are_of_utf8() -> None:
    assert sha256_hex("가") == sha256_hex("가".encode()) == hashlib.sha256(b"\xea\xb0\x80").hexdigest()


@given(st.text(min_size=1), st.integers(0, 9), st.none() | st.lists(st.text(), max_size=2))
def test_an_id_is_its_parts(text: str, number: int, more: list[str] | None) -> None:
    made = typed_id("ent", text, number, more)
    assert made == typed_id("ent", text, number, more)
    assert made.startswith("ent_") and len(made) == 36 and set(made[4:]) <= set("0123456789abcdef")
    assert made != typed_id("ent", text, number + 1, more)
    assert made[4:] == typed_id("mem", text, number, more)[4:]


def test_parts_do_not_run_together() -> None:
    assert len({typed_id("x", "ab", "c"), typed_id("x", "a", "bc"), typed_id("x", "abc"), typed_id("x", ["ab", "c"])}) == 4


@given(st.text())
def test_a_name_typed_on_another_system_gives_the_same_id(text: str) -> None:
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    assert typed_id("x", composed, {composed: [composed]}) == typed_id("x", decomposed, {decomposed: [decomposed]})


def test_another_process_gives_the_same_id() -> None:
    program = "from memory_assets.identifiers import typed_id; print(typed_id('ent', 'a', {'b': ['가', 1]}, None))"
    seeds = ("0", "1")
    made = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout.strip()
        for seed in seeds
    }
    assert made == {typed_id("ent", "a", {"b": ["가", 1]}, None)}
