"""`memory timeline`, `memory details` and `memory context` as people and agents call them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from memory_assets.cli.tables import UNLIMITED
from memory_assets.memory import Memory
from memory_assets_tests import filled_store
from memory_assets_tests.cli.conftest import Run


@pytest.fixture
def redis(filled: Path) -> str:
    return next(
        found.citation for found in Memory(filled_store.test_settings(filled)).memories().memories if "Redis" in found.title
    )


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> int:
    """A terminal of 60 cells."""
    width = 60
    monkeypatch.setattr("memory_assets.cli.timeline.terminal_width", lambda: width)
    monkeypatch.setattr("memory_assets.cli.tables.terminal_width", lambda: width)
    return width


def test_a_timeline_shows_each_passage_on_a_line_with_the_target_marked(memory: Run, redis: str) -> None:
    ended = memory("timeline", redis, "--window", "1")
    assert ended.code == 0
    head, before, target, after, *_ = ended.out.splitlines()
    assert head == "결제 서버 장애  project shop  2025-01-02  session:shop-1"
    assert before == "     0  03:04  user       결제 서버가 자꾸 죽어요. 원인을 찾아 주세요."
    assert target.startswith("▶    1  03:05  assistant  로그를 보니 커넥션 풀이 모자랍니다.")
    assert after.startswith("     2  03:06  user       좋아요. 배포 전에 [bold]블로커[/bold]␛[31m를")


def test_korean_lines_keep_within_a_narrow_terminal(memory: Run, redis: str, narrow: int) -> None:
    for command in ("timeline", "details"):
        lines = memory(command, redis).out.splitlines()
        cut = [line for line in lines if cell_len(line) > narrow]
        # What is asked for in full is not cut; the terminal wraps it.
        assert not cut or command == "details"
    target = [line for line in memory("timeline", redis).out.splitlines() if "▶" in line or line.startswith(" " * 26)]
    assert len(target) > 1
    assert all(cell_len(line) <= narrow for line in target)


def test_details_show_text_quotes_and_what_hangs_on_them(memory: Run, redis: str) -> None:
    ended = memory("details", redis, "session:shop-1#m=2")
    assert ended.code == 0
    assert f"{redis}  decision  held (embedded 1)  project shop" in ended.out
    assert "“우리는 캐시를 Redis로 옮기기로 했다.”" in ended.out
    assert "evidence of  tsk_" in ended.out
    assert "\x1b[31m" not in ended.out


def test_what_is_left_out_is_said(memory: Run, redis: str) -> None:
    assert "left out: " in memory("details", redis, "--budget", "60").out
    assert "left out: " not in memory("details", redis).out


@pytest.mark.parametrize("command", ["timeline", "details"])
def test_an_unknown_id_is_an_error_of_its_own(memory: Run, redis: str, command: str) -> None:
    both = memory(command, "mem:zzzzzz", redis)
    assert both.code == 1
    assert "error: there is no memory mem:zzzzzz\nhint: " in both.err
    assert "Redis" in both.out
    alone = memory(command, "mem:zzzzzz")
    assert alone.code == 2
    assert alone.out == ""
    printed = memory(command, "mem:zzzzzz", redis, "--json")
    assert printed.code == 1
    assert printed.json["schema_version"] == f"{command}.v1"
    assert [error["error"]["code"] for error in printed.json["errors"]] == ["not_found"]
    assert len(printed.json["items"]) > 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("timeline",),
        ("timeline", "mem:zzzzzz", "--budget", "0"),
        ("timeline", "mem:zzzzzz", "--window", "-1"),
        ("details", "mem:zzzzzz", "--budget", "-4"),
        ("context", ""),
        ("context", "   "),
        ("context", "?!"),
        ("context", "redis", "--budget", "0"),
        ("context", "redis", "--budget", "-100"),
    ],
)
def test_what_cannot_be_asked_is_refused(memory: Run, filled: Path, arguments: tuple[str, ...]) -> None:
    ended = memory(*arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert re.match(r"error: .+\nhint: .+\n$", ended.err)


def test_a_context_is_markdown_letter_for_letter(memory: Run, filled: Path) -> None:
    ended = memory("context", "캐시를 왜 Redis로 옮겼나요?", "--project", "shop", "--no-log")
    assert ended.code == 0
    printed = memory("context", "캐시를 왜 Redis로 옮겼나요?", "--project", "shop", "--no-log", "--json").json
    assert ended.out == printed["text"] + "\n"
    assert printed["schema_version"] == "context_bundle.v1"
    assert re.match(r"\d+ of 4,000 tokens; \d+% of the question is covered: ", ended.err)


def test_a_context_of_nothing_exits_1(memory: Run, filled: Path) -> None:
    ended = memory("context", "Redis", "--budget", "10", "--no-log")
    assert ended.code == 1
    assert ended.out == "nothing that was found fits into the budget\n"
    assert "note: 10 tokens hold not one line" in ended.err


def test_an_empty_store_has_no_context(memory: Run) -> None:
    assert memory("context", "Redis").code == 1
    assert memory("timeline", "mem:a7Bc3x").code == 2


def test_a_pipe_gets_whole_lines(memory: Run, redis: str) -> None:
    assert UNLIMITED > 10_000
    assert not any(line.endswith("…") for line in memory("timeline", redis, "--budget", "5000").out.splitlines())
