"""Codex rollouts: one JSON record a line, each utterance in two streams.

``response_item`` is what went to and came from the model, ``event_msg`` what the screen showed. The first is taken; of
the second, what the first does not hold.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from typing import Any

from memory_assets.sessions.draft import Part, SessionDraft
from memory_assets.sessions.injected import user_parts
from memory_assets.sessions.model import Role
from memory_assets.sessions.readers.claude_code import compact_json
from memory_assets.sessions.source import DecodedSource, DefectLog, ReaderResult
from memory_assets.sessions.tolerant_json import Record, read_records

RECORD_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
ITEM_TYPES = frozenset({"message", "reasoning", "function_call", "function_call_output", "local_shell_call"})
_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,6})\b", re.MULTILINE)
_EVENT_ROLES: dict[str, Role] = {"user_message": "user", "agent_message": "assistant", "agent_reasoning": "assistant"}
_Utterance = tuple[str, str]  # event type, folded text


def read(source: DecodedSource) -> ReaderResult:
    """One session: a rollout file is one. Its messages have no ids of their own, so uids are positions."""
    defects = DefectLog(source.path)
    records = read_records(source, defects)
    draft = SessionDraft(source.path, "codex", ordinal_uids=True)
    said_in_items: Counter[_Utterance] = Counter()
    parsed: list[tuple[Record, str, dict[str, Any], list[Part]]] = []
    subagent = False
    named = False
    for record in records:
        kind, payload = _kind_and_payload(record.value)
        if kind == "malformed":
            defects.add(record.line, "malformed_record", "the record is none of a rollout's")
        elif kind == "session_meta":
            if not named:  # a forked session repeats its parent's heading after its own
                named = _take_heading(draft, payload, record.value)
                subagent = isinstance(payload.get("source"), dict)
        elif kind in ("response_item", "compacted"):
            try:
                parts = _item_parts(payload) if kind == "response_item" else _summary_parts(payload)
            except RecursionError:
                defects.add(record.line, "malformed_record", "the record is nested too deeply")
                continue
            parsed.append((record, kind, payload, parts))
            for part in parts:
                if (event_type := _event_type_of(part)) is not None:
                    said_in_items[event_type, _fold(part.text)] += 1
        elif kind == "event_msg":
            parsed.append((record, kind, payload, []))
    all_said = {text for event_type, text in said_in_items if event_type == "agent_message"}
    for record, kind, payload, parts in parsed:
        if kind == "event_msg":
            parts = _event_only_parts(payload, said_in_items, all_said)
            if payload.get("type") == "thread_name_updated" and isinstance(payload.get("thread_name"), str):
                draft.title = " ".join(payload["thread_name"].split()) or draft.title
        if parts:
            ts = draft.read_time(record.value.get("timestamp"), record.line, defects) if _has_time(record) else None
            draft.add_record("", parts, defects, ts=ts, sidechain=subagent, line=record.line)
    return ReaderResult((draft.finish(defects),), defects.all())


def _has_time(record: Record) -> bool:
    # Rollouts of early versions are bare items, which never had a time.
    return record.value.get("type") in RECORD_TYPES


def _kind_and_payload(value: Any) -> tuple[str, dict[str, Any]]:
    if not isinstance(value, dict):
        return "malformed", {}
    kind = value.get("type")
    if kind is None and isinstance(value.get("id"), str):
        return "session_meta", value
    if kind is None and "record_type" in value:
        return "state", {}
    if isinstance(kind, str) and kind in ITEM_TYPES:
        return "response_item", value
    payload = value.get("payload")
    if not isinstance(kind, str) or not isinstance(payload, dict):
        return "malformed", {}
    return kind, payload


def _take_heading(draft: SessionDraft, payload: dict[str, Any], record: dict[str, Any]) -> bool:
    session_id = payload.get("id")
    if isinstance(session_id, str) and session_id.strip():
        draft.source_id = session_id
    cwd, git = payload.get("cwd"), payload.get("git")
    draft.cwd = cwd if isinstance(cwd, str) and cwd else None
    branch = git.get("branch") if isinstance(git, dict) else None
    draft.git_branch = branch if isinstance(branch, str) and branch else None
    return draft.source_id == session_id


def _item_parts(payload: dict[str, Any]) -> list[Part]:
    kind = payload.get("type")
    call_id = payload.get("call_id") or payload.get("id")
    call_id = call_id if isinstance(call_id, str) else None
    if kind == "message":
        return _message_parts(payload)
    if kind == "reasoning":
        blocks = [payload.get("summary"), payload.get("content")]
        texts = [text for block in blocks if isinstance(block, list) for text in _texts(block)]
        return [Part("assistant", "thinking", text) for text in texts if text]
    if not isinstance(kind, str):
        return []
    if kind.endswith("_output"):
        text, is_error = _output(payload)
        return [Part("tool", "tool_result", text, tool_use_id=call_id, is_error=is_error)]
    if kind.endswith("_call"):
        arguments = next((payload[key] for key in ("arguments", "input", "action") if key in payload), None)
        name = payload.get("name")
        name = name if isinstance(name, str) and name else kind.removesuffix("_call")
        text = _compact_arguments(arguments)
        return [Part("assistant", "tool_call", text, tool_name=name, tool_use_id=call_id)]
    return []


def _message_parts(payload: dict[str, Any]) -> list[Part]:
    content = payload.get("content")
    texts = [content.strip()] if isinstance(content, str) else _texts(content) if isinstance(content, list) else []
    role = payload.get("role")
    if role == "assistant":
        return [Part("assistant", "said", text) for text in texts if text]
    if role == "user":
        return [part for text in texts for part in user_parts(text)]
    return [Part("system", "injected", text) for text in texts if text]


def _summary_parts(payload: dict[str, Any]) -> list[Part]:
    text = payload.get("message")
    return [Part("system", "injected", text.strip())] if isinstance(text, str) and text.strip() else []


def _texts(blocks: list[Any]) -> list[str]:
    texts: list[str] = []
    for block in blocks:
        if isinstance(block, str):
            texts.append(block.strip())
        elif isinstance(block, dict):
            text = block.get("text")
            kind = block.get("type")
            if isinstance(text, str):
                texts.append(text.strip())
            elif isinstance(kind, str):
                texts.append("[image]" if "image" in kind else f"[{kind}]")
    return texts


def _output(payload: dict[str, Any]) -> tuple[str, bool]:
    output = payload.get("output", payload.get("tools"))
    failed = False
    if isinstance(output, str) and output.startswith('{"output"'):
        with contextlib.suppress(ValueError, RecursionError):
            output = json.loads(output)
    if isinstance(output, dict):
        metadata = output.get("metadata")
        code = metadata.get("exit_code") if isinstance(metadata, dict) else None
        failed = output.get("success") is False or (isinstance(code, int) and code != 0)
        output = output.get("output", output.get("content"))
    if isinstance(output, list):
        output = "\n".join(_texts(output))
    text = output.strip() if isinstance(output, str) else "" if output is None else compact_json(output)
    exit_code = _EXIT_CODE.search(text, 0, 400)
    return text, failed or (exit_code is not None and int(exit_code[1]) != 0)


def _compact_arguments(arguments: Any) -> str:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return str(arguments).strip() or "{}"
    return compact_json(arguments)


def _event_type_of(part: Part) -> str | None:
    if part.kind == "thinking":
        return "agent_reasoning"
    if part.role == "user":
        return "user_message"
    return "agent_message" if part.role == "assistant" and part.kind == "said" else None


def _event_only_parts(payload: dict[str, Any], said_in_items: Counter[_Utterance], all_said: set[str]) -> list[Part]:
    kind = payload.get("type")
    if isinstance(kind, str) and kind in _EVENT_ROLES:
        text = payload.get("message", payload.get("text"))
        if not isinstance(text, str) or not text.strip():
            return []
        role = _EVENT_ROLES[kind]
        if kind == "user_message":
            parts = user_parts(text)
        else:
            parts = [Part(role, "thinking" if kind == "agent_reasoning" else "said", text.strip())]
        fresh = []
        for part in parts:
            utterance = (kind, _fold(part.text))
            if said_in_items[utterance] > 0:
                said_in_items[utterance] -= 1
            else:
                fresh.append(part)
                all_said.add(_fold(part.text))
        return fresh
    # The last words of a turn and the verdict of a review are mostly among the messages too.
    last_words: Any = None
    if kind == "task_complete":
        last_words = payload.get("last_agent_message")
    elif kind == "exited_review_mode" and isinstance(payload.get("review_output"), dict):
        last_words = payload["review_output"].get("overall_explanation")
    if isinstance(last_words, str) and last_words.strip() and _fold(last_words) not in all_said:
        all_said.add(_fold(last_words))
        return [Part("assistant", "said", last_words.strip())]
    return []


def _fold(text: str) -> str:
    return " ".join(text.split())
