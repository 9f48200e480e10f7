"""Conversations as chat.v1: what our own reader reads back is what is in the store, as far as the format carries it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_assets.log.session_history import histories
from memory_assets.sessions.model import Message, SourceSkipped, SourceTaken
from memory_assets.sessions.reading import read_source
from memory_assets.settings import load_settings
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import log_of
from memory_assets_tests.exchange.conftest import Store, store_at
from memory_assets_tests.filled_store import NOTES, NOTES_ENTRIES, tell

pytestmark = pytest.mark.long

READABLE = ("said", "injected", "tool_result")


def messages(store: Store) -> dict[str, tuple[Message, ...]]:
    log = log_of(store.settings)
    names = [row[0] for row in store.rows("SELECT session_id FROM sessions")]
    return {name: history.messages for name, history in histories(log, log.current(names, "session_ingested")).items()}


def test_the_examples_come_back_with_text_roles_times_and_ids(examples: Store, elsewhere: Store, tmp_path: Path) -> None:
    report = elsewhere.take(examples.export(tmp_path / "talks", "chat.v1"))
    assert (report.new, report.errors) == (7, [])
    before, after = messages(examples), messages(elsewhere)
    assert before.keys() == after.keys()
    carried = 0
    for name, told in before.items():
        assert len(after[name]) == len(told)
        for old, new in zip(told, after[name], strict=True):
            assert (new.uid, new.ts) == (old.uid, old.ts)
            if old.kind not in READABLE or old.sidechain:
                assert new.text == ""
                continue
            carried += 1
            assert (new.text, new.kind) == (old.text, old.kind)
            assert new.role == old.role or (old.kind == "injected" and new.role == "system")
            assert (new.tool_name, new.tool_use_id) == (old.tool_name, old.tool_use_id)
    assert carried > 60 and {m.kind for told in before.values() for m in told} > set(READABLE) - {"injected"}
    columns = "session_id, title, project, started_at, cwd, git_branch, message_count"
    assert elsewhere.rows(f"SELECT {columns} FROM sessions ORDER BY 1") == examples.rows(
        f"SELECT {columns} FROM sessions ORDER BY 1"
    )


def test_what_is_said_is_remembered_at_the_same_addresses(tmp_path: Path, elsewhere: Store) -> None:
    one = store_at(tmp_path / "one")
    chat(tmp_path / "inbox", "plain", talk(1, 6), project="shop")
    chat(tmp_path / "inbox", "no ids 이야기", talk(2, 6), ids=False)
    one.take(tmp_path / "inbox")
    elsewhere.take(one.export(tmp_path / "talks", "chat.v1"))
    spans = "SELECT session_id, message_index, span_start, span_end, quote FROM evidence_spans ORDER BY ALL"
    assert elsewhere.rows(spans) == one.rows(spans) != []
    assert messages(elsewhere) == messages(one)
    # And once more it is the same file.
    assert elsewhere.export(tmp_path / "again", "chat.v1").read_bytes() == (tmp_path / "talks").read_bytes()


def test_what_has_no_word_keeps_its_place_and_not_its_text(tmp_path: Path, elsewhere: Store) -> None:
    from memory_assets_tests.defs.files import claude, records

    told = records("s", talk(1, 4))
    told[1]["message"]["content"] = [
        {"type": "thinking", "thinking": "We decided to think about it."},
        {"type": "text", "text": "Said aloud."},
    ]
    told[2]["isSidechain"] = True
    claude(tmp_path / "inbox", "s.jsonl", told)
    elsewhere.take(tmp_path / "inbox")
    assert {m.kind for m in messages(elsewhere)["s"]} >= {"thinking", "said"}
    (line,) = elsewhere.export(tmp_path / "talks", "chat.v1").read_text(encoding="utf-8").splitlines()
    value: dict[str, Any] = json.loads(line)
    kinds = [(m.kind, m.sidechain, m.text) for m in messages(elsewhere)["s"]]
    for (kind, sidechain, text), carried in zip(kinds, value["messages"], strict=True):
        assert carried["content"] == (text if kind == "said" and not sidechain else "")
    assert "think about it" not in line


@pytest.mark.parametrize("count", [0, 1, 2])
def test_any_number_of_sessions_is_a_file(tmp_path: Path, count: int) -> None:
    settings = load_settings({"home": tmp_path / "home", "embedding": {"model": "hashing"}})
    for number in range(count):
        tell(settings, f"s{number}", NOTES, NOTES_ENTRIES)
    file = Store(settings).export(tmp_path / "talks", "chat.v1")
    assert len(file.read_bytes().splitlines()) == count
    outcome = read_source(str(file), file.read_bytes(), explicit=True)
    assert isinstance(outcome, SourceTaken if count else SourceSkipped)
    if isinstance(outcome, SourceTaken):
        assert [session.session_id for session in outcome.sessions] == [f"s{number}" for number in range(count)]
        assert outcome.defects == ()
