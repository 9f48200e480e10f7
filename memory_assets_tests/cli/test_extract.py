"""`memory extract --dry-run`: what would be sent, without sending it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.extraction.window_request import request
from memory_assets.extraction.windows import shown_text, windows
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.event_log import EventLog
from memory_assets.log.session_history import History, histories
from memory_assets.memory import Memory
from memory_assets.queries.extraction_plan import estimated_tokens
from memory_assets.settings import load_settings
from memory_assets_tests.cli.conftest import Run

MODEL = ("--set", "extraction.model=openai/no-such-model", "--set", "extraction.api_base=http://127.0.0.1:9")


def history_of(home: Path, session_id: str) -> History:
    log = EventLog(Memory(load_settings({"home": home})).database)
    return histories(log, log.current([session_id], "session_ingested"))[session_id]


def at_most(windows: int) -> int:
    settings = load_settings({"extraction": {"model": "openai/no-such-model"}})
    return Resources(settings).extractor.most_requests(windows)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object) -> None:
        raise AssertionError(f"a socket was opened: {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refused)


def test_a_models_request_is_shown_exactly(memory: Run, filled: Path, no_network: None) -> None:
    plan = memory(*MODEL, "extract", "shop", "--dry-run", "--json").json
    messages = history_of(filled, "shop-1").messages
    (window,) = windows(messages)
    sent = request(messages, window)
    assert plan["schema_version"] == "extraction_plan.v1"
    assert [{"role": "system", "content": plan["system_prompt"]}, *plan["windows"][0]["messages"]] == sent
    assert plan["answer_schema"]["required"] == ["entries"]
    assert (plan["unanswered"], plan["calls"], plan["calls_at_most"]) == (1, 1, at_most(1))
    # The schema of the answer goes with every call.
    schema = estimated_tokens(canonical_json(plan["answer_schema"]))
    assert schema > 100 and plan["estimated_tokens"] == schema + sum(estimated_tokens(turn["content"]) for turn in sent)
    out = memory(*MODEL, "extract", "shop-1", "--dry-run").out
    assert out.count(plan["system_prompt"].splitlines()[0]) == 1
    assert "openai/no-such-model at http://127.0.0.1:9" in out and f"1 call, {at_most(1)} at most" in out
    assert "우리는 캐시를 Redis로 옮기기로 했다." in out and "not answered yet" in out


def test_windows_of_a_long_session(memory: Run, filled: Path, no_network: None) -> None:
    small = ("--set", "extraction.window_characters=60")
    plan = memory(*MODEL, *small, "extract", "shop-1", "--dry-run", "--json").json
    messages = history_of(filled, "shop-1").messages
    cut = windows(messages, budget=60)
    sent = [{"role": turn["role"], "content": turn["content"]} for turn in request(messages, cut[-1], budget=60)]
    assert plan["windows"][-1]["messages"] == sent[1:] and "characters are not shown" in sent[1]["content"]
    assert len(cut) > 1 and plan["calls"] == len(cut) and plan["calls_at_most"] == at_most(len(cut))
    assert [(w["first_message"], w["end_message"], w["context_from"]) for w in plan["windows"]] == [
        (w.start, w.end, w.context_start) for w in cut
    ]
    assert [w["characters"] for w in plan["windows"]] == [
        sum(len(shown_text(message)) for message in messages[w.context_start : w.end]) for w in cut
    ]
    out = memory(*MODEL, *small, "extract", "shop-1", "--dry-run").out
    assert out.count("system, the same in every call") == 1 and f"window {len(cut)}  " in out
    assert "context from" in out


def test_without_a_model_nothing_is_sent_and_the_quotes_are_shown(memory: Run, filled: Path, no_network: None) -> None:
    plan = memory("extract", "shop-1", "--dry-run", "--json").json
    assert plan["model"] is None and plan["system_prompt"] is None and plan["calls"] == plan["calls_at_most"] == 0
    entries = plan["windows"][0]["entries"]
    texts = [message.text for message in history_of(filled, "shop-1").messages]
    assert entries and plan["windows"][0]["messages"] == []
    assert all(quote["quote"] in texts[quote["message_index"]] for entry in entries for quote in entry["evidence"])
    out = memory("extract", "shop-1", "--dry-run").out
    assert "nothing is sent" in out and all(" ".join(e["evidence"][0]["quote"].split())[:20] in out for e in entries[:1])


def test_it_writes_nothing(memory: Run, filled: Path, no_network: None) -> None:
    before = memory("events", "stats", "--json").json, sha256_hex((filled / "memory.duckdb").read_bytes())
    memory(*MODEL, "extract", "shop-1", "--dry-run")
    memory("extract", "shop-1", "--dry-run")
    assert before == (memory("events", "stats", "--json").json, sha256_hex((filled / "memory.duckdb").read_bytes()))


@pytest.mark.long
def test_what_is_answered_is_not_asked_again(memory: Run, imported_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_HOME", str(imported_home))
    plan = memory("extract", "one", "--dry-run", "--json").json
    assert plan["unanswered"] == 0 and plan["windows"][0]["answered"]
    assert "answered already, not asked again" in memory("extract", "one", "--dry-run").out
    # Another extractor has answered nothing yet.
    assert memory(*MODEL, "extract", "one", "--dry-run", "--json").json["unanswered"] == 1


def test_a_session_that_shows_nothing(memory: Run, filled: Path) -> None:
    ended = memory("extract", "odd-3", "--dry-run")
    assert ended.code == 2 and "have not been taken in yet" in ended.err and "memory run odd-3 --to ingested" in ended.err


def test_without_dry_run_it_says_what_runs_it(memory: Run, filled: Path) -> None:
    ended = memory("extract", "shop-1")
    assert ended.code == 2 and "memory run shop-1 --to extracted" in ended.err
    assert memory("extract", "nobody", "--dry-run").code == 2


def test_session_text_reaches_no_terminal_as_control(memory: Run, filled: Path) -> None:
    for arguments in (("extract", "shop-1", "--dry-run"), (*MODEL, "extract", "shop-1", "--dry-run")):
        for further in ((), ("--json",)):
            assert "\x1b" not in memory(*arguments, *further).out


def test_tokens_are_estimated_from_the_characters() -> None:
    assert estimated_tokens("") == 0
    assert estimated_tokens("abcde") == 2 and estimated_tokens("가나다") == 3 and estimated_tokens("가나 cd") == 3
