"""What came of an import or a run, as the commands report it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_args

from memory_assets.defs.registration import Registration
from memory_assets.defs.resources import OpenStore
from memory_assets.errors import UnavailableError
from memory_assets.log.payloads.graduation import IdrisChecked
from memory_assets.log.payloads.sessions import SessionIngested, SourceTold
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.log.upcasting import payload_as
from memory_assets.sessions.files import SUFFIXES
from memory_assets.sessions.model import Defect, SourceFormat


@dataclass(slots=True)
class RunReport:
    """What a run over sessions did.

    ``quarantined`` counts sessions that a stage put aside, which ``quarantine`` lists; ``waiting`` those that are left for
    another run because their model did not answer, which ``unanswered`` lists. ``model`` is what asking a model cost, empty
    where none was asked; ``checkers`` says in a line who judged the proofs, empty where nothing was run so far;
    ``vectors`` says how many units got one and how many wait for one, and why where something was in the way.
    """

    sessions: int = 0
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    quarantined: int = 0
    waiting: int = 0
    events_appended: int = 0
    warnings: list[dict[str, Any]] = field(default_factory=list)
    quarantine: list[dict[str, Any]] = field(default_factory=list)
    unanswered: list[dict[str, Any]] = field(default_factory=list)
    model: dict[str, Any] = field(default_factory=dict)
    checkers: str = ""
    vectors: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The report as one JSON object."""
        return asdict(self)


@dataclass(slots=True)
class ImportReport:
    """What an import did. ``sessions`` counts those that the given files hold; ``refused`` counts files
    and ``quarantined`` sessions, and ``errors`` lists both. ``looked_for`` is there where folders were given and no session was
    in them: what was looked at, and for what. ``waiting``, ``unanswered``, ``model``, ``checkers`` and ``vectors`` are as in a
    run."""

    sessions: int = 0
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    skipped: int = 0
    refused: int = 0
    quarantined: int = 0
    waiting: int = 0
    events_appended: int = 0
    warnings: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    unanswered: list[dict[str, Any]] = field(default_factory=list)
    session_ids: list[str] = field(default_factory=list)
    looked_for: dict[str, Any] | None = None
    model: dict[str, Any] = field(default_factory=dict)
    checkers: str = ""
    vectors: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The report as one JSON object."""
        return asdict(self)


def outcome_of(opened: OpenStore, heads: Mapping[str, str | None], since: int) -> RunReport:
    """What became of the sessions that were run, each counted once, and which of their files others do not agree with."""
    report = RunReport(sessions=len(heads), events_appended=opened.appended - since)
    with opened.database.reading():
        now = opened.log.current(list(heads), SessionIngested.event_type)
        letters = _quarantined(opened, list(heads))
        report.warnings += _sharing_an_id(opened, list(heads))
    for session_id, head in heads.items():
        if session_id in letters:
            report.quarantine.append(letters[session_id])
        elif session_id in opened.waiting:
            report.unanswered.append(_unanswered(session_id, opened.waiting[session_id]))
        elif session_id not in now:
            report.warnings += [_elsewhere(session_id)] if session_id in opened.elsewhere else []
        elif head is None:
            report.new += 1
        elif head != now[session_id].event_id:
            report.updated += 1
        else:
            report.unchanged += 1
    report.quarantined, report.waiting = len(report.quarantine), len(report.unanswered)
    return report


def _unanswered(session_id: str, error: UnavailableError) -> dict[str, Any]:
    detail = f"{error}: {error.hint}" if error.hint else str(error)
    return {"path": session_id, "line": None, "reason": error.code, "detail": detail, "session_id": session_id}


def _elsewhere(session_id: str) -> dict[str, Any]:
    detail = "its file lies on another machine, which takes it in"
    return {"path": session_id, "line": None, "reason": "file_elsewhere", "detail": detail, "session_id": session_id}


_NO_SESSION = ("not_a_session", "empty_file")


def looked_for(paths: Sequence[Path], files: int, found: Registration) -> dict[str, Any] | None:
    """What was looked at, and which formats were looked for, where folders were given that hold no session."""
    if found.to_run or found.unchanged or found.errors or not any(path.is_dir() for path in paths):
        return None
    if any(defect.reason not in _NO_SESSION for defect in found.skipped):
        return None
    return {"files": files, "suffixes": sorted(SUFFIXES), "formats": sorted({*get_args(SourceFormat)} - {"correction"})}


def checkers_of(opened: OpenStore, session_ids: Sequence[str]) -> str:
    """Who judged these sessions' proofs, in one line; on how many they disagree, and of how many a checker that should have
    judged them said nothing."""
    if not session_ids:
        return ""
    line = opened.resources.checkers_line
    checked = [payload_as(event, IdrisChecked) for event in opened.log.current(session_ids, IdrisChecked.event_type).values()]
    disagreeing = sum(payload.disagreement for payload in checked)
    if disagreeing:
        line += f"; the checkers disagree on {_sessions(disagreeing)}"
    if opened.resources.usable_idris2 is None:
        return line
    silent = sum(payload.verdicts[-1].checker != "idris2" for payload in checked)
    if not silent:
        return line
    return f"{line}; idris2 gave no verdict on {_sessions(silent)} of {len(checked)}: `memory run --all` asks it again"


def _sessions(count: int) -> str:
    return "1 session" if count == 1 else f"{count} sessions"


def _sharing_an_id(opened: OpenStore, session_ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Files that tell a conversation of their own under the id of a session that others tell too."""
    told = opened.log.of_sessions(session_ids, [SourceTold.event_type])
    newest = {(event.session_id, payload.uri): payload for event in told for payload in [payload_as(event, SourceTold)]}
    for (session_id, uri), payload in sorted(newest.items(), key=str):
        if payload.is_alone and uri:
            detail = f"several conversations have the id {session_id}; each is kept in it as its file tells it"
            yield {"path": uri, "line": None, "reason": "unrelated_history", "detail": detail, "session_id": session_id}


def _quarantined(opened: OpenStore, session_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    with opened.database.reading() as connection:
        rows = connection.execute(
            f"""SELECT q.session_id, q.stage, q.error_code, q.detail, coalesce(q.uri, s.source_uri, q.session_id)
                FROM quarantine q LEFT JOIN sessions s USING (session_id) WHERE q.session_id IN {IN_LIST} ORDER BY q.stage""",
            [json_list(session_ids)],
        ).fetchall()
    return {
        session_id: {
            "path": path,
            "line": None,
            "reason": code,
            "detail": detail,
            "session_id": session_id,
            "stage": stage,
        }
        for session_id, stage, code, detail, path in rows
    }


def named(defect: Defect) -> dict[str, Any]:
    return {"path": defect.path, "line": defect.line, "reason": defect.reason, "detail": defect.detail}
