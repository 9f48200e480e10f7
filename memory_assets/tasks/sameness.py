"""Whether two statements say the same: so nearly that a reader would keep one of them (architecture.md section 4).

Strict by construction. No number of equal letters decides: in a long sentence one word is a small share of the letters and
all of the meaning (``… in staging``, ``… in production``). All words must be there, in one order, up to inflection, particles,
politeness and spacing; of two long statements one may have one plain word more. So a number, a name, a path, a version, an
operator, a negation, a tense or an opposite that differs makes two statements, however alike the rest is: a conflict, no
repetition.

The *form* of a statement is what must be equal. Who looks for statements that say the same looks up forms, and compares nothing
with everything.
"""

from __future__ import annotations

from memory_assets.tasks.english_words import inflected
from memory_assets.tasks.korean_words import is_hangul, taken_apart
from memory_assets.tasks.statements import ROLE

ENOUGH_WORDS = 7
"""Words that two statements share before one of them may have a word more."""

_LIMITING = """
only except unless until before after if when while or but all any some most every each both first second third last next
old new more less fewer too almost nearly partly partially mostly mainly up down in out on off at by to from for with of as
than into over under behind via per about against within outside inside between above below beyond through during since
without despite once twice again always often sometimes rarely seldom hardly barely scarcely usually generally normally
typically possibly maybe perhaps probably likely unlikely supposedly allegedly nominally still yet later soon early late
today tomorrow yesterday tonight weekly daily monthly hourly nightly yearly monday tuesday wednesday thursday friday
saturday sunday stop avoid skip remove delete disable revert fail drop instead rather ignore forbid block reject deny refuse
prevent prohibit ban cancel pause suspend defer delay postpone omit exclude lack miss lose break abandon undo reverse oppose
disallow decline discard may might could should would must can will shall need want plan try attempt hope expect intend
propose suggest consider recommend request require used be was were been had has have did do get self half double single
dual triple test draft temporary optional legacy deprecated obsolete experimental broken wrong false true fake mock dummy
sample example invalid valid incorrect correct empty full missing former previous current future original default custom
manual automatic production prod staging stage development dev live sandbox beta alpha canary preview preprod local remote
public private internal external global shared backup primary secondary replica master slave main client server frontend
backend left right top bottom read write input output incoming outgoing maximum minimum max min high low higher lower large
small larger smaller long short longer shorter fast slow faster slower safe unsafe sync async synchronous asynchronous it
its he she they them his her their this that these those who whom which what whose where how why other another same
different mine yours ours you your we us our my me un non pre post anti semi re de co ex
medium critical urgent minor major severe normal initial final
만 도 전 후 때 이전 이후 먼저 나중 다시 모든 모두 일부 새 새로운 기존 첫 마지막 더 덜 가장 또는 부터 까지 보다 아직
테스트 임시 삭제 제거 취소 실패 중단 거의 드물게 가끔 항상 자주 보통 아마 운영 개발 스테이징 프로덕션 상용 실서버 로컬
원격 공개 비공개 내부 외부 금지 무시 차단 거부 거절 방지 제외 보류 연기 생략 포기 해제 비활성 활성 자동 수동 최대 최소
이상 이하 미만 초과 오늘 내일 어제 매일 매주 매월 주간 월간 반드시 가능 불가능 필요 선택 필수 예정 예상 계획 제안 검토
시도 왼쪽 오른쪽 위 아래 입력 출력 읽기 쓰기 공유 개인 전용 현재 과거 미래 이번 다음 지난 옛 구 신규 임의 잘못 오류
정상 비정상 그 이 저 그것 이것 저것 다른 같은 네 내 제 너 나 우리 당신
"""
# A word that limits, orders, dates, points, turns or places what it stands beside is never one more word.
_TURNING = frozenset(_LIMITING.split()) | frozenset(
    taken_apart(word).stem if is_hangul(word[0]) else inflected(word) for word in _LIMITING.split()
)
_TURNING_BEGINNINGS = tuple(word for word in _TURNING if is_hangul(word[0]) and len(word) > 1)
# Of `unsupported` and `nonblocking` the beginning turns; too many words begin so, which costs a repetition and no more.
_TURNING_PREFIXES = ("un", "non", "dis", "mis", "anti", "pre", "post", "semi", "pseudo")


def form(statement: str) -> str:
    """What two statements that say the same in as many words have in common: the words without the spaces between them."""
    return _form(statement.split())


def shorter_forms(statement: str) -> list[str]:
    """The form without each one word that a long statement may have more than another that says the same."""
    words = statement.split()
    if len(words) <= ENOUGH_WORDS:
        return []
    return list(
        dict.fromkeys(_form(words[:place] + words[place + 1 :]) for place in range(len(words)) if _may_be_more(words, place))
    )


def say_the_same(one: str, other: str) -> bool:
    """Whether two statements (`tasks.statements`) say the same. Symmetric; equal statements always do."""
    first, second = form(one), form(other)
    return first == second or first in shorter_forms(other) or second in shorter_forms(one)


def differ_in_a_fact(one: str, other: str) -> bool:
    """Whether two statements differ in a number, name, path, version, operator, picture, negation or person, in being a
    question, in the order of any of these, or in the tense or part of a word that they share."""
    return (
        _facts(one) != _facts(other)
        or _swapped(_roles(one), _roles(other))
        or _swapped(_tenses(one.split()), _tenses(other.split()))
    )


def _may_be_more(words: list[str], place: int) -> bool:
    word = words[place]
    if word[0] in "=~" or ROLE in word or word in _TURNING:
        return False
    if word.startswith((*_TURNING_BEGINNINGS, *_TURNING_PREFIXES)):
        return False
    # What is marked as past is not left behind by its verb.
    return words[place + 1 : place + 2] != ["=ed"]


def _facts(statement: str) -> list[str]:
    return [word.partition(ROLE)[0] for word in statement.split() if word[0] in "=~" and word != "=ed"]


def _roles(statement: str) -> dict[str, set[str]]:
    """Of each word that plays a part, its parts."""
    roles: dict[str, set[str]] = {}
    for word in statement.split():
        name, _, role = word.partition(ROLE)
        if role:
            roles.setdefault(name, set()).add(role)
    return roles


def _tenses(words: list[str]) -> dict[str, set[str]]:
    """Of each plain word, whether what follows says that it is past: another verb in the past is another word and no more."""
    tenses: dict[str, set[str]] = {}
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word[0] not in "=~":
            tenses.setdefault(word.partition(ROLE)[0], set()).add(following if following == "=ed" else "")
    return tenses


def _swapped(one: dict[str, set[str]], other: dict[str, set[str]]) -> bool:
    return any(roles.isdisjoint(other[word]) for word, roles in one.items() if word in other)


def _form(words: list[str]) -> str:
    # What is fixed is set off, so that its letters never run into a neighbour's.
    return "".join(f"{word};" if word[0] == "=" else word.removeprefix("~") for word in words)
