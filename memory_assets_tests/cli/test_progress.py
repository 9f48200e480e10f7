"""What people see of long work: amounts, times, and no control character where nobody draws."""

from __future__ import annotations

import pytest

from memory_assets.cli import progress
from memory_assets.cli.progress import LineProgress, amounts, times


@pytest.mark.parametrize(
    ("done", "total", "in_bytes", "shown"),
    [
        (1_234_567, 30_900_000, True, "1.2 of 30.9 MB"),
        (512, 3000, False, "512 of 3,000"),
        (7, None, False, "7"),
    ],
)
def test_amounts(done: int, total: int | None, in_bytes: bool, shown: str) -> None:
    assert amounts(done, total, in_bytes=in_bytes) == shown


@pytest.mark.parametrize(
    ("elapsed", "done", "shown"),
    [
        (4, 1, "0:04"),  # too little is done to tell
        (30, 25, "0:30, about 1:30 left"),
        (120, 1, "2:00, about 3:18:00 left"),
        (59.6, 100, "1:00"),
        (3, 0, "0:03"),
    ],
)
def test_times(elapsed: float, done: int, shown: str) -> None:
    assert times(elapsed, done, 100) == shown


def test_a_pipe_gets_a_plain_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    told = LineProgress()
    told.start_bytes(4_000_000, "looking at files")
    for _ in range(20):
        now += 4
        told.advance(200_000, "session 1 of 2, extracted")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "0.8 of 4.0 MB, 0:16, about 1:04 left: session 1 of 2, extracted"
    assert len(lines) == 5 and not any(ord(character) < 32 for line in lines for character in line)
    told.finish()
