"""An answer quotes no words of which a person said otherwise, and begins with what they said instead."""

from __future__ import annotations

import pytest

from memory_assets.ask.conversation import Conversation, Turn
from memory_assets.ask.packing import packed
from memory_assets.memory import AskRequest, Memory
from memory_assets.results.answer import AnswerV1
from memory_assets_tests.defs.corrected_store import FOLDER_KOREAN_NOW, FOLDER_NOW, LOGS_NOW, OLD, ROUNDS_NOW, WINDOW_NOW

pytestmark = pytest.mark.long


def _told(answer: AnswerV1) -> str:
    """All words of an answer and of what it cites."""
    return "\n".join([answer.answer, *(cited.citation.quote or "" for cited in answer.citations)])


def _is_corrected(answer: AnswerV1, now: str) -> bool:
    """Whether an answer begins with what a person said instead, cites it, and says nothing of what they corrected."""
    first = answer.citations[0].citation
    assert answer.grounded and answer.answer.split("\n")[0].endswith(f"{now} [1]"), answer.answer
    assert first.uri.startswith("session:correction.") and getattr(first, "name", None) == "Jiho"
    assert [old for old in OLD if old in _told(answer)] == [], answer.answer
    return True


ASKED = [
    ("How do we round every entry?", ROUNDS_NOW),
    ("What did we decide about 15 minutes?", ROUNDS_NOW),
    ("배포 창은 언제로 정했지?", WINDOW_NOW),
    ("매주 목요일 오전에 무엇을 하지?", WINDOW_NOW),
    ("For how many days do we keep the logs?", LOGS_NOW),
    ("What did Jonas decide about the logs?", LOGS_NOW),
    ("Where do we keep the thumbnails?", FOLDER_NOW),
    ("썸네일을 어느 폴더에 저장하지?", FOLDER_KOREAN_NOW),
]


@pytest.mark.parametrize(("question", "now"), ASKED)
def test_an_answer_begins_with_the_correction_and_does_not_quote_what_it_corrects(
    corrected: Memory, question: str, now: str
) -> None:
    assert _is_corrected(corrected.ask(AskRequest(question)), now)


def test_what_else_the_message_says_is_quoted_as_before(corrected: Memory) -> None:
    for question, said in (("When do the invoices go out?", "on Friday"), ("점검은 언제 하지?", "그 전에 점검")):
        answer = corrected.ask(AskRequest(question))
        assert answer.grounded and said in answer.answer
        assert [old for old in OLD if old in _told(answer)] == []


def test_many_questions_at_once_are_answered_so(corrected: Memory) -> None:
    answers = list(corrected.asker.ask_all([AskRequest(question) for question, _ in ASKED]))
    for answer, (_, now) in zip(answers, ASKED, strict=True):
        assert isinstance(answer, AnswerV1) and _is_corrected(answer, now)


def test_a_question_that_follows_on_another_is_answered_so(corrected: Memory) -> None:
    for before, question, now in (
        ("What do we round?", "And how do we round every entry?", ROUNDS_NOW),
        ("언제 배포하지?", "배포 창은 언제로 정했지?", WINDOW_NOW),
    ):
        talk = Conversation("cnv_1", 1, (Turn(before, "I looked at the invoices."),))
        assert _is_corrected(corrected.ask(AskRequest(question, conversation=talk)), now)


def test_a_question_that_is_taken_apart_is_answered_so(corrected: Memory) -> None:
    asked = AskRequest("How do we round every entry? For how many days do we keep the logs?", multi_hop=True, most_words=80)
    answer = corrected.ask(asked)
    assert len([hop for hop in answer.hops if hop.kind == "decide"]) >= 1 and answer.grounded
    assert ROUNDS_NOW in answer.answer and LOGS_NOW in answer.answer
    assert [old for old in OLD if old in _told(answer)] == []


def test_a_model_is_shown_the_correction_first_and_not_what_it_corrects(corrected: Memory) -> None:
    for question, now in ASKED:
        request = AskRequest(question)
        seen = corrected.asker._considered(request, corrected.asker.searcher.look_up(request.search()))
        shown = [piece.given.text for piece in packed(seen, 8_000).pieces]
        assert [text for text in shown if any(old in text for old in OLD)] == []
        of_its_message = [text for text in shown if "I looked at" in text or "일정을" in text or "auditors" in text]
        assert all(shown.index(now) < shown.index(text) for text in of_its_message if now in shown)
        assert now in shown
