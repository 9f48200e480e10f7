"""A session file's bytes become sessions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from memory_assets.identifiers import sha256_hex
from memory_assets.sessions.detect import detect
from memory_assets.sessions.model import (
    Defect,
    Session,
    SourceFormat,
    SourceOutcome,
    SourceRefused,
    SourceSkipped,
    SourceTaken,
)
from memory_assets.sessions.readers import aider, chat_v1, chatgpt, claude_code, codex, context_bundle, markdown, specstory
from memory_assets.sessions.rereading import Transcript, by_position
from memory_assets.sessions.source import DecodedSource, DefectLog, ReaderResult, decode
from memory_assets.sessions.union import united

#: Part of what a stored revision is made from: raised whenever a reader gives other messages for the same bytes.
READER_VERSION = "5"

#: The longest record, in bytes: a line of a JSONL file, or a message of a format that is one value a file.
MAX_RECORD_BYTES = 10 * 1024 * 1024

_READERS: dict[SourceFormat, Callable[[DecodedSource], ReaderResult]] = {
    "claude_code": claude_code.read,
    "codex": codex.read,
    "chatgpt": chatgpt.read,
    "specstory": specstory.read,
    "aider": aider.read,
    "markdown": markdown.read,
    "chat.v1": chat_v1.read,
    "context_bundle": context_bundle.read,
}
_JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
_JSONL: frozenset[SourceFormat] = frozenset({"claude_code", "codex"})


def read_source(path: str, data: bytes, *, explicit: bool = False) -> SourceOutcome:
    """What a file holds. Never raises for anything that the bytes may be.

    Args:
        path: names the file in defects, and is the id of a session that has no other.
        data: the file's bytes.
        explicit: the user named this very file: what is no session is then refused, not skipped.
    """
    file_hash = sha256_hex(data)
    if not data.strip(b"\xef\xbb\xbf \t\r\n\0"):
        return SourceSkipped(path, Defect(path, None, "empty_file", "there is nothing in the file"), file_hash)
    source, decoding_defects = decode(path, data)
    source_format = detect(source.text)
    long_line = _too_long_line(data)
    if long_line is not None and (source_format in _JSONL or (source_format is None and _looks_like_json(source.text))):
        detail = f"a record of more than {MAX_RECORD_BYTES} bytes"
        return SourceRefused(path, Defect(path, long_line, "record_too_large", detail), file_hash)
    if source_format is None:
        return _no_session(_what_it_is(path, source.text), file_hash, explicit=explicit)
    result = _READERS[source_format](source)
    too_long = _session_with_too_long_message(result.sessions)
    if too_long is not None:
        detail = f"a message of more than {MAX_RECORD_BYTES} bytes in session {too_long.source_id}"
        return SourceRefused(path, Defect(path, None, "record_too_large", detail), file_hash)
    defects = DefectLog(path)
    sessions = tuple(_one_of_each(filter(_says_something, result.sessions), defects))
    if not sessions:
        return SourceSkipped(path, _why_empty(path, source_format, (*decoding_defects, *result.defects)), file_hash)
    return SourceTaken(
        path=path,
        source_format=source_format,
        file_hash=file_hash,
        byte_length=len(data),
        sessions=sessions,
        defects=tuple(sorted((*decoding_defects, *result.defects, *defects.all()), key=lambda defect: defect.line or 0)),
    )


def _no_session(defect: Defect, file_hash: str, *, explicit: bool) -> SourceSkipped | SourceRefused:
    return SourceRefused(defect.path, defect, file_hash) if explicit else SourceSkipped(defect.path, defect, file_hash)


def _what_it_is(path: str, text: str) -> Defect:
    """Of a file in no format that is known: broken JSON, which may have been a session, or something else."""
    unknown = Defect(path, None, "not_a_session", "no session format that is known")
    if not path.lower().endswith(_JSON_SUFFIXES) or not _looks_like_json(text):
        return unknown
    try:
        json.loads(text.lstrip().partition("\n")[0])
    except ValueError:
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            return Defect(path, error.lineno, "malformed_record", f"it begins like JSON and is none: {error.msg}")
        except (ValueError, RecursionError):  # it is JSON, with a number or a depth that Python takes no part in
            pass
    except RecursionError:
        pass
    return unknown


def _one_of_each(sessions: Iterable[Session], defects: DefectLog) -> Iterator[Session]:
    """The sessions of a file, each once: of one that the file tells several times, all that it tells."""
    told: dict[str, list[Session]] = {}
    for session in sessions:
        told.setdefault(session.session_id, []).append(session)
    for first, *others in told.values():
        if not others:
            yield first
            continue
        whole = united([Transcript(one.source_format, one.ordinal_uids, one.messages) for one in (first, *others)])
        if any(set(one).isdisjoint(other) for one, other in combinations(whole.places, 2)):
            detail = f"the file tells several conversations under the id {first.source_id}; all are kept in it"
            defects.add(None, "unrelated_history", detail)
        yield replace(first, messages=tuple(by_position(whole.messages)) if first.ordinal_uids else whole.messages)


def _why_empty(path: str, source_format: SourceFormat, defects: Sequence[Defect]) -> Defect:
    """What kept every message of a file away: damage where there is some, else there was none to take."""
    damage = next((defect for defect in defects if defect.reason in ("malformed_record", "truncated_record")), None)
    if damage is None:
        return Defect(path, None, "no_messages", f"a {source_format} file without a message")
    return replace(damage, detail=f"a {source_format} file without a message that can be read: {damage.detail}")


def _says_something(session: Session) -> bool:
    return any(message.kind != "injected" and message.text.strip() for message in session.messages)


def _too_long_line(data: bytes) -> int | None:
    if len(data) <= MAX_RECORD_BYTES:
        return None
    for number, line in enumerate(data.split(b"\n"), start=1):
        if len(line) > MAX_RECORD_BYTES:
            return number
    return None


def _looks_like_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def _session_with_too_long_message(sessions: tuple[Session, ...]) -> Session | None:
    limit = MAX_RECORD_BYTES // 4  # no text of fewer characters can be longer in UTF-8
    for session in sessions:
        for message in session.messages:
            if len(message.text) > limit and len(message.text.encode()) > MAX_RECORD_BYTES:
                return session
    return None
