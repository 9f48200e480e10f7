"""Long lines take linear time: an unbounded expression over 121,000 base64 characters ran for minutes."""

from __future__ import annotations

import random
import string
import time

import pytest

from memory_assets.sessions.redaction import redact_text
from memory_assets.sessions.redaction_policy import default_policy

_MEGABYTE = 1_000_000
# CPU seconds a megabyte; the slowest takes about 0.6 on a quiet machine, a quadratic one takes minutes.
_BUDGET = 3.0


def _base64(length: int) -> str:
    return "".join(random.Random(7).choices(string.ascii_letters + string.digits + "+/", k=length))


def _seconds(text: str) -> float:
    default_policy()
    start = time.process_time()
    redact_text(text, default_policy())
    return time.process_time() - start


@pytest.mark.parametrize(
    "unit",
    [
        "a", "=", "@", "<private>", "</private>", "`", "<private>`</private>\n", "```a\n<private>", "<", "a@", "a@a.", "eyJ",
        "eyJaaaaaaaa.", "ghp_", "sk-", "://a:", "password:", "password=", "token=", "--password ", "aws key ", "ibm key=",
        "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "PuTTY-User-Key-File-2\n", "curl -u ", "xoxb-", "AKIA",
        "880101-1234567 ", "[EMAIL]", "[SECRET:github", "\\n", "비밀번호는 ", "İ",
    ],
)  # fmt: skip
def test_a_megabyte_of_one_thing(unit: str) -> None:
    assert _seconds((unit * (_MEGABYTE // len(unit) + 1))[:_MEGABYTE]) < _BUDGET


def test_a_megabyte_of_base64_is_fast_and_untouched() -> None:
    text = _base64(_MEGABYTE)
    assert _seconds(text) < 1.0
    assert redact_text(text, default_policy()).counts == {}


def test_ten_megabytes_of_base64_in_one_line() -> None:
    assert _seconds(_base64(_MEGABYTE) * 10) < 8.0
