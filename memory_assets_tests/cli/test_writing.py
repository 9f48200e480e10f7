"""The commands that write, through the assets: a report for programs, what was remembered for people."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from memory_assets_tests.cli.conftest import Run

TALK = {
    "schema_version": "chat.v1",
    "session_id": "standup-1",
    "project": "shop",
    "started_at": "2025-03-12T00:30:00Z",
    "messages": [
        {"id": "m1", "role": "user", "content": "우리는 배포를 목요일에만 하기로 했다. 금요일 배포는 하지 말자."},
        {
            "id": "m2",
            "role": "assistant",
            "content": "We decided to keep all timestamps in UTC, because the billing job assumes it.",
        },
        {"id": "m3", "role": "user", "content": "TODO: 결제 서버의 재시도 횟수를 3번으로 줄여야 한다."},
    ],
}
LINE = re.compile(r"^mem:[A-Za-z0-9]{6}  \w+ +\S.*  session:standup-1#m=\d+&c=\d+-\d+$")


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    folder = tmp_path / "대화 폴더"
    folder.mkdir()
    file = folder / "standup.chat.json"
    file.write_text(json.dumps(TALK, ensure_ascii=False), encoding="utf-8")
    return file


@pytest.mark.long
def test_import_reports_and_remembers_and_a_second_import_adds_nothing(memory: Run, talk: Path) -> None:
    ended = memory("import", str(talk.parent), "--json")
    report = ended.json
    assert ended.code == 0
    assert {name: report[name] for name in ("sessions", "new", "updated", "unchanged", "skipped", "quarantined")} == {
        "sessions": 1,
        "new": 1,
        "updated": 0,
        "unchanged": 0,
        "skipped": 0,
        "quarantined": 0,
    }
    assert report["events_appended"] > 0 and isinstance(report["warnings"], list) and report["errors"] == []
    total = memory("events", "stats", "--json").json["total"]
    assert report["events_appended"] == total
    again = memory("import", str(talk))
    assert again.code == 0 and "1 unchanged" in again.out
    assert memory("events", "stats", "--json").json["total"] == total
    remembered = [line for line in again.out.splitlines() if line.startswith("mem:")]
    assert remembered and all(LINE.match(line) for line in remembered)
    for citation in re.findall(r"mem:\w+|session:\S+", "\n".join(remembered)):
        assert memory("show", citation).code == 0
    assert memory("sessions", "--json").json[0]["session_id"] == "standup-1"
    assert memory("rebuild", "--verify").code == 0


def test_a_file_that_is_no_session_is_put_aside_and_the_others_are_done(memory: Run, talk: Path) -> None:
    (talk.parent / "odd.bin").write_bytes(bytes(range(256)) * 10)
    ended = memory("import", str(talk), str(talk.parent / "odd.bin"), "--json")
    assert ended.code == 1 and ended.json["new"] == 1
    assert (ended.json["refused"], ended.json["quarantined"]) == (1, 0)
    assert ended.json["errors"][0]["path"].endswith("odd.bin") and ended.json["errors"][0]["reason"] == "not_a_session"
    out = memory("import", str(talk), str(talk.parent / "odd.bin")).out
    assert "refused or quarantined: 1" in out and "odd.bin" in out


@pytest.mark.long
def test_sessions_are_registered_then_run_to_a_stage_and_on(memory: Run, talk: Path) -> None:
    ended = memory("sessions", "add", str(talk))
    assert ended.code == 0 and "standup-1" in ended.out
    (listed,) = memory("sessions", "--json").json
    assert (listed["session_id"], listed["status"], listed["messages"]) == ("standup-1", "registered", 0)
    assert listed["source_uri"] == str(talk) and listed["source_uris"] == [str(talk)]
    assert memory("run", "standup-1", "--to", "extracted").code == 0
    assert memory("sessions", "--json").json[0]["status"] == "extracted"
    ended = memory("run", "--all", "--json")
    assert ended.code == 0 and ended.json["quarantined"] == 0
    assert memory("sessions", "--json").json[0]["status"] == "vectorized"
    assert memory("run", "nobody").code == 2 and memory("run", "--all", "--to", "nowhere").code == 2
    assert memory("retry", "--quarantined").code == 0
    assert memory("prune", "--older-than-days", "0", "--json").json["dropped"] >= 2
    assert memory("events", "stats", "--json").json["by_type"]["session_vectorized"] == 1
