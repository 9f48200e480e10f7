"""Answers and refusals as they are given out: text with marks, a citation for each mark, and how it came about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from memory_assets.ask.extractive import Quote, language_of
from memory_assets.citations.addresses import SpanCitation
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.results.answer import (
    AnswerCitationV1,
    AnswerRetrievalV1,
    AnswerV1,
    ClaimV1,
    ModelRefV1,
    TokenUsageV1,
    VerificationV1,
)
from memory_assets.results.citation import CitationV1
from memory_assets.search.answerability.calibration import calibration
from memory_assets.search.answerability.corrected import corrections_before
from memory_assets.search.answerability.sureness import shipped

if TYPE_CHECKING:
    from memory_assets.ask.asker import Considered
    from memory_assets.ask.request import AskRequest
    from memory_assets.ask.said_dates import Language
    from memory_assets.search.answerability.passages import Passage
    from memory_assets.vectors.errors import IndexMissingError
    from memory_assets.vocabulary import RefusalReason

EXTRACTIVE: Final = ModelRefV1(id="extractive", provider="memory_assets")
NEAREST: Final = 3
"""Candidates that a refusal shows."""
_SHOWN_UNKNOWN: Final = 6
_NEAREST_CHARACTERS: Final = 160

_SAYS: Final[dict[RefusalReason, dict[Language, str]]] = {
    "score_gate": {"en": "Nothing that was said answers this.", "ko": "이 질문에 답하는 말은 기록에 없습니다."},
    "attribution": {
        "en": "Nobody whom the question names said anything of this; others did.",
        "ko": "질문이 말하는 사람은 이것을 말하지 않았습니다. 다른 사람이 말했습니다.",
    },
    "no_index": {"en": "Nothing can be searched: the index is missing.", "ko": "검색할 색인이 없습니다."},
    "no_chunks": {"en": "Nothing was found.", "ko": "찾은 것이 없습니다."},
    "llm_self_judge": {
        "en": "The model says that what was found does not answer this.",
        "ko": "모델은 찾은 것이 이 질문에 답하지 않는다고 합니다.",
    },
    "llm_stream_aborted": {"en": "The answer was stopped before it said anything.", "ko": "답이 시작되기 전에 멈췄습니다."},
    "multi_hop_decompose_failed": {
        "en": "The question cannot be taken apart into five questions at most.",
        "ko": "질문을 다섯 개 이하의 질문으로 나눌 수 없습니다.",
    },
    "nli_verification_failed": {
        "en": "The answer does not follow from what was said.",
        "ko": "답이 기록된 말에서 따라 나오지 않습니다.",
    },
    "nli_model_unavailable": {
        "en": "Nobody can judge whether an answer follows from what was said.",
        "ko": "답이 기록된 말에서 따라 나오는지 판단할 모델이 없습니다.",
    },
}

_ELSEWHERE: Final[dict[Language, str]] = {
    "en": "영어로 된 글에만 있을 수 있습니다. 영어로 물어보세요.",
    "ko": "Only text in Korean could hold it: ask in Korean.",
}
"""Where only text of another language than the question's could hold it."""


def answered(seen: Considered, quotes: Sequence[Quote], model: str) -> AnswerV1:
    """An answer of quotes, a line each: when and who, the words, the mark.

    Args:
        model: the embedding model's name.
    """
    lines, citations, claims = [], [], []
    quotes = corrections_before(quotes, lambda quote: quote.passage)
    for number, quote in enumerate(quotes, start=1):
        marker = f"[{number}]"
        who = _speaker(seen, quote)
        led = ", ".join(part for part in (quote.time, who) if part)
        words = " ".join(quote.text.split())
        said = f"{led}: {words}" if led else words
        lines.append(f"{said} {marker}")
        citations.append(AnswerCitationV1(marker=marker, citation=citation_of(quote.passage, quote.start, quote.end)))
        claims.append(ClaimV1(text=said, markers=(marker,), quotes=(quote.text,), time=quote.time))
    used = len({quote.passage.place for quote in quotes})
    return answer_v1(
        seen.request,
        seen=seen,
        answer="\n".join(lines),
        grounded=True,
        citations=tuple(citations),
        claims=tuple(claims),
        model=model,
        used=used,
        notes=(*standing(enumerate((quote.passage for quote in quotes), start=1)), *seen.found.response.notes),
    )


def refused(
    seen: Considered, reason: RefusalReason, model: str, *, by: AnsweredBy | None = None, notes: Sequence[str] = ()
) -> AnswerV1:
    """A refusal: what is not known, and the nearest candidates.

    Args:
        by: who refuses; None for the quotes alone.
        notes: what a person should know of it besides.
    """
    language = language_of(seen.question.text)
    unknown = (seen.sure.unknown or seen.question.unseen)[:_SHOWN_UNKNOWN]
    said = [_SAYS[reason][language]]
    if unknown:
        named = ", ".join(unknown)
        said.append(f"Nothing is known about: {named}." if language == "en" else f"알려진 것이 없습니다: {named}.")
    retrieval = seen.found.response.retrieval
    if retrieval is not None and retrieval.other_language is not None:
        said.append(_ELSEWHERE[retrieval.other_language])
    nearest = [
        AnswerCitationV1(marker=None, citation=citation_of(passage, *_nearest_span(passage)))
        for passage, _ in seen.graded[:NEAREST]
    ]
    return answer_v1(
        seen.request,
        seen=seen,
        answer=" ".join(said),
        grounded=False,
        reason=reason,
        citations=tuple(nearest),
        model=model,
        notes=(*notes, *seen.found.response.notes),
        by=by,
    )


def refused_undivided(request: AskRequest) -> AnswerV1:
    """A refusal where several hops are wanted and the question cannot be taken apart."""
    reason: RefusalReason = "multi_hop_decompose_failed"
    said = _SAYS[reason][language_of(request.question)]
    return answer_v1(request, seen=None, answer=said, grounded=False, reason=reason)


def refused_without_index(request: AskRequest, error: IndexMissingError) -> AnswerV1:
    """A refusal where there are units and no table to find them in."""
    said = _SAYS["no_index"][language_of(request.question)]
    return answer_v1(request, seen=None, answer=said, grounded=False, reason="no_index", notes=(str(error),))


@dataclass(frozen=True, slots=True)
class AnsweredBy:
    """A model that answered, by its prompt; what it took, and how its statements were held to the evidence."""

    model: ModelRefV1
    prompt_version: str
    usage: TokenUsageV1
    verification: VerificationV1


def answer_v1(
    request: AskRequest,
    *,
    seen: Considered | None,
    answer: str,
    grounded: bool,
    reason: RefusalReason | None = None,
    citations: tuple[AnswerCitationV1, ...] = (),
    claims: tuple[ClaimV1, ...] = (),
    model: str | None = None,
    used: int = 0,
    notes: tuple[str, ...] = (),
    by: AnsweredBy | None = None,
) -> AnswerV1:
    """An answer as it is given out.

    Args:
        seen: what it is made of; None where nothing was searched.
        model: the embedding model's name.
        used: messages that it cites.
        by: the model that answered; None for the quotes alone.
    """
    return AnswerV1(
        question=request.question,
        answer=answer,
        citations=citations,
        grounded=grounded,
        refusal_reason=reason,
        model=by.model if by else EXTRACTIVE,
        embedding=_embedding(seen, model),
        prompt_template_version=by.prompt_version if by else f"extractive-v{calibration().version}",
        retrieval=_retrieval(request, seen, used),
        claims=claims,
        verification=by.verification if by else None,
        usage=by.usage if by else TokenUsageV1(),
        created_at=datetime.now(UTC),
        conversation_id=request.conversation.conversation_id if request.conversation else None,
        turn_index=request.conversation.turn_index if request.conversation else None,
        notes=notes,
    )


def _embedding(seen: Considered | None, model: str | None) -> ModelRefV1 | None:
    """What made the vectors, where they took part."""
    if seen is None or model is None or seen.found.response.mode == "lexical":
        return None
    return ModelRefV1(id=model, provider="memory_assets" if model == "hashing" else "sentence-transformers")


def _retrieval(request: AskRequest, seen: Considered | None, used: int) -> AnswerRetrievalV1:
    if seen is None:
        gate = shipped().gate(within=request.project is not None)
        return AnswerRetrievalV1(
            trace_id=_trace(request, ()),
            mode="lexical",
            k=request.search().k or 0,
            score_gate=gate,
            chunks_returned=used,
            chunks_used=used,
            # A list is read off, and nothing has to be guessed.
            answerability=float(used > 0),
        )
    response = seen.found.response
    return AnswerRetrievalV1(
        trace_id=_trace(request, [hit.unit_id for hit in response.hits]),
        mode=response.mode,
        k=response.k or 0,
        score_gate=seen.sure.gate,
        top_score=round(max((hit.score for hit in response.hits), default=0.0), 6),
        chunks_returned=len(response.hits),
        chunks_used=used,
        answerability=seen.sure.value,
        answerability_parts={name: round(value, 6) for name, value in seen.sure.parts.items()},
        unseen=seen.sure.evidence.unseen,
        speakers=tuple(sorted(seen.question.names)),
    )


def _trace(request: AskRequest, unit_ids: Sequence[str]) -> str:
    return "ret_" + sha256_hex(canonical_json([request.question, request.project, list(unit_ids)]))[:16]


def _speaker(seen: Considered, quote: Quote) -> str | None:
    """Who said it, where that matters: where speakers have names and the question does not name this one alone."""
    speaker = quote.passage.speaker
    return speaker if speaker is not None and seen.question.names != {speaker} else None


def standing(cited: Iterable[tuple[int, Passage]]) -> list[str]:
    """What is known of cited passages, by their numbers: that they correct others, no longer hold or are contradicted."""
    notes = []
    for number, passage in cited:
        if passage.instead_of:
            old = ", ".join(dict.fromkeys(_address(part) for part in passage.instead_of))
            notes.append(f"[{number}] was said on {passage.said_at:%Y-%m-%d} to correct {old}")
        hit = passage.hit
        if hit.unit_kind == "entry" and hit.status in ("superseded", "contested"):
            notes.append(f"[{number}] is {hit.status}: see `memory show {hit.id}`")
    return notes


def _address(passage: Passage) -> str:
    session_id, index = passage.place
    return SpanCitation(session_id, index, ((passage.start, passage.end),)).uri


def citation_of(passage: Passage, start: int, end: int) -> CitationV1:
    """Characters of a passage's message, as they are cited."""
    session_id, index = passage.place
    hit = passage.hit
    label = f"{hit.title or hit.project or session_id}".strip()
    return CitationV1.of(
        SpanCitation(session_id, index, ((start, end),)),
        id=hit.id if hit.unit_kind == "entry" else None,
        path=getattr(hit.citations[0], "path", None) if hit.citations else None,
        role=passage.role,
        name=passage.speaker,
        ts=passage.said_at.replace(tzinfo=UTC) if passage.said_at.tzinfo is None else passage.said_at,
        quote=passage.text[start:end],
        label=label,
    )


def _nearest_span(passage: Passage) -> tuple[int, int]:
    """The beginning of a passage, as far as a line shows it."""
    if passage.sentences:
        return passage.sentences[0].start, passage.sentences[0].end
    return passage.start, min(passage.end, passage.start + _NEAREST_CHARACTERS)
