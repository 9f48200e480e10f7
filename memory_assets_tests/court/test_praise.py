"""What a person praises in the way that an agent works, and what is politeness or assent."""

import pytest

from memory_assets_tests.court.talk import Talk

ENGLISH = [
    "love that you checked the lockfile first",
    "the before/after table is super helpful, keep doing that",
    "this is how I like it: small commits",
    "writing the failing test first is exactly how I want it",
    "great that you asked before deleting",
    "good that you didn't touch the config",
    "nice, splitting it in two commits makes the review so much easier",
    "asking first was the right call",
    "that summary format is perfect",
    "big fan of the small diffs",
    "the way you narrowed it down was great",
    "I appreciate you measuring first",
    "thanks for checking the docs first, that saved us",
    "smart to look at the git history first",
    "really liked that you kept the diff small",
    "Exactly how this should be done, with the migration in its own commit",
    "good call on keeping the old endpoint",
    "measuring before touching anything really paid off",
    "that checklist of yours is gold",
    "keeping the diff small was worth it",
    "the idea to test on a copy was genius",
    "your habit of asking before deleting is great",
    "reading the logs first saved us an hour",
    "nice that you kept the old endpoint alive",
    "this step by step style works really well for me",
    "splitting the commit was a great move",
    "smart to take a backup before that",
    "exactly the level of detail I want in a summary",
    "that's a really clean way to isolate it",
    "exactly the kind of error handling I was hoping for",
    "Nice, small diff like this please",
]
KOREAN = [
    "이렇게 표로 정리해주니 좋네",
    "쿼리를 나눈 거 깔끔하고 좋음",
    "먼저 물어본 거 잘했어",
    "바로 안 고치고 원인부터 찾은 게 맞는 순서였어",
    "지금처럼 바뀐 파일만 보여주는 방식 유지해줘",
    "커밋을 나눠서 한 게 리뷰하기 좋네",
    "이렇게 표로 정리해주니까 보기 좋다",
    "바로 고치지 않고 로그부터 본 거 아주 좋아",
    "이런 식으로 작게 나눠서 하는 거 마음에 들어",
    "원인부터 찾은 게 신의 한 수였어",
    "딱 내가 원하던 방식이야",
    "측정부터 한 거 훌륭해",
    "테스트 먼저 짠 건 정말 잘한 것 같아",
    "지우기 전에 물어봐줘서 좋았어",
    "로그부터 확인한 게 도움이 많이 됐어",
    "커밋 나눠준 덕분에 보기 편했어",
    "먼저 측정한 게 컸다",
    "작게 나눈 게 주효했어",
    "복사본에 먼저 돌려본 거 정답이었어",
    "이렇게 단계별로 하니까 이해가 잘 돼",
    "로그부터 본 덕분에 금방 찾았네",
    "변경을 작게 가져간 거 아주 현명했어",
    "체크리스트 만들어둔 거 든든하더라",
]
NO_PRAISE = [
    "thanks!",
    "great, thank you",
    "perfect, now do the docs",
    "nice",
    "looks good to me",
    "awesome, commit it",
    "that would be great",
    "good idea, do it",
    "it would be nice if the table were sorted",
    "Is this a good approach?",
    "love it but the header is wrong",
    "This is exactly the kind of bug I keep hitting.",
    "Good, run tests.",
    "Perfect, split commits by module.",
    "Please make the commit messages nicer.",
    "참 잘했다 운영 DB를 날려먹고",
    "great, now it's broken again",
    "sounds good",
    "고마워",
    "좋아 커밋해",
    "완벽해",
    "좋네 다음은 문서",
    "그게 좋을 것 같아",
    "수고했어",
    "이 방식이 좋을까?",
    "좋은 생각이야 그렇게 하자",
    "더 좋은 방법 있어?",
]


def _worked(text: str) -> Talk:
    if text.isascii():
        talk = Talk().user("Fix the export bug").runs("pytest -q", "3 passed").edits("a.py")
        return talk.agent("I checked the lockfile first, then split the change in two commits.").user(text)
    talk = Talk().user("내보내기 버그 고쳐줘").runs("pytest -q", "3 passed").edits("a.py")
    return talk.agent("로그부터 확인하고 커밋을 둘로 나눴습니다.").user(text)


@pytest.mark.parametrize("text", [*ENGLISH, *KOREAN])
def test_praise_of_an_approach(text: str) -> None:
    (finding,) = _worked(text).found()
    assert finding.kind == "praised" and finding.evidence[0].part == "praise" and finding.evidence[1].part == "cause"


@pytest.mark.parametrize("text", NO_PRAISE)
def test_thanks_and_assent_are_no_praise(text: str) -> None:
    assert _worked(text).found() == []
