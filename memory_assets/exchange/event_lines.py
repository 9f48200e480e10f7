"""The log as lines of ``memory_export.v1``."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_assets.exchange.format import Footer, Header, event_line, line_of
from memory_assets.exchange.snapshot import Chosen, chosen_rows
from memory_assets.log.migrations import schema_version

if TYPE_CHECKING:
    from memory_assets.log.database import Database


def event_lines(database: Database, chosen: Chosen) -> Iterator[bytes]:
    """Header, events and footer.

    Raises:
        LogTamperedError, StoreError: see :func:`~memory_assets.exchange.snapshot.chosen_rows`.
    """
    digest = hashlib.sha256()
    header = Header(
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        schema_version=schema_version(),
        project=chosen.project,
        events=chosen.events,
    )
    line = line_of(header)
    digest.update(line)
    yield line
    count = 0
    for row, payload in chosen_rows(database, chosen):
        count += 1
        line = event_line(row, payload)
        digest.update(line)
        yield line
    if count != chosen.events:
        raise RuntimeError(f"{count} events were written where {chosen.events} were chosen")
    yield line_of(Footer(events=count, sha256=digest.hexdigest()))
