"""What a person says against what the agent did, with and without words that say so, and what goes on to the next thing."""

import pytest

from memory_assets_tests.court.talk import Talk

ENGLISH = [
    "no, the date goes first",
    "that's not it, I meant the created date",
    "I asked for a date, not a timestamp",
    "you also changed the export, I didn't ask for that",
    "Why did you touch the export?",
    "wrong column. It's created_at",
    "the date column should come before the name",
    "the dates were supposed to be ISO formatted",
    "hmm, I'd expect the column to be sortable",
    "I thought we agreed on ISO dates",
    "please don't touch the export",
    "can you put the export back the way it was?",
    "that broke the export",
    "the export is empty now",
    "not the report table, the invoice table",
    "I said first column",
    "it still shows US dates",
    "Actually I wanted the date of the invoice",
    "ehh, that's the wrong table",
    "this isn't what I had in mind",
    "You forgot the header for the date column",
    "the date needs to be in the first column",
    "I moved the column to the front myself",
    "date column first please, like I wrote",
    "I had to undo your change to the export",
    "date should be left of the name",
    "keep the export as it was",
    "too much. only the column, nothing else",
    "the column is there but the dates are in US format",
]
KOREAN = [
    "아니 날짜는 맨 앞에",
    "그게 아니라 생성일 말이야",
    "내가 말한 건 생성일이야",
    "내보내기는 왜 건드렸어?",
    "날짜가 맨 앞에 와야 하는데",
    "날짜 형식이 ISO여야 해",
    "내보내기는 건드리지 말고 열만 추가해줘",
    "ISO 형식으로 해달라고 했는데",
    "내보내기가 깨졌어",
    "내보내기 원래대로 돌려놔",
    "리포트 표 말고 청구서 표",
    "날짜 열은 맨 앞이라고 했잖아",
    "여전히 미국식 날짜로 나와",
    "헤더가 빠졌네",
    "열 순서가 틀렸어",
    "날짜 열이 왜 마지막이야? 맨 앞으로 옮겨줘",
    "날짜가 한국식으로 나와야지",
    "이건 내가 원한 게 아니야",
    "열은 내가 앞으로 옮겼어",
    "너무 많이 바꿨어. 열만 추가해",
    "날짜가 아니라 시간이 들어가 있어",
    "내보내기는 그대로 둬야지",
    "맨 앞으로 옮겨달라는 거였어",
    "날짜 열이 두 개 생겼는데?",
    "그 표가 아니고 요약 표야",
    "날짜 열이 맨 마지막에 있는데 맨 앞에 있어야 할 것 같아",
]
ENGLISH_OTHER = [
    "thanks, looks good",
    "great. now add a filter for it",
    "can you explain how the export works?",
    "ok commit it",
    "what does the export do with empty dates?",
    "yes",
    "perfect, ship it",
    "And add a total row at the bottom.",
    "Is there a test for it?",
    "next: the invoice page",
    "How do I run the export?",
    "no worries",
    "no further questions",
    'The customer said "no, that\'s wrong" about the old report, so fine now.',
    "should be fine",
    "let's also export it as CSV",
    "could you add a second column for the time as well?",
]
KOREAN_OTHER = [
    "고마워 좋네",
    "좋아 이제 필터도 추가해줘",
    "내보내기는 어떻게 동작해?",
    "커밋해줘",
    "응",
    "완벽해",
    "그리고 합계 행도 추가해줘",
    "테스트 있어?",
    "다음은 청구서 화면",
    "아니 괜찮아",
    "아니면 CSV로도 내보낼 수 있어?",
    "날짜별 합계도 보여줘",
    "그럼 배포하자",
    "시간 열도 하나 더 추가해줄래?",
    '팀장님이 "그게 아니라"라고 하셨는데 지금은 괜찮대',
]


def reported(language: str) -> Talk:
    """A report with a date column, as the agent tells it in a language."""
    if language == "en":
        talk = Talk().user("Add a date column to the report table").edits("report.py")
        return talk.agent("I added the date column to the report table as the last column and updated the export.")
    talk = Talk().user("리포트 표에 날짜 열을 추가해줘").edits("report.py")
    return talk.agent("리포트 표의 마지막에 날짜 열을 추가하고 내보내기도 수정했습니다.")


@pytest.mark.parametrize(("language", "text"), [*(("en", text) for text in ENGLISH), *(("ko", text) for text in KOREAN)])
def test_a_correction_of_what_was_done(language: str, text: str) -> None:
    talk = reported(language).user(text).edits("report.py", "b", "c").agent("Moved." if language == "en" else "옮겼습니다.")
    assert [finding.kind for finding in talk.found()] in (["user_correction"], ["reverted"])


@pytest.mark.parametrize(
    ("language", "text"), [*(("en", text) for text in ENGLISH_OTHER), *(("ko", text) for text in KOREAN_OTHER)]
)
def test_what_goes_on_to_the_next_thing(language: str, text: str) -> None:
    talk = reported(language).user(text).edits("other.py", "b", "c").agent("Ok." if language == "en" else "네.")
    assert talk.found() == []


SHORT_ENGLISH = [
    "shouldn't this be sorted by date?",
    "isn't the header supposed to be blue?",
    "where did the footer go?",
    "that's only half of it",
    "you did the opposite",
    "other way round",
    "not there, in utils",
    "in utils, not here",
    "that's the old name",
    "we don't use axios here",
    "as I wrote above: two columns",
    "hmm, two columns",
    "still three columns",
    "it has three columns now",
    "close, but the order is reversed",
    "almost. the last one is missing",
    "that's not how we do it here",
    "this is not what the ticket says",
    "the ticket says two columns",
    "did you read the ticket?",
    "I changed the last line back",
    "put it in utils I said",
    "I'd rather have it above the table",
    "the footer is in the wrong place",
    "why three columns?",
    "this isn't right, the sum is off",
    "um no",
    "only the footer please, not the header",
    "I meant the monthly report",
    "those should be links",
]
SHORT_KOREAN = [
    "정렬이 날짜순이어야 하지 않아?",
    "푸터 어디 갔어?",
    "반만 됐네",
    "반대로 했네",
    "거꾸로야",
    "그 파일 말고 utils",
    "utils에 넣으라니까",
    "여기선 axios 안 쓰는데",
    "아직 세 열인데",
    "순서가 뒤집혔어",
    "거의 됐는데 마지막이 빠졌어",
    "티켓엔 두 열이라고 되어 있어",
    "티켓 다시 읽어봐",
    "마지막 줄은 내가 다시 바꿔놨어",
    "그건 예전 이름이잖아",
    "파일 하나 빼먹었어",
    "음 이건 좀 아닌 것 같은데",
    "헤더 말고 푸터만",
    "합계가 안 맞아",
    "월간 리포트 말한 거야",
    "표가 세 열로 나오네",
    "링크로 나와야 돼",
    "왜 세 열이야?",
    "그렇게 말고 위쪽에 붙여줘",
    "내가 원한 건 요약표였어",
    "푸터 위치가 이상해",
]
NEW_ENGLISH = [
    "now make the footer sticky",
    "can you also add a header?",
    "add a third column with the sum",
    "sort it by date please",
    "what's in the footer?",
    "is the footer translated?",
    "use the same style for the invoice page",
    "go on with the invoice",
    "how long did that take?",
    "let's write a test for it",
    "ok, next the header. it should be blue",
    "the next page needs a table too",
    "I want a CSV export as well",
    "yes, and the header should be blue",
]
NEW_KOREAN = [
    "푸터를 고정해줘",
    "헤더도 추가해줘",
    "세 번째 열에 합계 넣어줘",
    "날짜순으로 정렬해줘",
    "푸터에 뭐가 들어가?",
    "번역도 되어 있어?",
    "청구서 페이지도 같은 스타일로",
    "다음은 청구서",
    "테스트도 짜자",
    "오케이 다음 헤더는 파란색이어야 해",
    "CSV로도 내보내고 싶어",
]


def _shown(language: str, text: str) -> Talk:
    """A table as the agent tells it, a person's message, and an edit of the same file behind it."""
    if language == "en":
        talk = Talk().user("Add a two column table with a footer to the report").edits("report.py")
        talk.agent("The report has a table with a footer now.").user(text).edits("report.py", "b", "c")
        return talk.agent("Fixed.")
    talk = Talk().user("리포트에 두 열짜리 표랑 푸터 추가해줘").edits("report.py").agent("리포트에 표와 푸터를 추가했습니다.")
    return talk.user(text).edits("report.py", "b", "c").agent("고쳤습니다.")


@pytest.mark.parametrize(
    ("language", "text"), [*(("en", text) for text in SHORT_ENGLISH), *(("ko", text) for text in SHORT_KOREAN)]
)
def test_a_correction_that_is_told_by_the_same_file_edited_again(language: str, text: str) -> None:
    assert [finding.kind for finding in _shown(language, text).found()] == ["user_correction"]


@pytest.mark.parametrize(
    ("language", "text"), [*(("en", text) for text in NEW_ENGLISH), *(("ko", text) for text in NEW_KOREAN)]
)
def test_a_request_for_the_same_file_is_none(language: str, text: str) -> None:
    assert _shown(language, text).found() == []


@pytest.mark.parametrize(
    ("first", "words", "then", "is_correction"),
    [
        # What the agent takes back then was not wanted, whatever the words.
        ("npm i moment", "날짜는 dayjs로 충분해", "npm rm moment", True),
        ("pip install pandas", "the csv module does that", "pip uninstall -y pandas", True),
        ("pip install pandas", "the csv module does that", "pip uninstall -y numpy", False),
        ("kubectl apply -f job.yaml", "that runs on the other cluster", "kubectl delete -f job.yaml", True),
        ("npm i moment", "Now add the page of the week, please.", "npm rm moment", False),
        ("npm i moment", "thanks", "npm test", False),
    ],
)
def test_a_command_that_is_taken_back_shows_a_correction(first: str, words: str, then: str, is_correction: bool) -> None:
    talk = Talk().user("Write the countdown.").runs(first, "ok").agent("It is there.").user(words).runs(then, "ok")
    assert bool(talk.found("user_correction")) == is_correction


@pytest.mark.parametrize(
    "then",
    [
        "cat > NOTES.md <<'EOF'\nTo be rid of it:\nnpm rm moment\nEOF",
        "# npm rm moment\nnpm ls",
        "npm ls && gh pr comment 4 --body 'by hand: ; npm rm moment'",
    ],
    ids=["here-document", "comment", "quotes"],
)
def test_a_command_that_is_only_written_down_takes_nothing_back(then: str) -> None:
    talk = Talk().user("install moment").runs("npm i moment", "added 1 package").agent("moment is in.")
    talk.user("the release needs a word on how people live without moment").runs(then, "").agent("It is there.")
    assert talk.found("user_correction") == []


def test_words_in_quotes_are_one_name_of_what_is_taken_back() -> None:
    talk = Talk().user("prepare the release").runs("mkdir 'v1 rc'", "").agent("The folder is there.")
    talk.user("a release has one file and lives in dist").runs("rmdir 'v1 b' 'v2 rc'", "").agent("So it is.")
    assert talk.found("user_correction") == []
    talk = Talk().user("prepare the release").runs("mkdir 'v1 rc'", "").agent("The folder is there.")
    talk.user("a release has one file and lives in dist").runs("rmdir 'v1 rc'", "").agent("So it is.")
    assert len(talk.found("user_correction")) == 1


@pytest.mark.parametrize(
    ("words", "is_correction"),
    [
        ("One file, no sheets.", True),
        ("sheet는 말고 파일 하나로", True),
        # The person's own word, and one that nobody used.
        ("One file, no categories.", False),
        ("One file, no banners.", False),
    ],
)
def test_what_is_denied_by_the_name_that_the_agent_gave_it_is_corrected(words: str, is_correction: bool) -> None:
    talk = Talk().user("Export the categories.").edits("out.py").agent("The export writes one sheet for each.").user(words)
    assert bool(talk.edits("other.py").found("user_correction")) == is_correction


def test_a_concession_inside_quotes_is_said_to_nobody() -> None:
    talk = Talk().user("Answer the review.").agent("A mutex would need a field.").user("shorter, and friendlier please")
    assert talk.agent('"Good point! The channel carries the result."').found("user_correction") == []


@pytest.mark.parametrize(
    ("old", "new", "words", "is_correction"),
    [
        # Taken out again some messages later, whatever is said.
        ("a(1)\nretry(2)", "a(1)", "retries belong in the client", True),
        ("x.round()", "x.floor()", "반올림 말고 버림으로", True),
        ("open(path)", "open(other)", "이거 스테이징 주소인데?", True),
        ("open(path)", "open(other)", "새로 만들지 말고 있는 거 써줘", True),
        ("open(path)", "open(other)", "하나면 되는데 왜 둘로 나눴어? 합쳐줘", True),
        # Who only adds to it was asked for more, and who agrees corrects nothing.
        ("x.round()", "x.round()\nlog(x)", "just for this build tell how it went", False),
        ("open(path)", "open(other)", "yeah let's do the other one first", False),
    ],
)
def test_what_is_taken_out_some_messages_later_was_not_wanted(old: str, new: str, words: str, is_correction: bool) -> None:
    talk = Talk().user("Write the export.").edits("out.py", "pass", old).agent("It is there.").user("and the docs")
    talk.edits("README.md").agent("Written.").user(words).edits("out.py", old, new)
    assert bool(talk.found("user_correction")) == is_correction
