"""How well an answer meets what a golden question expects of it.

* ``answer_recall``: the share of the telling words of the expected answer that stand in the answer; 0 of a refusal. Of several
  ways to say it the one counts that is met best.
* ``citation_precision``: the share of an answer's citations that are at an expected address; ``citation_recall``: the share of
  the expected addresses that some citation is at. A refusal has neither.
* ``answered``: 1 where a question that can be answered is; ``refused``: 1 where one that cannot is not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.ask.marks import MARK
from memory_assets.ask.request import AskRequest
from memory_assets.errors import MemoryAssetsError
from memory_assets.log.payloads.question_result import QuestionResult
from memory_assets.search.answerability.question import tokens_of
from memory_assets.search.evaluation.golden import GoldenQuestion, GoldenSuite, is_address
from memory_assets.search.evaluation.measures import Delivered, holds, is_at, not_asked, share
from memory_assets.search.question.terms import query_terms
from memory_assets.text.particles import is_hangul, stems

if TYPE_CHECKING:
    from memory_assets.ask.asker import Asker
    from memory_assets.results.answer import AnswerV1


def answer_suite(
    suite: GoldenSuite, asker: Asker, known: Collection[str], mode: str | None, advance: Callable[[], None]
) -> Iterator[QuestionResult]:
    """Ask every question; one that fails is measured as missed, and the others are asked all the same.

    Args:
        known: the addresses that name something.
        mode: one for all questions; None for what each says.
        advance: called behind each question.
    """
    expecting = [question for question in suite.questions if question.expects_answer]
    answers = asker.ask_all([_request(question, mode) for question in expecting])
    for question in suite.questions:
        if question.expects_answer:
            yield measured(question, next(answers), gone=sum(address not in known for address in question.expected))
        else:
            yield not_asked(question)
        advance()


def measured(question: GoldenQuestion, answer: AnswerV1 | MemoryAssetsError, *, gone: int = 0) -> QuestionResult:
    """The numbers of one question.

    Args:
        gone: expected addresses that name nothing any more; they are missed like any other.
    """
    told: dict[str, Any] = {
        "question_id": question.question_id, "question_hash": question.question_hash, "k": question.k, "gone": gone
    }  # fmt: skip
    if isinstance(answer, MemoryAssetsError):
        told |= {"answer_recall": 0.0} if question.answers else {}
        return QuestionResult(**told, **_outcome(question, is_answered=question.unanswerable), error=answer.code)
    cited = _cited(answer)
    met = share(any(is_at(one, address) for address in question.expected) for one in cited) if question.expected else None
    return QuestionResult(
        **told,
        **_outcome(question, is_answered=answer.grounded),
        delivered=len(cited),
        forbidden=sum(any((is_at if is_address(no) else holds)(one, no) for no in question.forbidden) for one in cited),
        answer_recall=_said(question, answer) if question.answers else None,
        citation_precision=met,
        citation_recall=share(any(is_at(one, address) for one in cited) for address in question.expected) if cited else None,
        answerability=answer.retrieval.answerability,
    )


def _request(question: GoldenQuestion, mode: str | None) -> AskRequest:
    asked: dict[str, Any] = {"mode": mode or question.mode or "auto", "project": question.project}
    return AskRequest(question.query, log=False, **asked)


def _outcome(question: GoldenQuestion, *, is_answered: bool) -> dict[str, Any]:
    return {"refused": float(not is_answered)} if question.unanswerable else {"answered": float(is_answered)}


def _cited(answer: AnswerV1) -> list[Delivered]:
    """What an answer rests on; what a refusal names as nearest is none of it."""
    cited = [one.citation for one in answer.citations if one.marker]
    return [Delivered((one.id,) if one.id else (), (one.uri,), one.quote or "") for one in cited]


def _said(question: GoldenQuestion, answer: AnswerV1) -> float:
    if not answer.grounded:
        return 0.0
    said = MARK.sub(" ", answer.answer)
    return max(_recall(expected, said) for expected in question.answers)


def _recall(expected: str, said: str) -> float:
    """The share of the telling words that stand there, in whatever form."""
    tokens, words = tokens_of(said), said.split()
    wanted = query_terms(expected)
    return sum(max(term.held_by(tokens), _begins_a_word(term.text, words)) for term in wanted) / len(wanted) if wanted else 0.0


def _begins_a_word(text: str, words: Sequence[str]) -> float:
    """1 where a Korean word stands there with other particles behind it; what they are glued to may be a syllable."""
    return float(is_hangul(text[-1]) and any(word.startswith(tuple(stems(text))) for word in words))
