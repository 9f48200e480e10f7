import json
from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from memory_assets.citations.addresses import MessageCitation, SpanCitation, parse_citation
from memory_assets.results.citation import CitationV1
from memory_assets.results.error import ErrorV1
from memory_assets.results.search import BulkSearchItemV1, LegPlaceV1, SearchHitV1, SearchResponseV1

SPAN = SpanCitation("ab-1", 12, ((140, 182), (190, 200)))


def response() -> SearchResponseV1:
    citation = CitationV1.of(
        SPAN, id="mem:a7Bc3x", role="user", ts=datetime(2026, 2, 9, tzinfo=UTC), quote="로그를 지우자", label="배포, user"
    )
    hit = SearchHitV1(
        rank=1,
        score=0.9,
        unit_id="u1",
        unit_kind="entry",
        id="mem:a7Bc3x",
        title="배포",
        snippet="로그를 지우자",
        session_id="ab-1",
        citations=(citation,),
        legs={"lexical": LegPlaceV1(rank=1, score=4.2, score_kind="bm25")},
    )
    return SearchResponseV1(query="로그", mode="hybrid", channels=("lexical", "vector"), hits=(hit,))


def test_a_response_reads_back_as_itself() -> None:
    assert SearchResponseV1.model_validate_json(response().model_dump_json()) == response()


def test_every_object_names_its_schema() -> None:
    printed = json.loads(response().model_dump_json())
    assert printed["schema_version"] == "search_response.v1"
    assert printed["hits"][0]["schema_version"] == "search_hit.v1"
    citation = printed["hits"][0]["citations"][0]
    assert citation["schema_version"] == "citation.v1"
    assert (citation["kind"], citation["session_id"], citation["message_index"]) == ("message", "ab-1", 12)
    assert (citation["span_start"], citation["span_end"]) == (140, 200)
    assert parse_citation(citation["uri"]) == SPAN
    assert citation["quote"] == "로그를 지우자"


def test_a_whole_message_has_no_span() -> None:
    citation = CitationV1.of(MessageCitation("ab-1", 3))
    assert (citation.span_start, citation.span_end, citation.segments) == (None, None, ())
    assert citation.label == "session:ab-1#m=3"


def test_a_hit_without_citation_is_not_cited_whatever_it_says() -> None:
    hit = SearchHitV1.model_validate({"rank": 1, "score": 1, "unit_id": "u", "unit_kind": "task", "is_cited": True})
    assert not hit.is_cited
    assert response().hits[0].is_cited


def test_newer_fields_are_left_aside() -> None:
    data = json.loads(response().model_dump_json()) | {"added_later": 1}
    assert SearchResponseV1.model_validate(data) == response()


def test_a_bulk_line_holds_an_answer_or_an_error() -> None:
    answered = BulkSearchItemV1(id="q1", response=response()).model_dump(mode="json")
    assert answered.keys() == {"schema_version", "id", "response"}
    failed = BulkSearchItemV1(id="q2", error=ErrorV1(code="invalid_argument", message="empty\nquestion")).model_dump(
        mode="json"
    )
    assert failed.keys() == {"schema_version", "id", "error"}
    with pytest.raises(ValidationError):
        BulkSearchItemV1(id="q3")
    with pytest.raises(ValidationError):
        BulkSearchItemV1(id="q4", response=response(), error=ErrorV1(code="generic", message="both"))
