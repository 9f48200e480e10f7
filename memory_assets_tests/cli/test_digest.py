"""`memory session`, `memory project`, `memory today`: cited lines that fit the terminal, and nothing but data in them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from rich.cells import cell_len

from memory_assets.cli import digest_page, memories
from memory_assets.results.registry import schema_of
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.defs.files import chat
from memory_assets_tests.queries.tool_talk import fill_with_tools

ESCAPE = "\x1b"
COMMANDS = (("session", "shop-1"), ("project", "shop"), ("today", "--date", "2025-01-02"))
# A bare stage, as nobody is to read it.
STAGE = re.compile(r"\b(?:raw|working|candidate|verified|certified)\b")


def test_a_session_is_told_in_parts_each_line_with_its_addresses(memory: Run, filled: Path) -> None:
    ended = memory("session", "shop")
    assert ended.code == 0 and ended.err == ""
    lines = ended.out.splitlines()
    assert lines[0] == "결제 서버 장애"
    assert lines[1].startswith("shop-1  project shop  2025-01-02 03:04 to 03:07 UTC, 4 messages")
    assert lines[2].startswith("2 decided, 1 open")
    heads = [line for line in lines if line and not line.startswith(" ")][3:]
    assert heads[:2] == ["goal", "decided  2"] and "open ends  1" in heads
    assert "    because “이유는 재시작이 빠르기 때문이다.”" in lines
    kept = next(place for place, line in enumerate(lines) if line.strip() == "We decided to keep PostgreSQL 16 for orders.")
    assert re.fullmatch(r"    mem:\w{6}  confirmed \(embedded 1\)  user  session:shop-1#m=2&c=42-86", lines[kept + 1])
    assert re.search(r"    tsk_\w{8}  pending  user  session:shop-1#m=2&c=", ended.out)
    # No part is named of which there is nothing, and no blank line follows another.
    assert "files" not in ended.out and "commits" not in ended.out and "\n\n\n" not in ended.out


def test_files_and_errors_are_told_with_their_places(memory: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill_with_tools(tmp_path / "tools")
    monkeypatch.setenv("MEMORY_HOME", str(tmp_path / "tools"))
    out = memory("session", "tools-1").out
    assert "\nfiles  1\n  src/shop/app.py  session:tools-1#m=5&c=" in out
    assert "\nfailed and mended  1\n  ModuleNotFoundError: No module named 'shop'\n    Bash  session:tools-1#m=2" in out
    assert "\n    → " in out and "\nended with\n  “I changed `Shop.run_all()` in src/shop/app.py" in out


def test_a_project_and_a_day(memory: Run, filled: Path) -> None:
    project = memory("project", "shop").out
    assert project.startswith("shop\n2 sessions from 2025-01-02 to 2025-01-05, ")
    for part in ("what holds: decisions  2", "lately, since 2024-12-29: sessions  2", "open  1"):
        assert f"\n{part}\n" in project, part
    day = memory("today", "--date", "2025-01-02").out
    assert day.startswith("2025-01-02 UTC  1 session\n2 decided, 1 open") and "shop-1  project shop" in day
    assert "notes-2" not in day


@pytest.mark.parametrize("command", COMMANDS)
def test_json_is_what_the_schema_says(memory: Run, filled: Path, command: tuple[str, ...]) -> None:
    value = memory(*command, "--json").json
    jsonschema.validate(value, schema_of(value["schema_version"]))
    assert value["schema_version"] == {"session": "session", "project": "project", "today": "day"}[command[0]] + "_digest.v1"


@pytest.mark.parametrize("command", COMMANDS)
def test_session_text_is_data_and_no_line_is_wider_than_two(
    memory: Run, filled: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for arguments in (command, (*command, "--json")):
        ended = memory(*arguments)
        assert ended.code == 0 and ESCAPE not in ended.out and "[bold]블로커[/bold]" in ended.out
    assert STAGE.findall(memory(*command).out) == []
    for module in (digest_page, memories):
        monkeypatch.setattr(module, "terminal_width", lambda: 16)
    quotes = [line for line in memory(*command).out.splitlines() if "session:" not in line and "UTC" not in line]
    assert any("…" in line for line in quotes) and all(cell_len(line) <= 32 for line in quotes if line.startswith("  "))


def test_what_is_cut_says_how_much_there_is(memory: Run, filled: Path) -> None:
    cut = memory("session", "shop-1", "-n", "1").out
    assert "decided  2\n" in cut and "  … and 1 more: --all shows them\n" in cut
    assert "PostgreSQL" not in cut[cut.index("decided  2") : cut.index("open ends")]
    assert "--all" not in memory("session", "shop-1", "--all").out
    assert "  … and 1 more: --all shows them\n" in memory("project", "shop", "-n", "1").out
    assert len(memory("session", "shop-1", "-n", "1", "--json").json["decided"]) == 2


def test_what_is_unknown_says_what_to_do(memory: Run, filled: Path) -> None:
    for command in (("session", "nobody"), ("project", "nobody")):
        ended = memory(*command)
        assert (ended.code, ended.out) == (2, "") and "hint: `memory sessions list`" in ended.err
        assert memory(*command, "--json").code == 2
    unread = memory("session", "odd-3")
    assert unread.code == 2 and "`memory run odd-3`" in unread.err


def test_a_day_without_sessions_is_code_1(memory: Run, filled: Path) -> None:
    for arguments in (("--date", "2024-12-31"), (), ("--date", "2025-01-02", "--project", "elsewhere")):
        ended = memory("today", *arguments)
        assert ended.code == 1 and ended.out.startswith("no sessions on ") and ended.out.count("\n") == 1
    empty = memory("today", "--date", "2024-12-31", "--json")
    assert empty.code == 1 and empty.json["sessions"] == [] and empty.json["date"] == "2024-12-31"
    assert memory("today", "--date", "yesterday").code == 2


@pytest.mark.long
def test_private_text_leaves_no_trace(memory: Run, tmp_path: Path) -> None:
    token, hidden = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "violet-otter-harbour"
    told = [
        f"We decided to deploy with {token} on Thursdays. <private>{hidden}</private> 배포는 이렇게 하기로 했다.",
        f"TODO: rotate {token} before the release. <private>{hidden}</private>",
    ]
    chat(tmp_path / "inbox", "secret", told, project="shop")
    assert memory("import", str(tmp_path / "inbox")).code == 0
    for command in (("session", "secret"), ("project", "shop"), ("today", "--date", "2025-03-01")):
        for arguments in (command, (*command, "--json")):
            ended = memory(*arguments)
            assert ended.code == 0 and token not in ended.out and hidden not in ended.out
    assert "secret" in json.dumps(memory("session", "secret", "--json").json)


@pytest.mark.long
def test_no_screen_calls_anything_verified(memory: Run, filled: Path) -> None:
    entries = memory("entries", "--all", "--json").json
    (task,) = memory("tasks", "--json").json
    memories_shown = [entry["citation"] for entry in entries if entry["citation"]]
    for command in (
        ("entries", "--all"),
        *(("show", citation) for citation in memories_shown),
        *(("entries", "show", entry["entry_id"]) for entry in entries if not entry["blocked_reason"]),
        ("show", task["task_id"]),
        ("task", "show", task["task_id"]),
        ("search", "PostgreSQL", "--kind", "entry"),
        ("search", "블로커"),
        ("details", memories_shown[0]),
        ("timeline", memories_shown[0]),
        ("context", "PostgreSQL orders", "--project", "shop"),
        ("decisions",),
        ("conflicts",),
        ("sessions", "show", "shop-1", "--evidence"),
        ("export", "--format", "markdown"),
    ):
        ended = memory(*command)
        assert ended.code == 0, (command, ended)
        assert STAGE.findall(ended.out) == [], command
    # What reads JSON still has the stage, and the word beside it.
    assert {(entry["stage"], entry["assurance"]) for entry in entries} == {
        ("raw", "unproved"),
        ("verified", "held"),
        ("verified", "confirmed"),
    }
