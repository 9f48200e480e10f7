"""ChatGPT's data export (``conversations.json``): each conversation a tree, of which one path is what was said last.

What stands beside that path was said too, and left: it is kept as a side chain, which is searched and never remembered from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memory_assets.sessions.draft import Part, SessionDraft
from memory_assets.sessions.injected import user_parts
from memory_assets.sessions.model import Role
from memory_assets.sessions.readers.whole_file import read_whole_file
from memory_assets.sessions.source import DecodedSource, DefectLog, ReaderResult
from memory_assets.sessions.times import parse_time


def read(source: DecodedSource) -> ReaderResult:
    """A session a conversation: the path from its root to ``current_node``, or to its newest leaf where that is lost."""
    defects = DefectLog(source.path)
    parts = read_whole_file(source, defects)
    damaged = bool(defects.all())
    drafts: dict[str, SessionDraft] = {}
    for number, part in enumerate(parts, start=1):
        conversation, line_of = part.value, part.line_of
        if isinstance(conversation, dict) and isinstance(conversation.get("mapping"), dict):
            source_id = _id_of(conversation) or f"{source.path}#{number}"
            if damaged and _id_of(conversation) is None:  # the id stands behind what could be read
                defects.add(line_of(), "truncated_record", f"conversation {number} has lost its id; it is taken when whole")
                continue
            draft = drafts.setdefault(source_id, SessionDraft(source_id, "chatgpt"))
            _read_conversation(conversation, number, line_of, draft, defects)
        else:
            defects.add(line_of(), "malformed_record", f"conversation {number} of the export has no messages")
    return ReaderResult(tuple(draft.finish(defects) for draft in drafts.values()), defects.all())


def _id_of(conversation: dict[str, Any]) -> str | None:
    ids = (conversation.get("conversation_id"), conversation.get("id"))
    return next((value for value in ids if isinstance(value, str) and value.strip()), None)


def _read_conversation(
    conversation: dict[str, Any], number: int, line_of: Callable[..., int | None], draft: SessionDraft, defects: DefectLog
) -> None:
    title = conversation.get("title")
    draft.title = draft.title or (" ".join(title.split()) if isinstance(title, str) and title.strip() else None)
    draft.started_at = draft.started_at or parse_time(conversation.get("create_time"))
    mapping: dict[str, Any] = conversation["mapping"]
    path = _path_to(mapping, _last_node(mapping, conversation.get("current_node")))
    for node_id in _with_branches(mapping, path):
        message = mapping[node_id].get("message")
        line = line_of("mapping", node_id)
        if isinstance(message, dict):
            _read_message(draft, node_id, message, line, defects, left=node_id not in path)
        elif message is not None:
            defects.add(line, "malformed_record", f"a message of conversation {number} is no JSON object")


def _read_message(
    draft: SessionDraft, node_id: str, message: dict[str, Any], line: int | None, defects: DefectLog, *, left: bool
) -> None:
    author = message.get("author")
    author = author if isinstance(author, dict) else {}
    parts = _parts(message, author)
    if not parts:
        return
    moment = message.get("create_time")
    speaks = any(part.kind == "said" for part in parts)  # hidden and system messages never have a time
    ts = draft.read_time(moment, line, defects) if speaks or moment else None
    uid = message.get("id")
    name = author.get("name")
    draft.add_record(
        uid if isinstance(uid, str) and uid else node_id,
        parts,
        defects,
        ts=ts,
        name=name if isinstance(name, str) and name else None,
        sidechain=left,
        line=line,
    )


def _last_node(mapping: dict[str, Any], current: Any) -> str | None:
    if isinstance(current, str) and current in mapping:
        return current
    parents = {node.get("parent") for node in mapping.values() if isinstance(node, dict) and _is_id(node.get("parent"))}
    leaves = [node_id for node_id in mapping if node_id not in parents]
    return max(leaves, key=lambda leaf: _said_at(mapping[leaf]), default=next(iter(mapping), None))


def _said_at(node: Any) -> float:
    message = node.get("message") if isinstance(node, dict) else None
    moment = parse_time(message.get("create_time")) if isinstance(message, dict) else None
    return moment.timestamp() if moment else 0.0


def _path_to(mapping: dict[str, Any], node_id: str | None) -> list[str]:
    path: dict[str, None] = {}  # ordered, and a cycle ends the walk
    while node_id is not None and node_id not in path and isinstance(mapping.get(node_id), dict):
        path[node_id] = None
        parent = mapping[node_id].get("parent")
        node_id = parent if _is_id(parent) else None
    return list(path)[::-1]


def _with_branches(mapping: dict[str, Any], path: list[str]) -> list[str]:
    """The path, and after each of its nodes what was said and left behind there: an answer given anew, a question put again."""
    children: dict[str, list[str]] = {}
    for node_id, node in mapping.items():
        if isinstance(node, dict) and _is_id(node.get("parent")):
            children.setdefault(node["parent"], []).append(node_id)
    ordered: dict[str, None] = {}
    on_path = set(path)
    for node_id in path:
        ordered[node_id] = None
        waiting = [child for child in reversed(children.get(node_id, [])) if child not in on_path]
        while waiting:
            branch = waiting.pop()
            if branch not in ordered:
                ordered[branch] = None
                waiting += reversed(children.get(branch, []))
    return list(ordered)


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _parts(message: dict[str, Any], author: dict[str, Any]) -> list[Part]:
    content = message.get("content")
    text = _content_text(content if isinstance(content, dict) else {})
    if not text:
        return []
    metadata = message.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    content_type = content.get("content_type") if isinstance(content, dict) else None
    recipient = message.get("recipient")
    role = author.get("role")
    if (
        role == "system"
        or metadata.get("is_visually_hidden_from_conversation")
        or content_type in ("user_editable_context", "model_editable_context")
    ):
        speaker: Role = role if role in ("user", "assistant", "tool") else "system"
        return [Part(speaker, "injected", text)]
    if role == "tool":
        tool = author.get("name")
        is_error = content_type == "system_error"
        return [Part("tool", "tool_result", text, tool_name=tool if isinstance(tool, str) else None, is_error=is_error)]
    if role == "assistant":
        if content_type in ("thoughts", "reasoning_recap"):
            return [Part("assistant", "thinking", text)]
        if isinstance(recipient, str) and recipient not in ("", "all"):
            return [Part("assistant", "tool_call", text, tool_name=recipient)]
        return [Part("assistant", "said", text)]
    return user_parts(text)


def _content_text(content: dict[str, Any]) -> str:
    texts: list[str] = []
    parts = content.get("parts")
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            spoken, kind = part.get("text"), part.get("content_type")
            if isinstance(spoken, str):
                texts.append(spoken)
            else:
                texts.append("[image]" if "image" in str(kind) else f"[{kind if isinstance(kind, str) else 'block'}]")
    thoughts = content.get("thoughts")
    for thought in thoughts if isinstance(thoughts, list) else []:
        if isinstance(thought, dict):
            texts.extend(str(thought[key]) for key in ("summary", "content") if isinstance(thought.get(key), str))
    for key in ("text", "content", "result", "user_profile", "user_instructions", "model_set_context"):
        if isinstance(content.get(key), str):
            texts.append(content[key])
    return "\n".join(text for text in texts if text.strip()).strip()
