"""The format ``memory_export.v1``: a header, an event a line, a footer with the checksum of all that stands before it.

An event's line has every column of its row that is a function of the event, and says its times in UTC with microseconds. Its
seq, its link and when its row was written are each log's own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from memory_assets.exchange.errors import ExportNewerError, ExportRefusedError
from memory_assets.identifiers import canonical_json
from memory_assets.moments import microseconds_of, moment_of

FORMAT = "memory_export.v1"
_FAMILY = b'"memory_export.v'
_LOOKED_AT = 400
EXPORT_AGAIN = "export it again where it came from"


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Header(_Line):
    """What a file says of itself before its events.

    Attributes:
        project: the one that was exported alone; None for all.
        schema_version: the newest migration of the store that it came from.
    """

    format: Literal["memory_export.v1"] = "memory_export.v1"
    created_at: StrictStr
    schema_version: StrictInt
    project: StrictStr | None
    events: StrictInt = Field(ge=0)


class Footer(_Line):
    """The last line: ``sha256`` is of every byte before it."""

    end_of: Literal["memory_export.v1"] = "memory_export.v1"
    events: StrictInt = Field(ge=0)
    sha256: StrictStr


class EventLine(_Line):
    """One event. Times as text in UTC; ``payload`` and ``telemetry`` as the objects that the log holds as text."""

    event_id: StrictStr
    dedupe_key: StrictStr
    ts: StrictStr
    occurred_at: StrictStr | None
    event_type: StrictStr
    actor: StrictStr
    session_id: StrictStr | None
    project: StrictStr | None
    sensitivity: Literal["normal"]
    build_id: StrictStr | None
    dagster_run_id: StrictStr | None
    causation_id: StrictStr | None
    chain_id: StrictStr | None
    basis_chains: list[StrictStr] | None
    stage_version: StrictStr | None
    payload_version: StrictInt
    checksum: StrictStr
    payload: dict[str, Any]
    telemetry: dict[str, Any] | None


def line_of(value: BaseModel | Mapping[str, Any]) -> bytes:
    """A line of the file, in the one spelling that it has."""
    plain = value.model_dump() if isinstance(value, BaseModel) else dict(value)
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def event_line(row: Mapping[str, Any], payload_json: str) -> bytes:
    """The line of a row of the log.

    Args:
        row: its columns; moments as microseconds since 1970 in UTC.
        payload_json: its payload, which goes in as it is.
    """
    given: dict[str, Any] = {name: row[name] for name in EventLine.model_fields if name in row}
    given["ts"], given["occurred_at"] = time_text(row["ts"]), time_text(row["occurred_at"])
    telemetry = row["telemetry_json"]
    ordered = {name: given.get(name) for name in EventLine.model_fields if name not in ("payload", "telemetry")}
    head = json.dumps(ordered, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f'{head[:-1]},"payload":{payload_json},"telemetry":{telemetry or "null"}}}\n'.encode()


def time_text(moment: int | None) -> str | None:
    """Microseconds since 1970 as text."""
    return None if moment is None else moment_of(moment).isoformat(timespec="microseconds")


def time_number(text: str | None) -> int | None:
    """The microseconds of :func:`time_text`.

    Raises:
        ValueError: it is not what that function writes.
    """
    if text is None:
        return None
    said = datetime.fromisoformat(text)
    number = None if said.tzinfo is None else microseconds_of(said)
    try:
        is_ours = time_text(number) == text
    except OverflowError:  # in UTC it lies outside the years that there are
        is_ours = False
    if not is_ours:
        raise ValueError("another spelling of a time")
    return number


def is_export(path: Path) -> bool:
    """Whether a file says that it is one, at its beginning or at its end; its name does not matter."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            first = file.read(_LOOKED_AT)
            if first[:1] != b"{":
                return False
            if _says_so(first, b'"format"'):
                return True
            file.seek(-min(_LOOKED_AT, file.seek(0, 2)), 2)
            return _says_so(file.read(), b'"end_of"')
    except (OSError, ValueError):
        return False  # whoever reads it as a session says what is wrong


def _says_so(part: bytes, key: bytes) -> bool:
    return key + b":" + _FAMILY in part


def read_header(line: bytes) -> Header:
    """The first line.

    Raises:
        ExportNewerError, ExportRefusedError
    """
    try:
        header = Header.model_validate_json(line)
    except (ValidationError, ValueError) as error:
        said = _format_of(line)
        if said is not None and said != FORMAT:
            raise ExportNewerError(
                f"the format {said[:40]} is not known here", line=1, hint="install the version that wrote it, or a newer one"
            ) from error
        raise ExportRefusedError(f"it has no header of {FORMAT}", line=1, hint=EXPORT_AGAIN) from error
    if line_of(header) != line:
        raise ExportRefusedError("its header is not what was written", line=1, hint=EXPORT_AGAIN)
    return header


def _format_of(line: bytes) -> str | None:
    try:
        said = json.loads(line).get("format")
    except (ValueError, AttributeError, RecursionError):
        return None
    return said if isinstance(said, str) and said.startswith("memory_export.v") else None


def read_footer(line: bytes, number: int) -> Footer | None:
    """The last line; None for a line that is none.

    Raises:
        ExportRefusedError: it is one that was changed.
    """
    if not line.startswith(b'{"end_of"'):
        return None
    try:
        footer = Footer.model_validate_json(line)
    except (ValidationError, ValueError) as error:
        raise ExportRefusedError("its last line is not what was written", line=number, hint=EXPORT_AGAIN) from error
    if line_of(footer) != line:
        raise ExportRefusedError("its last line is not what was written", line=number, hint=EXPORT_AGAIN)
    return footer


def payload_text(payload: Mapping[str, Any]) -> str:
    """A payload or telemetry as the log holds it."""
    return canonical_json(payload)
