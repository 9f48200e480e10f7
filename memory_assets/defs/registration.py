"""Files are registered before they are ingested: their sessions become partitions, their defects are named.

Used by ``memory import``, ``memory sessions add`` and the sensor alike. A file whose content was registered and taken before
is not even parsed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memory_assets.defs.resources import OpenStore
from memory_assets.identifiers import sha256_hex
from memory_assets.log.events import (
    DefectRecord,
    NewEvent,
    SessionForgotten,
    SessionVectorized,
    SourceRefused,
    SourceRegistered,
    SourceTakenFor,
)
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.sessions.files import SourceFile, iter_source_files, load_source
from memory_assets.sessions.model import Defect, SourceSkipped, SourceTaken
from memory_assets.sessions.model import SourceRefused as RefusedFile


@dataclass(slots=True)
class Registration:
    """What became of some files.

    Attributes:
        to_run: sessions with something to do, in the order of the files, each once.
        unchanged: sessions whose files say nothing that is not done already.
        skipped: files without a session, unchanged files not among them.
        warnings: defects of files that were taken.
        errors: files that were refused.
        events_appended: events that registering wrote.
    """

    to_run: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    skipped: list[Defect] = field(default_factory=list)
    warnings: list[Defect] = field(default_factory=list)
    errors: list[Defect] = field(default_factory=list)
    events_appended: int = 0

    def add(self, other: Registration) -> None:
        """Take in another registration's findings."""
        self.to_run += [session_id for session_id in other.to_run if session_id not in self.to_run]
        self.unchanged += [session_id for session_id in other.unchanged if session_id not in self.unchanged]
        self.skipped += other.skipped
        self.warnings += other.warnings
        self.errors += other.errors
        self.events_appended += other.events_appended


def found_files(paths: Sequence[Path]) -> tuple[list[SourceFile], Registration]:
    """The files under some paths, and what cannot be looked at: a loop is passed over, what cannot be read is refused."""
    registration = Registration()
    files = []
    for found in iter_source_files(paths):
        match found:
            case SourceFile():
                files.append(found)
            case Defect(reason="symlink_loop"):
                registration.skipped.append(found)
            case Defect():
                registration.errors.append(found)
    return files, registration


def register(opened: OpenStore, files: Sequence[SourceFile], *, project: str | None = None, actor: str = "cli") -> Registration:
    """Read files, log what is new of them, and say which sessions have something to do.

    Args:
        project: the project of their sessions, over what the files say.
    """
    registration = Registration()
    done = finished_files(opened, files)
    events: list[NewEvent] = []
    sessions: list[str] = []
    for file in files:
        if file.path in done:
            registration.unchanged += [s for s in done[file.path] if s not in registration.unchanged]
            continue
        match opened.sources.read(file).outcome:
            case SourceTaken() as taken:
                events += _registered(taken, opened.sources.version, project, actor)
                sessions += [session.session_id for session in taken.sessions if session.session_id not in sessions]
                registration.warnings += taken.defects
            case SourceSkipped(defect=defect):
                registration.skipped.append(defect)
            case RefusedFile(defect=defect, file_hash=file_hash):
                events.append(_refused(defect, file_hash, opened.sources.version, actor))
                registration.errors.append(defect)
    forgotten = _forgotten(opened, sessions)
    for session_id in sorted(forgotten):
        registration.skipped.append(Defect(session_id, None, "session_forgotten", "this session was forgotten"))
    wanted = [event for event in events if event.session_id not in forgotten]
    if wanted:
        registration.events_appended = opened.log.append(wanted).new
    open_sessions = _unfinished(opened, [session_id for session_id in sessions if session_id not in forgotten])
    registration.to_run = [session_id for session_id in sessions if session_id in open_sessions]
    registration.unchanged += [
        session_id
        for session_id in sessions
        if session_id not in open_sessions | forgotten and session_id not in registration.unchanged
    ]
    return registration


def _registered(taken: SourceTaken, version: str, project: str | None, actor: str) -> list[NewEvent]:
    return [
        NewEvent(
            payload=SourceRegistered(
                uri=taken.path,
                file_hash=taken.file_hash,
                source_format=taken.source_format,
                byte_length=taken.byte_length,
                defects=[
                    DefectRecord(line=defect.line, reason=defect.reason, detail=defect.detail)
                    for defect in (taken.defects if place == 0 else ())
                ],
            ),
            session_id=session.session_id,
            inputs=(taken.path, taken.file_hash),
            stage_version=version,
            actor=actor,
            occurred_at=session.started_at,
            project=project or session.project,
        )
        for place, session in enumerate(taken.sessions)
    ]


def _refused(defect: Defect, file_hash: str | None, version: str, actor: str) -> NewEvent:
    return NewEvent(
        payload=SourceRefused(
            uri=defect.path, file_hash=file_hash, reason=defect.reason, line=defect.line, detail=defect.detail
        ),
        inputs=(defect.path, file_hash or "", defect.reason),
        stage_version=version,
        actor=actor,
    )


def finished_files(opened: OpenStore, files: Sequence[SourceFile]) -> dict[str, list[str]]:
    """Files whose content as it is now was taken in, and all of whose sessions are through; with these sessions."""
    with opened.database.reading() as connection:
        rows = connection.execute(
            f"""
            WITH told AS (
              SELECT seq, event_type, session_id, payload_json ->> '$.uri' AS uri, payload_json ->> '$.file_hash' AS file_hash
              FROM visible_events WHERE event_type IN ('source_registered', 'source_taken') AND stage_version = ?
            ), newest AS (
              SELECT uri, arg_max(file_hash, seq) AS file_hash FROM told
              WHERE event_type = 'source_registered' AND uri IN {IN_LIST} GROUP BY uri
            )
            SELECT n.uri, n.file_hash,
              coalesce(list_sort(list(DISTINCT t.session_id) FILTER (t.event_type = 'source_registered')), []),
              coalesce(list_sort(list(DISTINCT t.session_id) FILTER (t.event_type = 'source_taken')), [])
            FROM newest n JOIN told t ON t.uri = n.uri AND t.file_hash = n.file_hash GROUP BY n.uri, n.file_hash
            """,
            [opened.sources.version, json_list(file.path for file in files)],
        ).fetchall()
    through = opened.log.current([session_id for row in rows for session_id in row[2]], SessionVectorized.event_type)
    return {
        uri: registered
        for uri, file_hash, registered, taken in rows
        if registered == taken and all(session_id in through for session_id in registered) and content_hash(uri) == file_hash
    }


def _unfinished(opened: OpenStore, session_ids: Sequence[str]) -> set[str]:
    """Sessions with a file that was not taken in, or whose chain does not reach its end."""
    with opened.database.reading() as connection:
        rows = connection.execute(
            f"""SELECT DISTINCT r.session_id FROM visible_events r WHERE r.event_type = ? AND r.session_id IN {IN_LIST}
                AND NOT EXISTS (SELECT 1 FROM visible_events t WHERE t.event_type = ? AND t.session_id = r.session_id
                  AND t.stage_version = r.stage_version AND (t.payload_json ->> '$.uri') = (r.payload_json ->> '$.uri')
                  AND (t.payload_json ->> '$.file_hash') = (r.payload_json ->> '$.file_hash'))""",
            [SourceRegistered.event_type, json_list(session_ids), SourceTakenFor.event_type],
        ).fetchall()
    through = opened.log.current(session_ids, SessionVectorized.event_type)
    return {row[0] for row in rows} | {session_id for session_id in session_ids if session_id not in through}


def _forgotten(opened: OpenStore, session_ids: Sequence[str]) -> set[str]:
    """A session that was forgotten stays so, whatever file tells of it again."""
    with opened.database.reading() as connection:
        rows = connection.execute(
            f"SELECT DISTINCT session_id FROM events WHERE event_type = ? AND session_id IN {IN_LIST}",
            [SessionForgotten.event_type, json_list(session_ids)],
        ).fetchall()
    return {row[0] for row in rows}


def content_hash(path: str) -> str | None:
    data = load_source(path)
    return sha256_hex(data) if isinstance(data, bytes) else None
