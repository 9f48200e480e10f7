"""The embedded extractor: what it keeps, what it leaves, and that every quote of it stands in its message."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.entries import align_entry
from memory_assets.evidence.model import AlignedEvidence
from memory_assets.extraction.cues import built_in_rules, parse_rules
from memory_assets.extraction.errors import RulesInvalidError
from memory_assets.extraction.extractor import RuleExtractor
from memory_assets.extraction.rules import RULES_VERSION, extract_window
from memory_assets.extraction.schema import ExtractedEntry
from memory_assets.extraction.windows import windows
from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.talk import agent, message, user

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def entries(*talk: Message) -> list[ExtractedEntry]:
    return [entry for window in windows(talk) for entry in extract_window(talk, window)]


@pytest.mark.parametrize(
    ("text", "entry_type"),
    [
        ("Let's go with DuckDB for the event log.", "decision"),
        ("We decided to keep the log append-only.", "decision"),
        ("We should store spans as code points instead of bytes.", "decision"),
        ("이벤트 로그는 DuckDB로 가자.", "decision"),
        ("임베딩은 로컬 모델을 쓰기로 했어.", "decision"),
        ("Always answer in Korean, whatever the question is.", "preference"),
        ("Never push to main without a review.", "preference"),
        ("커밋 메시지는 항상 한국어로 작성한다.", "preference"),
        ("테스트는 절대 건너뛰지 마.", "preference"),
        ("I prefer small modules with one idea each.", "preference"),
        ("Can you add a test for the reader?", "task"),
        ("fix the flaky sensor test", "task"),
        ("README에 설치 방법을 추가해줘.", "task"),
        ("The root cause is a stale cursor in the sensor.", "insight"),
        ("원인은 잘못된 오프셋 계산이다.", "insight"),
        ("see https://github.com/dagster-io/dagster/issues/1234 about it", "reference"),
    ],
)
def test_what_a_person_says(text: str, entry_type: str) -> None:
    found = entries(user(text))
    assert [entry.entry_type for entry in found] == [entry_type]
    assert found[0].evidence[0].quote == text
    assert found[0].title


@pytest.mark.parametrize(
    ("text", "entry_type"),
    [
        ("The issue is that `ingest` reads the file twice, which means every record is counted two times.", "insight"),
        ("`SessionState` is stored in `.git/sessions`, and it only keeps the untracked files of a session.", "fact"),
        ("I've added the `--json` flag to every command and updated the README accordingly.", "task"),
        ("원인은 `posMap`이 NFD 텍스트를 잘못 세기 때문입니다.", "insight"),
        ("`docs/guides/writing.md`에 언어 정책 섹션을 추가했습니다.", "task"),
    ],
)
def test_what_an_agent_reports(text: str, entry_type: str) -> None:
    found = entries(user("how does it look"), agent(text))
    assert [entry.entry_type for entry in found] == [entry_type]


@pytest.mark.parametrize(
    "text",
    [
        "Let me check the reader first.",
        "Now let me run the tests and always keep an eye on the log:",
        "I'll look at the configuration file next.",
        "확인해 보겠습니다.",
        "이제 테스트를 실행하겠습니다.",
        "All tests pass and the linter is clean.",
        "Great question!",
        "Would you like me to always use the new reader instead of the old one?",
        "```\nwe decided to always use tabs\n```",
        "> we decided to always use tabs",
    ],
)
def test_an_agent_s_narration_is_left_out(text: str) -> None:
    assert entries(user("how does it look"), agent(text)) == []


@pytest.mark.parametrize("text", ["thanks!", "ok", "네", "yes", "what does this function do?", "hello, how are you?"])
def test_chatter_is_left_out(text: str) -> None:
    assert entries(user(text), agent("Fine.")) == []


def test_only_what_was_said_to_each_other_is_read() -> None:
    rule = "We decided to always use DuckDB for the log."
    assert entries(
        user(rule, kind="injected"),
        agent(rule, kind="thinking"),
        user(rule, sidechain=True),
        message("tool", rule, kind="tool_result"),
        message("tool", rule, kind="tool_result", is_error=True),
        message("system", rule),
        user("hm"),
    ) == []  # fmt: skip


def test_a_pasted_document_keeps_its_strongest_sentences_only() -> None:
    filler = "## Part\nThe reader should be small. It has a name.\n" * 60
    found = entries(user(filler + "Never ever delete an event, always append; make sure to keep the log.\n"))
    assert len(found) <= 3
    assert any("Never ever" in entry.evidence[0].quote for entry in found)


def test_a_request_is_quoted_with_its_outcome() -> None:
    found = entries(
        user("please fix the flaky sensor test"),
        agent("Let me look."),
        agent("Fixed the flaky sensor test by waiting for the file to settle."),
        user("great, thanks"),
    )
    assert [(e.entry_type, e.status) for e in found] == [("task", "done")]
    assert [q.message_index for q in found[0].evidence] == [0, 2]


def test_a_request_without_an_outcome_is_pending() -> None:
    (found,) = entries(user("please fix the flaky sensor test"), agent("Let me look."))
    assert (found.entry_type, found.status) == ("task", "pending")


@pytest.mark.parametrize(
    ("text", "status", "blocker"),
    [
        ("- [ ] write the migration guide", "pending", None),
        ("- [x] write the migration guide", "done", None),
        ("The release is blocked on the npm token, we need to wait.", "blocked", "the npm token"),
        ("배포는 npm 토큰 발급에 막혀 있어서 진행 불가 상태야.", "blocked", "배포는 npm 토큰 발급"),
    ],
)
def test_task_status(text: str, status: str, blocker: str | None) -> None:
    (found,) = entries(user(text))
    assert (found.entry_type, found.status) == ("task", status)
    assert found.blocked_by == ((blocker,) if blocker else ())


def test_priority() -> None:
    (found,) = entries(user("please fix the login page, this is urgent"))
    assert found.priority == "high"


def test_conversation_between_people() -> None:
    talk = [
        user("Hey! How are you?", name="Mina"),
        user("I joined a pottery class last week, it's been lovely.", name="Jun"),
        user("Let's make a difference!", name="Mina"),
        user("My sister moved to Busan last month.", name="Jun"),
        user("Wow, that sounds great!", name="Mina"),
    ]
    assert [(e.entry_type, e.evidence[0].message_index) for e in entries(*talk)] == [("fact", 1), ("fact", 3)]


PIECES = st.sampled_from([". ", "\n", "- ", "we decided ", "항상 ", "원인은 ", "`x`", "TODO "])
TALK = st.lists(
    st.builds(
        lambda role, parts: message(role, "".join(parts)),
        st.sampled_from(["user", "assistant"]),
        st.lists(st.one_of(st.text(max_size=40), PIECES), max_size=8),
    ),
    max_size=6,
)  # fmt: skip


@given(TALK)
@settings(max_examples=80)
def test_any_talk_gives_entries_whose_quotes_are_verbatim(talk: list[Message]) -> None:
    texts = [one.text for one in talk]
    aligner = Aligner()
    for entry in entries(*talk):
        assert 1 <= len(entry.evidence) <= 3 and entry.title
        assert (entry.status is None) == (entry.entry_type != "task")
        for quote in entry.evidence:
            assert quote.quote in texts[quote.message_index]
        found = align_entry(aligner, texts, entry)
        assert all(isinstance(one, AlignedEvidence) or one.failure_reason == "not_found" for one in found.evidence)
    assert entries(*talk) == entries(*talk)


def test_a_window_reads_nothing_but_itself() -> None:
    """The answer is a function of the window's hash: what follows a window cannot change it."""
    talk = [user("please fix the flaky sensor test"), agent("Fixed the flaky sensor test by waiting.")]
    (window,) = windows(talk)
    assert extract_window(talk, window) == extract_window([*talk, agent("Added more."), user("ok")], window)


def test_the_version_names_the_rules() -> None:
    assert RuleExtractor().version == RULES_VERSION
    assert RuleExtractor().extract([user("Let's use DuckDB.")], windows([user("Let's use DuckDB.")])[0]).entries


def test_own_rules() -> None:
    text = """
[limits]
user = 1.0
assistant = 1.0
support = 9.0
per_message = 1
per_thousand = 0
pasted_length = 1000
[places]
[conversation]
[[cue]]
name = "magic"
type = "fact"
weight = 1.0
words = ["xyzzy"]
pattern = 'xyzzy'
"""
    rules = parse_rules(text)
    talk = [user("We decided on nothing. The word is xyzzy here.")]
    (entry,) = extract_window(talk, windows(talk)[0], rules)
    assert (entry.entry_type, entry.title) == ("fact", "The word is xyzzy here.")
    assert RuleExtractor(rules).version != RuleExtractor().version


@pytest.mark.parametrize(
    "text",
    [
        "no toml [",
        "[limits]\nuser = 'x'",
        "[limits]\n[places]\n[conversation]\n[[cue]]\nname = 'a'",
        "[limits]\n[places]\n[conversation]\n[[cue]]\nname='a'\nweight=1\nwords=[]\npattern='('",
        "[limits]\n[places]\n[conversation]\n[[cue]]\nname='a'\ntype='rumour'\nweight=1\nwords=[]\npattern='x'",
        "[limits]\n[places]\n[conversation]\n[[cue]]\nname='a'\nweight=50\nwords=[]\npattern='x'",
    ],
)
def test_unusable_rules_say_so(text: str) -> None:
    with pytest.raises(RulesInvalidError):
        parse_rules(text)


@pytest.mark.parametrize("cue", built_in_rules().cues, ids=lambda cue: cue.name)
def test_a_literal_of_each_cue_can_be_found_by_its_pattern(cue) -> None:  # type: ignore[no-untyped-def]
    """Literals are a pre-filter: they are lower case, as the sentence is when they are looked for."""
    assert all(word == word.lower() for word in cue.words)
    for hostile in ("a" * 3000, " " * 3000, "`a" * 1500, "가" * 3000, "1," * 1500, "/a" * 1500):
        cue.pattern.search(hostile)  # ends in time, whatever the text


@pytest.mark.shared_data
def test_everyday_conversations() -> None:
    """Over LoCoMo's conversations: something is kept, not everything, and every quote aligns exactly."""
    path = SHARED / "data" / "locomo" / "locomo_dev.json"
    if not path.is_file():
        pytest.skip("../shared/data/locomo is not here")
    spoken = kept = 0
    talk_of = json.loads(path.read_text())[0]["conversation"]
    for name, turns in talk_of.items():
        if not name.startswith("session_") or not isinstance(turns, list):
            continue
        talk = [user(turn["text"], uid=turn["dia_id"], name=turn["speaker"]) for turn in turns]
        aligner, texts = Aligner(), [one.text for one in talk]
        found = entries(*talk)
        assert all(align_entry(aligner, texts, entry).aligned for entry in found)
        spoken, kept = spoken + len(talk), kept + len(found)
    assert 0.05 * spoken < kept < 0.4 * spoken
