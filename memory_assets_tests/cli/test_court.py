"""`memory court` and `memory lessons`, as people and programs see them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from memory_assets.cli.main import main
from memory_assets.defs.court import steps
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.cli.test_prompts import valid
from memory_assets_tests.court.findings import orders_of
from memory_assets_tests.defs.files import chat

TESTS, FORCE = "Always run the tests before a commit", "Never push to main by force"


@pytest.fixture(scope="module")
def taken_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two sessions; to be copied."""
    base = tmp_path_factory.mktemp("taken_in")
    chat(base / "inbox", "one", [TESTS, "I will.", FORCE], project="shop")
    chat(base / "inbox", "two", [TESTS, "I will."], project="shop")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        patch.setenv("DAGSTER_HOME", "")
        mask = os.umask(0o022)
        try:
            assert main(["--home", str(base / "home"), "import", str(base / "inbox")]) == 0
        finally:
            os.umask(mask)
    return base / "home"


@pytest.fixture
def heard(memory: Run, taken_in: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Commands on a store of two sessions, which are heard with a small detector."""
    monkeypatch.setattr(steps, "findings_of", orders_of)
    shutil.copytree(taken_in, tmp_path / "home")
    return memory


@pytest.fixture(scope="module")
def once_judged(taken_in: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That store, all of which was heard; to be copied."""
    home = Path(shutil.copytree(taken_in, tmp_path_factory.mktemp("judged") / "home"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        patch.setenv("DAGSTER_HOME", "")
        patch.setattr(steps, "findings_of", orders_of)
        assert main(["--home", str(home), "court", "run", "--all"]) == 0
    return home


@pytest.fixture
def judged(memory: Run, once_judged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Commands on a store of which all was heard."""
    monkeypatch.setattr(steps, "findings_of", orders_of)
    shutil.copytree(once_judged, tmp_path / "home")
    return memory


@pytest.mark.long
def test_a_run_says_what_it_came_to(heard: Run) -> None:
    assert "nothing was heard yet" in heard("court").out and "memory court run --all" in heard("lessons").out
    told = heard("court", "run", "--all", "--json").json
    assert (told["schema_version"], told["cases"], told["heard"], told["selected"], told["lessons"]) == (
        "court_run.v1",
        2,
        2,
        3,
        2,
    )
    again = heard("court", "run", "--all").out
    assert "2 cases: 0 heard, 2 unchanged" in again and "2 lessons stand, 0 of them new" in again
    assert heard("court", "run").code == 2 and heard("court", "run", "one", "--all").code == 2
    assert heard("court", "run", "nobody").code == 2


@pytest.mark.long
def test_a_case_is_named_by_its_session_or_its_own_id(heard: Run) -> None:
    shown = heard("court", "from-session", "one", "--json").json
    assert [(claim["title"], claim["decision"]) for claim in shown["judged"]] == [(TESTS, "selected"), (FORCE, "selected")]
    assert [case["session_id"] for case in heard("court", "list", "--json").json["cases"]] == ["one"]
    assert heard("court", "show", shown["case_id"][:12], "--json").json == shown
    out = heard("court", "show", "one").out
    assert "  Never push to main by force" in out and "do not: " not in out and "session:one#m=2&c=0-27" in out
    assert heard("court", "run", shown["case_id"], "--json").json["unchanged"] == 1
    assert heard("court", "show", "two").code == 2


@pytest.mark.slow
def test_a_session_whose_id_begins_another_names_its_own_case(heard: Run, tmp_path: Path) -> None:
    chat(tmp_path / "inbox", "one-more", [TESTS], project="shop")
    assert heard("import", str(tmp_path / "inbox")).code == 0 and heard("court", "run", "--all").code == 0
    assert heard("court", "show", "one", "--json").json["session_id"] == "one"


@pytest.mark.long
def test_lessons_are_listed_found_retired_and_kept(judged: Run) -> None:
    first, second = judged("lessons", "list", "--json").json["lessons"]
    assert (first["title"], first["support_cases"], second["title"], second["polarity"]) == (TESTS, 2, FORCE, "dont")
    assert [shown["citation"]["quote"] for shown in first["evidence"]] == [TESTS, TESTS]
    found = judged("lessons", "search", "--role", "coder", "what to run before a commit", "--json").json
    assert found["lessons"][0]["lesson_id"] == first["lesson_id"]
    for asked in (("search", "--role", "planner", "commit"), ("list", "--role", "planner"), ("nearest", "planner", "commit")):
        unknown = judged("lessons", *asked, "--json")
        error = json.loads(unknown.err)
        assert (unknown.code, error["code"], error["hint"]) == (2, "not_found", "lessons are for 'coder'")
        assert "'planner'" in error["message"]
    retired = judged("lessons", "retire", first["lesson_id"][:12], "--by", "kim", "--note", "CI does", "--json").json
    assert (retired["status"], retired["reason"]) == ("retired", "kim: CI does")
    assert (
        TESTS not in judged("lessons").out and "retired: kim: CI does" in judged("lessons", "list", "--status", "retired").out
    )
    assert judged("search", "run the tests before a commit", "--kind", "lesson", "--mode", "lexical", "--json").code in (0, 1)
    kept = judged("lessons", "keep", first["lesson_id"], "--by", "kim", "--json").json
    assert kept["status"] == "active" and TESTS in judged("lessons", "show", first["lesson_id"]).out
    assert judged("lessons", "list", "--status", "gone").code == 2 and judged("lessons", "show", "les_0").code == 2


def test_search_finds_lessons_by_their_kind(judged: Run) -> None:
    hits = judged("search", "push to main", "--kind", "lesson", "--json").json["hits"]
    assert hits[0]["unit_kind"] == "lesson" and FORCE in str(hits[0]["citations"])
    assert "lesson" in judged("search", "push to main", "--kind", "lesson").out


@pytest.mark.long
def test_a_bundle_is_taken_in_and_heard(heard: Run, tmp_path: Path) -> None:
    events = [
        {"id": "e1", "actor_type": "human", "event_type": "message", "content": "Always write the changelog first"},
        {"id": "e2", "actor_type": "ai", "event_type": "message", "content": "I will."},
    ]
    bundle = {"schema_version": "context_bundle.v1", "bundle_id": "deploy-7", "source": "ci", "events": events}
    (tmp_path / "bundle.json").write_text(json.dumps(bundle))
    told = heard("court", "open", str(tmp_path / "bundle.json"), "--json").json
    assert (told["cases"], told["heard"], told["selected"]) == (1, 1, 1)
    (case_id,) = told["case_ids"]
    shown = heard("court", "show", case_id, "--json").json
    assert [claim["title"] for claim in shown["judged"]] == ["Always write the changelog first"]
    assert "Always write the changelog first" in heard("court", "open", str(tmp_path / "bundle.json")).out
    (tmp_path / "no.json").write_text("{}")
    ended = heard("court", "open", str(tmp_path / "no.json"))
    assert ended.code == 2 and "bundles.md" in ended.err
    assert heard("court", "open", str(tmp_path / "nothing.json")).code == 2


def test_an_empty_bundle_is_refused_and_nothing_of_it_is_logged(memory: Run, tmp_path: Path) -> None:
    empty = {"schema_version": "context_bundle.v1", "bundle_id": "none", "source": "ci", "events": []}
    (tmp_path / "empty.json").write_text(json.dumps(empty))
    ended = memory("court", "open", str(tmp_path / "empty.json"), "--json")
    error = valid(json.loads(ended.err), "error")
    assert (ended.code, error["code"]) == (2, "invalid_argument") and "empty.json" in error["message"] and error["hint"]
    assert memory("court", "list", "--json").json["cases"] == []


def test_a_role_that_nobody_has_is_named(heard: Run) -> None:
    for arguments in (("lessons", "list"), ("lessons", "search", "run the tests"), ("prompts", "show", "nobody")):
        role = () if arguments[0] == "prompts" else ("--role", "nobody")
        ended = heard(*arguments, *role, "--json")
        error = valid(json.loads(ended.err), "error")
        assert (ended.code, error["code"]) == (2, "not_found") and "'nobody'" in error["message"] and error["hint"], arguments
