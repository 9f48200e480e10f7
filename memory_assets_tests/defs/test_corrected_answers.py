"""What a person corrected is nowhere told as if it stood: not in answers, search, context, digests and on pages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory_assets.ask.conversation import Conversation, Turn
from memory_assets.ask.packing import packed
from memory_assets.defs import run
from memory_assets.defs.correcting import correct
from memory_assets.memory import AskRequest, Memory
from memory_assets.results.answer import AnswerV1
from memory_assets.settings import load_settings
from memory_assets_tests.dagster_records import in_memory
from memory_assets_tests.defs.files import STARTED, chat

ROUNDS = "We decided to round every entry up to 15 minutes, because customers check the invoice."
ROUNDS_NOW = "Up to 6 minutes it is, since the customers asked for it."
WINDOW = "배포 창은 매주 목요일 오전 10시로 정했습니다."
WINDOW_NOW = "매주 화요일 오후 3시입니다."
LOGS = "We decided to keep the logs for thirty days."
LOGS_ONCE = "We keep the logs for sixty days."
LOGS_NOW = "The logs are kept for ninety days."
OLD = ("15 minutes", "목요일", "thirty days", "sixty days")
"""What nobody says any more."""


def _conversation(path: Path) -> Path:
    """Two people with names; what one of them decides stands between other things that she says."""
    said = [
        ("Mina", "Hi Jonas! How long do the logs stay?"),
        ("Jonas", f"I asked the auditors about the logs. {LOGS} My sister visits on Sunday."),
        ("Mina", "Then the disk holds them."),
    ]
    messages = [
        {"role": "user", "name": name, "ts": (STARTED + timedelta(minutes=place)).isoformat(), "content": text}
        for place, (name, text) in enumerate(said)
    ]
    value = {"schema_version": "chat.v1", "session_id": "talk-3", "project": "shop", "messages": messages}
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A store of three sessions, in each of which a decision was corrected, in one of them twice. It is only read."""
    base = tmp_path_factory.mktemp("corrected")
    english = ["How do we round?", f"I looked at the invoices. {ROUNDS} The invoices go out on Friday.", "Thanks."]
    korean = ["배포는 언제 하지?", f"일정을 보았습니다. {WINDOW} 그 전에 점검을 합니다.", "고마워요."]
    files = [chat(base / "files", f"talk-{number}", turns, project="shop") for number, turns in enumerate((english, korean), 1)]
    files.append(_conversation(base / "files" / "talk-3.json"))
    instance = in_memory()
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("MEMORY_")]:
            patch.delenv(name)
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        patch.setattr(run, "dagster_instance", lambda settings: instance)
        settings = load_settings({"home": base / "home"})
        assert run.import_paths(settings, files, project=None).errors == []
        store = Memory(settings)
        for old, new in ((ROUNDS, ROUNDS_NOW), (WINDOW, WINDOW_NOW), (LOGS, LOGS_ONCE), (LOGS_ONCE, LOGS_NOW)):
            known = next(one for one in store.memories().memories if one.title == old)
            correct(settings, known.citation, new, by="Jiho")
        yield Memory(settings)


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
]


@pytest.mark.parametrize(("question", "now"), ASKED)
def test_an_answer_begins_with_the_correction_and_does_not_quote_what_it_corrects(
    memory: Memory, question: str, now: str
) -> None:
    assert _is_corrected(memory.ask(AskRequest(question)), now)


def test_what_else_the_message_says_is_quoted_as_before(memory: Memory) -> None:
    for question, said in (("When do the invoices go out?", "on Friday"), ("점검은 언제 하지?", "그 전에 점검")):
        answer = memory.ask(AskRequest(question))
        assert answer.grounded and said in answer.answer
        assert [old for old in OLD if old in _told(answer)] == []


def test_many_questions_at_once_are_answered_so(memory: Memory) -> None:
    answers = list(memory.asker.ask_all([AskRequest(question) for question, _ in ASKED]))
    for answer, (_, now) in zip(answers, ASKED, strict=True):
        assert isinstance(answer, AnswerV1) and _is_corrected(answer, now)


def test_a_question_that_follows_on_another_is_answered_so(memory: Memory) -> None:
    for before, question, now in (
        ("What do we round?", "And how do we round every entry?", ROUNDS_NOW),
        ("언제 배포하지?", "배포 창은 언제로 정했지?", WINDOW_NOW),
    ):
        talk = Conversation("cnv_1", 1, (Turn(before, "I looked at the invoices."),))
        assert _is_corrected(memory.ask(AskRequest(question, conversation=talk)), now)


def test_a_question_that_is_taken_apart_is_answered_so(memory: Memory) -> None:
    asked = AskRequest("How do we round every entry? For how many days do we keep the logs?", multi_hop=True, most_words=80)
    answer = memory.ask(asked)
    assert len([hop for hop in answer.hops if hop.kind == "decide"]) >= 1 and answer.grounded
    assert ROUNDS_NOW in answer.answer and LOGS_NOW in answer.answer
    assert [old for old in OLD if old in _told(answer)] == []


def test_a_model_is_shown_the_correction_first_and_not_what_it_corrects(memory: Memory) -> None:
    for question, now in ASKED:
        request = AskRequest(question)
        seen = memory.asker._considered(request, memory.asker.searcher.look_up(request.search()))
        shown = [piece.given.text for piece in packed(seen, 8_000).pieces]
        assert [text for text in shown if any(old in text for old in OLD)] == []
        of_its_message = [text for text in shown if "I looked at" in text or "일정을" in text or "auditors" in text]
        assert all(shown.index(now) < shown.index(text) for text in of_its_message if now in shown)
        assert now in shown
