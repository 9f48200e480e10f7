"""An export read whole and validated, into a store of its own that nobody knows: only then is anything of it taken."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import duckdb
from pydantic import ValidationError

from memory_assets.exchange.errors import ExportRefusedError
from memory_assets.exchange.format import EXPORT_AGAIN, EventLine, Header, payload_text, read_footer, read_header, time_number
from memory_assets.exchange.snapshot import OF_THIS_STORE
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.database import Database
from memory_assets.log.errors import UnknownEventTypeError
from memory_assets.log.events import StoredEvent, event_id_of
from memory_assets.log.integrity import wrong_events
from memory_assets.log.payloads.sessions import SessionIngested
from memory_assets.log.rows import ROW_COLUMNS, write_rows
from memory_assets.log.tip import FIRST, Tip
from memory_assets.log.upcasting import read_payload
from memory_assets.progress import NoProgress, Progress
from memory_assets.projections.rebuild import scratch_folder
from memory_assets.sessions.keys import is_session_key
from memory_assets.stopping import stop_if_asked

MOST_LINE_BYTES = 256 << 20
"""No event of ours is as long: a session of that many bytes is no text."""
_PART_ROWS = 2_000
_PART_BYTES = 8 << 20
_CUT_OFF = "the file was cut off: it has no last line"


@dataclass(frozen=True, slots=True)
class Staged:
    """The events of a file in a store of their own, in the order of the file.

    Attributes:
        parts: the seqs after which a part ends, so that none of them is large.
    """

    header: Header
    database: Database
    parts: tuple[int, ...]


@contextlib.contextmanager
def staged(path: Path, *, beside: Path, progress: Progress) -> Iterator[Staged]:
    """A file's events, each validated; nothing of the store beside which it is done is touched.

    Raises:
        ExportRefusedError: the file is not, byte for byte, what an export wrote, or an event of it is none.
    """
    with scratch_folder(beside=beside) as folder, path.open("rb") as file:
        # First the sums alone: what was cut off or changed is known before anything is made of it.
        reading = _Reading(file, NoProgress())
        header = reading.header()
        for _ in reading.event_lines():
            stop_if_asked()
        if reading.events != header.events:
            raise ExportRefusedError(f"it holds {reading.events} events and says {header.events}", hint=EXPORT_AGAIN)
        file.seek(0)
        database = Database(folder)
        progress.start_bytes(path.stat().st_size, "validating the export")
        reading = _Reading(file, progress)
        reading.header()
        with database.held() as connection:
            parts = _stage(connection, reading)
            # What it takes to write is given back, so that memory does not grow with the file.
            connection.execute("CHECKPOINT")
            _check_together(connection)
        progress.finish()
        yield Staged(header, database, parts)


class _Reading:
    """The lines of a file, each once, with the checksum of what was read."""

    def __init__(self, file: IO[bytes], progress: Progress) -> None:
        self._file = file
        self._progress = progress
        self._digest = hashlib.sha256()
        self.number = 0
        self.events = 0
        self.size = 0

    def header(self) -> Header:
        return read_header(self._line() or b"")

    def event_lines(self) -> Iterator[bytes]:
        """Every line between header and footer, which are validated with all that stands between them."""
        while True:
            before = self._digest.hexdigest()
            line = self._line()
            if not line:
                raise ExportRefusedError(_CUT_OFF, line=self.number + 1, hint=EXPORT_AGAIN)
            footer = read_footer(line, self.number)
            if footer is None:
                self.events += 1
                yield line
                continue
            if footer.events != self.events:
                raise ExportRefusedError(
                    f"{self.events} events stand in it and {footer.events} were written", hint=EXPORT_AGAIN
                )
            if footer.sha256 != before:
                raise ExportRefusedError("its checksum is another's: something in it was changed", hint=EXPORT_AGAIN)
            if self._file.read(1):
                raise ExportRefusedError("something stands behind its last line", line=self.number + 1, hint=EXPORT_AGAIN)
            return

    def _line(self) -> bytes:
        line = self._file.readline(MOST_LINE_BYTES + 1)
        self.number += 1
        self.size = len(line)
        if len(line) > MOST_LINE_BYTES:
            raise ExportRefusedError(f"a line of more than {MOST_LINE_BYTES} bytes", line=self.number)
        if line and not line.endswith(b"\n"):
            raise ExportRefusedError(_CUT_OFF, line=self.number, hint=EXPORT_AGAIN)
        self._digest.update(line)
        self._progress.advance(len(line))
        return line


def _stage(connection: duckdb.DuckDBPyConnection, reading: _Reading) -> tuple[int, ...]:
    rows: list[dict[str, object]] = []
    last, size = FIRST, 0
    parts: list[int] = []
    for line in reading.event_lines():
        rows.append(_row(line, reading.number))
        size += reading.size
        if len(rows) >= _PART_ROWS or size >= _PART_BYTES:
            stop_if_asked()
            last = _write(connection, rows, last)
            parts.append(last.seq)
            rows, size = [], 0
    if rows:
        parts.append(_write(connection, rows, last).seq)
    return tuple(parts)


def _write(connection: duckdb.DuckDBPyConnection, rows: list[dict[str, object]], before: Tip) -> Tip:
    try:
        return write_rows(connection, {name: [row[name] for row in rows] for name in ROW_COLUMNS}, before)
    except duckdb.ConstraintException as error:
        raise ExportRefusedError("an event stands in it twice", hint=EXPORT_AGAIN) from error


def _row(line: bytes, number: int) -> dict[str, object]:
    """The row of an event's line.

    Raises:
        ExportRefusedError: it is no event, or not the one that it says it is.
    """
    try:
        event = EventLine.model_validate_json(line)
        moment, occurred_at = time_number(event.ts), time_number(event.occurred_at)
        payload = payload_text(event.payload)
        telemetry = payload_text(event.telemetry) if event.telemetry else None
        checksum = sha256_hex(payload)
    except (ValidationError, ValueError, RecursionError) as error:
        raise ExportRefusedError("it is no event", line=number, hint=EXPORT_AGAIN) from error
    wrong = _wrong_part(event) if checksum == event.checksum else "its payload is not what was written"
    if moment is None or wrong:
        raise ExportRefusedError(wrong or "it has no time", line=number, hint=EXPORT_AGAIN)
    stored = StoredEvent(
        0, event.event_id, None, event.event_type, event.actor, event.session_id, payload, checksum, None,  # type: ignore[arg-type]
        event.payload_version, event.causation_id, event.stage_version, event.chain_id, event.project, event.build_id, None,
    )  # fmt: skip
    try:
        read_payload(stored)
    except UnknownEventTypeError as error:
        raise ExportRefusedError(str(error), line=number, hint=error.hint) from error
    columns: dict[str, object] = {name: getattr(event, name) for name in EventLine.model_fields}
    return columns | {
        "ts": moment,
        "created_at": moment,
        "occurred_at": occurred_at,
        "payload_json": payload,
        "payload_redacted": None,
        "telemetry_json": telemetry,
    }


def _wrong_part(event: EventLine) -> str | None:
    """What an event says of itself that is not so."""
    if event.event_type in OF_THIS_STORE:
        return f"a {event.event_type} is said to one store alone, and is in no export"
    if event.session_id is not None and not is_session_key(event.session_id):
        return "its session's id is no key"
    if event.event_type == SessionIngested.event_type and None in (event.chain_id, event.session_id):
        return "it is a revision of no history"
    if event.event_id != event_id_of(event.dedupe_key):
        return "its id is another event's"
    try:
        key = json.loads(event.dedupe_key)
        kind, session_id, inputs, stage_version, ordinal = key
    except (ValueError, TypeError, RecursionError):
        return "its key is none"
    said = (kind, session_id, stage_version)
    is_key = isinstance(inputs, list) and all(isinstance(one, str) for one in inputs) and type(ordinal) is int
    if not is_key or said != (event.event_type, event.session_id, event.stage_version or ""):
        return "its key is another event's"
    return None if canonical_json(key) == event.dedupe_key else "its key is another event's"


def _check_together(connection: duckdb.DuckDBPyConnection) -> None:
    """What only all events together tell: that each history's first revision is among them."""
    wrong = wrong_events(connection)
    if wrong:
        raise ExportRefusedError(
            f"event {wrong[0].event_id} is not what was written: its {wrong[0].part}",
            line=None,
            hint=EXPORT_AGAIN,
        )
