"""Which artifacts a text names, and whether it says that they are settled."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_assets.tasks.canonical import task_id, task_key
from memory_assets.tasks.references import named_task, references_in

SHA = "4069756ffc18a2b3c4d5e6f708192a3b4c5d6e7f"


def keys(text: str, *, is_blocker: bool = False) -> list[str]:
    found = references_in(text, "shop", is_blocker=is_blocker)
    for reference in found:
        assert text[reference.start : reference.end] == reference.raw
        assert reference.title
    return [reference.canonical_key.removeprefix("art:") for reference in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See https://github.com/Acme/Shop/pull/12#discussion_r1.", ["gh_pr:acme/shop:12"]),
        ("https://github.com/acme/shop/pull/12/files", ["gh_pr:acme/shop:12"]),
        ("(https://github.com/acme/shop/issues/7)", ["gh_issue:acme/shop:7"]),
        (f"https://github.com/acme/shop/commit/{SHA}", ["commit:acme/shop:4069756"]),
        ("https://acme.atlassian.net/browse/SHOP-12를 기다림", ["jira:SHOP-12"]),
        ("acme/shop#12 and acme/shop#13", ["gh_issue:acme/shop:12", "gh_issue:acme/shop:13"]),
        ("PR acme/shop#12", ["gh_pr:acme/shop:12"]),
        ("PR #12 머지 후", ["gh_pr:shop:12"]),
        ("PR 12를 기다림", ["gh_pr:shop:12"]),
        ("PR 12번", ["gh_pr:shop:12"]),
        ("12번 PR", ["gh_pr:shop:12"]),
        ("waiting for pull request 12", ["gh_pr:shop:12"]),
        ("PRs #12, #13 and #14", ["gh_pr:shop:12", "gh_pr:shop:13", "gh_pr:shop:14"]),
        ("MR !12", ["gh_pr:shop:12"]),
        ("issue #12", ["gh_issue:shop:12"]),
        ("이슈 #12", ["gh_issue:shop:12"]),
        ("이슈 12번", ["gh_issue:shop:12"]),
        ("Closes #12", ["gh_issue:shop:12"]),
        ("SHOP-12를 먼저", ["jira:SHOP-12"]),
        ("branch feature/SHOP-12-login", ["jira:SHOP-12"]),
        ("커밋 a1b2c3d 참고", ["commit:shop:a1b2c3d"]),
        ("in commit `a1b2c3d4e5`", ["commit:shop:a1b2c3d"]),
        (SHA, ["commit:shop:4069756"]),
        ("src/app/main.py를 고침", ["file:shop:src/app/main.py"]),
        ("./src/main.py, README.md.", ["file:shop:src/main.py", "file:shop:README.md"]),
        ("update `docs/설계.md` and Makefile", ["file:shop:docs/설계.md"]),
        ("look at @docs/guide.md", ["file:shop:docs/guide.md"]),
        ("src/app.py:120 fails", ["file:shop:src/app.py"]),
        ("PR 12, PR 12 and PR 12", ["gh_pr:shop:12"]),
        ("SHOP-2 waits for SHOP-1", ["jira:SHOP-2", "jira:SHOP-1"]),
    ],
)
def test_what_is_named(text: str, expected: list[str]) -> None:
    assert keys(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("UTF-8, SHA-256, ISO-8601, GPT-4, CVE-2024-12345, RFC-2119, AES-256, COVID-19, X-09, G-60", "GPT-3.5", "utf-16"),
        *(
            "version 1.2.3 and v2.0",
            "e.g. this, i.e. that",
            "Node.js, Vue.js, Next.js and D3.js",
            "example.com",
            "docs.example.io/page",
        ),
        *(
            "and/or",
            "step #3 of 5",
            "#12",
            "commit often",
            "commit deadbeef",
            "commit 1234567",
            "PR review",
            "PRs 2 days old",
            "PR 2 approvals",
        ),
        *("strings.Contains(x)", "self.py()", "12% of 3/4", "PHASE-2", "하나. 둘", "a1b2c3d", "3.14.py2 is none of 1.5"),
        *("https://", "http://[", "user@example.com", "오늘.내일"),
    ],
)
def test_what_only_looks_like_one(text: str) -> None:
    assert keys(text) == []


def test_a_bare_number_names_something_only_as_a_blocker() -> None:
    assert keys("#12", is_blocker=True) == ["gh_issue:shop:12"]
    assert keys("PR #12 and #13 then #14", is_blocker=True) == ["gh_pr:shop:12", "gh_pr:shop:13", "gh_issue:shop:14"]


def test_addresses_are_one_whatever_their_spelling() -> None:
    spellings = [
        "https://Example.com/a/b",
        "http://www.example.com/a/b/",
        "https://example.com:443/a/b#part",
        "<https://example.com/a/b>.",
    ]
    assert len({key for text in spellings for key in keys(text)}) == 1
    assert keys("https://example.com/a?x=1") != keys("https://example.com/a?x=2")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "PR #12 is merged",
            "PR 12 was merged yesterday.",
            "Merged PR 12",
            "we merged PR #12 and deployed",
            "PR #12 has been closed",
        ),
        *(
            "PR 12 (the login fix) landed",
            "PR 12 merged!",
            "PR 12 머지됨",
            "PR 12가 머지됐습니다",
            "PR 12를 머지했음",
            "PR 12 이미 닫힘",
        ),
        *(
            "이슈 #12 해결됨",
            "이슈 #12는 해결했습니다",
            "SHOP-12 배포됨",
            "SHOP-12 is now resolved, so go on",
            "PR 12 머지 완료",
            "SHOP-12 완료",
        ),
        "I waited. PR 12 is merged.",
    ],
)
def test_it_is_said_to_be_settled(text: str) -> None:
    assert [reference.settles for reference in references_in(text, "shop")] == [True]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "when PR 12 is merged",
            "PR 12 is not merged yet",
            "PR 12 isn't merged",
            "Is PR 12 merged?",
            "PR 12 should be merged",
        ),
        *(
            "until PR 12 is merged",
            "waiting for PR 12 to be merged",
            "PR 12 will be merged",
            "PR 12 머지되면",
            "PR 12 머지 대기",
            "PR 12 머지됨?",
        ),
        *(
            "PR 12가 머지됐는지 확인",
            "PR 12 머지 완료 후 배포",
            "PR 12가 머지되지 않음",
            "아직 PR 12 머지됨 아님",
            "PR 12",
            "PR 12 merged once CI passes",
        ),
        *(
            "Review PR 12. The other one is merged",
            "PR 12 머지됐나요?",
            "PR 12 머지해야 함",
            "close issue #12",
            "if issue #12 closed",
        ),
        *("PR 12가 해결될 때까지", "The merged code of the PR 12 branch"),
    ],
)
def test_it_is_not_said_to_be_settled(text: str) -> None:
    assert [reference.settles for reference in references_in(text, "shop")] == [False]


def test_a_list_is_settled_as_one() -> None:
    for text in ("PR 12 and PR 13 are merged", "Merged PR 12, PR 13", "PR 12와 PR 13 머지됨"):
        assert [reference.settles for reference in references_in(text, "shop")] == [True, True]
    assert [r.settles for r in references_in("PR 12 is merged, PR 13 is not", "shop")] == [True, False]


def test_an_id_names_its_task_and_nothing_shorter_does() -> None:
    full = task_id(task_key("shop", "fix the login"))
    assert named_task(f"blocked on {full}.") == full
    assert named_task(f"blocked on {full[:12]}") is None
    assert named_task(full + "0") is None
    assert named_task("task:shop:fix the login") == full
    assert named_task("waits for task:shop:Fix the Login!") == full
    assert named_task("task:shop:fix the login#2") == task_id(task_key("shop", "fix the login", 2))
    assert named_task("task: shop: fix the login") is None
    assert named_task("the task") is None


@given(
    st.one_of(
        st.text(),
        st.lists(
            st.sampled_from(
                [
                    "PR 12",
                    "#3",
                    "https://a.b/c",
                    "src/a.py",
                    "is merged",
                    "머지됨",
                    "SHOP-1",
                    "a/b#4",
                    ",",
                    "and",
                    "(",
                    "commit a1b2c3d",
                    ".",
                ]
            )
        ).map(" ".join),
    ),
    st.booleans(),
)
@example("PR \u00b2", True)
@example("https://[::1]:99999/x", False)
def test_spans_are_in_the_text_in_order_and_apart(text: str, is_blocker: bool) -> None:
    found = references_in(text, "shop", is_blocker=is_blocker)
    end = 0
    for reference in found:
        assert end <= reference.start < reference.end
        assert text[reference.start : reference.end] == reference.raw
        end = reference.end
    assert len({reference.canonical_key for reference in found}) == len(found)
    named_task(text)


@pytest.mark.parametrize(
    "unit",
    [
        "PR ",
        "PR 1 ",
        "a/",
        "a.",
        "a/b#",
        "https://",
        "https://a(",
        "#1 and ",
        "ABC-",
        "commit ",
        "0a",
        "task:",
        "task:a:",
        "tsk_",
        "merged ",
        "PR 12, ",
        "a.b/c ",
        "이슈 #1 ",
    ],
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    started = time.process_time()
    references_in(text, "shop", is_blocker=True)
    named_task(text)
    assert time.process_time() - started < 3.0
