"""`memory audit` on a terminal and as JSON."""

from __future__ import annotations

from pathlib import Path

from memory_assets_tests.cli.conftest import Run

MEASURES = [
    "exact_duplicates",
    "near_duplicates",
    "alike_but_differing",
    "ungrounded",
    "never_retrieved",
    "contested",
    "said_wrong",
]


def test_the_filled_store(memory: Run, writable: Path) -> None:
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


def test_people_read_a_line_a_measure(memory: Run, writable: Path) -> None:
    ended = memory("audit", "--examples", "1")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert any(line.startswith("near duplicates") and "0 of" in line and "bar 2%" in line for line in lines)
    assert any(line.startswith("never retrieved") and "unknown: no search has been counted" in line for line in lines)
    assert any(line.startswith("contested") and "0 of 4 memories" in line for line in lines)
    assert any("ent_" in line and "Nobody said this" in line for line in lines)


def test_what_search_delivers_is_retrieved(memory: Run, writable: Path) -> None:
    hit = memory("search", "캐시를 Redis로 옮긴다", "--kind", "entry", "-k", "1", "--json").json["hits"][0]
    memory("search", "PostgreSQL", "--kind", "entry", "--no-log")
    never = memory("audit", "--json").json["measures"]["never_retrieved"]
    assert (never["count"], never["of"], never["rate"]) == (3, 4, 0.75)
    assert hit["id"] not in [example["ids"][0] for example in never["examples"]]
    memory("feedback", hit["id"], "wrong", "--by", "민수", "--note", "아니다")
    lines = memory("audit").out.splitlines()
    assert any(line.startswith("said to be wrong") and "1 of 4 memories" in line for line in lines)
    assert any(hit["id"] in line and "민수: 아니다" in line for line in lines)


def test_an_empty_store(memory: Run) -> None:
    ended = memory("audit")
    assert (ended.code, ended.err) == (0, "") and ended.out.startswith("0 memories of 0 entries in 0 sessions")


def test_a_negative_number_of_examples_is_refused(memory: Run) -> None:
    assert memory("audit", "-n", "-1").code == 2
