"""Long lines take linear time: an unbounded expression over 121,000 base64 characters ran for minutes."""

from __future__ import annotations

import random
import string
import time

import pytest

from memory_assets.sessions.masking.redaction import redact_text
from memory_assets.sessions.masking.redaction_policy import default_policy

_SHORT, _LONG = 40_000, 160_000
# Four times the text takes four times as long; where it took the square, it would be sixteen.
_STEEPEST = 8.0
# CPU seconds: below this a ratio is noise; above that no machine takes for linear work (a tenth of it is usual).
_NOISE, _LONGEST = 0.1, 8.0


def _base64(length: int) -> str:
    return "".join(random.Random(7).choices(string.ascii_letters + string.digits + "+/", k=length))


def _seconds(text: str, tries: int = 3) -> float:
    """The CPU time of this process for one text, the shortest of some."""
    policy = default_policy()
    times = []
    for _ in range(tries):
        start = time.process_time()
        redact_text(text, policy)
        times.append(time.process_time() - start)
    return min(times)


def _require_linear(unit: str) -> None:
    short, long = ((unit * (length // len(unit) + 1))[:length] for length in (_SHORT, _LONG))
    seconds = _seconds(long, tries=1)
    assert seconds < _LONGEST
    if seconds > _NOISE:
        assert min(seconds, _seconds(long, tries=2)) < _STEEPEST * _seconds(short)


@pytest.mark.long
@pytest.mark.parametrize(
    "unit",
    [
        "a", "=", "@", "<private>", "</private>", "`", "<private>`</private>\n", "```a\n<private>", "<", "a@", "a@a.", "eyJ",
        "eyJaaaaaaaa.", "ghp_", "sk-", "://a:", "password:", "password=", "token=", "--password ", "aws key ", "ibm key=",
        "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "PuTTY-User-Key-File-2\n", "curl -u ", "xoxb-", "AKIA",
        "880101-1234567 ", "[EMAIL]", "[SECRET:github", "\\n", "비밀번호는 ", "İ", "walnut ", "walnut the ",
        "webhook/", "the password ", "PW ", " pass x", "define('x_key', ", "\\\\", "%41",
        "&amp;", "1 ", "12.", "token | ", "| token |\n|---|\n", "Ab1", "aGVsbG8gd29ybGQg", "login a/b1! ", "\ud83d", "key: |\n",
    ],
)  # fmt: skip
def test_four_times_the_text_takes_about_four_times_as_long(unit: str) -> None:
    _require_linear(unit)


@pytest.mark.long
def test_a_pattern_that_takes_the_square_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of the test above."""
    monkeypatch.setattr(f"{__name__}.redact_text", lambda text, _policy: _quadratic(len(text) // 60))
    with pytest.raises(AssertionError):
        _require_linear("a")


def _quadratic(size: int) -> int:
    return sum(1 for _ in range(size) for _ in range(size * 3))


def test_a_megabyte_of_base64_is_untouched() -> None:
    assert redact_text(_base64(1_000_000), default_policy()).counts == {}


def test_base64_in_one_line_takes_linear_time() -> None:
    _require_linear(_base64(_LONG))
