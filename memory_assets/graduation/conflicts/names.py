"""The names that a statement gives its subject: what is chosen, what is preferred to what, who or what something is called."""

from __future__ import annotations

import re

from memory_assets.graduation.conflicts.aspect import Aspect, form_of, left_of
from memory_assets.graduation.conflicts.reading import Reading, content_words, listed
from memory_assets.graduation.conflicts.values import NAMES, SPELLED
from memory_assets.text.english_words import inflected
from memory_assets.text.korean_words import is_hangul
from memory_assets.text.statements import statement_of

_RATHER = re.compile(
    r"(?P<chosen>[\w.+#-]{1,40}) (?:over|instead of|rather than|,? ?not) (?P<left>[\w.+#-]{1,40})\W{0,3}(?:\s|$)"
)
_RATHER_KOREAN = re.compile(
    r"(?P<left>[\w.+#-]{1,40}?)(?: ?보다(?:는)?| 대신(?:에)?) (?P<chosen>[\w.+#-]{1,40}?)(?:을|를|로|으로)(?:\s|$)"
)
_CHOOSING = re.compile(r"\b(?:use|prefer|choose|pick|go with|favou?r)s?\b|쓰|쓴|씁|써|사용|선호|선택|채택")


def _rejected(said: Reading) -> re.Match[str] | None:
    if not _CHOOSING.search(said.plain):
        return None
    return _RATHER.search(said.plain) or _RATHER_KOREAN.search(said.plain)


def preferred(said: Reading) -> list[Aspect]:
    """Of two things the one that is preferred to the other."""
    found = _rejected(said)
    if found is None or said.denials > (1 if " not " in found[0] else 0):
        return []
    pair = sorted((found["chosen"], found["left"]))
    if pair[0] == pair[1]:
        return []
    rest = content_words(
        left_of(said.words, {*pair, *(inflected(word) for word in pair), "over", "instead", "rather", "than", "use"})
    )
    rest = tuple(word for word in rest if not word.startswith(("대신", "보다", *(word for word in pair if len(word) > 1))))
    return [Aspect(form_of("rather", (*pair, "/", *sorted(rest))), found["chosen"], found["chosen"])]


_TAKES_ONE = listed(
    """
    use prefer write store keep deploy host run build implement format indent standardize stick switch migrate target
    default serialize encode license manage return respond send cache persist save develop be go document 쓰 남기 작성
    저장 배포 만들 개발 구현 통일 고정 하 정하 두 운영 유지 설정 선호 관리 반환 표기 구축 보내
    """
)
_TAKES_MANY = re.compile(
    r"\b(?:also|too|both|as well|either|support(?:s|ed|ing)?|accept(?:s|ed)?|add(?:s|ed)?|include[sd]?|can|may"
    r"|learn(?:s|ing)?"
    r"|love[sd]?|likes?|enjoys?|stud(?:y|ies)|speaks?|test(?:s|ing|ed)?|try|tries|read(?:s|ing)?|parse[sd]?|import(?:s|ed)?"
    r"|export(?:s|ed)?"
    r"|convert(?:s|ed)?|translat\w{1,5}|need[s]?|compar\w{1,5}|not only|sometimes|often|usually|various"
    r"|several|e\.g|like|such as)\b"
    r"|또한|또는|함께|지원|추가|가끔|때때로|비교|번역|변환|[가-힣A-Za-z]도 "
)
_EXCLUSIVE = listed("prefer only default primary main standard 선호 기본 통일 표준 주로")
_OF_EVERYTHING = listed(
    """
    project team work code app application system company repo repository codebase thing everything stack service
    product 프로젝트 팀 회사 코드 시스템 서비스 앱 제품 개발
    """
)
_MAKING = listed("use prefer write run develop make go be do 만들 작성 개발 하 두 정하")
_OBJECT_PARTICLES = r"(?:을|를|로|으로|로만|만|이다|입니다|이에요|예요|다)(?![가-힣])"


def chosen(said: Reading) -> list[Aspect]:
    """The one name, of those that exclude each other, that the subject is given."""
    if said.denials or said.never or _TAKES_MANY.search(said.plain):
        return []
    rejected = _rejected(said)
    left_out = rejected["left"] if rejected else ""
    named = [
        (place, *NAMES[word.lstrip("=~")])
        for place, word in enumerate(said.words)
        if _is_name(said, word) and word.lstrip("=~") != left_out
    ]
    found = []
    for place, kind, name in named:
        if sum(other == kind for _, other, _ in named) != 1 or not _is_given(said, place):
            continue
        left_behind = {left_out, "over", "instead", "rather", "than", "대신"} if left_out else set()
        rest = content_words(left_of((*said.words[:place], *said.words[place + 1 :]), left_behind))
        about = [word for word in rest if word not in _OF_EVERYTHING and word not in _MAKING]
        if not about and not _EXCLUSIVE.intersection(rest):
            continue
        kept = tuple(word for word in rest if word not in ("use", "prefer"))
        exclusive = "prefer" if "prefer" in rest and not about else ""
        found.append(Aspect(form_of(f"name {kind} {exclusive}", kept), name, said.words[place].lstrip("=~")))
    return found


def _is_name(said: Reading, word: str) -> bool:
    bare = word.lstrip("=~")
    if bare not in NAMES:
        return False
    return bare not in SPELLED or re.search(rf"(?<![A-Za-z]){re.escape(SPELLED[bare])}(?![A-Za-z])", said.written) is not None


def _is_given(said: Reading, place: int) -> bool:
    """Whether a name is what is chosen, and not what the statement is about."""
    # In the text it may have an ending that the word has lost.
    name = rf"(?<!\w){re.escape(said.words[place].lstrip('=~'))}[a-z]{{0,2}}[`\"'*]{{0,2}}"
    others = (*said.words[:place], *said.words[place + 1 :])
    if any(is_hangul(word[0]) for word in others) or re.search(rf"{name} ?[가-힣]", said.plain):
        is_object = re.search(rf"{name} ?{_OBJECT_PARTICLES}", said.plain) is not None
        return is_object and (place == len(others) or any(word in _TAKES_ONE for word in said.words))
    if re.search(rf"(?:\b(?:is|are|be|=)|:) [`\"'*]{{0,2}}{name}[.!]?$", said.plain):
        return True
    return any(word in _TAKES_ONE and word != "be" for word in said.words[:place])


_ATTRIBUTE = re.compile(
    r"^\W{0,3}(?:the |our |my )?(?P<about>[A-Za-z][\w /'-]{2,60}?) ?"
    r"(?: is(?: now)?| are|=|:| will be| must be| should be| defaults to| is set to| is called| is named)"
    r" [`'*]{0,2}(?P<value>[\w.@/+-]{1,40})[`'*]{0,2}[.!]?$"
)
_ATTRIBUTE_KOREAN = re.compile(
    r"^(?P<about>[\w /·-]{2,60}?)(?:은|는|이|가|:) [`'*]{0,2}(?P<value>[\w.@/+-]{1,40}?)[`'*]{0,2}"
    r"(?:이다|다|입니다|이에요|예요|로 한다|으로 한다|로 합니다|으로 합니다)?[.!]?$"
)
_ATTRIBUTES = listed(
    """
    branch name owner maintainer reviewer license language region timezone host hostname url endpoint domain encoding
    format theme color editor model shell registry bucket prefix suffix username editor lead namespace 담당자 책임자
    이름 브랜치 라이선스 언어 시간대 리전 도메인 호스트 형식 인코딩 테마 모델 소유자 관리자 접두사 색상
    """
)
_PERSONS = listed("담당자 책임자 소유자 관리자")
_NO_VALUES = frozenset(
    """TBD TODO OK None Null Yes No True False Optional Required Unknown Fixed Broken Done Blocked Missing Private Public
    미정 없음 필요 휴가 변경 중요 동일 모름 공석 비밀 본인 나 저 우리""".casefold().split()
)


def called(said: Reading) -> list[Aspect]:
    """The name that something's owner, branch, region … is said to be."""
    found = _ATTRIBUTE.match(said.written) or _ATTRIBUTE_KOREAN.match(said.written)
    if found is None or said.denials:
        return []
    value = found["value"].rstrip(".")
    about = content_words(tuple(word.partition("'")[0] for word in statement_of(found["about"]).split()))
    heads = _ATTRIBUTES.intersection(about)
    if len(about) < 2 or not heads or value.casefold() in _NO_VALUES or not _is_naming(value, of_person=bool(heads & _PERSONS)):
        return []
    return [Aspect(form_of("is", about), value.casefold(), value)]


def _is_naming(value: str, *, of_person: bool) -> bool:
    if not value or value.replace(".", "").isdigit():
        return False
    if is_hangul(value[0]):
        return of_person and 2 <= len(value) <= 4
    return value.casefold() in NAMES or value[0].isupper() or any(c.isdigit() or c in "._/@-" for c in value)
