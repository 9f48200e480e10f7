"""Which format a file has, by what stands in it and never by its name."""

from __future__ import annotations

import json
import re
from typing import Any

from memory_assets.sessions.model import SourceFormat
from memory_assets.sessions.readers import aider, chat_v1, claude_code, codex, context_bundle, markdown, specstory
from memory_assets.sessions.source import unix_lines
from memory_assets.sessions.tolerant_json import read_document

_DECODER = json.JSONDecoder()
_LINES_TO_TRY = 500
_HEAD = 4000
# The beginning of a log whose only record is half-written.
_HALF_CLAUDE = re.compile(r'"(?:parentUuid|sessionId)":')
_HALF_CODEX = re.compile(r'"type":"(?:session_meta|response_item|event_msg|turn_context)"')


def detect(text: str) -> SourceFormat | None:
    """The format of a file's text; None where it is no session of any kind we know.

    ``text`` is without a byte order mark (see ``source.decode``); blank lines before the content do not matter.
    """
    head = text.lstrip()
    if not head:
        return None
    found: SourceFormat | None = None
    if head.startswith("{") or "\n{" in head:  # the first record may be damaged
        found = _jsonl_format(head)
    if found is None and head.startswith(("{", "[")):
        found = _document_format(head)
    return found or _markdown_format(head)


def _jsonl_format(text: str) -> SourceFormat | None:
    position = tried = 0
    while position < len(text) and tried < _LINES_TO_TRY:
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        if text.startswith("{", position):
            tried += 1
            try:
                value, _ = _DECODER.raw_decode(text[position:end])
            except (ValueError, RecursionError):
                value = None
            found = _record_format(value) if isinstance(value, dict) else None
            if found is not None:
                return found
        position = end + 1
    first = text[: min(_HEAD, end)] if (end := text.find("\n")) >= 0 else text[:_HEAD]
    if first.startswith('{"') and "\n" not in text.strip():
        if _HALF_CODEX.search(first):
            return "codex"
        if _HALF_CLAUDE.search(first):
            return "claude_code"
    return None


def _record_format(record: dict[str, Any]) -> SourceFormat | None:
    kind = record.get("type")
    if _is_chat_v1(record):
        return "chat.v1"
    if context_bundle.is_bundle(record):
        return "context_bundle"
    if isinstance(record.get("mapping"), dict):
        return "chatgpt"
    if isinstance(kind, str):
        if kind in codex.RECORD_TYPES and isinstance(record.get("payload"), dict):
            return "codex"
        if kind in claude_code.RECORD_TYPES and _is_claude_record(kind, record):
            return "claude_code"
        if kind == "message" and _is_codex_item(record):
            return "codex"
    elif isinstance(record.get("id"), str) and "timestamp" in record and "instructions" in record:
        return "codex"  # the heading of an early rollout
    return None


def _is_claude_record(kind: str, record: dict[str, Any]) -> bool:
    if isinstance(record.get("sessionId"), str):
        return True
    if kind in ("user", "assistant"):
        return isinstance(record.get("message"), dict) and ("uuid" in record or "timestamp" in record)
    return (kind == "summary" and "leafUuid" in record) or (kind == "file-history-snapshot" and "snapshot" in record)


def _is_codex_item(record: dict[str, Any]) -> bool:
    content = record.get("content")
    first = content[0] if isinstance(content, list) and content else None
    return isinstance(first, dict) and first.get("type") in ("input_text", "output_text")


def _is_chat_v1(value: dict[str, Any]) -> bool:
    schema = value.get("schema_version")
    return isinstance(schema, str) and schema.split("-")[0].strip() == chat_v1.SCHEMA


def _document_format(text: str) -> SourceFormat | None:
    value: Any = None
    if text.startswith("["):
        first = text[1:].lstrip() if len(text) < _HEAD else text[1:_HEAD].lstrip()
        if not first.startswith("{"):
            return None
        try:  # an export may be very long, and its first conversation says what it is
            value, _ = _DECODER.raw_decode(text, text.index("{"))
        except (ValueError, RecursionError):
            value = read_document(text).value
            value = value[0] if isinstance(value, list) and value else None
        if isinstance(value, dict) and (_is_chat_v1(value) or context_bundle.is_bundle(value)):
            return "chat.v1" if _is_chat_v1(value) else "context_bundle"
        return "chatgpt" if isinstance(value, dict) and isinstance(value.get("mapping"), dict) else None
    value = read_document(text).value
    if not isinstance(value, dict):
        return None
    if _is_chat_v1(value) or context_bundle.is_bundle(value):
        return "chat.v1" if _is_chat_v1(value) else "context_bundle"
    return "chatgpt" if isinstance(value.get("mapping"), dict) and value["mapping"] else None


def _markdown_format(text: str) -> SourceFormat | None:
    text = unix_lines(text)
    head = text[:_HEAD]
    has_turns = "_**" in text and any(specstory.TURN.match(line) for line in text.split("\n") if line.startswith("_**"))
    if has_turns and (specstory.GENERATED in head or specstory.SESSION.search(head)):
        return "specstory"
    if head.startswith(specstory.GENERATED):
        return "specstory"
    if aider.START.search(text):
        return "aider"
    return "markdown" if markdown.is_dialogue(text) else None
