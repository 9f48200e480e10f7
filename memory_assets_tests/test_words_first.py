"""Words wait for no model: they are searchable once a session is folded, and whatever becomes of the vectors."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.log.database import Database
from memory_assets.maintenance import indexing
from memory_assets.maintenance.doctor import checks
from memory_assets.maintenance.indexing import (
    Written,
    compare_titles,
    write_behind,
    write_vectors,
    write_waiting,
    write_words,
)
from memory_assets.maintenance.rebuild import verify_all
from memory_assets.memory import Memory
from memory_assets.settings import Settings, load_settings
from memory_assets.vectors import outbox
from memory_assets.vectors.drain import Pace
from memory_assets.vectors.embedder import Embedder, HashingEmbedder
from memory_assets.vectors.errors import EmbedderUnavailableError, IndexMissingError
from memory_assets.vectors.rows import CONTEXT_TEXT, ONE_TABLE_LAYOUT, OWN_TEXT
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.depth import cases
from memory_assets_tests.filled_store import STARTED, fill, fill_one, tell
from memory_assets_tests.log.processes import first_line, python
from memory_assets_tests.vectors.stores import HOLD, TALK, drained, ids_of_index, ids_of_units, rows, statuses


def embedding_with(embedder: Embedder, settings: Settings, database: Database | None = None) -> Resources:
    resources = Resources(settings, database)
    resources.embedder = embedder
    return resources


class Absent(HashingEmbedder):
    """A model that is not on this machine."""

    def embed_documents(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
        raise EmbedderUnavailableError("no model here", hint="fetch it")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A store of twelve messages, none of them in the index."""
    return fill_one(tmp_path / "home", "talk", TALK, ())


def found(settings: Settings, query: str = "로그") -> int:
    return len(Memory(settings).search(query, mode="lexical").hits)


@pytest.mark.long
def test_words_are_found_where_no_model_can_be_loaded(settings: Settings) -> None:
    database = Resources(settings).database
    assert write_words(Resources(settings, database)).done == len(ids_of_units(settings))
    assert found(settings) > 0
    behind = write_behind(embedding_with(Absent(), settings, database))
    assert behind.waiting == len(ids_of_units(settings)) and behind.why == "no model here. fetch it"
    assert found(settings) > 0 and statuses(settings) == {"pending": behind.waiting}
    response = Memory(settings).search("로그")
    note = f"{behind.waiting} units wait for their vectors: found by words alone until then (`memory outbox drain`)"
    assert response.hits and note in response.notes
    # And the remedy that it names is one.
    assert write_waiting(Resources(settings, database)).drained.done == behind.waiting
    assert not any("wait" in note for note in Memory(settings).search("로그").notes)


@pytest.mark.parametrize(
    ("change", "looks"),
    [
        ("", False),
        ("UPDATE vector_outbox SET status = 'pending' WHERE embedding_version = 'hashing-256-1' AND {one}", True),
        ("UPDATE vector_outbox SET status = 'failed', next_attempt_at = TIMESTAMP '2020-01-01' WHERE {one}", True),
        ("UPDATE vector_outbox SET status = 'failed', next_attempt_at = TIMESTAMP '2120-01-01' WHERE {one}", False),
        ("UPDATE vector_outbox SET status = 'failed', next_attempt_at = NULL WHERE {one}", False),
        ("UPDATE vector_outbox SET status = 'pending', embedding_version = 'former-1' WHERE {one}", False),
        ("UPDATE vector_outbox SET status = 'pending', embedding_version = 'former-1', op = 'delete' WHERE {one}", True),
        ("folder", True),
    ],
)
def test_an_index_is_looked_into_where_something_waits(
    settings: Settings, change: str, looks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    drained(settings)
    resources = Resources(settings)
    one = "job_id = (SELECT min(job_id) FROM vector_outbox WHERE embedding_version = 'hashing-256-1')"
    if change == "folder":
        shutil.rmtree(next(settings.vectors_folder.glob("vectors_*.lance")))
    elif change:
        with resources.database.writing(log_stays=True) as connection:
            assert connection.execute(f"{change.format(one=one)} RETURNING 1").fetchall() == [(1,)]
    looked: list[bool] = []

    def seen(*given: object, **more: object) -> Written:
        looked.append(True)
        return write_vectors(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(indexing, "write_vectors", seen)
    assert write_behind(resources).why is None
    assert bool(looked) == looks


@pytest.mark.long
def test_who_finds_another_writing_leaves_its_vectors_to_it(settings: Settings) -> None:
    database = Resources(settings).database
    write_words(Resources(settings, database))
    with python(HOLD, settings.store_folder) as other:
        first_line(other)
        behind = write_behind(Resources(settings, database))
        assert str(other.pid) in (behind.why or "") and behind.waiting == len(ids_of_units(settings))
        # Nobody's words wait for a writer of vectors.
        tell(settings, "more", (("user", "a zebra came in"),), (), STARTED)
        assert write_words(Resources(settings, database), wait=False).done > 0 and found(settings, "zebra") == 1


@pytest.mark.long
def test_what_comes_while_vectors_are_made_is_made_too(settings: Settings) -> None:
    class Meanwhile(HashingEmbedder):
        came = False

        def embed_documents(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
            if not self.came:
                self.came = True
                tell(settings, "more", (("user", "a zebra came in"),), (), STARTED)
            return super().embed_documents(texts)

    database = Resources(settings).database
    write_words(Resources(settings, database))
    write_vectors(embedding_with(Meanwhile(), settings, database))
    assert statuses(settings) == {"done": len(ids_of_units(settings))}


@pytest.mark.long
def test_what_was_said_last_is_embedded_first_and_each_batch_is_kept(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(3):
        tell(settings, f"later-{day}", (("user", f"on day {day} a zebra came in"),), (), STARTED.replace(year=2026 + day))
    order: list[str] = []

    class Interrupted(HashingEmbedder):
        def embed_documents(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
            if len(order) > 5:
                raise KeyboardInterrupt
            order.extend(texts)
            return super().embed_documents(texts)

    monkeypatch.setattr(outbox, "BATCH_SIZE", 2)
    monkeypatch.setattr(outbox, "Pace", lambda least: Pace(least, least))  # a model that is not faster
    database = Resources(settings).database
    write_words(Resources(settings, database))
    with pytest.raises(KeyboardInterrupt):
        write_vectors(embedding_with(Interrupted(), settings, database))
    days = [day for text in order for day in re.findall(r"on day (\d)", text)]
    assert days and days == sorted(days, reverse=True) and "2" in days
    assert statuses(settings)["done"] >= len(order)
    write_vectors(Resources(settings, database))
    assert ids_of_index(settings) == ids_of_units(settings)


def test_a_change_that_needs_no_model_reaches_the_vectors_with_the_words(settings: Settings) -> None:
    drained(settings)
    (unit_id, *_) = ids_of_units(settings)
    with Resources(settings).database.writing() as connection:
        connection.execute("UPDATE memory_units SET stage = 'verified', content_hash = 'newer' WHERE unit_id = ?", [unit_id])
        connection.execute(
            "UPDATE vector_outbox SET content_hash = 'newer', status = 'pending' WHERE item_id = ?",
            [unit_id],
        )
    write_words(Resources(settings))
    for table in (Resources(settings).word_index, Resources(settings).vector_index):
        stages = {row["unit_id"]: row["stage"] for row in table.rows(["unit_id", "stage"]).to_pylist()}
        assert stages[unit_id] == "verified"
    assert set(statuses(settings)) == set(statuses(settings, words=True)) == {"done"}


def test_what_is_forgotten_leaves_both_tables_without_a_model(settings: Settings) -> None:
    drained(settings)
    with Resources(settings).database.writing() as connection:
        connection.execute("UPDATE vector_outbox SET op = 'delete', status = 'pending' WHERE item_id IN "
                           "(SELECT unit_id FROM memory_units WHERE message_index < 5)")  # fmt: skip
        connection.execute("DELETE FROM memory_units WHERE message_index < 5")
    write_words(Resources(settings))
    assert ids_of_index(settings) == ids_of_units(settings)
    assert rows(settings, "SELECT count(*) FROM vector_outbox WHERE op = 'delete'") == [(0,)]


@pytest.mark.long
@pytest.mark.parametrize("what", cases(["all"], ["words"]))
def test_a_missing_index_is_said_and_each_remedy_heals_it(tmp_path: Path, what: str) -> None:
    settings = fill(tmp_path)
    shutil.rmtree(settings.vectors_folder if what == "all" else settings.vectors_folder / "words.lance")
    memory = Memory(settings)
    for ask in (
        lambda: memory.search("PostgreSQL"),
        lambda: memory.search("PostgreSQL", mode="lexical"),
        lambda: memory.context("PostgreSQL"),
    ):
        with pytest.raises(IndexMissingError, match="the index is missing: none of the 13 units") as caught:
            ask()
        assert "`memory outbox drain`" in caught.value.hint
    write_waiting(memory.resources)
    assert memory.search("PostgreSQL").hits and ids_of_index(settings) == ids_of_units(settings)
    assert {check.name for check in checks(memory.resources) if not check.ok} <= {"quarantine"}


def test_missing_vectors_are_said_and_made_again(tmp_path: Path) -> None:
    settings = fill(tmp_path)
    memory = Memory(settings)
    shutil.rmtree(settings.vectors_folder / "vectors_hashing-256-1.lance")
    response = memory.search("PostgreSQL")
    assert response.hits and any("the vectors are missing" in note for note in response.notes)
    write_waiting(memory.resources)
    assert not any("missing" in note for note in memory.search("PostgreSQL").notes)
    assert ids_of_index(settings) == ids_of_units(settings)


def into_one_table(settings: Settings) -> None:
    """The index as the version before wrote it: words and vector of a unit in one row, and no queue of words."""
    import pyarrow as pa

    from memory_assets.vectors.library import lancedb

    words, vectors = Resources(settings).word_index, Resources(settings).vector_index
    more = words.rows(["unit_id", "speaker", OWN_TEXT, CONTEXT_TEXT]).sort_by("unit_id")
    both = vectors.rows(vectors._open().schema.names).sort_by("unit_id")
    for name in ("speaker", OWN_TEXT, CONTEXT_TEXT):
        both = both.append_column(more.schema.field(name), more[name])
    both = both.append_column("embedding_version", pa.array([vectors.embedding_version] * len(both)))
    both = both.replace_schema_metadata({b"layout": ONE_TABLE_LAYOUT.encode(), b"made": b"x"})
    words.drop()
    vectors.drop()
    lancedb().connect(settings.vectors_folder).create_table(f"units_{vectors.embedding_version}", data=both)
    with Resources(settings).database.writing() as connection:
        connection.execute("DELETE FROM vector_outbox WHERE embedding_version = 'words'")


@pytest.mark.long
def test_an_index_of_the_former_form_is_brought_over_without_embedding(tmp_path: Path) -> None:
    settings = fill(tmp_path)
    stored = Resources(settings).vector_index.rows(["unit_id", "vector"]).sort_by("unit_id")
    into_one_table(settings)
    with pytest.raises(IndexMissingError):
        Memory(settings).search("PostgreSQL")
    with pytest.raises(EmbedderUnavailableError):
        Absent().embed_documents(["x"])
    written = write_waiting(embedding_with(Absent(), settings))
    assert (written.drained.embedded, written.words.done) == (0, 13)
    assert Resources(settings).vector_index.rows(["unit_id", "vector"]).sort_by("unit_id").equals(stored)
    assert not list(settings.vectors_folder.glob("units_*"))
    memory = Memory(settings)
    assert memory.search("PostgreSQL").hits and verify_all(memory.resources, with_vectors=True).equal
    assert Resources(settings).vector_index.problems() == Resources(settings).word_index.problems() == []


def test_a_former_table_that_is_damaged_is_made_again(tmp_path: Path) -> None:
    settings = fill(tmp_path)
    into_one_table(settings)
    for manifest in settings.vectors_folder.glob("units_*/_versions/*"):
        manifest.write_bytes(b"garbage")
    written = write_waiting(Resources(settings))
    assert written.drained.embedded > 0 and ids_of_index(settings) == ids_of_units(settings)
    assert not list(settings.vectors_folder.glob("units_*"))


IMPORT = """
import sys
from pathlib import Path
from memory_assets.defs import run
from memory_assets.memory import Memory
from memory_assets.settings import load_settings
settings = load_settings({"home": sys.argv[1]})
behind = run.write_behind
def looked(*arguments, **named):
    heavy = {"torch", "sentence_transformers", "transformers"} & sys.modules.keys()
    print(sorted(heavy), len(Memory(settings).search("PostgreSQL", mode="lexical").hits), flush=True)
    return behind(*arguments, **named)
run.write_behind = looked
report = run.import_paths(settings, [Path(sys.argv[2])], project=None)
print(report.vectors, flush=True)
"""


@pytest.mark.slow
def test_an_import_makes_words_searchable_before_a_model_is_loaded(tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    chat(inbox, "new-1", talk(1, 8))
    done = subprocess.run(
        [sys.executable, "-c", IMPORT, str(tmp_path / "home"), str(inbox)], capture_output=True, text=True, timeout=280
    )
    looked, reported = done.stdout.splitlines()[-2:]
    heavy, _, hits = looked.rpartition(" ")
    assert heavy == "[]" and int(hits) > 0, done.stderr
    assert "'waiting': 0" in reported and "'failed': 0" in reported


@pytest.mark.slow
def test_titles_that_are_compared_behind_the_fold_lead_to_the_tables_of_a_rebuild(tmp_path: Path) -> None:
    settings = load_settings({"home": tmp_path / "home"})
    inbox = tmp_path / "inbox"
    for number in range(2):
        chat(inbox, f"new-{number}", [*talk(number, 8), f"TODO: document the backup {('procedure', 'process')[number]}"])
    from memory_assets.defs import run

    report = run.import_paths(settings, [inbox], project=None)
    assert report.vectors["waiting"] == 0
    memory = Memory(settings)
    assert rows(settings, "SELECT count(*) FROM events WHERE event_type = 'task_titles_alike'")[0][0] > 0
    assert verify_all(memory.resources, with_vectors=False).equal
    assert not compare_titles(memory.database, Resources(settings).embedder), "they are compared once"
