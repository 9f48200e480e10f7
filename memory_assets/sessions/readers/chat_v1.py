"""Our own ``chat.v1``: a JSON object with a list of messages; a file holds one, a list of them, or one a line."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from memory_assets.sessions.draft import Part, SessionDraft
from memory_assets.sessions.injected import user_parts
from memory_assets.sessions.model import Role, Session
from memory_assets.sessions.readers.whole_file import read_whole_file
from memory_assets.sessions.source import DecodedSource, DefectLog, ReaderResult
from memory_assets.sessions.times import parse_time
from memory_assets.sessions.tolerant_json import read_records

SCHEMA = "chat.v1"
# The line of a part of one session's object, by keys and positions.
LineOf = Callable[..., int | None]
_ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "customer": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "agent": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}
_STANDARD_ROLES = frozenset({"user", "assistant", "tool", "system"})


def read(source: DecodedSource) -> ReaderResult:
    """A session an object. A message without an id has its position for one; an empty message keeps its place."""
    defects = DefectLog(source.path)
    sessions = []
    for number, (value, line_of) in enumerate(_values(source, defects), start=1):
        if isinstance(value, dict):
            place = source.path if number == 1 else f"{source.path}#{number}"
            sessions.append(_read_session(value, place, line_of, defects))
        else:
            defects.add(line_of(), "malformed_record", "a value of the file is no session")
    return ReaderResult(tuple(sessions), defects.all())


def _values(source: DecodedSource, defects: DefectLog) -> list[tuple[Any, LineOf]]:
    if _is_one_a_line(source.text):
        return [(record.value, partial(_same_line, record.line)) for record in read_records(source, defects)]
    return [(part.value, part.line_of) for part in read_whole_file(source, defects)]


def _is_one_a_line(text: str) -> bool:
    """Whether several lines begin an object and the first such line is a whole one."""
    lines = [line for line in text.split("\n") if line.startswith("{")]
    if len(lines) < 2:
        return False
    try:
        return isinstance(json.loads(lines[0]), dict)
    except (ValueError, RecursionError):
        return False


def _same_line(line: int, *_: str | int) -> int:
    return line


def _read_session(value: dict[str, Any], path: str, line_of: LineOf, defects: DefectLog) -> Session:
    messages = value.get("messages")
    messages = messages if isinstance(messages, list) else []
    draft = SessionDraft(_source_id(value, path, line_of, defects), "chat.v1")
    draft.ordinal_uids = not any(isinstance(message, dict) and _id_of(message) for message in messages)
    draft.project, draft.title = _text(value.get("project")), _text(value.get("title"))
    draft.cwd, draft.git_branch = _text(value.get("cwd")), _text(value.get("git_branch"))
    draft.started_at = parse_time(value.get("started_at"))
    if draft.started_at is None and value.get("started_at"):
        defects.add(line_of("started_at"), "invalid_time", "the session's started_at cannot be")
    for position, message in enumerate(messages):
        _read_message(draft, position, message, line_of("messages", position), defects)
    return draft.finish(defects)


def _read_message(draft: SessionDraft, position: int, message: Any, line: int | None, defects: DefectLog) -> None:
    content = message.get("content", message.get("text")) if isinstance(message, dict) else None
    if not isinstance(content, str | list):
        defects.add(line, "malformed_record", f"message {position} has no content")
        return
    ts = draft.read_time(message.get("ts", message.get("timestamp")), line, defects)
    role = _role_of(message.get("role"), position, line, defects)
    parts = _parts(role, _content_text(content), message)
    uid = _id_of(message) or str(position)
    draft.add_record(uid, parts, defects, ts=ts, name=_text(message.get("name")), line=line)


def _parts(role: Role, text: str, message: dict[str, Any]) -> list[Part]:
    # One message of the file is one of the session, so that both count alike.
    if role == "tool":
        tool, call = _text(message.get("name")), _text(message.get("tool_call_id"))
        return [Part("tool", "tool_result", text, tool_name=tool, tool_use_id=call)]
    if role == "system":
        return [Part("system", "injected", text)]
    pieces = user_parts(text) if role == "user" else []
    injected = bool(pieces) and all(piece.kind == "injected" for piece in pieces)
    return [Part(role, "injected" if injected else "said", text)]


def _role_of(role: Any, position: int, line: int | None, defects: DefectLog) -> Role:
    spelled = role.strip().lower() if isinstance(role, str) else ""
    if spelled not in _STANDARD_ROLES:
        known = _ROLES.get(spelled)
        if known is not None:
            return known
        defects.add(line, "unknown_record", f"message {position} has an unknown role; it is taken as the user's")
    return _ROLES.get(spelled, "user")


def _content_text(content: str | list[Any]) -> str:
    if isinstance(content, str):
        return content
    texts: list[str] = []
    for block in content:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict):
            text, kind = block.get("text"), block.get("type")
            texts.append(text if isinstance(text, str) else "[image]" if "image" in str(kind) else "[block]")
    return "\n".join(texts)


def _source_id(value: dict[str, Any], path: str, line_of: LineOf, defects: DefectLog) -> str:
    session_id = value.get("session_id")
    if isinstance(session_id, int) and not isinstance(session_id, bool):
        return str(session_id)
    if isinstance(session_id, str) and session_id.strip():
        return session_id
    defects.add(line_of(), "invalid_session_id", "the session has no id; the file's path stands in")
    return path


def _id_of(message: dict[str, Any]) -> str | None:
    uid = message.get("id")
    if isinstance(uid, int) and not isinstance(uid, bool):
        return str(uid)
    return uid if isinstance(uid, str) and uid else None


def _text(value: Any) -> str | None:
    return " ".join(value.split()) if isinstance(value, str) and value.strip() else None
