"""The numbers that a statement rules: of a setting or a limit, and none that was measured, or that names a step or a date."""

from __future__ import annotations

import re

from memory_assets.graduation.conflicts.aspect import GENERIC, Aspect, form_of
from memory_assets.graduation.conflicts.reading import Reading, content_words, joins, listed
from memory_assets.graduation.conflicts.values import COUNTERS, has_versions, number, spelled_number
from memory_assets.text.korean_words import is_hangul

_SETTINGS = listed(
    """
    port timeout ttl limit max min retry interval expiry expiration expire lifetime budget threshold width height depth
    replica worker thread pool batch page quota deadline rate window cap delay cooldown retention size length
    concurrency frequency 포트 타임아웃 만료 제한 최대 최소 재시도 간격 주기 유효 한도 임계값 기준 크기 개수 길이 보관
    보존 지연 동시 폭 너비 높이
    """
)
_RULING = re.compile(
    r"\b(?:must|should|always|shall|use|uses|set|sets|keep|limit|limited|require|requires|required|retry|pin|pinned|default"
    r"|allow|allowed|after \d{1,9}|within \d{1,9}|per \w{1,12}|at most|at least|no more than|every|expire|expires)\b"
    r"|(?:으)?로 (?:한|합|하|설정|제한|고정|둔|둡|변경|맞)|설정|제한|기준|이내|이하|이상|최대|최소|마다|보관|보존|유지"
)
_MEASURED = re.compile(
    r"\b(?:pass|fail|failing|took|takes|measured|tests|coverage|accuracy|precision|recall|score|f1|p\d\d|errors?|warnings?"
    r"|commits?|changed|lines|found|total|sum|results?|average|mean|median|benchmark|speedup|improved|grew|years old|age"
    r"|issues?|prs?"
    r"|duplicates|remaining|progress|so far|entries|rows|files|version|can|may|also|supports?|supported|born|since|ago"
    r"|latest|reports?|observed|actual|shows?|estimated?|cost|costs|price)\b"
    r"|통과|실패|걸렸|걸린|측정|결과|평균|발견|오류|커밋|점수|정확도|지원|년|월 ?\d|개월|살|버전|총 |합계|준수|걸려|소요"
)
_MEASURES = re.compile(r"\b(?:coverage|accuracy|precision|recall|score|f1|errors?|warnings?)\b|정확도|점수|결과|평균")
_BINDS = re.compile(
    r"\b(?:must|shall|(?:has|have|needs?) to|required)\b|(?<!\bis )(?<!\bare )\b(?:at least|no (?:less|lower) than)\b"
    r"|[어여]야 "
)
"""What is measured otherwise is ruled where this binds it: coverage *is* at least 81 %, and *must be* at least 80 %."""
_LABELS = listed(
    """
    file step phase part issue bug pr ticket task item section chapter page line figure table test case option milestone
    sprint week day version v round iteration attempt run rule adr rfc level stage story user plan column row cell slide
    question answer january february march april may june july august september october november december jan feb mar
    apr jun jul aug sep oct nov dec group team room layer node server client worker instance model type class season
    episode volume appendix event 단계 이슈 버그 항목 장 절 주차 차 페이지 번호 그림 표 사용자 규칙 라인 행 열 스프린트
    =# #
    """
)
_LABELLING = listed("=st =nd =rd =th th st am pm response status code error 번째 차 장 절 호 월 년 시 단계 주차 번지 페이지")
_EQUALLING = r"(?:\b(?:is|are|be|to|of|at|most|least|than|max|min)|[=:]|[은는이가]) ?"
_RETRIES = ("재시도", "반복", "시도", "최대", "retry", "횟수")


def ruled(said: Reading) -> list[Aspect]:
    """The numbers that the statement rules."""
    plain = _MEASURES.sub("", said.plain) if _BINDS.search(said.plain) else said.plain
    if said.denials or said.never or said.about or _MEASURED.search(plain):
        return []
    words = said.words
    if not _RULING.search(said.plain) and not _SETTINGS.intersection(words):
        return []
    found = []
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else ""
        spelled = spelled_number(word, following)
        read_as = number(f"={spelled}" if spelled else word, following)
        if read_as is None or _is_label(words, place, following):
            continue
        amount, has_unit_behind = read_as
        if not (amount.dimension or spelled or "." in amount.digits or _is_counted(said, place, amount.digits, following)):
            continue
        rest = content_words((*words[:place], *words[place + 1 + has_unit_behind :]))
        about = [left for left in rest if left[0] != "=" and left not in GENERIC and left not in COUNTERS]
        if len(rest) < 2 or not about:
            continue
        shown = f"{amount.digits} {following}" if has_unit_behind else word.lstrip("=")
        found.append(Aspect(form_of("number", rest), amount, shown))
    return found


def _is_counted(said: Reading, place: int, digits: str, following: str) -> bool:
    """Whether a bare number is how much or how many, and not which: "502", "host 1", "tenant 4 in the old region"."""
    before = said.words[place - 1] if place else ""
    is_of_what_follows = following.isalpha() and (has_versions(before) or not joins(following))
    if before in _SETTINGS or (is_of_what_follows and not _is_one_of_two(said, digits)):
        return True
    return (
        re.search(rf"{_EQUALLING}{re.escape(digits)}|(?<![\d.]){re.escape(digits)} ?(?:으?로|이다|입니다)", said.plain)
        is not None
    )


def _is_one_of_two(said: Reading, digits: str) -> bool:
    """Whether another thing is named behind the number: "lane 3 and gate 4"."""
    return re.search(rf"(?<![\d.]){re.escape(digits)}(?: (?:and|or|및)\b|[와과] )", said.plain) is not None


def _is_label(words: tuple[str, ...], place: int, following: str) -> bool:
    """Whether a number names something, and counts nothing: a step, an issue, a line of a list, a date."""
    if place == 0 and not any(is_hangul(word[0]) for word in words):
        return True
    before = words[place - 1] if place else ""
    if before in _LABELS or before.startswith(("=#", "=v")) or following in _LABELLING or (following == "일" and "월" in words):
        return True
    return following == "번" and not any(word.startswith(_RETRIES) for word in words)
