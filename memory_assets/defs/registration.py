"""Files are registered before they are ingested: their sessions become partitions, their defects are named.

Used by ``memory import``, ``memory sessions add`` and the sensor alike. A file whose content was registered and taken before
is not even parsed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from memory_assets.defs.forgetting_words import wanted_again
from memory_assets.defs.own_sessions import without_own_sessions
from memory_assets.defs.resources import OpenStore
from memory_assets.defs.sources import ReadFile, SourceReader, stamp_of
from memory_assets.defs.unshared import without_unshared
from memory_assets.identifiers import sha256_hex
from memory_assets.log.errors import HeadMovedError
from memory_assets.log.events import NewEvent
from memory_assets.log.forgotten_texts import forgotten_sessions
from memory_assets.log.payloads.sessions import (
    DefectRecord,
    SessionVectorized,
    SourceRefused,
    SourceRegistered,
)
from memory_assets.log.runners import this_machine
from memory_assets.log.sql import IN_LIST, json_list, seen
from memory_assets.sessions.files import SourceFile, iter_source_files, load_source
from memory_assets.sessions.model import Defect, SourceSkipped, SourceTaken
from memory_assets.sessions.model import SourceRefused as RefusedFile
from memory_assets.stopping import stop_if_asked

_REGISTERED_FILES = f"event_type = 'source_registered' AND (payload_json ->> '$.uri') IN {IN_LIST}"
MACHINE: Final = "machine"
"""In the telemetry of a registration: which of the machines that share the log has the file."""
_BROKEN = ("malformed_record", "truncated_record")


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


def found_files(paths: Sequence[Path], sources: SourceReader) -> tuple[list[SourceFile], Registration]:
    """The files under some paths, and what cannot be looked at: a loop is passed over, what cannot be read is refused.

    Args:
        sources: masks what the defects name.
    """
    registration = Registration()
    files = []
    for found in iter_source_files(paths):
        match found:
            case SourceFile():
                files.append(found)
            case Defect(reason="symlink_loop" | "not_a_session"):
                registration.skipped.append(sources.shown(found))
            case Defect():
                registration.errors.append(sources.shown(found))
    return files, registration


def register(
    opened: OpenStore, files: Sequence[SourceFile], *, project: str | None = None, again: bool = False, actor: str = "cli"
) -> Registration:
    """Read files, log what is new of them, and say which sessions have something to do.

    Args:
        again: what was forgotten of their sessions is wanted back.
        project: the project of their sessions, over what the files say.

    Raises:
        KeyboardInterrupt: somebody asked for an end; nothing was logged.
    """
    opened.follow_versions()
    registration = Registration()
    uris = {file.path: opened.sources.uri(file.path) for file in files}
    newest = newest_registrations(opened, files)
    machine = this_machine(opened.settings.store_folder)
    where = {MACHINE: machine} if machine else {}
    done = _finished(opened, newest, _content_is_known, project)
    events: list[NewEvent] = []
    sessions: list[str] = []
    told: list[tuple[str, ReadFile, list[str]]] = []
    for number, file in enumerate(files, 1):
        stop_if_asked()
        opened.road.read(number, len(files))
        uri = uris[file.path]
        if uri in done:
            registration.unchanged += [s for s in done[uri] if s not in registration.unchanged]
            continue
        read = opened.sources.read(file)
        before = max(newest.get(uri, ()), key=lambda told: told.seq, default=None)
        match read.outcome:
            case SourceTaken() as taken:
                taken, own = without_own_sessions(taken, opened.settings.home)
                told_before = {told.session_id: told for told in newest.get(uri, ())}
                given = {session_id: told.project for session_id, told in told_before.items()}
                taken, unshared = without_unshared(taken, opened.settings, project, given)
                registration.skipped += own + unshared
                told.append((file.path, read, [session.session_id for session in taken.sessions]))
                events += _registered(taken, told_before, read.stamp | where, opened.sources.version, project, actor)
                sessions += [session.session_id for session in taken.sessions]
                registration.warnings += taken.defects
            case SourceSkipped(defect=defect, file_hash=file_hash):
                if (
                    defect.reason in _BROKEN and opened.settings.shares_all
                ):  # it may have been a session: people are to see it, whoever looks where
                    events.append(_refused(defect, file_hash, before.event_id if before else "", opened.sources.version, actor))
                registration.skipped.append(defect)
                told.append((file.path, read, []))
            case RefusedFile(defect=defect, file_hash=file_hash):
                # Of which project it is, nobody can tell.
                if opened.settings.shares_all:
                    events.append(_refused(defect, file_hash, before.event_id if before else "", opened.sources.version, actor))
                registration.errors.append(defect)
                # Whether a file can be read now shows in nothing but reading it.
                if defect.reason != "unreadable_file":
                    told.append((file.path, read, []))
    sessions = list(dict.fromkeys(sessions))
    back = wanted_again(opened, [*sessions, *registration.unchanged]) if again else []
    opened.appended += opened.log.append(back).new
    sessions += sorted({str(event.session_id) for event in back}.difference(sessions))
    forgotten, registration.events_appended = _append_unforgotten(opened, events, sessions)
    opened.appended += registration.events_appended
    for session_id in sorted(forgotten):
        registration.skipped.append(Defect(session_id, None, "session_forgotten", "this session was forgotten"))
    open_sessions = _unfinished(opened, [session_id for session_id in sessions if session_id not in forgotten])
    # The parts that are wanted back come with a new history.
    open_sessions |= {str(event.session_id) for event in back}
    registration.to_run = [session_id for session_id in sessions if session_id in open_sessions]
    registration.unchanged = [session_id for session_id in registration.unchanged if session_id not in open_sessions]
    registration.unchanged += [
        session_id
        for session_id in sessions
        if session_id not in open_sessions | forgotten and session_id not in registration.unchanged
    ]
    for path, read, session_ids in told:
        if open_sessions.isdisjoint(session_ids):
            opened.idle_files[path] = (opened.sources.version, read.stamp)
    return registration


def _append_unforgotten(opened: OpenStore, events: Sequence[NewEvent], sessions: Sequence[str]) -> tuple[set[str], int]:
    """Log what is told of sessions, but for those that were forgotten, even if that was said a moment ago.

    Returns:
        those that were forgotten, and how many events are new.
    """
    while True:
        forgotten = forgotten_sessions(opened.database, sessions)
        wanted = [event for event in events if event.session_id not in forgotten]
        if not wanted:
            return forgotten, 0
        told_of = {event.session_id for event in wanted if event.session_id is not None}
        try:
            return forgotten, opened.log.append(wanted, unforgotten=told_of).new
        except HeadMovedError:
            continue


def refuse(opened: OpenStore, defects: Sequence[Defect], *, actor: str) -> None:
    """Log files that cannot even be looked at, each once; none where some may be of a project that is not shared."""
    if not opened.settings.shares_all:
        return
    before = _told_last(opened, [defect.path for defect in defects])
    events = [_refused(defect, None, before.get(defect.path, ""), opened.sources.version, actor) for defect in defects]
    known = opened.log.by_id([event.event_id for event in events])
    if new := [event for event in events if event.event_id not in known]:
        opened.appended += opened.log.append(new).new


def _told_last(opened: OpenStore, uris: Sequence[str]) -> dict[str, str]:
    """By file, the newest event that says it was taken in."""
    if not uris:
        return {}
    with opened.database.reading() as connection:
        rows = connection.execute(
            f"SELECT payload_json ->> '$.uri', arg_max(event_id, seq) FROM {seen(connection)(_REGISTERED_FILES)} GROUP BY 1",
            [json_list(uris)],
        ).fetchall()
    return dict(rows)


def _registered(
    taken: SourceTaken,
    told_before: Mapping[str, ToldFile],
    telemetry: dict[str, int | str],
    version: str,
    project: str | None,
    actor: str,
) -> list[NewEvent]:
    # A file that goes back to an older text is told of again, behind what was told of it last.
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
            inputs=(taken.path, taken.file_hash, before.event_id if before else ""),
            stage_version=version,
            actor=actor,
            occurred_at=session.started_at,
            # What the session says of its project belongs to its history, which a stricter policy retires; this does not.
            project=project,
            telemetry=telemetry,
        )
        for place, session in enumerate(taken.sessions)
        for before in [told_before.get(session.session_id)]
        if before is None
        or (before.file_hash, before.stage_version) != (taken.file_hash, version)
        or project not in (None, before.project)
    ]


def _refused(defect: Defect, file_hash: str | None, before: str, version: str, actor: str) -> NewEvent:
    """A file that was refused.

    Args:
        before: the event that says the file was taken in, where it was: what is broken again is told again.
    """
    return NewEvent(
        payload=SourceRefused(
            uri=defect.path, file_hash=file_hash, reason=defect.reason, line=defect.line, detail=defect.detail
        ),
        inputs=(defect.path, file_hash or "", defect.reason, *filter(None, [before])),
        stage_version=version,
        actor=actor,
    )


@dataclass(frozen=True, slots=True)
class ToldFile:
    """What the log was told last of one file and one session in it.

    Attributes:
        seq: of the event.
        project: the one that a person gave for it then.
        stamp: the file's time and size when it was read.
        taken: it is part of the session's history.
    """

    uri: str
    session_id: str
    event_id: str
    seq: int
    file_hash: str
    stage_version: str
    project: str | None
    stamp: dict[str, int]
    taken: bool


def newest_registrations(opened: OpenStore, files: Sequence[SourceFile]) -> dict[str, list[ToldFile]]:
    """By file, the newest registration of each session in it."""
    with opened.database.reading() as connection:
        visible = seen(connection)
        rows = connection.execute(
            f"""
            WITH told AS (
              SELECT seq, event_id, session_id, stage_version, project, telemetry_json, payload_json ->> '$.uri' AS uri,
                payload_json ->> '$.file_hash' AS file_hash
              FROM {visible(_REGISTERED_FILES)}
            ), taken AS (
              SELECT DISTINCT payload_json ->> '$.registration_event_id' AS event_id
              FROM {visible("event_type = 'source_taken' AND session_id IN (SELECT session_id FROM told)")}
            )
            SELECT t.uri, t.session_id, t.event_id, t.seq, t.file_hash, t.stage_version, t.project, t.telemetry_json,
              k.event_id IS NOT NULL
            FROM told t LEFT JOIN taken k ON k.event_id = t.event_id
            QUALIFY row_number() OVER (PARTITION BY t.uri, t.session_id ORDER BY t.seq DESC) = 1
            ORDER BY t.uri, t.session_id
            """,
            [json_list(opened.sources.uri(file.path) for file in files)],
        ).fetchall()
    newest: dict[str, list[ToldFile]] = {}
    for uri, session_id, event_id, seq, file_hash, stage_version, project, telemetry, taken in rows:
        stamp = {name: value for name, value in json.loads(telemetry or "{}").items() if name != MACHINE}
        told = ToldFile(uri, session_id, event_id, seq, file_hash, stage_version, project, stamp, taken)
        newest.setdefault(uri, []).append(told)
    return newest


def untouched_files(opened: OpenStore, files: Sequence[SourceFile]) -> set[str]:
    """Files that nobody touched since all of it was done, or since there was nothing to do in them.

    By time and size, so that thousands cost no reading. What a file without a session is, the log is not told: each process
    finds that out once.
    """
    version = opened.sources.version
    idle = {
        file.path
        for file in files
        if (known := opened.idle_files.get(file.path)) and known[0] == version and _has_stamp(file.path, known[1])
    }
    finished = _finished(opened, newest_registrations(opened, files), _stamp_is_known)
    return idle.union(opened.sources.path(uri) for uri in finished)


def _finished(
    opened: OpenStore,
    newest: Mapping[str, Sequence[ToldFile]],
    is_known: Callable[[str, Sequence[ToldFile]], bool],
    project: str | None = None,
) -> dict[str, list[str]]:
    """Files that say nothing new and all of whose sessions are through; with these sessions.

    Args:
        project: given by a person, who wants these sessions in it.
    """
    through = opened.log.current(
        [told.session_id for sessions in newest.values() for told in sessions], SessionVectorized.event_type
    )
    return {
        uri: [told.session_id for told in sessions]
        for uri, sessions in newest.items()
        if all(told.taken and told.stage_version == opened.sources.version and told.session_id in through for told in sessions)
        and all(project in (None, told.project) for told in sessions)
        and is_known(opened.sources.path(uri), sessions)
    }


def _content_is_known(path: str, sessions: Sequence[ToldFile]) -> bool:
    hashed = content_hash(path)
    return all(told.file_hash == hashed for told in sessions)


def _stamp_is_known(path: str, sessions: Sequence[ToldFile]) -> bool:
    return all(_has_stamp(path, told.stamp) for told in sessions)


def _has_stamp(path: str, stamp: dict[str, int]) -> bool:
    try:
        return stamp_of(Path(path).stat()) == stamp
    except OSError:
        return False


def _unfinished(opened: OpenStore, session_ids: Sequence[str]) -> set[str]:
    """Sessions with a file that was not taken in, or whose chain does not reach its end."""
    with opened.database.reading() as connection:
        visible = seen(connection)
        rows = connection.execute(
            f"""WITH newest AS (
                  SELECT session_id, arg_max(event_id, seq) AS event_id
                  FROM {visible(f"event_type = 'source_registered' AND session_id IN {IN_LIST}")}
                  GROUP BY session_id, payload_json ->> '$.uri'
                )
                SELECT DISTINCT n.session_id FROM newest n WHERE n.event_id NOT IN (
                  SELECT payload_json ->> '$.registration_event_id'
                  FROM {visible("event_type = 'source_taken' AND session_id IN (SELECT session_id FROM newest)")})""",
            [json_list(session_ids)],
        ).fetchall()
    through = opened.log.current(session_ids, SessionVectorized.event_type)
    return {row[0] for row in rows} | {session_id for session_id in session_ids if session_id not in through}


def content_hash(path: str) -> str | None:
    data = load_source(path)
    return sha256_hex(data) if isinstance(data, bytes) else None
