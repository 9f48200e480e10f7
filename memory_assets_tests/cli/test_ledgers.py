"""The commands of the ledgers, as a person uses them one after the other."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from memory_assets.cli import conflicts as cli_conflicts
from memory_assets.cli import memories, tables
from memory_assets.cli import promote as cli_promote
from memory_assets.cli.output import styled
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.filled_store import STARTED, Said, tell, tell_titles
from memory_assets_tests.filled_store import test_settings as settings_of

pytestmark = pytest.mark.long

OLD, NEW = "결제 API 포트는 8080으로 한다", "결제 API 포트는 9090으로 한다"


@pytest.fixture
def store(contradicting: Path, tmp_path: Path) -> None:
    """A copy of that store, of the test's own."""
    shutil.copytree(contradicting, tmp_path / "home")


@pytest.fixture(scope="module")
def contradicting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions that contradict each other, and what nobody doubts."""
    settings = settings_of(tmp_path_factory.mktemp("contradicting") / "home")
    tell_titles(settings, "first", OLD, "Keep the logs\x1b[31m for a year")
    tell_titles(settings, "second", NEW, days=3)
    tell(
        settings,
        "third",
        (("user", "Perhaps we drop it"),),
        (Said("fact", "Perhaps we drop it", ((0, "Perhaps we drop it"), (-1, "nowhere")), verified=False),),
        STARTED + timedelta(days=4),
    )
    return settings.home


@pytest.mark.usefixtures("store")
def test_a_conflict_is_listed_resolved_and_reopened(memory: Run) -> None:
    listed = memory("conflicts")
    assert listed.code == 0
    for shown in (OLD, NEW, "another value", "[8080]", "[9090]", "session:first#m=0"):
        assert shown in listed.out
    (conflict,) = memory("conflicts", "--json").json
    assert (conflict["status"], conflict["older"]["title"], conflict["newer"]["title"]) == ("open", OLD, NEW)
    begin = conflict["conflict_id"][:9]
    resolved = memory("conflicts", "resolve", begin, "--as", "keep_newer", "--by", "김", "--note", "3월에 옮김", "--json").json
    assert (resolved["status"], resolved["resolution"], resolved["resolved_by"], resolved["note"]) == (
        "resolved",
        "keep_newer",
        "김",
        "3월에 옮김",
    )
    assert memory("conflicts").out == "no open conflicts\n"
    assert ", set aside" in memory("conflicts", "list", "--status", "resolved").out
    assert "candidate, set aside" in memory("promote", conflict["older"]["citation"]).out
    assert memory("promote", conflict["older"]["citation"], "--json").json["status"] == "deprecated"
    assert memory("conflicts", "resolve", begin, "--as", "both", "--by", "").code == 2
    assert memory("conflicts", "show", "cfl_").code == 2
    assert "moot" in memory("conflicts", "list", "--help").out
    assert "resolved: keep_newer, 김" in memory("conflicts", "show", begin).out
    assert memory("show", conflict["older"]["citation"]).code == 0
    assert memory("conflicts", "reopen", begin, "--json").json["status"] == "open"
    again = memory("conflicts", "reopen", begin)
    assert (again.code, again.out) == (2, "") and "is open" in again.err
    wrong = memory("conflicts", "resolve", begin, "--as", "newer")
    assert wrong.code == 2 and "keep_newer" in wrong.err


@pytest.mark.usefixtures("store")
def test_the_review_and_a_persons_word(memory: Run) -> None:
    review = memory("promote", "review", "--json").json
    assert review["stages"] == {"working": 1, "candidate": 2, "verified": 1}
    shown = memory("promote").out
    assert "A conflict about the memory is open" in shown and "\x1b" not in shown
    (logs,) = [found for found in review["waiting"] if found["title"].startswith("Keep the logs")]
    assert "to certified: Only the real idris2 certifies" in memory("promote", logs["citation"]).out
    spoken = memory("promote", logs["citation"], "--to", "certified", "--by", "kim", "--json")
    assert (spoken.code, spoken.json["reached"], spoken.json["gates"]["proved_by_idris2"]) == (1, False, False)
    assert "stays verified" in memory("promote", logs["citation"], "--to", "certified").out
    down = memory("promote", logs["citation"], "--to", "candidate")
    assert down.code == 0 and "verified → candidate" in down.out
    for ignored in (
        ("review", "--to", "verified"),
        ("review", "--note", "why"),
        ("--by", "kim"),
        (logs["citation"], "--project", "shop"),
        (logs["citation"], "--to", "verified", "--limit", "30"),
        (logs["citation"], "--note", "why"),
        (logs["citation"], "--to", "verified", "--by", " "),
    ):
        refused = memory("promote", *ignored)
        assert (refused.code, refused.out) == (2, ""), ignored
        assert any(hint in refused.err for hint in ("memory promote ID", "leave", "--to STAGE")), (ignored, refused.err)
    assert memory("promote", logs["citation"], "--to", "gold").code == 2


@pytest.mark.usefixtures("store")
def test_what_grew_old(memory: Run) -> None:
    assert memory("demote", "--as-of", "2025-02-01").out == "nothing has grown old\n"
    dry = memory("demote", "--as-of", "2029-01-01")
    assert dry.code == 0 and "1 memory would go one stage down" in dry.out
    assert memory("demote", "--as-of", "2029-01-01", "--json").json["demotions"][0]["to_stage"] == "candidate"
    applied = memory("demote", "--as-of", "9999-01-01", "--apply")
    assert applied.code == 2 and "to come" in applied.err


@pytest.mark.usefixtures("store")
def test_decisions_are_recorded_on_what_stands(memory: Run) -> None:
    waiting = {found["title"]: found["citation"] for found in memory("promote", "review", "--json").json["waiting"]}
    (logs,) = [citation for title, citation in waiting.items() if title.startswith("Keep the logs")]
    refused = memory("decisions", "record", "Drop it", "--because", waiting["Perhaps we drop it"])
    assert refused.code == 1 and f"{waiting['Perhaps we drop it']} is working, not verified" in refused.out
    assert "ent_" not in refused.out
    contested = memory("decisions", "record", "Drop it", "--because", waiting[OLD], "--json").json
    assert contested["recorded"] is False and contested["rules_failed"][0]["rule"] == "decision-cites-verified"
    assert contested["reasons"] == [f"{waiting[OLD]} is candidate, not verified: a conflict about it is open"]
    for empty in ("--caused-by", "--by"):
        wrong = memory("decisions", "record", "Drop it", "--because", logs, empty, "")
        assert (wrong.code, wrong.out) == (2, "") and f"leave {empty} out" in wrong.err
    recorded = memory(
        "decisions", "record", "Buy a disk", "--because", logs, "--confidence", "0.8", "--outcome", "bought", "--json"
    ).json
    assert recorded["recorded"] is True and recorded["decision"]["weakened"] is False
    effect = memory(
        "decisions", "record", "Mount it", "--because", logs, "--caused-by", recorded["decision"]["decision_id"][:10]
    )
    assert effect.code == 0 and "caused by" in effect.out
    assert memory("promote", logs, "--to", "candidate").code == 0
    listed = memory("decisions", "--source", "recorded").out
    assert listed.count("weakened") == 2 and "outcome: bought" in listed
    assert [found["source"] for found in memory("decisions", "list", "--json").json] == ["recorded", "recorded"]
    late = memory("decisions", "record", "Later", "--because", logs, "--at", "2999-01-01")
    assert late.code == 2 and "to come" in late.err


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("command", [("conflicts",), ("promote",)])
def test_lists_fit_the_terminal(memory: Run, monkeypatch: pytest.MonkeyPatch, width: int, command: tuple[str, ...]) -> None:
    for module in (cli_conflicts, cli_promote, memories, tables):
        monkeypatch.setattr(module, "terminal_width", lambda: width)
    shown = memory(*command).out
    assert max(styled(line).cell_len for line in shown.splitlines()) <= width
    assert all("Only the real idris2 certifies" in line for line in shown.splitlines() if "Only the" in line)
    for conflict in memory("conflicts", "--json").json if command == ("conflicts",) else ():
        assert conflict["older"]["uri"] in shown
