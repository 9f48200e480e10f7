"""The payload of every event type: it comes back as it went in, and what stands at its default is not written."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_assets.extraction.schema import ExtractedEntry, Quote, StatusAt
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.batches import rows_of
from memory_assets.log.events import NewEvent, StoredEvent, payload_text
from memory_assets.log.payloads.base import Payload
from memory_assets.log.payloads.catalogue import CHAIN, PAYLOADS
from memory_assets.log.payloads.entries import EntryMaterialized, WindowExtracted
from memory_assets.log.upcasting import read_payload
from memory_assets.sessions.model import Message
from memory_assets.vocabulary import PIPELINE_STAGES

st.register_type_strategy(datetime, st.datetimes(timezones=st.just(UTC)))
st.register_type_strategy(
    Message,
    st.builds(
        Message,
        uid=st.text(),
        role=st.sampled_from(["user", "assistant", "tool", "system"]),
        kind=st.sampled_from(["said", "thinking", "tool_call", "tool_result", "injected"]),
        text=st.text(),
        ts=st.none() | st.datetimes(timezones=st.just(UTC)),
        name=st.none() | st.text(),
        sidechain=st.booleans(),
    ),
)
st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
EVERY = sorted(PAYLOADS)


def stored(payload: Payload, text: str | None = None, version: int | None = None) -> StoredEvent:
    """As the log would hold it."""
    told = payload_text(payload) if text is None else text
    return StoredEvent(
        seq=1,
        event_id="ev_1",
        ts=datetime(2026, 1, 1),
        event_type=payload.event_type,
        actor="pipeline",
        session_id=None,
        payload_json=told,
        checksum=sha256_hex(told),
        occurred_at=None,
        payload_version=payload.payload_version if version is None else version,
        causation_id=None,
        stage_version=None,
        chain_id=None,
        project=None,
        build_id=None,
        telemetry_json=None,
    )


@pytest.mark.parametrize("event_type", EVERY)
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_payload_comes_back_as_it_went_in(event_type: str, data: st.DataObject) -> None:
    payload = data.draw(st.from_type(PAYLOADS[event_type]))
    text = payload_text(payload)
    assert read_payload(stored(payload)) == payload
    assert payload_text(read_payload(stored(payload))) == text
    assert canonical_json(json.loads(text)) == text
    rows = rows_of([NewEvent(payload)])
    assert (rows.payloads, rows.checksums) == ((text,), (sha256_hex(text),))


def test_every_type_has_one_model_and_its_own_name() -> None:
    classes = set(_models(Payload))
    assert classes == set(PAYLOADS.values())
    assert {model.event_type for model in classes} == set(PAYLOADS)
    assert all(model.payload_version >= 1 for model in classes)


def _models(base: type[Payload]) -> list[type[Payload]]:
    found = []
    for model in base.__subclasses__():
        if model.__module__.startswith("memory_assets."):
            found += [model, *_models(model)]
    return found


def test_every_stage_has_its_event() -> None:
    assert tuple(CHAIN) == PIPELINE_STAGES
    assert set(CHAIN.values()) <= set(PAYLOADS)


def test_a_default_is_not_written_so_a_new_field_changes_no_checksum() -> None:
    payload = PAYLOADS["session_forgotten"](reason="asked")  # type: ignore[call-arg]
    assert payload_text(payload) == '{"reason":"asked"}'
    assert payload_text(PAYLOADS["source_taken"](registration_event_id="r", uri="u", file_hash="f")) == (  # type: ignore[call-arg]
        '{"file_hash":"f","registration_event_id":"r","uri":"u"}'
    )


def test_a_field_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="spans"):
        PAYLOADS["session_forgotten"](reason="asked", spans=[1, 2])  # type: ignore[call-arg]


def test_a_payload_cannot_be_changed() -> None:
    payload = PAYLOADS["session_forgotten"](reason="asked")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="frozen"):
        payload.reason = "another"  # type: ignore[attr-defined]


def test_an_entry_without_a_history_is_written_as_ever() -> None:
    entry = ExtractedEntry("task", "t", (Quote(1, "q"),), status="done")
    answer = WindowExtracted(window_hash="h", first_message=0, end_message=2, extractor="r", entries=[entry])
    assert payload_text(answer) == (
        '{"end_message":2,"entries":[{"entry_type":"task","evidence":[{"message_index":1,"quote":"q"}],"status":"done",'
        '"title":"t"}],"extractor":"r","first_message":0,"window_hash":"h"}'
    )
    made = EntryMaterialized(
        entry_id="ent_1", entry_type="task", title="t", canonical_key="t", evidence=[], evidence_aligned=True, message_index=1,
        ordinal=0, status="done", aligner_version="2",
    )  # fmt: skip
    assert payload_text(made) == (
        '{"aligner_version":"2","canonical_key":"t","entry_id":"ent_1","entry_type":"task","evidence":[],"evidence_aligned":true,'
        '"message_index":1,"ordinal":0,"status":"done","title":"t"}'
    )
    steps = [StatusAt("pending", 0), StatusAt("done", 1)]
    told = payload_text(made.model_copy(update={"history": steps}))
    assert '"history":[{"message_index":0,"status":"pending"},{"message_index":1,"status":"done"}]' in told
    assert EntryMaterialized.model_validate_json(told).history == steps
