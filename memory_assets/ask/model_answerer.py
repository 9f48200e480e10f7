"""The answerer with a model: it may say only what its evidence says, and where it fails the quotes answer.

What a model says is taken apart into statements, each is held to the evidence that it cites, and what does not hold is struck.
Where nothing is left, or nothing came, the answer is the extractive one and says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memory_assets.ask.answers import AnsweredBy, answer_v1, citation_of, refused, standing
from memory_assets.ask.marks import MARK, MarkFilter, mark_of, numbers_of
from memory_assets.ask.model import Aborted, Declined, Failed, LanguageModel, Said, Used
from memory_assets.ask.packing import Packed, asked_words, packed
from memory_assets.ask.prompt import PROMPT_VERSION, says_insufficient
from memory_assets.ask.statements import Statement, Struck, Verified, statements_of, verified
from memory_assets.ask.support import Span, support_of
from memory_assets.providers.spending import Refused, Reserved, Spending
from memory_assets.results.answer import AnswerCitationV1, ClaimV1, ModelRefV1, TokenUsageV1, VerificationV1

if TYPE_CHECKING:
    from memory_assets.ask.answerer import Answerer, Listen
    from memory_assets.ask.asker import Considered
    from memory_assets.results.answer import AnswerV1

_CUT: Final = {
    "length": "the model's answer was cut at its greatest length",
    "time": "the model's answer was cut: it took too long",
}


@dataclass(frozen=True, slots=True)
class ModelAnswerer:
    """Answers with a model.

    Attributes:
        fallback: answers where the model does not.
        spending: what an answer and a day may cost.
        prompt_tokens: of the rules, the question and the evidence together.
        embedding: the embedding model's name.
    """

    model: LanguageModel
    fallback: Answerer
    spending: Spending
    prompt_tokens: int
    embedding: str

    def answer(self, seen: Considered, listen: Listen | None = None) -> AnswerV1:
        """See ``Answerer.answer``.

        Raises:
            InvalidArgumentError: the budget of tokens does not hold the question.
        """
        sent = packed(seen, self.prompt_tokens)
        reserved = self.spending.reserve(self.model.price(sent.tokens))
        if isinstance(reserved, Refused):
            return self._fallen_back(seen, f"was not asked: {reserved.why}")
        outcome = self.model.said(sent.talk, _draft(sent, listen))
        usage = self._usage(outcome.used, reserved)
        match outcome:
            case Failed(why):
                return self._fallen_back(seen, f"did not answer: {why}", usage)
            case Declined():
                return refused(seen, "llm_self_judge", self.embedding, by=self._by(usage))
            case Aborted(text):
                return self._aborted(seen, sent, text, usage)
            case Said(text) if says_insufficient(text):
                return refused(seen, "llm_self_judge", self.embedding, by=self._by(usage))
            case Said(text, _, cut):
                return self._verified(seen, sent, text, usage, [_CUT[cut]] if cut else [])

    def _verified(self, seen: Considered, sent: Packed, text: str, usage: TokenUsageV1, notes: list[str]) -> AnswerV1:
        """What of an answer holds; where nothing does, the quotes with what was struck."""
        held = verified(statements_of(text), sent.given, asked_words(seen))
        if not held.kept:
            why = "said nothing that its evidence says"
            return self._fallen_back(seen, why, usage, held)
        told = _told(sent, held)
        passages = [(number, sent.piece(number).passage) for number in held.cited]
        return answer_v1(
            seen.request,
            seen=seen,
            answer=held.text,
            grounded=True,
            citations=told.citations,
            claims=(*told.claims, *_struck(held)),
            model=self.embedding,
            used=len(held.cited),
            notes=(*notes, *standing(passages), *seen.found.response.notes),
            by=self._by(usage, held),
        )

    def _aborted(self, seen: Considered, sent: Packed, text: str, usage: TokenUsageV1) -> AnswerV1:
        """What was said until somebody stopped it: kept as it was said, and not called grounded."""
        marks = MarkFilter([one.number for one in sent.given])
        said = f"{marks.shown(text)}{marks.rest()}".strip()
        if not said:
            return refused(seen, "llm_stream_aborted", self.embedding, by=self._by(usage))
        held = verified(statements_of(said), sent.given, asked_words(seen))
        told = _told(sent, held, also=[number for mark in MARK.finditer(said) for number in numbers_of(mark[0])])
        return answer_v1(
            seen.request,
            seen=seen,
            answer=said,
            grounded=False,
            reason="llm_stream_aborted",
            citations=told.citations,
            claims=(*told.claims, *_struck(held)),
            model=self.embedding,
            used=len(told.citations),
            notes=("the answer was stopped before its end", *seen.found.response.notes),
            by=self._by(usage, held),
        )

    def _fallen_back(
        self, seen: Considered, why: str, usage: TokenUsageV1 | None = None, held: Verified | None = None
    ) -> AnswerV1:
        """The answer without the model, which says so; with what was struck of the model's."""
        answer = self.fallback.answer(seen)
        note = f"the model {self.model.settings.model} {why}; the answer is quotes alone"
        return answer.model_copy(
            update={
                "notes": (note, *answer.notes),
                "claims": (*answer.claims, *(_struck(held) if held else ())),
                "usage": usage or answer.usage,
                "verification": _verification(held) if held else None,
            }
        )

    def _by(self, usage: TokenUsageV1, held: Verified | None = None) -> AnsweredBy:
        name = self.model.settings.model
        provider = name.partition("/")[0] if "/" in name else "litellm"
        return AnsweredBy(ModelRefV1(id=name, provider=provider), PROMPT_VERSION, usage, _verification(held))

    def _usage(self, used: Used, reserved: Reserved) -> TokenUsageV1:
        return TokenUsageV1(
            prompt_tokens=used.prompt_tokens,
            completion_tokens=used.completion_tokens,
            cost_usd=used.cost_usd,
            left_today_usd=self.spending.settle(reserved, used.cost_usd),
        )


@dataclass(frozen=True, slots=True)
class _Told:
    """The statements that hold, each with its words, and a citation for each mark."""

    claims: tuple[ClaimV1, ...]
    citations: tuple[AnswerCitationV1, ...]


def _draft(sent: Packed, listen: Listen | None) -> Listen | None:
    """Tells a listener what may be shown of what comes: of marks only those that are whole and known."""
    if listen is None:
        return None
    marks = MarkFilter([one.number for one in sent.given])

    def hear(piece: str) -> None:
        if shown := marks.shown(piece):
            listen(shown)

    return hear


def _told(sent: Packed, held: Verified, also: list[int] | None = None) -> _Told:
    """The statements and citations of what holds.

    Args:
        also: numbers that need a citation though no statement that holds has them.
    """
    rests: dict[int, list[Span]] = {number: [] for number in (*held.cited, *(also or ()))}
    claims = []
    for statement in held.kept:
        spans = [support_of(statement, sent.piece(number)) for number in statement.marks]
        for number, span in zip(statement.marks, spans, strict=True):
            rests[number].append(span)
        claims.append(_claim(sent, statement, spans))
    citations = []
    for number, spans in rests.items():
        piece = sent.piece(number)
        start = min((span[0] for span in spans), default=piece.start)
        end = max((span[1] for span in spans), default=piece.end)
        citations.append(AnswerCitationV1(marker=mark_of([number]), citation=citation_of(piece.passage, start, end)))
    return _Told(tuple(claims), tuple(citations))


def _claim(sent: Packed, statement: Statement, spans: list[Span]) -> ClaimV1:
    pieces = [sent.piece(number) for number in statement.marks]
    return ClaimV1(
        text=statement.text,
        markers=tuple(mark_of([number]) for number in statement.marks),
        quotes=tuple(piece.passage.text[start:end] for piece, (start, end) in zip(pieces, spans, strict=True)),
        time=next((piece.given.time for piece in pieces if piece.given.time and piece.given.time in statement.text), None),
    )


def _struck(held: Verified) -> Iterator[ClaimV1]:
    """The statements that do not hold: they keep no mark, for nothing stands behind it."""
    for one in held.struck:
        yield ClaimV1(text=one.statement.text, is_struck=True, why=_why(one))


def _why(struck: Struck) -> str:
    return f"{struck.why}: {struck.what}" if struck.what else struck.why


def _verification(held: Verified | None) -> VerificationV1:
    if held is None:
        return VerificationV1()
    kept, struck = len(held.kept), len(held.struck)
    return VerificationV1(statements=kept + struck, kept=kept, struck=struck)
