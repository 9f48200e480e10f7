"""What a sentence says that its task waits for."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.extraction.blockers import MOST_BLOCKERS, MOST_CHARACTERS, blockers_in

SAID: dict[str, tuple[str, ...]] = {
    "The release is blocked on the npm token, we need to wait.": ("the npm token",),
    "blocked by PR #12 and Mina's review": ("PR #12", "Mina's review"),
    "The migration is blocked on PR #41 and on Kim's review.": ("PR #41", "Kim's review"),
    "We're waiting for the security review, the npm token and PR #7": ("the security review", "the npm token", "PR #7"),
    "The deploy depends on the migration": ("the migration",),
    "We can't ship until PR #41 is merged.": ("PR #41 is merged",),
    "Fix the login (blocked by #12)": ("#12",),
    "Waiting on Mina to review and approve the plan": ("Mina to review and approve the plan",),
    "It is blocked on v2.1 of auth.py, so nothing moves": ("v2.1 of auth.py",),
    "Upgrade Redis may have to wait for the vendor's fix, I am not sure.": ("the vendor's fix",),
    "막힌 이유: 예산 승인": ("예산 승인",),
    "보안 리뷰 대기 중": ("보안 리뷰",),
    "토큰 발급과 보안 리뷰를 기다리는 중": ("토큰 발급", "보안 리뷰"),
    "토큰 발급, 보안 리뷰 및 예산 승인 대기 중": ("토큰 발급", "보안 리뷰", "예산 승인"),
    "권한 때문에 배포 못 하고 있어요": ("권한",),
    "토큰이 없어서 배포를 못 하고 있음": ("토큰",),
    "PR #12가 머지되어야 진행 가능": ("PR #12",),
    "승인을 받아야 진행할 수 있습니다": ("승인",),
    "릴리스 1.4 배포는 결제 모듈 리팩터링이 끝나야 할 수 있어요.": ("결제 모듈 리팩터링",),
    "결제 모듈 리팩터링은 정산 API 스펙 확정을 기다리느라 막혀 있습니다.": ("정산 API 스펙 확정",),
    "배포는 npm 토큰 발급에 막혀 있어서 진행 불가 상태야.": ("npm 토큰 발급",),
    "평가 결과 대기 중": ("평가 결과",),
    "리뷰 끝날 때까지 대기": ("리뷰",),
    "디자인 확정 전까지 진행 불가": ("디자인 확정",),
    "배포 준비는 됐고, 토큰을 기다리는 중": ("토큰",),
}
NOT_SAID = [
    "The importer is blocked.",
    "모니터링 대시보드 구축은 지금 막혀 있어요. 이유는 나중에 정리할게요.",
    "릴리스 막힘",
    "no longer blocked by the token",
    "We are not waiting for the review",
    "Is it blocked on the token?",
    "기다릴 필요 없음",
    "I was blocked on the token",
    "waiting for it",
    "Blocked: nothing known yet",
    "막히지 않았음",
    "진행 중",
    "",
]


@pytest.mark.parametrize("text", SAID, ids=str)
def test_blockers(text: str) -> None:
    assert blockers_in(text) == SAID[text]


@pytest.mark.parametrize("text", NOT_SAID)
def test_nothing_is_waited_for(text: str) -> None:
    assert blockers_in(text) == ()


def test_what_is_quoted_keeps_its_own_marks() -> None:
    assert blockers_in("It can’t ship until Mina’s review is in.") == ("Mina’s review is in",)


def test_never_a_paragraph() -> None:
    assert blockers_in("blocked on " + "a very long story about the token " * 20) == ()


PIECES = st.sampled_from(
    ["blocked on", "waiting for", "until", "can't", "and", ",", "and on", "를", "을", "에 막혀", "대기 중", "와", "과", "및",
     "못", "때문에", "이", "가", "끝나야", "가능", "PR #1", "토큰", "the token", ".", "?", "\n", "(", ")"]
)  # fmt: skip
TEXT = st.lists(PIECES, max_size=25).map(" ".join)


@given(st.one_of(TEXT, st.text(max_size=120)))
def test_every_blocker_is_a_short_verbatim_part(text: str) -> None:
    found = blockers_in(text)
    assert len(found) <= MOST_BLOCKERS and len(set(found)) == len(found)
    for one in found:
        assert one in text and 0 < len(one) <= MOST_CHARACTERS and one == one.strip()


@pytest.mark.parametrize(
    "piece",
    ["a ", "waiting for ", "를 기다리", "때문에 가 ", "되어야 가 ", "can't a ", "와 ", ", ", "가", "(", "은 ", "기다리는 중 "],
)
def test_no_text_takes_long(piece: str) -> None:
    started = time.process_time()
    blockers_in(piece * 10_000)
    blockers_in("blocked on " + piece * 1_000)
    assert time.process_time() - started < 1.0
