"""A store whose court's tables are filled by hand: as many roles and lessons as a test wants, with vectors that it chose."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from memory_assets.log.batches import insert, rows_of
from memory_assets.log.database import Database
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.usage import UnitFeedback
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.units import Unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from memory_assets.vectors.embedder import Vectors

AT = datetime(2026, 1, 2, 3, 4, 5, 678901)


class Planted(HashingEmbedder):
    """Gives each text the vector that its hash chooses near one of a few centres, as real texts gather around subjects."""

    def __init__(self, dimensions: int, *, centres: int = 300, model: str = "planted") -> None:
        super().__init__(dimensions)
        self.model_id = f"{model}-{dimensions}"
        self.embedding_version = f"{model}-{dimensions}-1"
        self.fingerprint = hashlib.sha256(self.model_id.encode()).hexdigest()
        self.asked = 0
        seed = int.from_bytes(hashlib.sha256(model.encode()).digest()[:4], "big")
        self._centres = np.random.default_rng(seed).standard_normal((centres, dimensions)).astype(np.float32)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.asked += len(texts)
        vectors = np.stack([self._vector(text) for text in texts]).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _vector(self, text: str) -> Vectors:
        code = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        random = np.random.default_rng(code)
        noise = random.standard_normal(self.dimensions).astype(np.float32)
        vector: Vectors = self._centres[code % len(self._centres)] + 0.7 * noise
        return vector


class PlantedCourt:
    """A store in a folder, with its index of vectors."""

    def __init__(self, folder: Path, embedder: HashingEmbedder) -> None:
        self.database = Database(folder)
        self.embedder = embedder
        self.index = VectorIndex(folder / "vectors", embedder.embedding_version, embedder.dimensions)
        self._steps = 0

    def plant(self, lessons: Sequence[tuple[str, str]], *, indexed: bool = True) -> None:
        """Add lessons, each a role and a text, and one step of the log.

        Args:
            indexed: whether the store's own index has their vectors.
        """
        told = [_row(number, role, text) for number, (role, text) in enumerate(lessons, start=self._count())]
        columns = {name: [row[name] for row in told] for name in told[0]} if told else {}
        with self.database.writing() as connection:
            if told:
                connection.register("told", pa.table(columns))
                connection.execute(_LESSONS)
                connection.execute(_UNITS)
                connection.execute(_EVIDENCE)
                connection.unregister("told")
            self._step(connection)
        if indexed and told:
            self.index.upsert(
                [_unit(row) for row in told],
                self.embedder.embed_documents([row["text"] for row in told]),
                self.embedder.fingerprint,
            )

    def forget(self, lesson_ids: Sequence[str]) -> None:
        """Take lessons away, as a fold does of a session that was forgotten."""
        with self.database.writing() as connection:
            for table, column in (("lessons", "lesson_id"), ("memory_units", "source_id"), ("lesson_evidence", "claim_id")):
                connection.execute(f"DELETE FROM {table} WHERE list_contains(?, {column})", [list(lesson_ids)])
            self._step(connection)

    def change(self, statement: str) -> None:
        """Change the tables, as another step of the log does."""
        with self.database.writing() as connection:
            connection.execute(statement)
            self._step(connection)

    def rewrite_history(self) -> None:
        """As a purge does: the events behind the tables are others, at the same places."""
        with self.database.writing(whatever_the_tip=True) as connection:
            connection.execute("UPDATE events SET link_hash = from_hex(md5(hex(link_hash)) || md5(hex(link_hash)))")

    def _count(self) -> int:
        with self.database.reading() as connection:
            return int(connection.execute("SELECT count(*) FROM lessons").fetchall()[0][0])

    def _step(self, connection: duckdb.DuckDBPyConnection) -> None:
        """One more event, and the tables say that they rest on it."""
        said = UnitFeedback(unit_kind="lesson", source_id=f"les_{self._steps}", signal="used", said_by="test")
        insert(
            connection,
            rows_of([NewEvent(said, inputs=(str(self._steps),), actor="person", occurred_at=AT.replace(tzinfo=UTC))]),
        )
        connection.execute("DELETE FROM projection_offsets")
        connection.execute(
            """INSERT INTO projection_offsets
               SELECT 'all', max(ts), max_by(event_id, seq), max(seq), 'planted', TIMESTAMP '2026-01-01' FROM events"""
        )
        self._steps += 1


def lesson_id(number: int) -> str:
    return f"les_{number:06d}"


def _row(number: int, role: str, text: str) -> dict[str, object]:
    return {
        "lesson_id": lesson_id(number),
        "unit_id": f"unt_{hashlib.sha256(str(number).encode()).hexdigest()[:20]}",
        "role": role,
        "text": text,
        "embed_hash": hashlib.sha256(text.encode()).hexdigest(),
        "confidence": 0.1 + (number % 800) / 1000,
        "said_at": AT + timedelta(microseconds=number),
        "words": json.dumps([f"예외 {number}", '"quoted" \\ and\ttab'], ensure_ascii=False),
    }


_LESSONS = """INSERT INTO lessons BY NAME
  SELECT lesson_id, role, 'dont' AS polarity, 'standing_order' AS kind, 'low' AS severity,
  text AS title, 'Never: ' || text AS rule, '' AS trigger_text, words AS exceptions_json, 'active' AS status, '' AS reason,
  NULL AS by_lesson_id, '[]' AS merged_json, lesson_id AS claim_id, 1 AS support_cases, 1 AS support_sessions, 0 AS helpful,
  0 AS harmful, confidence, NULL AS project, said_at AS first_at, said_at AS last_at FROM told"""
_UNITS = """INSERT INTO memory_units BY NAME SELECT unit_id, 'lesson' AS unit_kind, lesson_id AS source_id, 0 AS part,
  text AS title, text AS summary, text AS body, text AS own_text, '' AS around_text, 1 AS summary_tokens, 1 AS body_tokens,
  'raw' AS stage, 'active' AS status, confidence, 'org' AS scope, role, said_at AS occurred_at, '[]' AS citations_json,
  embed_hash, embed_hash AS content_hash FROM told"""
_EVIDENCE = """INSERT INTO lesson_evidence BY NAME SELECT lesson_id AS claim_id, 0 AS ordinal, 'one' AS session_id,
  'order' AS part, 'm0' AS case_event_id, 3 AS message_index, 0 AS span_start, length(text) AS span_end,
  text AS quote FROM told"""


def _unit(row: dict[str, object]) -> Unit:
    text, at = str(row["text"]), row["said_at"]
    assert isinstance(at, datetime)
    return Unit(
        unit_id=str(row["unit_id"]), unit_kind="lesson", project=None, worktree=None, session_id=None, message_index=None,
        place=None, role=str(row["role"]), speaker=None, stage="raw", status="active", confidence=float(str(row["confidence"])),
        occurred_at=at.replace(tzinfo=UTC), facets=(), own_text=text, context_text=text, embed_text=text,
        embed_hash=str(row["embed_hash"]), content_hash=str(row["embed_hash"]),
    )  # fmt: skip
