"""Lists that a question asks for: what is open, what was decided, what a person wants, in the words of what was said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_assets.ask.conversation import Conversation, Turn
from memory_assets.ask.list_questions import AskedList, Listed, asked_list
from memory_assets.ask.request import AskRequest
from memory_assets.cli.main import main
from memory_assets.memory import Memory
from memory_assets.results.answer import AnswerV1
from memory_assets.settings import load_settings
from memory_assets_tests.filled_store import copied

GUIDE, KEYS, BILLS = (
    "Write the migration guide for the warehouse tables",
    "Rotate the staging keys of the uploader",
    "결제 모듈의 영수증 문서를 작성해야 한다.",
)
BUCKET = "Rename the bucket of the uploader"
DECIDED, LATER = (
    "We decided to keep every timestamp in UTC because the reports of two countries differed.",
    "배포는 매주 목요일 오전에만 하기로 했어.",
)
REASONS = [f"because the {what} of the nightly run reads the file again, " for what in ("checksum", "audit", "upload", "mail")]
LONG = f"We decided to keep the exporter in one process, {''.join(REASONS)}and nobody waits for it."
WANTED = "From now on, always ask me before you change the schema."
OPTIONS = "How shall the guide be written?\n\n- Option A: one page for everybody\n- Option B: a page for each table\n"
TALKS = (
    ("depot", "2026-03-02", (("user", f"TODO: {GUIDE}."), ("assistant", "Noted."), ("user", f"TODO: {KEYS}."))),
    ("shop", "2026-03-03", (("user", f"TODO: {BILLS}"), ("assistant", "알겠습니다."))),
    ("quiet", "2026-03-04", (("user", "Good morning."), ("assistant", "Good morning to you."))),
    (
        "rules",
        "2026-03-05",
        (("user", DECIDED), ("assistant", "Done."), ("user", WANTED), ("assistant", "OK."), ("user", LATER)),
    ),
    ("long", "2026-03-07", (("user", LONG), ("assistant", "Fine."))),
    ("bucket", "2026-03-08", (("user", "Where do we stand?"), ("assistant", f"- [x] {BUCKET}"))),
    ("pages", "2026-03-06", (("user", "We need a guide."), ("assistant", OPTIONS), ("user", "B로 해줘"), ("assistant", "네."))),
)
EVERY = tuple(range(len(TALKS)))


def store(folder: Path, order: tuple[int, ...] = EVERY) -> Memory:
    copied(("listed", order), folder / "home", lambda home: _take_in(home, order))
    return Memory(load_settings({"home": folder / "home", "embedding": {"model": "hashing"}}))


def _take_in(home: Path, order: tuple[int, ...]) -> None:
    inbox = home.with_name(f"{home.name}-files") / "inbox"
    inbox.mkdir(parents=True)
    for name, day, talk in (TALKS[place] for place in order):
        messages = [
            {"id": f"{name}:{place}", "role": role, "content": text, "ts": f"{day}T10:{place:02}:00+00:00"}
            for place, (role, text) in enumerate(talk)
        ]
        told = {"schema_version": "chat.v1", "session_id": name, "project": name, "started_at": messages[0]["ts"]}
        (inbox / f"{name}.chat.json").write_text(json.dumps({**told, "messages": messages}), encoding="utf-8")
        assert main(["--home", str(home), "--set", "embedding.model=hashing", "import", str(inbox)]) == 0


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return store(tmp_path_factory.mktemp("listed"))


def ask(memory: Memory, question: str, project: str | None = None) -> AnswerV1:
    return memory.ask(AskRequest(question, project=project, mode="lexical"))


def quoted(answer: AnswerV1) -> set[str]:
    return {quote for claim in answer.claims for quote in claim.quotes}


@pytest.mark.parametrize(
    ("question", "listed", "project"),
    [
        ("what is open?", "open", None),
        ("What's left to do?", "open", None),
        ("So, what tasks are still open?", "open", None),
        ("what remains to be done in getspecstory", "open", "getspecstory"),
        ("show me the open tasks", "open", None),
        ("list all open tasks in the shop project", "open", "shop"),
        ("what do we still have to do?", "open", None),
        ("is anything blocked?", "blocked", None),
        ("what is blocked in my-shop?", "blocked", "my-shop"),
        ("what's in progress right now", "in_progress", None),
        ("남은 일이 뭐야?", "open", None),
        ("shop에서 할 일 뭐 남았어?", "open", "shop"),
        ("shop 프로젝트에 남은 작업 있어?", "open", "shop"),
        ("어떤 작업이 아직 안 끝났지", "open", None),
        ("할 일이 뭐 남았어", "open", None),
        ("아직 뭐가 남았지", "open", None),
        ("미완료 작업 목록", "open", None),
        ("막힌 일 있어?", "blocked", None),
        ("진행 중인 작업 알려줘", "in_progress", None),
        ("What did we decide?", "decision", None),
        ("what did we decide so far in agent-stuff?", "decision", "agent-stuff"),
        ("which decisions were made in shop", "decision", "shop"),
        ("list the decisions", "decision", None),
        ("agent-stuff에서 뭘 결정했지?", "decision", "agent-stuff"),
        ("우리 뭐 하기로 했지?", "decision", None),
        ("shop의 결정 사항 알려줘", "decision", "shop"),
        ("what are my preferences?", "preference", None),
        ("what rules did I set?", "preference", None),
        ("내 규칙이 뭐야?", "preference", None),
        ("내가 항상 지켜달라고 한 게 뭐야", "preference", None),
        ("우리가 뭘 결정했지", "decision", None),
        ("지금까지 결정한 것 알려줘", "decision", None),
        ("결정 목록", "decision", None),
        ("what were the decisions", "decision", None),
        ("할 일이 뭐야", "open", None),
        ("할 일 목록 보여줘", "open", None),
        ("내가 해야 할 일 뭐야", "open", None),
        ("남은일 뭐야", "open", None),
        ("이 프로젝트에서 남은 일이 뭐야", "open", None),
        ("우리 프로젝트에서 남은 일이 뭐야", "open", None),
        ("my shop에서 남은 일이 뭐야", "open", "my shop"),
        ("what is left to do in this repo?", "open", None),
        ("what is left to do here", "open", None),
        ("what is open in `shop`?", "open", "shop"),
        ("what is open in C++ tools", "open", "C++ tools"),
        ("what are my tasks", "open", None),
        ("todo list", "open", None),
        ("what do we have left to do", "open", None),
        ("any open tasks?", "open", None),
        ("can you show me the open tasks?", "open", None),
    ],
)
def test_a_question_for_a_list(question: str, listed: Listed, project: str | None) -> None:
    assert asked_list(question) == AskedList(listed, project)


@pytest.mark.parametrize(
    "question",
    [
        "what is open source?",
        "why is the task open?",
        "what is the open port",
        "which tasks did we finish?",
        "what was blocked by the firewall?",
        "what is in progress.md?",
        "who has to write the guide?",
        "what did we decide about the port?",
        "why did we decide that?",
        "what did we decide last week?",
        "what did Mina decide?",
        "what did we decide on api?",
        "what is left of the budget?",
        "할 일을 누가 정했지?",
        "what are the rules of the parser?",
        "남은 시간이 얼마야?",
        "남은 일정이 뭐야?",
        "어떤 작업을 먼저 했지?",
        "막힌 이유가 뭐야?",
        "왜 그렇게 결정했지?",
        "배포 요일을 언제로 결정했지?",
        "캐시를 어디에 두기로 했지?",
    ],
)
def test_a_question_of_anything_else(question: str) -> None:
    assert asked_list(question) is None


def test_open_tasks_are_told_in_the_words_that_were_said(memory: Memory) -> None:
    answer = ask(memory, "What is left to do?")
    assert answer.grounded and answer.answer.startswith("open: "), answer.answer
    assert all(words.rstrip(".") in answer.answer for words in (GUIDE, KEYS, BILLS))
    texts = {(name, place): text for name, _, talk in TALKS for place, (_, text) in enumerate(talk)}
    for cited, claim in zip(answer.citations, answer.claims, strict=True):
        one = cited.citation
        assert one.kind == "message" and (cited.marker,) == claim.markers and claim.quotes == (one.quote,)
        assert texts[one.session_id, one.message_index][one.span_start : one.span_end] == one.quote


def test_what_is_said_to_be_done_without_proof_is_told_as_such(memory: Memory) -> None:
    english, korean = ask(memory, "what is open?").answer.splitlines(), ask(memory, "bucket에 남은 일이 뭐야?").answer
    assert english[-1].startswith(f"said to be done, not proven: {BUCKET}") and korean.startswith("다 했다고만 함: ")


def test_a_project_is_asked_of_by_its_name(memory: Memory) -> None:
    named, within = ask(memory, "what is open in Depot?"), ask(memory, "what is open?", "depot")
    assert named.answer == within.answer and GUIDE in named.answer and BILLS[:6] not in named.answer
    assert BILLS.rstrip(".") in ask(memory, "shop에 남은 일이 뭐야?").answer


def test_what_is_no_project_is_searched(memory: Memory) -> None:
    """It may be spoken of, and no list knows it."""
    answer = ask(memory, "what is left to do for the wedding?")
    assert answer.refusal_reason == "score_gate" and GUIDE not in answer.answer
    assert ask(memory, "what is open in depot?", "shop").answer != ask(memory, "what is open in depot?").answer
    unknown = ask(memory, "what is left to do?", "nowhere")
    assert not unknown.grounded and unknown.answer.startswith("Nothing was found.")


def test_here_is_the_project_that_is_asked_in(memory: Memory) -> None:
    assert ask(memory, "what is open in this project?", "DEPOT").answer == ask(memory, "what is open in depot?").answer


def test_what_goes_on_from_an_answer_is_no_list(memory: Memory) -> None:
    turn = Conversation("greyhound", 1, (Turn("Where are the uploads?", "The uploads are in object storage."),))
    told = memory.ask(AskRequest("And what did we decide?", mode="lexical", conversation=turn))
    assert told.answer != ask(memory, "And what did we decide?").answer
    first = AskRequest("And what did we decide?", mode="lexical", conversation=Conversation("greyhound"))
    assert memory.ask(first).answer == ask(memory, "And what did we decide?").answer


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("is anything blocked?", "No task is blocked."),
        ("quiet에 남은 일 있어?", "남은 할 일이 없습니다."),
        ("what did we decide in quiet?", "No decision is held."),
    ],
)
def test_where_there_is_nothing_that_is_said(memory: Memory, question: str, says: str) -> None:
    answer = ask(memory, question)
    assert (answer.answer, answer.grounded, answer.refusal_reason, answer.citations) == (says, False, "no_chunks", ())


def test_decisions_and_preferences_are_told_as_they_hold(memory: Memory) -> None:
    decided, wanted = ask(memory, "what did we decide in rules?"), ask(memory, "what are my preferences?")
    assert decided.answer.startswith("2026-03-05: ") and quoted(decided) == {DECIDED, LATER}
    assert quoted(wanted) == {WANTED}
    assert ask(memory, "rules에서 뭘 결정했지?").claims == decided.claims


def test_a_choice_is_told_by_what_was_chosen(memory: Memory) -> None:
    (line,) = ask(memory, "what did we decide in pages?").answer.splitlines()
    assert "a page for each table" in line


def test_a_long_line_is_cut_where_a_clause_ends(memory: Memory) -> None:
    (words,) = quoted(ask(memory, "what did we decide in long?"))
    assert LONG.startswith(words) and 100 < len(words) <= 200 and words.endswith("again,")


def test_a_task_that_was_entered_by_hand_is_named(tmp_path: Path) -> None:
    home = str(store(tmp_path).settings.home)
    given = ("task", "new", "Mend the deploy script", "--blocked-by", "the audit", "--project", "quiet")
    assert main(["--home", home, "--set", "embedding.model=hashing", *given]) == 0
    fresh = Memory(load_settings({"home": home, "embedding": {"model": "hashing"}}))
    blocked, left = ask(fresh, "is anything blocked?"), ask(fresh, "what is open?")
    assert (blocked.grounded, blocked.answer) == (False, "Entered by hand: Mend the deploy script.")
    assert left.grounded and left.notes[-1] == blocked.answer


def test_what_was_corrected_is_told_no_more(tmp_path: Path) -> None:
    memory = store(tmp_path)
    (cited,) = [one.citation.id for one in ask(memory, "what are my preferences?").citations]
    assert cited is not None
    home = str(memory.settings.home)
    assert main(["--home", home, "--set", "embedding.model=hashing", "correct", cited, "Ask me before you drop a table."]) == 0
    fresh = Memory(load_settings({"home": home, "embedding": {"model": "hashing"}}))
    assert quoted(ask(fresh, "what are my preferences?")) == {"Ask me before you drop a table."}


def test_many_questions_at_once_are_told_the_same(memory: Memory) -> None:
    questions = ["what is open?", "Which keys are to be rotated?", "is anything blocked?", "what did we decide?"]
    requests = [AskRequest(question, mode="lexical") for question in questions]
    told = list(memory.asker.ask_all(requests))
    assert [one.answer for one in told if isinstance(one, AnswerV1)] == [ask(memory, question).answer for question in questions]


@pytest.mark.long
def test_the_order_of_the_sessions_changes_no_byte(tmp_path: Path) -> None:
    stores = [store(tmp_path / str(order), order) for order in (EVERY, EVERY[::-1], (2, 0, 4, 6, 5, 3, 1))]
    for question in ("what is open?", "what did we decide?", "what are my preferences?"):
        assert len({ask(one, question).answer for one in stores}) == 1
