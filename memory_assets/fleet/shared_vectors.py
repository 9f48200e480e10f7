"""Vectors beside the shared log: a machine that comes later takes over what another one embedded.

A vector tells of its text, so they are treated as the events are: whoever reads some projects alone has none of them, a purge
takes all of them out, and a machine that has not followed a purge gives none.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString

from memory_assets.log.errors import StoreError
from memory_assets.log.mirror_note import read_note
from memory_assets.log.silence_note import silence_of

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from memory_assets.fleet.postgres_store import PostgresStore

    Vectors = NDArray[float32]

_STORED = "<f4"
_ONE = 0.01
"""How far the length of a vector may be from one."""
_OF_TEXTS = "SELECT text_hash, vector FROM memory_log.vectors WHERE fingerprint = %s AND text_hash = ANY(%s)"
# A purge takes the table for itself until its commit, and the row of the log is read behind that.
_SHARE = """
INSERT INTO memory_log.vectors (fingerprint, text_hash, vector)
SELECT %s, * FROM unnest(%s::text[], %s::bytea[]) WHERE EXISTS (SELECT 1 FROM memory_log.log WHERE store_id = %s AND epoch = %s)
ON CONFLICT DO NOTHING
"""
_LOGGER = logging.getLogger(__name__)


class VectorsInPostgres:
    """Vectors in the database of a shared log, for one run of whoever embeds.

    Args:
        folder: of the machine's store, beside which its note of the mirror lies.
    """

    def __init__(self, store: PostgresStore, folder: Path) -> None:
        self._store = store
        self._is_away = silence_of(folder, store.name) is not None
        # As it is before any text is embedded: what is given behind a purge is given by nobody who embedded before it.
        self._note = read_note(folder)

    def of_texts(self, embed_hashes: Sequence[str], fingerprint: str, dimensions: int) -> dict[str, Vectors]:
        """Those that somebody shared, by the hash of their text; what is no vector of that length is left out."""
        if not embed_hashes or self._is_away:
            return {}
        rows = self._tried(_OF_TEXTS, [fingerprint, list(embed_hashes)])
        found = {str(text_hash): _vector(bytes(stored), dimensions) for text_hash, stored in rows}
        return {text_hash: vector for text_hash, vector in found.items() if vector is not None}

    def share(self, vectors: Mapping[str, Vectors], fingerprint: str) -> None:
        """Give them to the others, as long as this machine is a mirror of the log as it is now."""
        if not vectors or self._is_away:
            return
        note = self._note
        if note is None or not note.access.may_write:
            return
        sound = {text_hash: vector.astype(_STORED) for text_hash, vector in vectors.items() if _is_of_length_one(vector)}
        rows = [list(sound), [vector.tobytes() for vector in sound.values()]]
        self._tried(_SHARE, [fingerprint, *rows, note.epoch.store_id, note.epoch.number], writes=True)

    def _tried(self, statement: LiteralString, values: Sequence[object], *, writes: bool = False) -> list[tuple[Any, ...]]:
        try:
            with self._store.beside() as connection:
                if not writes:
                    return connection.execute(statement, values).fetchall()
                # Whatever the role's default is: under another one all is read as it was before a purge was waited for.
                connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
                connection.execute(statement, values)
                connection.execute("COMMIT")
                return []
        except StoreError as error:
            # Nobody waits for it a second time: what is missing is embedded here.
            self._is_away = True
            _LOGGER.info("no vectors of other machines: %s", error)
            return []


def _vector(stored: bytes, dimensions: int) -> Vectors | None:
    """None where it is no vector of that length: whoever may write to the table may write anything."""
    import numpy as np

    if len(stored) != dimensions * np.dtype(_STORED).itemsize:
        return None
    vector: Vectors = np.frombuffer(stored, dtype=_STORED).astype(np.float32)
    return vector if _is_of_length_one(vector) else None


def _is_of_length_one(vector: Vectors) -> bool:
    import numpy as np

    return abs(float(np.linalg.norm(vector)) - 1.0) <= _ONE
