"""What the log was told to forget is forgotten before anything is read, whoever reads next."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from memory_assets.vectors.errors import IndexBusyError

if TYPE_CHECKING:
    from memory_assets.configuration import Resources


def honour_forgetting(resources: Resources) -> bool:
    """Make the tables and the index forget what the log was told to forget since they were folded; whether there was any.

    Nothing of a forgotten session is to be read any more, whoever reads next: nobody has to run a stage first.
    """
    with resources.database.reading() as connection:
        waiting = connection.execute(
            """SELECT 1 FROM events
               WHERE event_type IN ('session_forgotten', 'session_unforgotten', 'text_forgotten', 'text_unforgotten')
               AND seq > (SELECT coalesce(max(last_seq), 0) FROM projection_offsets) LIMIT 1"""
        ).fetchall()
    if not waiting:
        return False
    from memory_assets.maintenance.indexing import write_words
    from memory_assets.projections.fold import catch_up

    # What rested on it may rest on other sessions too: that is said at once, and not at the next run.
    catch_up(resources.database, resources.configured_versions, resolve=True)
    # Who is writing to the index meanwhile takes it out there; until then it is a row of nothing, which no search shows.
    with contextlib.suppress(IndexBusyError):
        write_words(resources)
    return True
