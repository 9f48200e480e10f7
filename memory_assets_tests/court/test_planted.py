"""The planted sessions say what their expectations quote, and the scorer counts as it says."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from memory_assets.sessions.model import SourceTaken
from memory_assets.sessions.reading import read_source
from memory_assets_tests.court.planted import PlantedSession, planted_sessions

SESSIONS = planted_sessions()
DECOYS = (
    "sibling_cancelled",
    "piped_error_text",
    "grep_without_hits",
    "edited_between",
    "red_test",
    "pasted_log",
    "pasted_command",
    "quoted_correction",
    "correction_in_file",
    "hypothetical",
    "template_always",
    "no_as_answer",
    "flaky_retry",
    "instruction_in_result",
    "order_for_this_turn",
    "polite_thanks",
    "longer_wait",
    "sidechain",
    "injected_memory",
)


@pytest.fixture(scope="module")
def scorer() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "score_court.py"
    spec = importlib.util.spec_from_file_location("score_court", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def _labelled(session: PlantedSession) -> list[tuple[str, str]]:
    return [(label, quote) for one in session.expectations for label, quote in one.quotes.items()]


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.name)
def test_a_planted_session_is_read_whole_and_says_what_is_quoted(session: PlantedSession) -> None:
    taken = read_source(f"{session.name}.jsonl", session.jsonl().encode(), explicit=True)
    assert isinstance(taken, SourceTaken) and not taken.defects and len(taken.sessions) == 1
    messages = taken.sessions[0].messages
    assert 8 <= len(messages) <= 160
    for label, quote in _labelled(session):
        assert any(quote in messages[index].text for index in session.indexes(label, messages)), (label, quote)


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.name)
def test_every_call_has_its_result_but_those_that_are_planted_without(session: PlantedSession) -> None:
    lost = {session.tool_use_id(label) for one in session.expectations if one.kind == "missing_result" for label in one.quotes}
    taken = read_source(f"{session.name}.jsonl", session.jsonl().encode(), explicit=True)
    assert isinstance(taken, SourceTaken)
    by_kind = {
        kind: Counter(message.tool_use_id for message in taken.sessions[0].messages if message.kind == kind)
        for kind in ("tool_call", "tool_result")
    }
    assert set(by_kind["tool_call"]) - set(by_kind["tool_result"]) == lost
    assert set(by_kind["tool_result"]) <= set(by_kind["tool_call"])
    assert all(count == 1 for counts in by_kind.values() for count in counts.values())


def test_some_sessions_are_long() -> None:
    long = [
        session
        for session in SESSIONS
        if len(read_source("a.jsonl", session.jsonl().encode(), explicit=True).sessions[0].messages) > 60
    ]
    assert len(long) >= 3


def test_names_are_unique_and_a_file_holds_one_split() -> None:
    assert len({session.name for session in SESSIONS}) == len(SESSIONS) >= 80
    assert all(session.file.startswith(f"{session.split}_") for session in SESSIONS)


def test_every_decoy_stands_in_six_sessions_and_in_both_languages_and_splits() -> None:
    named = {decoy for session in SESSIONS for decoy in session.decoys}
    assert named == set(DECOYS)
    for decoy in DECOYS:
        holding = [session for session in SESSIONS if decoy in session.decoys]
        assert len(holding) >= 6, decoy
        assert {"ko", "en"} <= {session.language for session in holding}, decoy
        assert {session.split for session in holding} >= {"fit", "held"}, decoy


@pytest.mark.long
def test_who_finds_all_that_is_planted_scores_one(scorer: ModuleType) -> None:
    findings = [
        scorer.Finding(session.name, one.kind, message_indexes=frozenset(session.indexes(label, scorer.read_planted(session))))
        for session in SESSIONS
        for one in session.expectations
        for label in list(one.quotes)[:1]
    ]
    outcomes = Counter(judged.outcome for judged in scorer.judge(SESSIONS, findings))
    assert outcomes["right"] == sum(one.required for session in SESSIONS for one in session.expectations)
    assert not outcomes["false"] and not outcomes["missed"]


def test_a_second_finding_another_kind_and_another_message_are_false(scorer: ModuleType) -> None:
    session = next(one for one in SESSIONS if one.name == "en-uv-run-pytest")
    cited = session.tool_use_id("p2")
    findings = [
        scorer.Finding(session.name, "changed_input", frozenset({cited})),
        scorer.Finding(session.name, "changed_input", frozenset({cited})),
        scorer.Finding(session.name, "reverted", frozenset({cited})),
        scorer.Finding(session.name, "changed_input", frozenset({session.tool_use_id("l1")})),
    ]
    outcomes = [judged.outcome for judged in scorer.judge([session], findings)]
    assert outcomes == ["right", "false", "false", "false"]
    assert [judged.outcome for judged in scorer.judge([session], findings[2:])] == ["false", "false", "missed"]


def test_what_may_be_found_counts_neither_way(scorer: ModuleType) -> None:
    session = next(one for one in SESSIONS if one.name == "ko-거절-삭제")
    allowed = scorer.Finding(session.name, "user_correction", frozenset({session.tool_use_id("x1")}))
    judged = list(scorer.judge([session], [allowed]))
    assert [one.outcome for one in judged] == ["allowed", "missed"]
    assert "precision -     recall 0.000" in scorer.table(judged)


def test_a_finding_of_a_session_that_is_not_planted_is_refused(scorer: ModuleType) -> None:
    with pytest.raises(ValueError, match="which is not planted"):
        list(scorer.judge(SESSIONS, [scorer.Finding("nobody", "reverted")]))
