"""The one writer on a real store: attempts, back-off, locks, and crashes between the index and the mark."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_assets.configuration import Resources
from memory_assets.maintenance.doctor import checks
from memory_assets.maintenance.rebuild import verify_all
from memory_assets.progress import NoProgress
from memory_assets.projections.fold import catch_up
from memory_assets.projections.unit_tables.outbox import enqueue_all
from memory_assets.settings import Settings
from memory_assets.vectors import outbox_jobs, writer_lock
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.errors import EmbedderUnavailableError, FingerprintMismatchError, IndexBusyError
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.outbox import carry_over_waiting, drain_words, retry_failed, settle_words
from memory_assets.vectors.outbox_jobs import MAX_ATTEMPTS
from memory_assets.vectors.reconcile import Side, reconcile
from memory_assets.vectors.rows import HIT, hit_of, rows_of, word_rows
from memory_assets.vectors.units import Unit, UnitHit
from memory_assets.vectors.upkeep import rows_behind
from memory_assets.vectors.writer_lock import current_writer, only_writer
from memory_assets_tests.filled_store import fill, fill_one, tell
from memory_assets_tests.log.processes import first_line, python
from memory_assets_tests.vectors.stores import HOLD, TALK, drained, ids_of_index, ids_of_units, parts, rows, statuses
from memory_assets_tests.vectors.units import unit

VERSION = "hashing-256-1"


class Choking(HashingEmbedder):
    """Raises for some texts, as a tokenizer does that a text breaks."""

    def __init__(self, *poison: str, error: type[BaseException] = RuntimeError) -> None:
        super().__init__()
        self.poison = poison
        self.error = error
        self.batches: list[list[str]] = []

    def embed_documents(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
        self.batches.append(list(texts))
        if any(word in text for word in self.poison for text in texts):
            raise self.error("a text broke it")
        return super().embed_documents(texts)


class PanicException(BaseException):
    """What a library in Rust raises, by its name."""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A store of twelve messages, none of them in the index."""
    return fill_one(tmp_path, "talk", TALK, ())


def test_what_waits_is_written_once(settings: Settings) -> None:
    first = drained(settings)
    assert first.done == len(ids_of_units(settings)) >= 12 and first.failed == 0 and first.embedded + first.reused == first.done
    assert ids_of_index(settings) == ids_of_units(settings)
    assert statuses(settings) == {"done": first.done}
    assert drained(settings).done == 0


def test_words_are_found_before_their_index_is_up_to_date(settings: Settings) -> None:
    words, folder = Resources(settings).word_index, settings.store_folder

    def found() -> list[list[str]]:
        hits = words.lexical_search("message 7 로그 kept", 20)
        return [[hit.unit_id for hit in field] for field in (hits.own, hits.context)]

    written = drain_words(Resources(settings).database, words, lock_folder=folder, more_to_come=True)
    table = words.connect().open_table("words")
    assert written.done == len(ids_of_units(settings)) == rows_behind(table)
    before = found()
    with only_writer(folder, "words", wait_seconds=0):
        assert not settle_words(words, lock_folder=folder), "whoever is writing does it"
    assert rows_behind(table) == written.done
    assert settle_words(words, lock_folder=folder) and rows_behind(table) == 0
    assert found() == before and len(before[0]) == written.done
    assert not settle_words(words, lock_folder=folder)


def test_a_drain_of_nothing_brings_the_index_of_words_up_to_date(settings: Settings) -> None:
    words, folder = Resources(settings).word_index, settings.store_folder
    written = drain_words(Resources(settings).database, words, lock_folder=folder, more_to_come=True)
    assert drain_words(Resources(settings).database, words, lock_folder=folder, more_to_come=True).done == 0
    assert rows_behind(words.connect().open_table("words")) == written.done
    assert drain_words(Resources(settings).database, words, lock_folder=folder).done == 0
    assert rows_behind(words.connect().open_table("words")) == 0


def test_rows_hold_what_the_units_hold(tmp_path: Path) -> None:
    settings = fill(tmp_path)
    hidden = ("facets", "context_text", "embed_text", "embed_hash")
    columns = [name for name in Unit.__dataclass_fields__ if name not in hidden]
    stored = rows(settings, f"SELECT {', '.join(columns)} FROM memory_units ORDER BY unit_id")
    inside = set(UnitHit._fields)
    beside = [column for column in columns if column not in inside]
    table = Resources(settings).word_index.rows([*beside, HIT, "context_text", "facets"])
    hits = (hit_of(row, 0.0) for row in rows_of(table))
    found = [{**hit._asdict(), **row} for hit, row in zip(hits, table.to_pylist(), strict=True)]
    found.sort(key=lambda row: row["unit_id"])
    assert [tuple(_plain(row[column]) for column in columns) for row in found] == stored
    around = dict(rows(settings, "SELECT unit_id, around_text FROM memory_units"))
    facets = rows(settings, "SELECT unit_id, facet || ':' || value FROM unit_facets ORDER BY ALL")
    assert facets
    for row in found:
        assert row["context_text"].split() == (row["own_text"].split() * 3 + around[row["unit_id"]].split())
        assert sorted(row["facets"]) == sorted(facet for unit_id, facet in facets if unit_id == row["unit_id"])
    # A row of the vectors says the same where it says the same thing.
    shared = ["unit_id", "stage", "occurred_at", "content_hash", HIT, "facets"]
    vectors = Resources(settings).vector_index.rows([*shared, "embed_hash", "fingerprint"]).sort_by("unit_id")
    assert vectors.select(shared).equals(Resources(settings).word_index.rows(shared).sort_by("unit_id"))
    assert set(vectors["fingerprint"].to_pylist()) == {HashingEmbedder().fingerprint}
    hashes = rows(settings, "SELECT embed_hash FROM memory_units ORDER BY unit_id")
    assert vectors["embed_hash"].to_pylist() == [embed_hash for (embed_hash,) in hashes]


def _plain(value: Any) -> Any:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


def test_long_texts_come_first(tmp_path: Path) -> None:
    talk = tuple(("user", f"{number} " + "word " * length) for number, length in enumerate((3, 120, 40, 7, 90)))
    embedder = Choking()
    drained(fill_one(tmp_path, "lengths", talk, ()), embedder)
    lengths = [len(text) for batch in embedder.batches for text in batch]
    assert lengths == sorted(lengths, reverse=True)


@pytest.mark.parametrize("error", [RuntimeError, ValueError, PanicException])
def test_a_poisoned_text_fails_alone_and_later(settings: Settings, error: type[BaseException]) -> None:
    before = datetime.now(UTC).replace(tzinfo=None)
    report = drained(settings, Choking("message 7 ", error=error))
    assert report.failed == 1 and report.done == len(ids_of_units(settings)) - 1
    [(status, attempts, reason, following)] = rows(
        settings, "SELECT status, attempts, error, next_attempt_at FROM vector_outbox WHERE status <> 'done'"
    )
    assert (status, attempts) == ("failed", 1) and reason == f"{error.__name__}: a text broke it"
    assert timedelta(seconds=29) < following - before < timedelta(seconds=60)
    # Not before its time, and then it is done.
    assert drained(settings).done == 0
    with Resources(settings).database.writing() as connection:
        connection.execute("UPDATE vector_outbox SET next_attempt_at = ? WHERE status = 'failed'", [before])
    assert drained(settings).done == 1
    assert ids_of_index(settings) == ids_of_units(settings)


@pytest.mark.long
def test_pauses_double_and_end(settings: Settings) -> None:
    pauses = []
    for attempt in range(1, MAX_ATTEMPTS + 2):
        drained(settings, Choking("message 7 "))
        [(attempts, pause)] = rows(
            settings,
            "SELECT attempts, date_diff('second', updated_at, next_attempt_at) FROM vector_outbox WHERE status = 'failed'",
        )
        assert attempts == min(attempt, MAX_ATTEMPTS)
        pauses.append(pause)
        with Resources(settings).database.writing() as connection:
            connection.execute("UPDATE vector_outbox SET next_attempt_at = updated_at WHERE next_attempt_at IS NOT NULL")
    assert pauses == [30, 60, 120, 240, None, None]
    # Somebody's word begins it anew, and so does a change of the unit.
    assert retry_failed(Resources(settings).database, VERSION) == 1
    assert rows(settings, "SELECT attempts FROM vector_outbox WHERE status = 'pending'") == [(0,)]
    assert drained(settings).done == 1


def test_a_model_that_fails_on_everything_uses_up_nobodys_attempts(settings: Settings) -> None:
    with pytest.raises(EmbedderUnavailableError, match="fails on every text") as raised:
        drained(settings, Choking(""))
    assert raised.value.hint
    assert statuses(settings) == {"pending": len(ids_of_units(settings))}


@pytest.mark.long
def test_vectors_of_another_model_are_refused_with_what_to_do(settings: Settings) -> None:
    drained(settings)
    tell(settings, "more", (("user", "something else entirely"),), ())
    other = HashingEmbedder(max_chars=50)
    assert other.embedding_version == VERSION
    with pytest.raises(FingerprintMismatchError) as raised:
        drained(settings, other)
    assert "memory outbox reconcile" in raised.value.hint
    assert statuses(settings)["pending"] > 0
    database, index = parts(settings)
    found = reconcile(database, Side.of_vectors(other, index), lock_folder=settings.store_folder)
    assert found.made_anew and "another model" in found.made_anew
    drained(settings, other)
    assert ids_of_index(settings) == ids_of_units(settings)
    assert set(index.rows(["fingerprint"])["fingerprint"].to_pylist()) == {other.fingerprint}


@pytest.mark.parametrize("when", ["before the index", "before the mark"])
def test_a_crash_on_either_side_of_the_index_doubles_nothing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    drain_words(Resources(settings).database, Resources(settings).word_index, lock_folder=settings.store_folder)
    with monkeypatch.context() as patch:
        patch.setattr(*((VectorIndex, "upsert", crash) if when == "before the index" else (outbox_jobs, "mark", crash)))
        with pytest.raises(KeyboardInterrupt):
            drained(settings)
    assert statuses(settings) == {"pending": len(ids_of_units(settings))}
    again = drained(settings)
    assert again.failed == 0 and (again.embedded == 0) == (when == "before the mark")
    assert ids_of_index(settings) == ids_of_units(settings)


def test_a_unit_that_changes_while_it_is_embedded_is_written_as_it_is_then(settings: Settings) -> None:
    class Meanwhile(HashingEmbedder):
        changed = False

        def embed_documents(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
            if not self.changed:
                self.changed = True
                with Resources(settings).database.writing() as connection:
                    connection.execute(
                        "UPDATE memory_units SET content_hash = 'newer', own_text = 'newer' WHERE message_index = 3"
                    )
                    connection.execute(
                        """UPDATE vector_outbox SET content_hash = 'newer', status = 'pending' WHERE item_id IN (
                             SELECT unit_id FROM memory_units WHERE message_index = 3)"""
                    )
            return super().embed_documents(texts)

    drained(settings, Meanwhile())
    assert set(statuses(settings)) == {"done"}
    stored = rows_of(Resources(settings).vector_index.rows([HIT, "content_hash"]).filter(_is_newer()))
    assert [hit_of(row, 0.0).own_text for row in stored] == ["newer"]


def _is_newer() -> Any:
    import pyarrow.compute as pc

    return pc.field("content_hash") == "newer"


@pytest.mark.long
def test_what_is_gone_goes_from_the_tables_of_all_versions(settings: Settings) -> None:
    drained(settings)
    database, index = parts(settings)
    former = VectorIndex(index.folder, "former-1", 256)
    embedder = HashingEmbedder()
    with database.writing() as connection:
        connection.execute(
            """INSERT INTO vector_outbox SELECT * REPLACE ('former' || job_id AS job_id, 'former-1' AS embedding_version)
               FROM vector_outbox WHERE embedding_version <> 'words'"""
        )
    former.upsert(
        [unit(unit_id, unit_id) for unit_id in ids_of_units(settings)], embedder.embed_documents(ids_of_units(settings)), "f"
    )
    with database.writing() as connection:
        connection.execute("UPDATE vector_outbox SET op = 'delete', status = 'pending' WHERE item_id IN "
                           "(SELECT unit_id FROM memory_units WHERE message_index < 5)")  # fmt: skip
        connection.execute("DELETE FROM memory_units WHERE message_index < 5")
    drain_words(database, Resources(settings).word_index, lock_folder=settings.store_folder)
    carry_over_waiting(database, index, lock_folder=settings.store_folder)
    assert ids_of_index(settings) == ids_of_units(settings) == sorted(former.rows(["unit_id"])["unit_id"].to_pylist())
    assert rows(settings, "SELECT count(*) FROM vector_outbox WHERE op = 'delete'") == [(0,)]


class Said(NoProgress):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


def test_a_second_writer_says_whom_it_finds(settings: Settings) -> None:
    folder = settings.store_folder
    assert current_writer(folder, VERSION) is None
    with python(HOLD, folder) as other:
        first_line(other)
        assert str(other.pid) in (current_writer(folder, VERSION) or "")
        with pytest.raises(IndexBusyError) as raised:
            drained(settings, wait_seconds=0)
        assert f"process {other.pid} (-c" in str(raised.value) and raised.value.hint and raised.value.code == "store_locked"
        # One that shows no sign of life for so long is given up on.
        said = Said()
        with pytest.raises(IndexBusyError, match="no sign of life"):
            drained(settings, wait_seconds=0.3, progress=said)
        assert len(said.lines) == 1 and str(other.pid) in said.lines[0]
        # Another model's table has a writer of its own.
        with only_writer(folder, "other-1", wait_seconds=0):
            pass
        other.kill()
        other.wait()
        # A dead process holds nothing.
        assert drained(settings, wait_seconds=5).done > 0
    assert current_writer(folder, VERSION) is None


@pytest.mark.long
def test_a_writer_that_goes_on_working_is_waited_for(settings: Settings) -> None:
    with python(HOLD, settings.store_folder, "alive") as other:
        first_line(other)
        threading.Timer(1.2, other.kill).start()
        started = time.monotonic()
        assert drained(settings, wait_seconds=0.4).done > 0
        assert time.monotonic() - started > 0.8


def test_a_lock_file_of_nonsense_names_nobody(tmp_path: Path) -> None:
    with only_writer(tmp_path, VERSION):
        (path,) = tmp_path.glob("*.lock")
        holder = json.loads(path.read_text())
        assert holder["pid"] == os.getpid() and path.stat().st_mode & 0o777 == 0o600
        path.write_text('{"pid": "x"')
        assert current_writer(tmp_path, VERSION) == "another process"
    assert writer_lock.current_writer(tmp_path, VERSION) is None


def test_progress_counts_every_job(settings: Settings) -> None:
    class Counted(NoProgress):
        total, steps, ended = 0, 0, 0

        def start(self, total: int | None, label: str) -> None:
            self.total += total or 0

        def advance(self, steps: int = 1, label: str | None = None) -> None:
            self.steps += steps

        def finish(self) -> None:
            self.ended += 1

    told = Counted()
    report = drained(settings, progress=told)
    assert told.total == told.steps == report.done and told.ended == 1


@pytest.mark.long
def test_a_store_that_was_folded_for_another_version_queues_for_that(settings: Settings) -> None:
    drained(settings)
    versions = Resources(settings).configured_versions | {"session_vectorized": "other-1"}
    catch_up(Resources(settings).database, versions)
    assert statuses(settings) == {"done": len(ids_of_units(settings)), "pending": len(ids_of_units(settings))}


ATTACHED = "<context ref='rules.md'>\nThe frobnicator is calibrated weekly.\n</context>"


@pytest.mark.long
def test_what_a_program_wrote_has_words_and_no_vector(tmp_path: Path) -> None:
    settings = fill_one(tmp_path, "talk", (*TALK, ("user", ATTACHED)), ())
    drained(settings)
    ((template,),) = rows(settings, "SELECT unit_id FROM memory_units WHERE origin = 'template'")
    words = Resources(settings).word_index.rows(["unit_id"])["unit_id"].to_pylist()
    vectors = Resources(settings).vector_index.rows(["unit_id"])["unit_id"].to_pylist()
    assert set(words) - set(vectors) == {template} and set(words) == set(ids_of_units(settings))
    assert verify_all(Resources(settings)).equal
    assert {check.name: check.ok for check in checks(Resources(settings))}["parity"]
    for side in (Side.of_words(Resources(settings).word_index), Side.of_vectors(HashingEmbedder(), parts(settings)[1])):
        found = reconcile(Resources(settings).database, side, lock_folder=settings.store_folder)
        assert found.same + found.waiting == found.same == len(side.table.rows(["unit_id"]))


@pytest.mark.long
@pytest.mark.parametrize("origin", ["template", "pasted", "tool"])
def test_what_turns_out_to_be_said_by_nobody_loses_its_vector(settings: Settings, origin: str) -> None:
    drained(settings)
    database, index = parts(settings)
    with database.writing() as connection:
        connection.execute("UPDATE memory_units SET origin = ?, content_hash = 'other' WHERE message_index = 3", [origin])
        enqueue_all(connection, VERSION)
    drained(settings)
    ((unsaid,),) = rows(settings, "SELECT unit_id FROM memory_units WHERE message_index = 3 AND unit_kind = 'passage'")
    assert unsaid in Resources(settings).word_index.rows(["unit_id"])["unit_id"].to_pylist()
    assert unsaid not in index.rows(["unit_id"])["unit_id"].to_pylist()
    assert statuses(settings, words=True) == {"done": len(ids_of_units(settings))}
    assert statuses(settings) == {"done": index.count()}


def test_a_row_that_was_written_before_origins_and_turns_were_kept_is_read() -> None:
    import pyarrow as pa

    (packed,) = word_rows([unit("unt_a", "the cache", origin="typed", turn="asks")])[HIT].to_pylist()
    values = json.loads(packed)
    rows = [packed, json.dumps(values[:-1]), json.dumps(values[:-2])]
    new, without_turn, without_both = (hit_of(row, 1.0) for row in rows_of(pa.table({HIT: rows})))
    assert (new.origin, new.turn) == ("typed", "asks")
    assert without_turn == new._replace(turn=None) and without_both == new._replace(origin=None, turn=None)
