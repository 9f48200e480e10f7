"""A quote of the log is held to what evidence/model.py promises, by code that shares nothing with the aligner's search."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.defs.stages.aligned import record_of
from memory_assets.evidence.aligner import align
from memory_assets.identifiers import sha256_hex
from memory_assets.log.payloads.entries import EvidenceRecord
from memory_assets.maintenance.span_check import Texts, defects_of

FAMILY = "우리 가족 👨‍👩‍👧 사진은 남기기로 했다.\r\n다음 줄, e\u0301 끝"
awkward = st.sampled_from(
    ["가", "각", "\u1100\u1161", "e\u0301", "👨‍👩‍👧", "🇰🇷", "\r\n", " ", "**", "a", "B", "5", "-", "…", "\u200b", "ﬁ"]
)
some_text = st.lists(awkward, max_size=30).map("".join) | st.text(max_size=40)


def sound(quote: str, text: str = FAMILY) -> EvidenceRecord:
    start = text.index(quote)
    return EvidenceRecord(
        message_index=0,
        claimed_message_index=0,
        quote=quote,
        quote_hash=sha256_hex(quote),
        span_start=start,
        span_end=start + len(quote),
        segments=[(start, start + len(quote))],
        matched_text=quote,
        method="exact",
        confidence=1.0,
        similarity=1.0,
    )


@given(st.lists(some_text, min_size=1, max_size=3), some_text, st.integers(-1, 3))
def test_whatever_the_aligner_gives_is_sound(messages: list[str], quote: str, index: int) -> None:
    messages = [text.encode(errors="replace").decode() for text in messages]
    quote = quote.encode(errors="replace").decode()
    assert defects_of(record_of(align(messages, quote, index)), Texts(messages)) == []


@given(st.lists(some_text, min_size=1, max_size=3), st.data())
def test_a_quote_cut_out_of_a_message_is_sound(messages: list[str], data: st.DataObject) -> None:
    text = messages[0] = messages[0].encode(errors="replace").decode()
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    assert defects_of(record_of(align(messages, quote, 0)), Texts(messages)) == []


@pytest.mark.parametrize(
    ("values", "detail"),
    [
        ({"quote_hash": "0" * 64}, "quote_hash is not the hash of the quote"),
        ({"span_start": 1}, "the message says"),
        ({"span_end": 9_999}, "and the span is 3 to 9999"),
        ({"span_start": 40, "span_end": 40}, "and the span is 40 to 40"),
        ({"span_start": None}, "it has no span"),
        ({"message_index": 1, "relocated": True}, "the session has no message 1"),
        ({"message_index": -1, "relocated": True}, "the session has no message -1"),
        ({"matched_text": "우리"}, "matched_text says “우리”"),
        ({"matched_text": None}, "matched_text says nothing"),
        ({"relocated": True}, "relocated is True: claimed in message 0, found in 0"),
        ({"confidence": 0.99}, "its method is exact, with confidence 0.99"),
        ({"method": "normalized"}, "its method is normalized, with confidence 1"),
        ({"method": "normalized", "confidence": 0.9}, "its method is normalized, with confidence 0.9"),
        ({"method": "fuzzy", "confidence": 0.95}, "its method is fuzzy, with confidence 0.95"),
        ({"similarity": 1.5}, "its similarity is 1.5"),
        ({"segments": [(3, 5)]}, "its segments are 3-5, and its span is"),
        ({"segments": [(3, 6), (5, 14)]}, "overlap or are out of order"),
        ({"segments": [(3, 3), (3, 14)]}, "a segment without a character"),
        ({"segments": [(3, 5), (6, 14)]}, "it leaves something out"),
        ({"failure_reason": "not_found"}, "with a reason why it is not: not_found"),
        ({"method": "none", "confidence": 0.0, "failure_reason": "not_found"}, "it has a span, and its method is none"),
    ],
)
def test_each_broken_promise_is_named(values: dict[str, Any], detail: str) -> None:
    record = sound("가족 👨‍👩‍👧 사진")
    assert defects_of(record, Texts([FAMILY])) == []
    found = defects_of(record.model_copy(update=values), Texts([FAMILY]))
    assert any(detail in line for line in found), found


def test_a_failed_quote() -> None:
    failed = EvidenceRecord(
        claimed_message_index=7,
        quote="x",
        quote_hash=sha256_hex("x"),
        method="none",
        confidence=0.0,
        failure_reason="not_found",
    )
    assert defects_of(failed, Texts([])) == []
    assert defects_of(failed.model_copy(update={"failure_reason": None}), Texts([])) == ["its method is none, without a reason"]
    assert "with confidence 0.5" in defects_of(failed.model_copy(update={"confidence": 0.5}), Texts([]))[0]


@pytest.mark.parametrize("quote", ["👨‍👩", "\u200d👧 사진", "기로 했다.\r", "\n다음 줄", "줄, e", "\u0301 끝"])
def test_a_span_that_cuts_a_character_is_named(quote: str) -> None:
    (line,) = defects_of(sound(quote), Texts([FAMILY]))
    assert line.startswith("it begins or ends inside a character as people see it, at ")


def test_segments_are_held_to_characters_too() -> None:
    record = sound("가족 👨‍👩‍👧 사진").model_copy(
        update={"method": "fuzzy", "confidence": 0.9, "segments": [(3, 7), (8, 14)], "similarity": 0.9}
    )
    (line,) = defects_of(record, Texts([FAMILY]))
    assert line == "it begins or ends inside a character as people see it, at 7, 8"
