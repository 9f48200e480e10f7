"""`memory align`: one quote, one text, no store."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from memory_assets.cli import align
from memory_assets_tests.cli.conftest import Run

TEXT = (
    "로그를 보니 커넥션 풀이 모자랍니다. 우리는 캐시를 **Redis**로 옮기기로 했다.\r\n"
    "이유는 재시작이 빠르기 때문이다. 이유는 그것뿐이다.\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "메시지 1.txt"
    path.write_bytes(TEXT.encode())
    return path


def test_the_span_is_shown_in_its_text(memory: Run, file: Path, tmp_path: Path) -> None:
    ended = memory("align", "--message", str(file), "--quote", "우리는 캐시를 Redis로 옮기기로 했다.")
    assert ended.code == 0 and ended.err == ""
    lines = ended.out.splitlines()
    assert lines[0].startswith("aligned  normalized 0.9")
    assert lines[1] == f"c=21-48  27 of {len(TEXT)} characters"
    assert "normalized: the same letters and digits" in ended.out
    assert "quoted as  “우리는 캐시를 Redis로 옮기기로 했다.”" in ended.out
    assert "⟦우리는 캐시를 **Redis**로 옮기기로 했다.⟧" in ended.out
    assert not (tmp_path / "home").exists()  # no store was made


def test_json_holds_the_span(memory: Run, file: Path) -> None:
    value = memory("align", "--message", str(file), "--quote", "이유는", "--json").json
    assert value["schema_version"] == "align.v1" and value["aligned"] is True
    assert TEXT[value["span_start"] : value["span_end"]] == value["matched_text"] == "이유는"
    assert value["method"] == "exact" and value["confidence"] == 1.0 and value["ambiguous"] and value["alternative_count"] == 1


def test_flags_are_said_in_words(memory: Run, file: Path) -> None:
    out = memory("align", "--message", str(file), "--quote", "이유는").out
    assert "exact 1.00  ambiguous" in out and "ambiguous: it stands 1 time more just as well" in out


@pytest.mark.parametrize(
    ("quote", "reason", "words"),
    [
        ("PostgreSQL은 쓰지 않는다", "not_found", "nothing like it stands there"),
        ("  ", "empty_quote", "there is no text in it"),
        ("가" * 600, "quote_too_long", "longer than a quote may be"),
    ],
)
def test_what_does_not_align_is_code_1_with_the_reason(memory: Run, file: Path, quote: str, reason: str, words: str) -> None:
    ended = memory("align", "--message", str(file), "--quote", quote)
    assert ended.code == 1 and ended.err == ""
    assert ended.out.startswith(f"not aligned\n{reason}: ") and words in ended.out
    ended = memory("align", "--message", str(file), "--quote", quote, "--json")
    assert ended.code == 1 and ended.json["aligned"] is False and ended.json["failure_reason"] == reason


def test_what_is_only_alike_shows_how_much(memory: Run, file: Path) -> None:
    arguments = ("align", "--message", str(file), "--quote", "이유는 재시작이 느리고 어렵기 때문이다.")
    ended = memory(*arguments, "--json")
    assert ended.code == 1 and ended.json["failure_reason"] == "below_threshold"
    alike = ended.json["best_similarity"]
    assert 0.6 <= alike < 0.85 and f"the best place is {alike:.1%} alike" in memory(*arguments).out


def test_every_part_around_an_ellipsis_is_marked(memory: Run, file: Path) -> None:
    ended = memory("align", "--message", str(file), "--quote", "우리는 캐시를 Redis로 … 재시작이 빠르기 때문이다")
    assert ended.code == 0 and "leaves something out: 2 parts" in ended.out
    assert "⟦우리는 캐시를 **Redis**로⟧ 옮기기로" in ended.out and "⟦재시작이 빠르기 때문이다⟧." in ended.out


def test_the_quote_from_standard_input(memory: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def given(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    given("이유는 재시작이\r\n".encode())
    value = memory("align", "--message", str(file), "--quote", "-", "--json").json
    assert value["quote"] == "이유는 재시작이" and value["method"] == "exact"
    given(b"\xb0\xa1")
    ended = memory("align", "--message", str(file), "--quote", "-")
    assert ended.code == 2 and "the standard input is no UTF-8" in ended.err


def test_line_ends_count_and_a_byte_order_mark_does_not(memory: Run, file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + "하나\r\n둘 셋 넷".encode())
    value = memory("align", "--message", str(file), "--quote", "둘 셋 넷", "--json").json
    assert (value["span_start"], value["span_end"]) == (4, 9)


def test_what_cannot_be_read_is_code_2(memory: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad, huge = tmp_path / "bad.txt", tmp_path / "huge.txt"
    bad.write_bytes("가".encode("cp949"))
    monkeypatch.setattr(align, "MAX_BYTES", 1024)
    huge.write_bytes(b"x" * 1025)
    for path, told in (
        (tmp_path, "is a folder"),
        (tmp_path / "none.txt", "there is no file"),
        (bad, "is no UTF-8: byte 0"),
        (huge, "is larger than a message may be"),
        (tmp_path / ("x" * 300), "cannot be read"),
    ):
        ended = memory("align", "--message", str(path), "--quote", "x")
        assert ended.code == 2 and ended.out == "", path
        error, hint = ended.err.splitlines()
        assert told in error and hint.startswith("hint: ")
        value = json.loads(memory("align", "--message", str(path), "--quote", "x", "--json").err)
        assert value["schema_version"] == "error.v1" and value["code"] == "invalid_argument"


def test_what_is_no_file_is_refused_and_not_waited_for(memory: Run, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        for path in (fifo, tmp_path / "s", Path("/dev/zero"), Path("/dev/null")):
            ended = memory("align", "--message", str(path), "--quote", "x")
            assert ended.code == 2 and ended.out == "" and f"{path} is no regular file" in ended.err, path


def test_it_loads_nothing_heavy(file: Path) -> None:
    arguments = ["align", "--message", str(file), "--quote", "이유는"]
    code = f"import sys; from memory_assets.cli.main import main; main({arguments}); print(*sys.modules, file=sys.stderr)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"dagster", "duckdb", "pyarrow", "lancedb", "litellm", "torch", "sentence_transformers", "numpy", "pandas"}
    assert not heavy & set(ended.stderr.split()) and "aligned" in ended.stdout
