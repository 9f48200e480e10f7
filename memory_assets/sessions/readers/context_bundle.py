"""``context_bundle.v1``: what a program collected of a piece of work, to be judged: agents, events, result and feedback.

A bundle is read as a session, so that masking, forgetting and search hold for it: what its agents were told, how it ended and
what was measured stands in messages that nobody said; its events and a person's feedback are messages as in any other session.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from memory_assets.sessions.draft import Part, SessionDraft
from memory_assets.sessions.injected import user_parts
from memory_assets.sessions.model import Session
from memory_assets.sessions.readers.whole_file import Part as FilePart
from memory_assets.sessions.readers.whole_file import read_whole_file
from memory_assets.sessions.source import DecodedSource, DefectLog, ReaderResult
from memory_assets.sessions.times import parse_time

SCHEMA: Final = "context_bundle.v1"
AGENT, RESULT, FEEDBACK = "agent:", "result", "feedback:"
"""What the uids of messages begin with that are no events; an event whose id begins so has ``event:`` before it."""
_ACTORS: Final = ("human", "ai", "tool", "system")
_EVENT_TYPES: Final = ("message", "tool_call", "tool_result", "code_change", "error", "artifact")


def is_bundle(value: Mapping[str, Any]) -> bool:
    """Whether an object is a bundle. Our own ``memory context`` prints objects of the same name, which have no events."""
    schema = value.get("schema_version")
    named = isinstance(schema, str) and schema.split("-")[0].strip() == SCHEMA
    return named and isinstance(value.get("events"), list)


def read(source: DecodedSource) -> ReaderResult:
    """A session a bundle; a file holds one, or a list of them."""
    defects = DefectLog(source.path)
    sessions = []
    for number, part in enumerate(read_whole_file(source, defects), start=1):
        if isinstance(part.value, dict) and isinstance(part.value.get("events"), list):
            sessions.append(_read_bundle(part, source.path if number == 1 else f"{source.path}#{number}", defects))
        else:
            defects.add(part.line_of(), "malformed_record", "a value of the file is no bundle")
    return ReaderResult(tuple(sessions), defects.all())


def _read_bundle(part: FilePart, path: str, defects: DefectLog) -> Session:
    bundle: dict[str, Any] = part.value
    draft = SessionDraft(_source_id(bundle, path, part, defects), "context_bundle")
    draft.project, draft.title = _text(bundle.get("project")), _text(bundle.get("title"))
    draft.cwd, draft.git_branch = _text(bundle.get("cwd")), _text(bundle.get("git_branch"))
    draft.started_at = parse_time(bundle.get("started_at"))
    for place, agent in enumerate(_list(bundle, "agents", part, defects)):
        _read_agent(draft, place, agent, part.line_of("agents", place), defects)
    for place, event in enumerate(_list(bundle, "events", part, defects)):
        _read_event(draft, place, event, part.line_of("events", place), defects)
    if isinstance(bundle.get("result"), dict):
        draft.add_record(RESULT, [Part("system", "injected", _result_text(bundle["result"]))], defects)
    for place, given in enumerate(_list(bundle, "feedback", part, defects)):
        _read_feedback(draft, place, given, part.line_of("feedback", place), defects)
    return draft.finish(defects)


def _read_agent(draft: SessionDraft, place: int, agent: Any, line: int | None, defects: DefectLog) -> None:
    if not isinstance(agent, dict) or _text(agent.get("role")) is None:
        defects.add(line, "malformed_record", f"agent {place} has no role")
        return
    said = [f"role: {_text(agent['role'])}"]
    said += [f"{name}: {told}" for name in ("model", "prompt_version") if (told := _text(agent.get(name))) is not None]
    prompt = agent.get("prompt")
    text = "\n".join(said) + (f"\n\n{prompt}" if isinstance(prompt, str) and prompt else "")
    name = _text(agent.get("id")) or str(place)
    draft.add_record(f"{AGENT}{name}", [Part("system", "injected", text)], defects, name=name, line=line)


def _read_event(draft: SessionDraft, place: int, event: Any, line: int | None, defects: DefectLog) -> None:
    content = event.get("content") if isinstance(event, dict) else None
    if not isinstance(content, str | dict | list):
        defects.add(line, "malformed_record", f"event {place} has no content")
        return
    actor, kind = _text(event.get("actor_type")), _text(event.get("event_type")) or "message"
    if actor not in _ACTORS or kind not in _EVENT_TYPES:
        defects.add(line, "unknown_record", f"event {place} has an unknown actor_type or event_type; it is taken as it can be")
    text = _told(content)
    meta = event["meta"] if isinstance(event.get("meta"), dict) else {}
    ts = draft.read_time(event.get("ts"), line, defects)
    uid = _text(event.get("id")) or str(place)
    if uid.startswith((AGENT, FEEDBACK)) or uid == RESULT:
        uid = f"event:{uid}"
    name = _text(event.get("actor_id"))
    draft.add_record(uid, _parts(actor, kind, name, text, meta), defects, ts=ts, name=name, line=line)


def _parts(actor: str | None, kind: str, name: str | None, text: str, meta: Mapping[str, Any]) -> list[Part]:
    """One event is one message, but for what programs put beside a person's words."""
    tool, call = _text(meta.get("tool")) or _text(meta.get("tool_name")), _text(meta.get("call_id"))
    if kind in ("tool_call", "code_change"):
        return [Part("assistant", "tool_call", text, tool_name=tool or _tool_of(kind, actor, name), tool_use_id=call)]
    if kind in ("tool_result", "error") and actor != "human":
        failed = kind == "error" or meta.get("is_error") is True
        named = tool or (name if actor == "tool" else None)
        return [Part("tool", "tool_result", text, tool_name=named, tool_use_id=call, is_error=failed)]
    if actor == "tool" or kind == "artifact":
        return [Part("tool", "tool_result", text, tool_name=tool or name, tool_use_id=call)]
    if actor == "system":
        return [Part("system", "injected", text)]
    return user_parts(text) if actor == "human" else [Part("assistant", "said", text)]


def _tool_of(kind: str, actor: str | None, name: str | None) -> str | None:
    return "edit" if kind == "code_change" else name if actor == "tool" else None


def _result_text(result: Mapping[str, Any]) -> str:
    lines = [f"outcome: {_text(result.get('outcome')) or 'unknown'}"]
    if summary := _text(result.get("summary")):
        lines.append(f"summary: {summary}")
    metrics, errors = result.get("metrics"), result.get("errors")
    if isinstance(metrics, dict):
        lines += [f"{name}: {_told(value)}" for name, value in sorted(metrics.items())]
    if isinstance(errors, list):
        lines += [f"error: {_told(error)}" for error in errors]
    return "\n".join(lines)


def _read_feedback(draft: SessionDraft, place: int, given: Any, line: int | None, defects: DefectLog) -> None:
    comment = given.get("comment") if isinstance(given, dict) else None
    rating = given.get("rating") if isinstance(given, dict) else None
    if not isinstance(comment, str) and not isinstance(rating, int | float | str):
        defects.add(line, "malformed_record", f"feedback {place} has neither a comment nor a rating")
        return
    is_person = _text(given.get("source")) == "user"
    parts = [] if rating is None else [Part("system", "injected", f"rating: {rating}")]
    if isinstance(comment, str) and comment.strip():
        parts += user_parts(comment) if is_person else [Part("system", "injected", comment.strip())]
    ts = parse_time(given.get("ts"))
    draft.add_record(f"{FEEDBACK}{place}", parts, defects, ts=ts, line=line)


def _told(value: Any) -> str:
    """A text as it is, anything else as JSON; numbers that JSON cannot hold (NaN) as programs write them all the same."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _source_id(bundle: Mapping[str, Any], path: str, part: FilePart, defects: DefectLog) -> str:
    given = bundle.get("bundle_id")
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    if isinstance(given, str) and given.strip():
        return given
    defects.add(part.line_of(), "invalid_session_id", "the bundle has no bundle_id; the file's path stands in")
    return path


def _list(bundle: Mapping[str, Any], name: str, part: FilePart, defects: DefectLog) -> list[Any]:
    value = bundle.get(name)
    if value is not None and not isinstance(value, list):
        defects.add(part.line_of(name), "malformed_record", f"{name} is no list")
    return value if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return " ".join(value.split()) if isinstance(value, str) and value.strip() else None
