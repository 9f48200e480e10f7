"""A bundle that another program collected is read as a session."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from memory_assets.sessions.model import Session, SourceSkipped, SourceTaken
from memory_assets.sessions.reading import read_source
from memory_assets_tests.sessions.readers.test_other_formats import told

BUNDLE: dict[str, Any] = {
    "schema_version": "context_bundle.v1",
    "bundle_id": "run-17",
    "source": "ci",
    "project": "shop",
    "agents": [{"id": "a1", "role": "coder", "model": "m-1", "prompt_version": 3, "prompt": "You write Go.\nTests first."}],
    "events": [
        {"id": "e1", "ts": "2026-03-01T09:00:00Z", "actor_type": "human", "event_type": "message", "content": "고쳐 주세요."},
        {
            "id": "e2",
            "ts": "2026-03-01T09:00:05Z",
            "actor_type": "ai",
            "actor_id": "a1",
            "event_type": "tool_call",
            "content": {"command": "go test ./..."},
            "meta": {"tool": "Bash", "call_id": "c1"},
        },
        {
            "id": "e3",
            "ts": "2026-03-01T09:00:09Z",
            "actor_type": "tool",
            "actor_id": "Bash",
            "event_type": "error",
            "content": "no Go files",
            "meta": {"call_id": "c1"},
        },
        {"id": "result", "actor_type": "ai", "actor_id": "a1", "event_type": "message", "content": "The module is elsewhere."},
        {"id": "e5", "actor_type": "ai", "event_type": "code_change", "content": "--- a\n+++ b"},
        {"id": "e6", "actor_type": "system", "event_type": "message", "content": "The build ended."},
    ],
    "result": {"outcome": "failure", "summary": "red", "metrics": {"tests": 3}, "errors": ["exit 1"]},
    "feedback": [
        {"source": "user", "rating": 2, "comment": "앞으로는 모듈부터 확인해 주세요."},
        {"source": "system", "comment": "slow"},
    ],
}


def bundle(**changes: Any) -> bytes:
    return json.dumps({**BUNDLE, **changes}, ensure_ascii=False).encode()


def session(data: bytes) -> Session:
    outcome = read_source("/bundles/17.json", data, explicit=True)
    assert isinstance(outcome, SourceTaken), outcome
    (found,) = outcome.sessions
    return found


def test_agents_events_result_and_feedback_are_messages() -> None:
    found = session(bundle())
    assert (found.source_format, found.source_id, found.project) == ("context_bundle", "run-17", "shop")
    assert told(found.messages) == [
        ("system", "injected", "role: coder\nmodel: m-1\nprompt_version: 3\n\nYou write Go.\nTests first."),
        ("user", "said", "고쳐 주세요."),
        ("assistant", "tool_call", '{"command":"go test ./..."}'),
        ("tool", "tool_result", "no Go files"),
        ("assistant", "said", "The module is elsewhere."),
        ("assistant", "tool_call", "--- a\n+++ b"),
        ("system", "injected", "The build ended."),
        ("system", "injected", "outcome: failure\nsummary: red\ntests: 3\nerror: exit 1"),
        ("system", "injected", "rating: 2"),
        ("user", "said", "앞으로는 모듈부터 확인해 주세요."),
        ("system", "injected", "slow"),
    ]
    call, failure = found.messages[2:4]
    assert (call.tool_name, call.tool_use_id, call.name) == ("Bash", "c1", "a1")
    assert (failure.tool_use_id, failure.is_error, failure.tool_name) == ("c1", True, "Bash")
    uids = [message.uid for message in found.messages]
    assert uids == [
        "agent:a1",
        "e1",
        "e2",
        "e3",
        "event:result",
        "e5",
        "e6",
        "result",
        "feedback:0",
        "feedback:0#1",
        "feedback:1",
    ]


def test_the_schema_describes_what_is_read() -> None:
    shipped = files("memory_assets.sessions.readers").joinpath("context_bundle.schema.json").read_text(encoding="utf-8")
    jsonschema.Draft202012Validator.check_schema(json.loads(shipped))
    jsonschema.validate(json.loads(bundle()), json.loads(shipped))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**BUNDLE, "events": [{"actor_type": "cat"}]}, json.loads(shipped))


def test_what_is_wrong_with_a_bundle_is_named_and_the_rest_is_read() -> None:
    broken = bundle(agents=["coder"], events=["x", {"actor_type": "cat", "content": "Meow."}], feedback=[{}], result=7)
    outcome = read_source("/bundles/17.json", broken, explicit=True)
    assert isinstance(outcome, SourceTaken)
    assert told(outcome.sessions[0].messages) == [("assistant", "said", "Meow.")]
    assert [defect.reason for defect in outcome.defects if defect.reason != "missing_time"] == [
        "malformed_record",
        "malformed_record",
        "unknown_record",
        "malformed_record",
    ]


@pytest.mark.parametrize("value", [bundle(events=[], feedback=None), bundle(events=[], agents=[], result=None, feedback=None)])
def test_a_bundle_in_which_nobody_speaks(value: bytes) -> None:
    assert isinstance(read_source("/bundles/17.json", value), SourceSkipped)


def test_the_context_that_agents_are_given_is_no_bundle() -> None:
    context = {"schema_version": "context_bundle.v1", "query": "x", "sections": []}
    assert not isinstance(read_source("/bundles/17.json", json.dumps(context).encode()), SourceTaken)


def test_numbers_that_json_cannot_hold_are_read_as_they_stand() -> None:
    told_of = bundle(
        events=[{**BUNDLE["events"][1], "content": {"loss": float("nan")}}], result={"metrics": {"x": float("inf")}}
    )
    assert {'{"loss":NaN}', "outcome: unknown\nx: Infinity"} <= {message.text for message in session(told_of).messages}


def test_several_bundles_in_one_file_and_one_without_an_id() -> None:
    both = [{**BUNDLE, "bundle_id": 1}, {key: value for key, value in BUNDLE.items() if key != "bundle_id"}]
    outcome = read_source("/bundles/17.json", json.dumps(both).encode(), explicit=True)
    assert isinstance(outcome, SourceTaken)
    assert [one.source_id for one in outcome.sessions] == ["1", "/bundles/17.json#2"]
    assert "invalid_session_id" in [defect.reason for defect in outcome.defects]
