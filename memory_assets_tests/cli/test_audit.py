"""`memory audit` on a terminal and as JSON."""

from __future__ import annotations

from pathlib import Path

from memory_assets_tests.cli.conftest import Run

MEASURES = ["exact_duplicates", "near_duplicates", "alike_but_differing", "ungrounded", "never_retrieved", "contested"]


def test_the_filled_store(memory: Run, filled: Path) -> None:
    ended = memory("audit", "--json")
    assert (ended.code, ended.err) == (0, "")
    found = ended.json
    assert found["schema_version"] == "audit.v1"
    assert list(found["measures"]) == MEASURES
    ungrounded = found["measures"]["ungrounded"]
    assert (ungrounded["count"], ungrounded["rate"]) == (1, 1 / found["entries"])
    assert ungrounded["examples"][0]["titles"] == ["Nobody said this"]
    # The id that is shown opens the entry.
    assert memory("entries", "show", ungrounded["examples"][0]["ids"][0], "--json").json["title"] == "Nobody said this"
    unknown, contested = found["measures"]["never_retrieved"], found["measures"]["contested"]
    assert (unknown["count"], unknown["rate"]) == (None, None)
    assert (contested["count"], contested["unit"], contested["of"]) == (0, "memories", found["memories"])
    assert found["measures"]["near_duplicates"]["bar"] == 0.02


def test_people_read_a_line_a_measure(memory: Run, filled: Path) -> None:
    ended = memory("audit", "--examples", "1")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert any(line.startswith("near duplicates") and "0 of" in line and "bar 2%" in line for line in lines)
    assert any(line.startswith("never retrieved") and "unknown: nothing records" in line for line in lines)
    assert any(line.startswith("contested") and "0 of 4 memories" in line for line in lines)
    assert any("ent_" in line and "Nobody said this" in line for line in lines)


def test_an_empty_store(memory: Run) -> None:
    ended = memory("audit")
    assert (ended.code, ended.err) == (0, "") and ended.out.startswith("0 memories of 0 entries in 0 sessions")


def test_a_negative_number_of_examples_is_refused(memory: Run) -> None:
    assert memory("audit", "-n", "-1").code == 2
