"""What one machine embedded others take over; whoever may not read all has none of it, and nothing rests on it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import purging, run
from memory_assets.fleet import schema
from memory_assets.fleet.granting import grant, revoke
from memory_assets.fleet.opening import shared_log
from memory_assets.fleet.shared_vectors import VectorsInPostgres
from memory_assets.log.event_log import EventLog
from memory_assets.log.event_store import Access
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.maintenance import indexing
from memory_assets.maintenance.rebuild import rebuild_all
from memory_assets.results.outbox import Drained
from memory_assets.settings import Settings, load_settings
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.fleet.test_roles import refused
from memory_assets_tests.postgres.databases import There

DIMENSIONS = 256
FINGERPRINT = HashingEmbedder(DIMENSIONS).fingerprint


@dataclass(frozen=True)
class Machines:
    """Machines with a log in one database, and two sessions that the first of them took in."""

    there: There
    folder: Path

    def settings(self, host: str, *, url: str | None = None, vectors: bool = True) -> Settings:
        """What a machine's commands have."""
        return load_settings(
            {
                "home": self.folder / host,
                "store": {"url": url or self.there.address.url},
                "embedding": {"model": "hashing"},
                "sharing": {"vectors": vectors},
            }
        )

    def count(self) -> int:
        """How many vectors are shared."""
        return int(str(self.there.rows("SELECT count(*) FROM memory_log.vectors")[0][0]))

    def shared(self, host: str) -> VectorsInPostgres:
        """The shared vectors as a machine has them."""
        settings = self.settings(host)
        return VectorsInPostgres(shared_log(self.there.address.url, 10.0), settings.store_folder)


@pytest.fixture
def machines(there: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machines:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    made = Machines(there, tmp_path)
    chat(tmp_path / "inbox", "one", talk(1))
    chat(tmp_path / "inbox", "two", talk(2))
    report = run.import_paths(made.settings("one"), [tmp_path / "inbox"], project="apple")
    assert report.new == 2 and not report.errors
    return made


def followed(settings: Settings) -> Drained:
    """What it took to bring a machine's index up to what others wrote."""
    return indexing.write_waiting(Resources(settings)).drained


def vectors_of(settings: Settings) -> dict[str, bytes]:
    """Each unit of a machine's index with its vector."""
    rows = Resources(settings).vector_index.rows(["unit_id", "vector"]).to_pylist()
    return {row["unit_id"]: np.asarray(row["vector"], dtype=np.float32).tobytes() for row in rows}


def test_a_text_is_embedded_once_in_a_fleet(machines: Machines) -> None:
    one, two = machines.settings("one"), machines.settings("two")
    made = vectors_of(one)
    texts = Resources(one).vector_index.rows(["embed_hash"])["embed_hash"].to_pylist()
    assert machines.count() == len({*texts}) > 3
    drained = followed(two)
    assert (drained.embedded, drained.failed) == (0, 0) and drained.reused == drained.done == len(made)
    assert vectors_of(two) == made

    # Whoever wants every vector made again makes it.
    rebuild_all(Resources(two), with_vectors=True)
    assert vectors_of(two) == made
    assert followed(machines.settings("three", vectors=False)).embedded == machines.count()


@pytest.mark.long
def test_what_the_second_machine_embeds_the_first_takes_over(machines: Machines) -> None:
    before = machines.count()
    run.import_paths(machines.settings("two"), [chat(machines.folder / "b", "three", talk(3))], project="apple")
    assert machines.count() > before
    assert followed(machines.settings("one")).embedded == 0
    assert vectors_of(machines.settings("one")) == vectors_of(machines.settings("two"))


@pytest.mark.long
def test_a_row_that_is_no_vector_is_taken_for_none(machines: Machines) -> None:
    made = vectors_of(machines.settings("one"))
    wrong: Sequence[bytes] = (b"", b"\x00" * DIMENSIONS * 4, b"\xff" * DIMENSIONS * 4, b"\x01" * 9)
    for number, stored in enumerate(wrong):
        machines.there.rows(
            f"UPDATE memory_log.vectors SET vector = '\\x{stored.hex()}' WHERE ctid = "
            f"(SELECT ctid FROM memory_log.vectors ORDER BY text_hash OFFSET {number} LIMIT 1) RETURNING 1"
        )
    drained = followed(machines.settings("two"))
    assert drained.embedded == len(wrong) and drained.failed == 0
    assert vectors_of(machines.settings("two")) == made


@pytest.mark.long
def test_who_reads_one_project_has_none_and_embeds_for_itself(machines: Machines) -> None:
    there, role = machines.there, f"role_{secrets.token_hex(4)}"
    there.rows(f"CREATE ROLE {role} LOGIN")
    store, url = shared_log(there.address.url, 10.0), there.server.address(there.database, user=role).url
    grant(store, role, Access(("apple",), may_write=False))
    for statement in ("SELECT * FROM memory_log.vectors", "INSERT INTO memory_log.vectors VALUES ('a', 'b', '')"):
        assert "denied" in refused(url, statement)
    before = machines.count()
    reader = machines.settings("guest", url=url)
    assert followed(reader).embedded == before == machines.count()
    assert vectors_of(reader) == vectors_of(machines.settings("one"))

    # Who reads everything takes them over, and gives none.
    grant(store, role, Access(None, may_write=False))
    assert followed(machines.settings("whole", url=url)).embedded == 0
    assert "denied" in refused(url, "INSERT INTO memory_log.vectors VALUES ('a', 'b', '')")
    grant(store, role, Access())
    assert "denied" in refused(url, "DELETE FROM memory_log.vectors")
    revoke(store, role)
    assert "denied" in refused(url, "SELECT * FROM memory_log.vectors")


@pytest.mark.long
def test_a_purge_takes_all_out_and_who_has_not_followed_gives_none(machines: Machines) -> None:
    one, two = machines.settings("one"), machines.settings("two")
    followed(two)
    EventLog(Resources(one).database).append(
        [NewEvent(SessionForgotten(reason="asked"), session_id="two", inputs=("by hand",))]
    )
    lagging, vector = machines.shared("two"), HashingEmbedder(DIMENSIONS).embed_query("what was forgotten")
    assert purging.purge_all(one, purging.planned_purge(one)).purged
    assert machines.count() == 0
    lagging.share({"a": vector}, FINGERPRINT)
    assert machines.count() == 0, "it mirrors the log as it was before"
    followed_purge = purging.followed_purge(two)
    assert followed_purge is not None and followed_purge.purged
    left = machines.count()
    machines.shared("two").share({"a": vector, "zero": np.zeros_like(vector)}, FINGERPRINT)
    assert machines.count() == left + 1
    assert list(machines.shared("one").of_texts(["a", "zero", "b"], FINGERPRINT, DIMENSIONS)) == ["a"]
    assert machines.shared("one").of_texts(["a"], "another model", DIMENSIONS) == {}
    assert machines.shared("one").of_texts(["a"], FINGERPRINT, DIMENSIONS + 1) == {}


@pytest.mark.long
def test_a_server_that_is_away_keeps_nobody_from_embedding(machines: Machines) -> None:
    settings = machines.settings("two")
    resources = Resources(settings)
    indexing.write_words(resources)
    whole = machines.count()
    machines.there.server.stop()
    try:
        drained = indexing.write_vectors(resources).drained
    finally:
        machines.there.server.start()
    assert (drained.embedded, drained.failed) == (whole, 0)


@pytest.mark.long
def test_a_role_from_before_there_were_vectors_may_what_it_would_be_granted_now(
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        before = schema.shared_migrations()[:4]
        patch.setattr(schema, "shared_migrations", lambda: before)
        shared_log(there.address.url, 10.0).state()
        roles = {name: f"role_{secrets.token_hex(4)}" for name in ("writer", "reader", "guest")}
        for role in roles.values():
            there.rows(f"CREATE ROLE {role} LOGIN")
            there.rows(f"GRANT USAGE ON SCHEMA memory_log TO {role}")
        for name, project, may_write in (("writer", "NULL", True), ("reader", "NULL", False), ("guest", "'apple'", False)):
            there.rows(f"INSERT INTO memory_log.grants VALUES ('{roles[name]}', {project}, {may_write}) RETURNING 1")
        there.rows("INSERT INTO memory_log.grants VALUES ('who left', NULL, true) RETURNING 1")
        shared_log.cache_clear()
    shared_log(there.address.url, 10.0).state()
    may = [
        tuple(
            there.rows(f"SELECT has_table_privilege('{role}', 'memory_log.vectors', '{right}')")[0][0]
            for right in ("SELECT", "INSERT", "DELETE")
        )
        for role in roles.values()
    ]
    assert may == [(True, True, False), (True, False, False), (False, False, False)]
