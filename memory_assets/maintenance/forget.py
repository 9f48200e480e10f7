"""What the log was told to forget is forgotten before anything is read, whoever reads next."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_assets.log.mirror_note import read_note, write_note
from memory_assets.log.payloads.forgetting import FORGETTING
from memory_assets.vectors.errors import IndexBusyError
from memory_assets.vectors.writer_lock import only_writer

if TYPE_CHECKING:
    from memory_assets.configuration import Resources


_WAITING = "SELECT item_id FROM vector_outbox WHERE embedding_version = ? AND status <> 'done'"


def honour_forgetting(resources: Resources) -> bool:
    """Make the tables and the index forget what the log was told to forget since they were folded; whether there was any.

    Nothing of a forgotten session is to be read any more, whoever reads next: nobody has to run a stage first. Tables of a
    mirror follow with the log itself; its index does here, whichever machine said the word.
    """
    database = resources.database
    with database.reading() as connection:
        rows = connection.execute(f"SELECT coalesce(max(seq), 0) FROM events WHERE event_type IN {FORGETTING}").fetchall()
        offsets = connection.execute("SELECT coalesce(max(last_seq), 0) FROM projection_offsets").fetchall()
    database.mirror.must_forget()
    told, folder = int(rows[0][0]), resources.settings.store_folder
    is_mirror = database.mirror.store.is_shared
    note = read_note(folder) if is_mirror else None
    if told <= (note.honoured if note is not None else int(offsets[0][0])):
        return False
    from memory_assets.maintenance.indexing import write_words
    from memory_assets.projections.fold import catch_up

    # What rested on it may rest on other sessions too: that is said at once, and not at the next run. Of a shared log whoever
    # forgot has said it, and no server is needed here.
    catch_up(database, resources.configured_versions, resolve=not is_mirror)
    # Who is writing to the index meanwhile takes it out there; until then it is a row of nothing, which no search shows.
    with contextlib.suppress(IndexBusyError):
        write_words(resources)
        _drop_waiting_vectors(resources)
        if note is not None and (now := read_note(folder)) is not None and now.epoch == note.epoch:
            write_note(folder, replace(now, honoured=told))
    return True


def _drop_waiting_vectors(resources: Resources) -> None:
    """Take the rows out of the vectors whose unit says something else by now: without a model no new one is made."""
    index, folder = resources.vector_index, resources.settings.store_folder
    if not index.exists():
        return
    with only_writer(folder, index.embedding_version, wait_seconds=0):
        with resources.database.reading() as connection:
            waiting = connection.execute(_WAITING, [index.embedding_version]).fetchall()
        index.delete([unit_id for (unit_id,) in waiting])
