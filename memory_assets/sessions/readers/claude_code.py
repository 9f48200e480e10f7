"""Claude Code's session logs: one JSON record a line, of which about a third are messages."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from memory_assets.identifiers import sha256_hex
from memory_assets.sessions.draft import Part, SessionDraft
from memory_assets.sessions.folders import last_path_component
from memory_assets.sessions.injected import user_parts
from memory_assets.sessions.joined_texts import parts_of_texts
from memory_assets.sessions.model import MessageKind, Session
from memory_assets.sessions.source import DecodedSource, DefectLog, ReaderResult
from memory_assets.sessions.tolerant_json import Record, read_records

# Records that carry no message: what the program notes for itself. Unknown types are reported, these are not.
BOOKKEEPING_TYPES = frozenset(
    {
        "agent-name",
        "agent-setting",
        "attribution-snapshot",
        "bridge-session",
        "content-replacement",
        "file-history-delta",
        "file-history-snapshot",
        "frame-link",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "saved_hook_context",
        "speculation-accept",
        "started",
        "result",
        "tag",
        "task-summary",
        "worktree-state",
    }
)
MESSAGE_TYPES = frozenset({"user", "assistant", "system", "progress", "attachment", "queue-operation"})
TITLE_TYPES = frozenset({"summary", "ai-title", "custom-title"})
RECORD_TYPES = BOOKKEEPING_TYPES | MESSAGE_TYPES | TITLE_TYPES
# A person who turns a tool down may say why; the program files those words inside the tool's result.
_REFUSAL_REASON = "the user said:\n"
_QUEUED = "queued_command"


def read(source: DecodedSource) -> ReaderResult:
    """Sessions by session id. A sub-agent's own log names its parent's session, and becomes ``<session>.agent-<id>``."""
    defects = DefectLog(source.path)
    reader = _Reader(source, defects)
    for record in read_records(source, defects):
        try:
            reader.take(record)
        except RecursionError:
            defects.add(record.line, "malformed_record", "the record is nested too deeply")
    return ReaderResult(reader.sessions(), defects.all())


class _Reader:
    def __init__(self, source: DecodedSource, defects: DefectLog) -> None:
        self._source = source
        self._defects = defects
        self._drafts: dict[str, SessionDraft] = {}
        self._current: str | None = None
        self._early: list[Record] = []  # messages before the first record that names a session
        self._record_ids: dict[str, str] = {}  # record id -> source id
        self._titles: list[tuple[int, dict[str, Any]]] = []
        self._unknown: dict[str, tuple[int, int]] = {}
        self._queue: list[dict[str, Any]] = []
        self._queued_count: Counter[tuple[str, str, str]] = Counter()
        self._bare_count: Counter[tuple[str, str]] = Counter()

    def take(self, record: Record) -> None:
        value = record.value
        if not isinstance(value, dict):
            self._defects.add(record.line, "malformed_record", "the record is no JSON object")
            return
        kind = _str(value.get("type"))
        if kind in ("user", "assistant", "system"):
            self._take_message(record.line, value)
        elif kind == "progress":
            self._take_progress(record.line, value)
        elif kind == "attachment":
            self._take_attachment(record.line, value)
        elif kind == "queue-operation":
            self._take_queue_operation(record.line, value)
        elif kind in TITLE_TYPES:
            self._titles.append((record.line, value))
        elif kind in BOOKKEEPING_TYPES:
            return
        elif isinstance(value.get("message"), dict):
            self._defects.add(record.line, "unknown_record", "a message in a record of unknown type")
            self._take_message(record.line, value)
        else:
            name = kind if kind and len(kind) <= 40 and kind.isprintable() else "without a type"
            first, count = self._unknown.get(name, (record.line, 0))
            self._unknown[name] = (first, count + 1)

    def sessions(self) -> tuple[Session, ...]:
        early, self._early = self._early, []
        if early:  # no record of the file names a session: the file's name does
            self._current = last_path_component(self._source.path) or self._source.path
            for record in early:
                self.take(record)
        for name, (line, count) in self._unknown.items():
            self._defects.add(line, "unknown_record", f"records of unknown type ({name}): {count}")
        self._apply_titles()
        return tuple(draft.finish(self._defects) for draft in self._drafts.values())

    # -- records

    def _take_message(self, line: int, value: dict[str, Any]) -> None:
        if value.get("type") == "system":
            parts = _system_parts(value)
        else:
            message = value.get("message")
            if not isinstance(message, dict):
                self._defects.add(line, "malformed_record", "the record's message is no JSON object")
                return
            role = message.get("role") or value.get("type")
            content = message.get("content")
            if not isinstance(content, str | list):
                self._defects.add(line, "malformed_record", "the record's message has no content")
                self._note_session(value)
                return
            if role == "assistant":
                synthetic = bool(value.get("isApiErrorMessage")) or message.get("model") == "<synthetic>"
                parts = assistant_parts(content, synthetic=synthetic)
            else:
                injected = any(value.get(key) for key in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"))
                parts = _user_content_parts(content, injected=injected)
        self._add(line, value, parts)

    def _take_progress(self, line: int, value: dict[str, Any]) -> None:
        # The progress of a sub-agent repeats its records. Its words are taken; its calls and results are its own log's.
        data = value.get("data")
        inner = data.get("message") if isinstance(data, dict) else None
        message = inner.get("message") if isinstance(inner, dict) else None
        if not isinstance(inner, dict) or not isinstance(message, dict):
            return
        content = message.get("content")
        if not isinstance(content, str | list):
            return
        is_agent = (message.get("role") or inner.get("type")) == "assistant"
        parts = assistant_parts(content) if is_agent else _user_content_parts(content, injected=False)
        words = [part for part in parts if part.kind in ("said", "thinking")]
        self._add(line, {**value, "uuid": inner.get("uuid") or value.get("uuid"), "isSidechain": True}, words)

    def _take_attachment(self, line: int, value: dict[str, Any]) -> None:
        attachment = value.get("attachment")
        if not isinstance(attachment, dict):
            return
        if attachment.get("type") == _QUEUED:
            text = _text_of(attachment.get("prompt"))
            if text:
                self._add_queued(line, value, text, stream=_QUEUED)
            return
        texts = [_text_of(attachment.get(key)) for key in ("content", "message", "text", "stdout", "stderr")]
        text = "\n".join(text for text in texts if text)
        if text:
            self._add(line, value, [Part("system", "injected", text)])

    def _take_queue_operation(self, line: int, value: dict[str, Any]) -> None:
        # What a person types while the agent works waits in a queue. Dequeued, it becomes a user record; removed, it was
        # slipped into the running turn and stands nowhere else; popped, it went back to the person to be edited.
        operation = value.get("operation")
        if operation == "enqueue":
            self._queue.append(value)
        elif operation == "dequeue":
            del self._queue[:1]
        elif operation == "remove" and self._queue:
            queued = self._queue.pop(0)
            text = _text_of(queued.get("content"))
            if text:
                self._add_queued(line, queued, text, stream="queue")
        elif operation == "popAll":
            self._queue.clear()

    def _add_queued(self, line: int, value: dict[str, Any], text: str, *, stream: str) -> None:
        # Newer versions also write an attachment for it. The n-th saying of a text in one stream is the n-th in the other.
        session = self._source_id(value) or ""
        self._queued_count[stream, session, text] += 1
        count = self._queued_count[stream, session, text]
        if count <= self._queued_count["queue" if stream == _QUEUED else _QUEUED, session, text]:
            return
        uid = f"queued-{sha256_hex(text)[:16]}" + (f"-{count}" if count > 1 else "")
        is_command = text.startswith("/") and len(text.split()) == 1
        parts = [Part("user", "injected", text)] if is_command else user_parts(text)
        self._add(line, {**value, "uuid": uid}, parts)

    # -- sessions

    def _add(self, line: int, value: dict[str, Any], parts: list[Part]) -> None:
        source_id = self._note_session(value)
        if source_id is None:
            self._early.append(Record(line, value))
            return
        draft = self._drafts[source_id]
        uid = value.get("uuid")
        if isinstance(uid, str) and uid:
            self._record_ids[uid] = source_id
        if not parts:
            return
        ts = draft.read_time(value.get("timestamp"), line, self._defects)
        if not isinstance(uid, str) or not uid:
            uid = self._made_up_uid(source_id, value)
        draft.add_record(uid, parts, self._defects, ts=ts, sidechain=bool(value.get("isSidechain")), line=line)

    def _made_up_uid(self, source_id: str, value: dict[str, Any]) -> str:
        # A record without an id: its content, and which of its like it is, name it in every snapshot of the file.
        digest = sha256_hex(repr([value.get(key) for key in ("type", "timestamp", "message", "attachment", "content")]))[:16]
        self._bare_count[source_id, digest] += 1
        count = self._bare_count[source_id, digest]
        return f"record-{digest}" + (f"-{count}" if count > 1 else "")

    def _source_id(self, value: dict[str, Any]) -> str | None:
        session_id = value.get("sessionId")
        if not isinstance(session_id, str) or not session_id.strip():
            return self._current
        agent = value.get("agentId")
        if value.get("isSidechain") and isinstance(agent, str) and agent:
            return f"{session_id}.agent-{agent}"
        return session_id

    def _note_session(self, value: dict[str, Any]) -> str | None:
        source_id = self._source_id(value)
        if source_id is None:
            return None
        self._current = source_id
        draft = self._drafts.get(source_id)
        if draft is None:
            draft = self._drafts[source_id] = SessionDraft(source_id, "claude_code")
        draft.cwd = draft.cwd or _str(value.get("cwd"))
        draft.git_branch = draft.git_branch or _str(value.get("gitBranch"))
        early, self._early = self._early, []
        for record in early:
            self.take(record)
        return source_id

    def _apply_titles(self) -> None:
        rank: dict[str, int] = {}
        for _, value in self._titles:
            kind = value["type"]
            if kind == "summary":
                # A log may open with the summaries of other sessions: only the id of a record of ours ties one to us.
                source_id = self._record_ids.get(str(value.get("leafUuid")))
                title = _str(value.get("summary"))
            else:
                source_id = _str(value.get("sessionId"))
                title = _str(value.get("aiTitle" if kind == "ai-title" else "customTitle")) or _str(value.get("title"))
            draft = self._drafts.get(source_id) if source_id else None
            weight = ("summary", "ai-title", "custom-title").index(kind)
            if draft and title and weight >= rank.get(draft.source_id, 0):
                rank[draft.source_id] = weight
                draft.title = " ".join(title.split())


def assistant_parts(content: str | list[Any], *, synthetic: bool = False) -> list[Part]:
    """The messages of an agent's record: words, thoughts and calls, in the order of its blocks."""
    said: MessageKind = "injected" if synthetic else "said"
    parts: list[Part] = []
    for block in [content] if isinstance(content, str) else content:
        if isinstance(block, str):
            parts.append(Part("assistant", said, block.strip()))
        elif isinstance(block, dict):
            match block.get("type"):
                case "text":
                    parts.append(Part("assistant", said, _text_of(block.get("text"))))
                case "thinking":
                    parts.append(Part("assistant", "thinking", _text_of(block.get("thinking"))))
                case "redacted_thinking":
                    pass
                case "tool_use" | "server_tool_use" | "mcp_tool_use":
                    call = compact_json(block.get("input"))
                    name, call_id = _str(block.get("name")), _str(block.get("id"))
                    parts.append(Part("assistant", "tool_call", call, tool_name=name, tool_use_id=call_id))
                case other if isinstance(other, str) and other.endswith("tool_result"):
                    parts.append(_tool_result(block))
                case other:
                    parts.append(Part("assistant", "injected", f"[{_str(other) or 'block'}]"))
    return [part for part in parts if part.text]


def _user_content_parts(content: str | list[Any], *, injected: bool) -> list[Part]:
    parts: list[Part] = []
    texts: list[str] = []  # of a row, as they stand

    def take_texts() -> None:
        stripped = [text.strip() for text in texts]
        parts.extend([Part("user", "injected", text) for text in stripped if text] if injected else parts_of_texts(texts))
        texts.clear()

    for block in [content] if isinstance(content, str) else content:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict) and block.get("type") == "text":
            text = block.get("text")
            texts.append(text if isinstance(text, str) else _text_of(text))
        elif isinstance(block, dict):
            take_texts()
            if block.get("type") == "tool_result":
                result = _tool_result(block)
                parts.append(result)
                if result.is_error and _REFUSAL_REASON in result.text:
                    parts.extend(user_parts(result.text.split(_REFUSAL_REASON, 1)[1]))
            else:
                mark = f"[{_str(block.get('type')) or 'block'}]"
                parts.extend([Part("user", "injected", mark)] if injected else user_parts(mark))
    take_texts()
    return parts


def _tool_result(block: dict[str, Any]) -> Part:
    return Part(
        "tool",
        "tool_result",
        _text_of(block.get("content")),
        tool_use_id=_str(block.get("tool_use_id")),
        is_error=block.get("is_error") is True,
    )


def _system_parts(value: dict[str, Any]) -> list[Part]:
    texts = [_text_of(value.get("content"))]
    errors = value.get("hookErrors")
    if isinstance(errors, list):
        texts.extend(error.strip() for error in errors if isinstance(error, str))
    return [Part("system", "injected", text) for text in texts if text]


def _text_of(content: Any) -> str:
    """The text of a string or a list of blocks; an image is ``[image]``, any other block its type in brackets."""
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list):
        return ""
    texts: list[str] = []
    for block in content:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict):
            text = block.get("text")
            texts.append(text if isinstance(text, str) else f"[{_str(block.get('type')) or 'block'}]")
    return "\n".join(texts).strip()


def compact_json(value: Any) -> str:
    """A tool's input on one line, its keys in their own order."""
    return json.dumps(value if value is not None else {}, ensure_ascii=False, separators=(",", ":"))


def _str(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
