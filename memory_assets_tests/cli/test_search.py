"""`memory search --bulk` as programs use it: bytes in, a line of JSON out for each, whatever the bytes are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_assets_tests.cli.conftest import Ended, Run

Bulk = Callable[..., tuple[Ended, list[dict[str, Any]]]]


@pytest.fixture
def bulk(memory: Run, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bulk:
    """Ask lines of bytes on stdin, of a locale that is no UTF-8; how it ended, and what was answered."""

    def ask(sent: bytes, *options: str) -> tuple[Ended, list[dict[str, Any]]]:
        (tmp_path / "asked.ndjson").write_bytes(sent)
        with (tmp_path / "asked.ndjson").open(encoding="ascii") as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            ended = memory("search", "--bulk", "--json", "--no-log", *options)
        return ended, [json.loads(line) for line in ended.out.splitlines()]

    return ask


def line(**fields: object) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode()


def test_the_mark_of_an_editor_other_line_ends_and_a_missing_last_one_are_no_matter(bulk: Bulk) -> None:
    lines = (line(id=1, query="캐시"), b"", line(id=2, query="PostgreSQL"), line(id=3, query="블로커"))
    ended, items = bulk(b"\xef\xbb\xbf" + b"\r\n".join(lines))
    assert ended.code == 0 and [item["id"] for item in items] == ["1", "2", "3"]
    assert all(item["response"]["hits"] for item in items)


def test_bytes_that_are_no_utf_8_are_an_error_of_their_line(bulk: Bulk) -> None:
    lines = (line(id="a", query="Redis"), b'{"id": "b", "query": "\xff\xfe Redis"}', line(id="c", query="Redis"))
    ended, items = bulk(b"\n".join(lines))
    assert ended.code == 1 and [item["id"] for item in items] == ["a", "line 2", "c"]
    assert "UTF-8" in items[1]["error"]["message"] and items[1]["error"]["hint"]


@pytest.mark.parametrize("field", ["id", "query", "project", "worktree", "task", "stage_min", "files", "kinds", "none"])
def test_half_of_a_surrogate_pair_hurts_no_other_line(bulk: Bulk, field: str) -> None:
    half = '"\\ud800 Redis"'
    odd = f'{{"id": "a", "query": "Redis", "{field}": {f"[{half}]" if field in ("files", "kinds") else half}}}'
    _, items = bulk(odd.encode() + b"\n" + line(id="b", query="Redis"))
    assert len(items) == 2 and items[1]["id"] == "b" and items[1]["response"]["hits"]


def test_an_id_comes_back_as_it_was_given(bulk: Bulk) -> None:
    given = "질문 " * 200
    _, items = bulk(line(id=given, query="Redis") + b"\n" + line(id=given, query=""))
    assert [item["id"] for item in items] == [given, given]


def test_a_terminal_is_given_no_character_that_it_would_obey(bulk: Bulk) -> None:
    ended, items = bulk(line(id="\x9b31m\u202e", query="\x1b[31m블로커 \u202e"))
    assert items[0]["id"] == "\x9b31m\u202e" and items[0]["response"]["hits"]
    assert not any(unicodedata.category(one) in ("Cc", "Cf") for one in ended.out if one != "\n")


@pytest.mark.long
def test_more_lines_than_are_answered_at_once_keep_their_order(bulk: Bulk) -> None:
    ended, items = bulk(b"\n".join(line(id=n, query="Redis", k=1) for n in range(230)))
    assert ended.code == 0 and [item["id"] for item in items] == [str(n) for n in range(230)]


def test_a_stdin_that_cannot_be_read_is_an_error(
    memory: Run, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "written").open("w") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        ended = memory("search", "--bulk", "--json")
    assert ended.code == 2 and json.loads(ended.err)["code"] == "io_error"
    monkeypatch.setattr(sys, "stdin", None)
    assert memory("search", "--bulk").code == 2


@pytest.mark.long
def test_who_reads_no_further_ends_it_while_more_may_be_asked(filled: Path) -> None:
    command = [sys.executable, "-m", "memory_assets", "search", "--bulk", "--json", "--no-log"]
    environment = os.environ | {"MEMORY_HOME": str(filled), "MEMORY_EMBEDDING_MODEL": "hashing"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, **pipes) as running:  # type: ignore[call-overload]
        try:
            for _ in range(2):
                running.stdin.write(line(id=1, query="Redis") + b"\n")
                running.stdin.flush()
                assert json.loads(running.stdout.readline())["id"] == "1"
            running.stdout.close()
            running.stdin.write(line(id=2, query="Redis") + b"\n")
            running.stdin.flush()
            assert running.wait(timeout=30) == 0, running.stderr.read()
            assert b"Fatal" not in running.stderr.read()
        finally:
            running.kill()


def test_what_a_line_says_of_where_to_look_is_its_scope(bulk: Bulk) -> None:
    lines = (line(id="a", query="Redis", project="other"), line(id="b", query="Redis"))
    _, items = bulk(b"\n".join(lines), "--scope", "org")
    assert [bool(item["response"]["hits"]) for item in items] == [False, True]


def test_one_answer_a_line_is_not_expanded(bulk: Bulk) -> None:
    ended, _ = bulk(b"", "--expand")
    assert ended.code == 2 and "--expand" in ended.err
