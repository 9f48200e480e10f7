"""`memory eval` on a terminal and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_assets_tests.cli.conftest import Run


def test_the_whole_round(memory: Run, writable: Path) -> None:
    written = memory("eval", "init")
    assert (written.code, written.err) == (0, "") and "4 questions" in written.out
    assert memory("eval", "init").code == 2
    assert memory("eval", "init", "--force", "-n", "3", "--json").json["questions"] == 3
    ran = memory("eval", "run", "--gate")
    assert (ran.code, ran.err) == (0, ""), ran
    assert "mean" in ran.out and "\npassed  no earlier run that passed" in ran.out and "캐시를 Redis로 옮긴다" in ran.out
    told = memory("eval", "run", "--mode", "lexical", "-k", "2", "--json").json
    assert (told["schema_version"], told["passed"], len(told["questions"])) == ("eval_run.v1", True, 3)
    compared = memory("eval", "compare")
    assert compared.code == 0 and "before  evl_" in compared.out and "no question in common" in compared.out
    memory("eval", "run")
    compared = memory("eval", "compare", ran.out.split("evl_")[1].split(" ")[0], "evl_" + "0" * 32)
    assert compared.code == 2 and "there is no evaluation" in compared.err
    runs = [event["event_id"] for event in memory("events", "tail", "--type", "eval_run_recorded", "--json").json]
    assert len(runs) == 3


@pytest.mark.long
def test_answers_are_measured_on_a_terminal_and_as_json(memory: Run, writable: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "bars: {answer_recall: 1.0}\nquestions: ["
        "{id: orders, query: Which PostgreSQL do the orders keep?, answer: PostgreSQL 16},"
        "{id: never, query: Which insurance covers the helicopter?, unanswerable: true}, {query: so}]\n"
    )
    shown = memory("eval", "ask", str(file), "--gate")
    assert (shown.code, shown.err) == (0, "") and "AUC of answerability  1.000" in shown.out and "1 skipped" in shown.out
    told = memory("eval", "ask", str(file), "--json").json
    assert told["passed"] and told["aggregate"]["refused"] == 1.0 and told["questions"][0]["answered"] == 1.0
    assert memory("eval", "compare", "--file", str(file)).code == 0
    file.write_text(file.read_text().replace("PostgreSQL 16", "MongoDB"))
    failed = memory("eval", "ask", str(file), "--gate")
    assert failed.code == 1 and "answer_recall 0.000 is below the bar of 1.000" in failed.out


def test_the_gate(memory: Run, writable: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "bars: {hit_at_k: 1.0}\nquestions: [{id: never, query: Redis, contains: ['nobody said that']}, {query: so}]\n"
    )
    failed = memory("eval", "run", str(file), "--gate")
    assert failed.code == 1 and "not passed" in failed.out and "hit_at_k 0.000 is below the bar of 1.000" in failed.out
    assert "1 skipped, which expect nothing" in failed.out
    assert memory("eval", "run", str(file)).code == 0
    compared = memory("eval", "compare", "--file", str(file))
    assert compared.code == 0 and "1 question, none better and none worse" in compared.out
    assert compared.out.count("model hashing-") == 2


@pytest.mark.long
def test_better_and_worse_questions_are_named(memory: Run, writable: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    best = memory("search", "PostgreSQL 16 orders", "--mode", "lexical", "--json").json["hits"][0]
    wanted = best["id"] or best["citations"][0]["uri"]
    file.write_text(f"questions: [{{id: orders, query: PostgreSQL 16 orders, mode: lexical, expected: ['{wanted}']}}]\n")
    memory("eval", "run", str(file))
    for _ in range(3):
        memory("feedback", best["unit_id"], "wrong")
    assert "mrr fell from 1.000" in memory("eval", "run", str(file), "--gate").out
    shown = memory("eval", "compare", "--file", str(file)).out
    assert "1 question worse" in shown and "orders  PostgreSQL 16 orders" in shown and "MRR 1.00 →" in shown
    told = memory("eval", "compare", "--json").json
    assert [(one["id"], one["better"]) for one in told["questions"]] == [("orders", False)]


def test_a_gate_is_chosen_shown_and_taken_back(memory: Run, writable: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    able, unable = "PostgreSQL 16 orders", "who insures the helicopter of the zeppelin"
    lines = [
        f"{{id: {kind}{time}, query: '{query}', mode: lexical, {told}}}"
        for kind, query, told in (("a", able, "answer: x"), ("u", unable, "unanswerable: true"))
        for time in range(6)
    ]
    file.write_text(f"questions: [{', '.join(lines)}]\n")
    tried = memory("eval", "calibrate", str(file), "--most", "0")
    assert tried.code == 0 and "6 that can be answered, 6 that cannot" in tried.out and "nothing was written" in tried.out
    kept = memory("eval", "calibrate", str(file), "--write", "--json").json
    over_all = kept["scopes"][1]
    assert kept["schema_version"] == "eval_calibration.v1" and over_all["after"] and over_all["left_out"]
    assert kept["version"] in memory("doctor").out
    assert "the shipped gates are in force again" in memory("eval", "calibrate", "--reset").out
    assert memory("eval", "calibrate", "--reset", "--write").code == 2
    assert "this store has no gates of its own" in memory("eval", "calibrate", "--reset").out
    Path(kept["written_to"]).write_text("[gates")
    failed = memory("search", able, "--mode", "lexical", "--json")
    assert failed.code == 2 and json.loads(failed.err)["code"] == "config_invalid"
    memory("eval", "calibrate", "--reset")
    assert memory("search", able, "--mode", "lexical").code == 0


@pytest.mark.parametrize("text", ["a: [", "- 1", "questions: []", "questions: [{query: 1}]", "\udcff"])
def test_a_file_that_cannot_be_used(memory: Run, writable: Path, tmp_path: Path, text: str) -> None:
    file = tmp_path / "odd.yaml"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    ended = memory("eval", "run", str(file), "--json")
    error = json.loads(ended.err)
    assert ended.code == 2 and error["code"] == "config_invalid" and error["hint"]
