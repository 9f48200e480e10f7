from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_assets.sessions.model import Session, SourceRefused, SourceSkipped, SourceTaken
from memory_assets.sessions.reading import MAX_RECORD_BYTES, read_source
from memory_assets.sessions.rereading import Transcript, reread
from memory_assets.sessions.union import united
from memory_assets_tests.sessions.texts import ALL, CLAUDE, chat, claude, jsonl

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "sessions"


def test_the_hash_is_of_the_bytes() -> None:
    outcome = read_source("/f", CLAUDE)
    assert outcome.file_hash == hashlib.sha256(CLAUDE).hexdigest()
    assert isinstance(outcome, SourceTaken)
    assert outcome.byte_length == len(CLAUDE)


@pytest.mark.parametrize("data", [b"", b"\n \t\r\n", b"\xef\xbb\xbf", b"\0\0"])
def test_an_empty_file_is_skipped(data: bytes) -> None:
    outcome = read_source("/f", data, explicit=True)
    assert isinstance(outcome, SourceSkipped)
    assert outcome.defect.reason == "empty_file"


def test_a_named_file_that_is_no_session_is_refused() -> None:
    outcome = read_source("/f.md", b"# A readme\n", explicit=True)
    assert isinstance(outcome, SourceRefused)
    assert outcome.defect.reason == "not_a_session"


@pytest.mark.parametrize(
    "data", [b'{"a": ' + b"9" * 5_000 + b"}", b'{\n"a": ' + b"9" * 5_000 + b"\n}", b"[" * 5_000, b"[\n" * 5_000]
)
def test_json_that_python_takes_no_part_in_is_an_answer_all_the_same(data: bytes) -> None:
    assert isinstance(read_source("/f.json", data), SourceSkipped | SourceRefused)


def test_a_record_over_the_limit_is_refused_and_named() -> None:
    huge = jsonl(claude("user", "u1", "one"), claude("user", "u2", "x" * 2 * MAX_RECORD_BYTES))
    for data, line in ((huge, 2), (huge[: -len(huge) // 4], 2), (jsonl('{"a": "' + "x" * MAX_RECORD_BYTES), 1)):
        outcome = read_source("/f", data)
        assert isinstance(outcome, SourceRefused)
        assert (outcome.defect.reason, outcome.defect.line) == ("record_too_large", line)


def test_only_a_message_of_a_whole_file_format_may_be_too_long() -> None:
    many = [{"id": str(n), "role": "user", "ts": "2026-01-01", "content": "가" * 100_000} for n in range(40)]
    assert isinstance(read_source("/f", chat(messages=many)), SourceTaken)
    one = [{"id": "1", "role": "user", "ts": "2026-01-01", "content": "가" * (MAX_RECORD_BYTES // 3 + 1)}]
    outcome = read_source("/f", chat(messages=one))
    assert isinstance(outcome, SourceRefused)
    assert outcome.defect.reason == "record_too_large"


def _transcript(session: Session) -> Transcript:
    return Transcript(session.source_format, session.ordinal_uids, session.messages)


@pytest.mark.parametrize("name", ALL)
def test_a_file_cut_off_anywhere_is_read_and_the_whole_one_extends_it(name: str) -> None:
    data = ALL[name]
    whole = read_source("/f", data)
    assert isinstance(whole, SourceTaken)
    by_id = {session.session_id: session for session in whole.sessions}
    for cut in range(len(data)):
        outcome = read_source("/f", data[:cut])
        if not isinstance(outcome, SourceTaken) or outcome.source_format != name:
            continue
        for part in outcome.sessions:
            # A plain Markdown file cut within its first lines has not told its id yet.
            session = by_id.get(part.session_id)
            if session is None:
                assert name == "markdown"
                continue
            half, all_of_it = _transcript(part), _transcript(session)
            assert reread(all_of_it, half) == all_of_it, cut
            told = reread(half, all_of_it).messages
            assert [(m.uid, m.text) for m in told] == [(m.uid, m.text) for m in session.messages]


_SPLICES = st.sampled_from(
    [b"null", b"[]", b"{}", b"1e999", b'""', b"NaN", b"\\ud800", b"\0", b"\xff", b"{", b'"', b"[" * 3000, b"9" * 5000]
)


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(name=st.sampled_from(sorted(ALL)), data=st.data())
def test_a_damaged_file_never_raises(name: str, data: st.DataObject) -> None:
    content = bytearray(ALL[name])
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(content)))
        match data.draw(st.sampled_from(["flip", "cut", "splice", "value"])):
            case "flip" if at < len(content):
                content[at] ^= data.draw(st.integers(1, 255))
            case "cut":
                del content[at : at + data.draw(st.integers(1, 40))]
            case "splice":
                content[at:at] = data.draw(_SPLICES)
            case "value":
                colon = content.find(b":", at)
                comma = content.find(b",", colon)
                if 0 <= colon < comma:
                    content[colon + 1 : comma] = data.draw(_SPLICES)
    outcome = read_source("/f", bytes(content))
    if isinstance(outcome, SourceTaken):
        for session in outcome.sessions:
            for message in session.messages:
                assert "\0" not in message.text
                message.text.encode()  # no lone surrogate


@settings(max_examples=200)
@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace")))
def test_arbitrary_bytes_never_raise(data: bytes) -> None:
    read_source("/f", data)


@pytest.mark.shared_data
@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared sessions are not beside the repository")
def test_real_files_are_all_read() -> None:
    began = time.process_time()
    said: Counter[str] = Counter()
    for entry in json.loads((SHARED / "manifest.json").read_text()):
        path = SHARED / entry["file"]
        outcome = read_source(str(path), path.read_bytes(), explicit=True)
        assert isinstance(outcome, SourceTaken), entry["file"]
        assert outcome.source_format == entry["format"]
        assert outcome.file_hash == entry["sha256"]
        count = sum(len(session.messages) for session in outcome.sessions)
        # The manifest counts records with a role; a record may hold several messages, or blanks only.
        if entry["format"] == "claude_code" and entry["records"]:
            assert count >= entry["messages"] * 0.94 or "sample.jsonl" in entry["file"], entry["file"]
        elif entry["format"] in ("specstory", "chatgpt", "codex"):
            assert count >= entry["messages"], entry["file"]
        said[entry["format"]] += sum(m.kind == "said" for s in outcome.sessions for m in s.messages)
        for session in outcome.sessions:
            assert len({message.uid for message in session.messages}) == len(session.messages)
    assert set(said) == {"claude_code", "codex", "chatgpt", "specstory", "aider"}
    assert time.process_time() - began < 10


@pytest.mark.shared_data
@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared sessions are not beside the repository")
def test_two_real_snapshots_of_one_session_are_one_history_in_either_order() -> None:
    by_session: dict[str, list[SourceTaken]] = {}
    for path in sorted(SHARED.glob("claude_code/ujuc*")):
        outcome = read_source(str(path), path.read_bytes())
        assert isinstance(outcome, SourceTaken)
        by_session.setdefault(outcome.sessions[0].session_id, []).append(outcome)
    ((first, second),) = [outcomes for outcomes in by_session.values() if len(outcomes) > 1]
    one, other = _transcript(first.sessions[0]), _transcript(second.sessions[0])
    long = max(one.messages, other.messages, key=len)
    assert united([one, other]).messages == united([other, one]).messages == long
