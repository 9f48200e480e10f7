"""`memory outbox` and `memory reembed`, as people and programs see them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.settings import load_settings
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.depth import IS_DEEP
from memory_assets_tests.log.processes import first_line, python
from memory_assets_tests.vectors.stores import HOLD


@pytest.fixture
def home(filled_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A filled store of the test's own."""
    own = tmp_path / "own"
    shutil.copytree(filled_home, own)
    monkeypatch.setenv("MEMORY_HOME", str(own))
    return own


def write(home: Path, statement: str) -> None:
    with Resources(load_settings({"home": home})).database.writing() as connection:
        connection.execute(statement)


def test_status_says_what_waits_and_what_is_known_of_the_model(memory: Run, home: Path) -> None:
    shown = memory("outbox")
    assert shown.code == 0 and "hashing-256-1" in shown.out and "in force" in shown.out and "self-test:" in shown.out
    assert "Korean by words alone" in shown.out
    told = memory("outbox", "status", "--json").json
    assert told["schema_version"] == "outbox.v1" and told["model"] == "hashing" and told["alarm"] is False
    (version,) = told["versions"]
    assert version["done"] == version["rows"] == told["units"] > 0 and version["pending"] == 0 and version["writer"] is None
    assert len(version["fingerprints"]) == 1 and told["calibration"]["vector_weight"] == 0


@pytest.mark.long
def test_failures_are_shown_tried_again_and_gone(memory: Run, home: Path) -> None:
    write(
        home,
        """UPDATE vector_outbox SET status = 'failed', error = 'ValueError: [b]too strange[/b]\x1b[31m', attempts = 5
           WHERE embedding_version <> 'words' AND item_id = (SELECT unit_id FROM memory_units
             WHERE unit_kind = 'passage' AND message_index = 1 AND session_id = 'shop-1')""",
    )
    shown = memory("outbox")
    assert "session:shop-1#m=1" in shown.out and "tried 5 times, given up" in shown.out
    assert "[b]too strange[/b]" in shown.out and "\x1b" not in shown.out
    (failure,) = memory("outbox", "--json").json["failures"]
    assert (failure["session_id"], failure["message_index"], failure["attempts"]) == ("shop-1", 1, 5)
    health = memory("doctor").out
    assert "given up" in health and "memory outbox retry-failed" in health
    # A drain leaves it; a word begins it again.
    assert memory("outbox", "drain", "--json").json["done"] == 0
    retried = memory("outbox", "retry-failed", "--json")
    assert retried.code == 0 and retried.json["done"] == 1 and retried.json["schema_version"] == "outbox_drained.v1"
    assert memory("outbox", "--json").json["failures"] == []


def test_reconcile_mends_what_a_dry_run_names(memory: Run, home: Path) -> None:
    index = Resources(load_settings({"home": home, "embedding": {"model": "hashing"}})).vector_index
    ids = index.rows(["unit_id"])["unit_id"].to_pylist()
    index.delete(ids[:3])
    named = memory("outbox", "reconcile", "--dry-run")
    assert named.code == 1 and "3 missing" in named.out and index.count() == len(ids) - 3
    mended = memory("outbox", "reconcile", "--json")
    assert mended.code == 0 and mended.json["found"]["missing"] == mended.json["drained"]["done"] == 3
    again = memory("outbox", "reconcile", "--dry-run", "--json")
    assert again.code == 0 and again.json["found"]["same"] == len(ids) and again.json["dry_run"] is True


def test_a_busy_writer_is_named_and_not_waited_for(memory: Run, home: Path) -> None:
    with python(HOLD, home) as other:
        first_line(other)
        ended = memory("outbox", "drain", "--no-wait")
        assert ended.code == 2 and f"process {other.pid}" in ended.err and "hint:" in ended.err
        ended = memory("outbox", "drain", "--no-wait", "--json")
        assert ended.code == 2 and '"code":"store_locked"' in ended.err
        assert f"process {other.pid}" in memory("outbox").out


@pytest.mark.deep
def test_reembed_says_what_it_would_do_and_what_it_cannot(memory: Run, home: Path) -> None:
    planned = memory("reembed", "--to", "hub/no-such-model", "--dry-run")
    assert planned.code == 0 and "hashing-256-1 → no-such-model-1" in planned.out and "to write" in planned.out
    told = memory("reembed", "--to", "hub/no-such-model", "--dry-run", "--json").json
    assert told["schema_version"] == "reembed.v1" and told["in_force"] is False and told["found"]["missing"] > 0
    if IS_DEEP:
        # The libraries of models are loaded to say so; maintenance/test_reembed.py has a model of its own that fails.
        missing = memory("reembed", "--to", "hub/no-such-model")
        assert missing.code == 2 and "cannot be loaded" in missing.err and "hint:" in missing.err
    assert memory("reembed", "--to", " ").code == 2 and memory("reembed").code == 2


def test_reembed_to_what_is_in_force_does_nothing(memory: Run, home: Path) -> None:
    done = memory("reembed", "--to", "hashing")
    assert done.code == 0 and "hashing is in force" in done.out and "0 vectors written" in done.out


@pytest.mark.long
def test_what_the_environment_says_is_told_to_be_set(memory: Run, home: Path) -> None:
    # The tests' environment names the model, so the file would change nothing.
    done = memory("reembed", "--to", "hashing", "--query-prefix", "q: ")
    assert done.code == 0, done  # words are hashed without prefixes
    done = memory("--set", "embedding.passage_prefix=x", "reembed", "--to", "hashing", "--passage-prefix", "p: ", "--json")
    assert done.code == 1 and done.json["to_set"] == ["--set embedding.passage_prefix=p: "]


def test_a_damaged_table_says_how_it_is_made_again(memory: Run, home: Path) -> None:
    index = Resources(load_settings({"home": home, "embedding": {"model": "hashing"}})).vector_index
    shutil.rmtree(index.folder / f"{index.table_name}.lance" / "_versions")
    shown = memory("outbox")
    assert shown.code == 0 and "cannot be read" in shown.out and "memory rebuild --with-vectors" in shown.out
    assert "memory rebuild --with-vectors" in memory("outbox", "--json").json["versions"][0]["problem"]
    assert memory("outbox", "drain").code == 2
    assert memory("outbox", "reconcile").code == 0 and index.problems() == []


@pytest.mark.long
def test_a_file_where_the_table_belongs_is_mended_as_the_hint_says(memory: Run, home: Path) -> None:
    index = Resources(load_settings({"home": home})).word_index
    rows = index.count()
    for command in (("rebuild", "--with-vectors"), ("outbox", "reconcile")):
        index.drop()
        (index.folder / f"{index.table_name}.lance").write_text("not a folder")
        failed = memory("search", "retry", "--mode", "lexical")
        assert failed.code == 2 and "memory rebuild --with-vectors" in failed.err
        assert memory(*command).code == 0
        assert index.count() == rows


def test_an_empty_store_has_an_empty_outbox(memory: Run) -> None:
    assert memory("outbox").code == 0
    assert memory("outbox", "drain").code == 0 and memory("outbox", "reconcile").code == 0
    told = memory("outbox", "--json").json
    assert told["units"] == 0 and told["versions"][0]["rows"] is told["words"]["rows"] is None


@pytest.mark.long
def test_a_missing_index_is_an_error_that_names_what_mends_it(memory: Run, home: Path) -> None:
    shutil.rmtree(home / "vectors")
    for command in (("search", "PostgreSQL"), ("search", "PostgreSQL", "--mode", "lexical"), ("context", "PostgreSQL")):
        failed = memory(*command)
        assert failed.code == 2 and "error: the index is missing" in failed.err and "`memory outbox drain`" in failed.err
    assert memory("doctor", "--json").code != 0
    drained = memory("outbox", "drain")
    assert drained.code == 0 and "13 units made searchable by words; 13 vectors written" in drained.out
    assert memory("search", "PostgreSQL").code == 0


def test_status_shows_both_queues(memory: Run, home: Path) -> None:
    write(home, "UPDATE vector_outbox SET status = 'pending' WHERE embedding_version <> 'words'")
    shown = memory("outbox")
    assert "words  13 units: 13 searchable, 0 pending" in shown.out
    assert "hashing-256-1  0 with a vector, 13 pending" in shown.out
    told = memory("outbox", "--json").json
    assert (told["words"]["done"], told["words"]["rows"], told["versions"][0]["pending"]) == (13, 13, 13)
    asked = memory("search", "PostgreSQL", "--mode", "hybrid", "--json")
    assert asked.code == 0 and any("13 units wait for their vectors" in note for note in asked.json["notes"])


def test_a_table_that_an_older_version_wrote_is_made_anew_without_a_word(memory: Run, home: Path) -> None:
    from memory_assets.vectors.library import lancedb

    index = Resources(load_settings({"home": home, "embedding": {"model": "hashing"}})).vector_index
    rows = index.count()
    index.drop()
    lancedb().connect(str(index.folder)).create_table(
        index.table_name, [{"unit_id": "u", "search_text": "x", "vector": [1.0] * 256}]
    )
    write(home, "UPDATE vector_outbox SET status = 'pending'")
    assert memory("outbox").code == 0
    assert memory("outbox", "drain", "--json").json["done"] == rows
    assert index.count() == rows
