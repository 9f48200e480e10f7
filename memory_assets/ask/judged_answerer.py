"""An answerer whose answers somebody judges: what does not follow from the words that it cites is no answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.ask.answers import AnsweredBy, refused
from memory_assets.ask.entailment import Entailment, Judged, Unjudged
from memory_assets.results.answer import VerificationV1

if TYPE_CHECKING:
    from memory_assets.ask.answerer import Answerer, Listen
    from memory_assets.ask.asker import Considered
    from memory_assets.results.answer import AnswerV1
    from memory_assets.vocabulary import RefusalReason


@dataclass(frozen=True, slots=True)
class JudgedAnswerer:
    """Gives out the answers of another that a judge lets pass, quotes among them, and none where there is no judge.

    Attributes:
        embedding: the embedding model's name.
    """

    inner: Answerer
    entailment: Entailment
    embedding: str

    def answer(self, seen: Considered, listen: Listen | None = None) -> AnswerV1:
        """See ``Answerer.answer``. Without a judge nobody is asked for an answer."""
        judge = self.entailment.found()
        if isinstance(judge, Unjudged):
            return refused(seen, "nli_model_unavailable", self.embedding, notes=[judge.why])
        answer = self.inner.answer(seen, listen)
        if not answer.grounded:
            return answer
        pairs = [("\n".join(claim.quotes), claim.text) for claim in answer.claims if not claim.is_struck]
        match self.entailment.judged(judge, pairs):
            case Unjudged(why):
                return self._refused(seen, answer, None, why)
            case Judged(score) if score < self.entailment.threshold:
                return self._refused(
                    seen, answer, score, f"the judge gives it {score:.2f}, {self.entailment.threshold:.2f} is asked"
                )
            case Judged(score):
                return answer.model_copy(update={"verification": self._verification(answer, score)})

    def _refused(self, seen: Considered, answer: AnswerV1, score: float | None, why: str) -> AnswerV1:
        """The refusal of an answer that was made: with what it took, and each of its statements struck."""
        by = AnsweredBy(answer.model, answer.prompt_template_version, answer.usage, self._verification(answer, score))
        reason: RefusalReason = "nli_model_unavailable" if score is None else "nli_verification_failed"
        struck = [
            claim
            if claim.is_struck
            else claim.model_copy(update={"is_struck": True, "why": "nli", "markers": (), "quotes": ()})
            for claim in answer.claims
        ]
        refusal = refused(seen, reason, self.embedding, by=by, notes=[why])
        return refusal.model_copy(update={"claims": tuple(struck)})

    def _verification(self, answer: AnswerV1, score: float | None) -> VerificationV1:
        made = answer.verification or VerificationV1(statements=len(answer.claims), kept=len(answer.claims))
        threshold = self.entailment.threshold
        passed = score is not None and score >= threshold
        return made.model_copy(update={"nli_score": score, "nli_threshold": threshold, "nli_passed": passed})
