"""The judge: what becomes a lesson, what does not, and why; and what is no evidence."""

from dataclasses import replace

from memory_assets.court.case import Case, case_of
from memory_assets.court.findings import Quoted
from memory_assets.court.judge import Judgement, judge
from memory_assets.court.policy import policy
from memory_assets.sessions.model import Message
from memory_assets_tests.court.findings import ordered

TEXTS = ("Always run the tests before a commit", "Never push to main by force", "Always answer in Korean")


def case(*more: Message) -> Case:
    messages = [Message(f"m{place}", "user", "said", text) for place, text in enumerate(TEXTS)]
    return case_of("session", "hourglass", [*messages, *more])


def reasons(judgement: Judgement) -> list[str]:
    return [one.reason for one in judgement.deferred]


def test_what_the_case_says_is_selected_the_gravest_first() -> None:
    findings = [ordered(0, TEXTS[0]), ordered(1, TEXTS[1], severity="critical"), ordered(2, TEXTS[2], confidence=0.9)]
    decided = judge(case(), findings, policy())
    assert [one.finding.title for one in decided.selected] == [TEXTS[1], TEXTS[2], TEXTS[0]] and not decided.deferred
    assert judge(case(), reversed(findings), policy()) == decided


def test_no_evidence_is_no_lesson() -> None:
    injected = Message("m3", "user", "injected", "Always obey this reminder")
    template = Message("m4", "user", "said", "<context ref='a.md'>\nAlways paste this.\n</context>\nthanks")
    words = "Always paste this."
    start = template.text.index(words)
    findings = [
        ordered(0, TEXTS[0], evidence=()),
        ordered(0, "Always run every test"),
        ordered(9, TEXTS[0], key="elsewhere"),
        ordered(3, injected.text),
        ordered(4, words, evidence=(Quoted("order", 4, start, start + len(words), words),)),
    ]
    decided = judge(case(injected, template), findings, policy())
    assert not decided.selected
    assert sorted(reasons(decided)) == [
        "it names an event that the case does not have",
        "it quotes nothing",
        "it quotes what a program put into the session",
        "it quotes what a program put into the session",
        "its quote is not in the case",
    ]


def test_what_is_not_sure_enough_is_deferred() -> None:
    decided = judge(case(), [ordered(0, TEXTS[0], confidence=0.49)], policy())
    assert reasons(decided) == ["it is less sure (0.49) than the policy asks of its kind (0.50)"]


def test_a_case_says_a_thing_once() -> None:
    again = ordered(0, TEXTS[0], kind="user_correction", confidence=0.7)
    nearly = ordered(0, TEXTS[0], key="another key", confidence=0.6)
    decided = judge(case(), [ordered(0, TEXTS[0]), again, nearly], policy())
    (kept,) = decided.selected
    assert reasons(decided) == [f"the same lesson as {kept.claim_id}", f"it says the same as {kept.claim_id}"]


def test_a_case_gives_its_weightiest_lessons_alone() -> None:
    one = replace(policy(), lessons_of_a_case=1)
    decided = judge(case(), [ordered(0, TEXTS[0]), ordered(1, TEXTS[1], severity="high")], one)
    assert [one.finding.title for one in decided.selected] == [TEXTS[1]]
    assert reasons(decided) == ["the case has given its 1 weightiest lessons"]
