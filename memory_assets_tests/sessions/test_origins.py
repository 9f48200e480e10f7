"""Who wrote which stretch of a message."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.sessions.model import Message, MessageKind, Role
from memory_assets.sessions.origins import hands_over_plan, origin_at, origins_of
from memory_assets.vocabulary import Origin

PLAN = (
    "Implement the following plan:\n\n# Split the reader\n\n## Context\n\n"
    + "The reader does too much. " * 20
    + "\n\n## Verification\n\n- Run the tests\n\n\n"
)
PLAN_REST = "If you need specific details from before exiting plan mode, read the full transcript at: /tmp/session.jsonl"
DOCUMENT = "# Context Management\n\n<meta>\nRole: Guide\n</meta>\n\n" + "Always read the whole file first. " * 40


def told(text: str, role: Role = "user", kind: MessageKind = "said", **fields: object) -> list[tuple[Origin, str]]:
    message = Message("m", role, kind, text, **fields)  # type: ignore[arg-type]
    return [(stretch.origin, text[stretch.start : stretch.end]) for stretch in origins_of(message)]


def test_what_a_person_types_and_an_agent_says() -> None:
    assert told("배포 스크립트를 고쳐줘.") == [("typed", "배포 스크립트를 고쳐줘.")]
    assert told("Done.", role="assistant") == [("said", "Done.")]


def test_a_plan_that_is_handed_over_is_pasted_and_what_a_program_adds_to_it_a_template() -> None:
    assert hands_over_plan(PLAN)
    (typed, _), (pasted, plan), (template, rest) = told(PLAN + PLAN_REST)
    assert (typed, pasted, template) == ("typed", "pasted", "template")
    assert plan.lstrip().startswith("# Split the reader") and rest == PLAN_REST


def test_a_request_behind_a_document_is_the_persons_own() -> None:
    for request in ("이것도 옮겨줘", "이것도 수정부탁해.", "이것도 부탁드립니다"):
        assert told(DOCUMENT + f"\n\n{request}")[-1] == ("typed", request)
    assert [origin for origin, _ in told(DOCUMENT + "\n\nAlways end with a summary.")] == ["pasted"]


def test_the_paragraph_of_requests_behind_a_document_is_the_persons_own() -> None:
    orders = (
        "그 문서에 대한 내역이야.\n1. 어떤 내용인지 정리해줘.\n2. 참고는 항상 맨 마지막에 써줘.\n필요한 것은 모두 물어봐줘."
    )
    assert told(f"{DOCUMENT}\n\n{orders}")[-1] == ("typed", orders)
    assert [
        origin for origin, _ in told(f"{DOCUMENT}\n\nAll commits are always reviewed.\nNever push. Please open an issue first.")
    ] == ["pasted"]
    listed = "1. 읽는다.\n2. 쓴다.\n이것도 옮겨줘"
    assert told(f"{DOCUMENT}\n\n{listed}")[-1] == ("typed", "이것도 옮겨줘")


def test_a_short_message_with_a_heading_is_typed() -> None:
    assert told("# Goal\n\nMake the import faster.") == [("typed", "# Goal\n\nMake the import faster.")]


def test_the_screen_of_a_terminal_program_is_pasted() -> None:
    screen = " v shop/list *  [4 checkpoints]\n>  v * ok, revert it\n      - [ NEW ] Can we cut it? — just now [+126]\n"
    screen += "   v o can we group them? (14 steps)\n      - 47c7452 show the time — 14 hours ago [+374 -49 (15 files)]\n"
    screen += "   v o the id is less important in the list. (21 steps)\n"
    assert told(f"can we cut the first row?\n\n{screen}") == [("typed", "can we cut the first row?\n\n"), ("pasted", screen)]
    for typed in (
        "what I want:\n- [ ] a parser\n- [x] a reader\n- [BUG] the cart is slow\n",
        "다 했어:\n v 로그인\n v 결제\n",
        "▶ 로그인 수정\n▶ 결제 수정\n",
    ):
        assert told(typed) == [("typed", typed)]


def test_a_log_in_a_message_is_pasted() -> None:
    log = "2024-05-01T10:00:00 ERROR no route\n2024-05-01T10:00:01 ERROR no route\n"
    text = f"it fails like this:\n{log}what is wrong?"
    assert told(text) == [("typed", "it fails like this:\n"), ("pasted", log), ("typed", "what is wrong?")]
    fenced = "look:\n```\n$ make\nerror\n```\nfix it please"
    assert [origin for origin, _ in told(fenced)] == ["typed", "pasted", "typed"]
    trace = "why?\nTraceback (most recent call last):\n    raise ValueError\n    at the end\n"
    assert [origin for origin, _ in told(trace)] == ["typed", "pasted"]


FAILURES = "--- FAIL: TestOne (0.00s)\n    a_test.go:3: no agents\n"
PRINTED = "Captured state: 1 untracked file (uuid: 2)\nCaptured state: 0 untracked files (uuid: )\n"


def test_what_a_program_prints_between_its_lines_is_pasted_too() -> None:
    text = f"The mock is needed in more places:\n{FAILURES}{PRINTED}--- FAIL: TestTwo (0.01s)\n"
    assert [origin for origin, _ in told(text)] == ["typed", "pasted"]


@pytest.mark.parametrize(
    "text",
    [
        f"{FAILURES}{PRINTED}",  # nothing follows of which it could be
        f"{FAILURES}{PRINTED}\n--- FAIL: TestTwo (0.01s)\n    b_test.go:4: no agents\n",  # a paragraph of its own
        f"{FAILURES}Please keep the first one.\n--- FAIL: TestTwo (0.01s)\n",  # what is asked for
        f"{FAILURES}{'We keep this for the auditors.' + chr(10)}" * 2 + "We keep this.\n" * 9 + FAILURES,  # too much of it
        "```\nmake\n```\nWe keep this one.\n```\nmake test\n```\n",  # people write between fences
        "--- FAIL: TestOne (0.00s)\nWe keep this one.\n--- FAIL: TestTwo (0.00s)\n",  # one line is none
    ],
)
def test_what_a_person_says_between_a_programs_lines_stays_typed(text: str) -> None:
    assert "typed" in {origin for origin, _ in told(text)}


@pytest.mark.parametrize(
    "text",
    [
        "## Context\n\n- Current pull request status: title: x\n\n## Your task\n\nReview it. We never test the library.",
        "---\nname: reviewer\ndescription: reviews\n---\n\nAlways answer in English.",
        "Please analyze this codebase and create a CLAUDE.md file, which will be given to future instances.",
        '<context ref="file:///docs/a.md">\n# A\n\nAlways write Korean.\n</context>',
    ],
)
def test_the_texts_of_commands_skills_and_editors_are_templates(text: str) -> None:
    assert {origin for origin, _ in told(text)} == {"template"}


def test_what_a_person_types_beside_an_attached_file() -> None:
    text = '<context ref="file:///docs/a.md">\n# A\n</context>\n문서를 고쳐줘.'
    assert [origin for origin, _ in told(text)] == ["template", "typed"]


def test_tools_and_sub_agents() -> None:
    assert told("ok", "tool", "tool_result")[0][0] == told("{}", "assistant", "tool_call")[0][0] == "tool"
    assert told("x", kind="injected")[0][0] == told("Search the code.", sidechain=True)[0][0] == "template"
    numbered = "".join(f"   {n}→\tcode\n" for n in range(9))
    assert told(numbered, role="assistant") == [("tool", numbered)]


FILE = '<file path="a.md">\nAlways write Korean.\n</file>\n'


def test_an_attached_file_behind_a_heading_is_a_template() -> None:
    assert [origin for origin, _ in told("# Files\n" + FILE + "It is long. " * 80)] == ["pasted", "template", "pasted"]
    assert [origin for origin, _ in told("# Guide\n<context>\nbare\n</context>\n" + "It is long. " * 80)] == ["pasted"]


@pytest.mark.parametrize(
    "text",
    [
        "You are a senior engineer. Fix the login bug in auth.py and from now on always write tests.",
        "이 계획 마음에 안 들어\nRedis 대신 Postgres를 쓰자.",
        "다음 계획을 세워줘\n먼저 읽어줘.",
    ],
)
def test_what_only_begins_like_a_prompt_or_a_plan_is_typed(text: str) -> None:
    assert told(text) == [("typed", text)]


def test_a_comment_in_code_begins_no_document() -> None:
    text = "```sh\n# build everything\nnpm ci\n```\nFrom now on always use pnpm. " + "It is faster. " * 60
    assert [origin for origin, _ in told(text)] == ["pasted", "typed"]


def test_what_an_agent_says_beside_a_tools_lines_is_said() -> None:
    assert {origin for origin, _ in told("Close it with `</tool-use>`. The cause is the cursor.", "assistant")} == {"said"}
    numbered = "".join(f"   {n}→\tcode\n" for n in range(5))
    assert told(numbered + "The cause is the cursor.", "assistant") == [
        ("tool", numbered),
        ("said", "The cause is the cursor."),
    ]
    rest = "end of a file\n</details></tool-use>\n"
    assert [origin for origin, _ in told(rest + "The cause is the cursor.", "assistant")] == ["tool", "said"]


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "<tool-use>" * 100_000,
        "<tool-use> x " * 80_000,
        "<context a=1>" * 80_000,
        "# x\n" + " " * 1_000_000 + "\n!z",
        "```\n" * 250_000,
        "```\na\n```\nso\n" * 70_000,
        "<details>a</details>\n```\na\n```\nso\n" * 30_000,
    ],
)
def test_a_message_of_a_million_characters_costs_no_more_than_its_length(text: str) -> None:
    begun = time.process_time()
    for role in ("user", "assistant"):
        assert told(text, role)
    # A third of a second; what takes the square of the length takes half a minute.
    assert time.process_time() - begun < 8


def test_the_origin_at_a_place() -> None:
    message = Message("m", "user", "said", "Implement the following plan:\n" + "# A\n" + "b" * 700)
    stretches = origins_of(message)
    assert origin_at(stretches, 3) == "typed" and origin_at(stretches, 200) == "pasted"


PIECES = st.sampled_from(
    [
        PLAN,
        PLAN_REST,
        DOCUMENT,
        "\n",
        "```\n",
        "fix it please\n",
        "Traceback (most recent call last):\n",
        "<context a=1>",
        "</context>",
        "나 ",
    ]
)


@given(st.lists(PIECES | st.text(max_size=20), max_size=8).map("".join), st.sampled_from(["user", "assistant"]))
def test_stretches_cover_a_message_without_gaps(text: str, role: Role) -> None:
    assert "".join(piece for _, piece in told(text, role)) == text
