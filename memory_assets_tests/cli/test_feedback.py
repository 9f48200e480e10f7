"""`memory feedback` on a terminal and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from memory_assets_tests.cli.conftest import Run


def test_a_word_and_what_comes_of_it(memory: Run, writable: Path) -> None:
    said = memory("feedback", "session:shop-1#m=1", "helpful", "--by", "민수", "--note", "정확했다")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[0] == "helpful  session:shop-1#m=1  민수"
    assert "helpful 1, wrong 0" in said.out
    ended = memory("feedback", "session:shop-1#m=1", "wrong", "--by", "bot", "--json")
    told = ended.json
    assert (told["schema_version"], told["event_type"], told["said_by"]) == ("ack.v1", "unit_feedback", "bot")
    assert (told["unit"]["helpful"], told["unit"]["wrong"]) == (1, 1) and told["unit"]["uplift"] < 0
    shown = memory("events", "show", told["event_id"], "--json").json
    assert "정확했다" not in json.dumps(shown, ensure_ascii=False)
    assert memory("stats", "--json").json["feedback_by_signal"] == {"helpful": 1, "wrong": 1}
    told = [line.split("  ")[0:1] + line.split()[1:2] for line in memory("stats").out.splitlines()]
    assert ["helped", "1"] in told and ["wrong", "1"] in told


def test_what_is_unknown_is_an_error_with_a_hint(memory: Run, writable: Path) -> None:
    for given in ("mem:zzzzzz", "session:shop-1#m=99", "nothing", ""):
        ended = memory("feedback", given, "used", "--json")
        assert ended.code == 2 and ended.out == "", given
        error = json.loads(ended.err)
        assert error["code"] in ("not_found", "invalid_argument") and error["hint"]
    assert memory("feedback", "session:shop-1#m=1", "great").code == 2
    assert memory("feedback", "session:shop-1#m=1", "used", "--by", "").code == 2


def test_a_note_reaches_no_terminal_as_a_command(memory: Run, writable: Path) -> None:
    mem = memory("search", "Redis로 옮긴다", "--kind", "entry", "--json").json["hits"][0]["id"]
    memory("feedback", mem, "wrong", "--by", "me\x1b[31m", "--note", "\x1b]0;x\x07[bold]no[/bold]\nnever")
    audit = memory("audit").out
    assert "said to be wrong" in audit and "[bold]no[/bold] never" in audit and "\x1b" not in audit
