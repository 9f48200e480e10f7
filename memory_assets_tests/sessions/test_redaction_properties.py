"""Properties of masking over arbitrary and over nasty texts."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memory_assets.sessions.masking.redaction import Redacted, redact_text
from memory_assets.sessions.masking.redaction_policy import default_policy

_SECRET = "ghp_" + "q7Zk2M9xLr4TnB8vYc1WsD5hJf3GpK6aQeRt"
_MARKER = default_policy().marker

_any_text = st.text(st.characters(exclude_categories=()), max_size=200)
_PIECES = """
    <private> </private> <PRIVATE_x> ` ``` ~~~ password token secret api_key "apiKey" 비밀번호 는 : = => " ' \\ \\n \\"
    hunter2 abc123def456 a@b.co bob @ example.com . :// user: pass@ [EMAIL] [SECRET:github] [ SECRET:github ] [PRIVATE]
    AKIAIOSFODNN7EXAMPLE 880101-1234567 -- - 한글 , ( ) { $ < > -----BEGIN_PRIVATE_KEY----- -----END_PRIVATE_KEY-----
    MIIEowIBAAKCAQEA Bearer_ Authorization:_ eyJhbGciOiJIUzI1NiJ9. eyJzdWIiOiIxIn0.abc sk-abcdefghijklmnop1234567890 İ 😀
    curl_-u_ | ** _is_
"""
_pieces = [piece.replace("_", " ") if piece != "api_key" else piece for piece in _PIECES.split()]
_nasty_text = st.lists(
    st.sampled_from([*_pieces, " ", "\n", "\r\n", "\r", "\u2028", "\n```\n", "\n~~~\n", "\ud800"]), max_size=25
).map("".join)
_texts = _any_text | _nasty_text


def _redact(text: str) -> Redacted:
    return redact_text(text, default_policy())


def _number_of_lines(text: str) -> int:
    return len((text + "|").splitlines())


@settings(max_examples=400)
@given(_texts)
def test_masking_twice_equals_once(text: str) -> None:
    once = _redact(text)
    twice = _redact(once.text)
    assert (twice.text, twice.counts) == (once.text, {})


@settings(max_examples=400)
@given(_texts)
def test_line_numbers_stay(text: str) -> None:
    assert _number_of_lines(_redact(text).text) == _number_of_lines(text)


@settings(max_examples=400)
@given(_texts)
def test_what_is_not_masked_is_the_text_itself_in_order(text: str) -> None:
    """The pieces between the markers stand in the original, in this order: nothing is added, moved or reworded."""
    redacted = _redact(text)
    position = 0
    for piece in _MARKER.split(redacted.text):
        for part in re.split(r"[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]", piece):
            found = text.find(part, position)
            assert found != -1
            position = found + len(part)
    assert len(_MARKER.findall(redacted.text)) >= min(1, sum(redacted.counts.values()))


@settings(max_examples=300)
@given(_nasty_text, st.sampled_from([" ", "\n", "=", '"', "\\n", "(", "한글", "`"]), _nasty_text)
def test_the_secret_is_nowhere(before: str, glue: str, after: str) -> None:
    redacted = _redact(f"{before}{glue}{_SECRET}{glue}{after}")
    assert _SECRET not in redacted.text
    assert _SECRET not in repr(redacted)
    assert _SECRET[4:24] not in redacted.text


@pytest.mark.long
@settings(max_examples=300)
@given(_nasty_text, _nasty_text, _nasty_text)
def test_a_private_word_is_nowhere(before: str, inside: str, after: str) -> None:
    assume("private>" not in (before + inside).lower() and "`" not in before and "~~~" not in before)
    word = "zxqvjk"
    assert word not in _redact(f"{before}<private>{inside}{word}</private>{after}").text


@settings(max_examples=200)
@given(_texts)
def test_same_text_same_result(text: str) -> None:
    assert _redact(text) == _redact(str(text))
