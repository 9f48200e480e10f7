"""The telling words of what a lesson says: without them it would say something else, so its quotes have to say them.

Telling is what names a thing or an act: literals (paths, numbers, options, addresses, names in the spelling of code) and all
words but those that any rule may have by itself (``use``, ``when``, ``한다``). Two forms of one word are one, in English and in
Korean; a word in another language is another word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from memory_assets.text.english_words import inflected
from memory_assets.text.invisible import without_unseen
from memory_assets.text.korean_verbs import dictionary_forms
from memory_assets.text.korean_words import is_hangul, taken_apart
from memory_assets.text.particles import stems

TELLING_VERSION: Final = "1"
"""Changes whenever a text would have other telling words: lessons are folded anew then, and claims are judged anew."""

_LITERAL: Final = re.compile(
    r"(?<!\S)[^\s/\\=@_\d]*[/\\=@_\d]\S*|(?<![\w-])--?[A-Za-z][\w-]*|\b\w+\.[A-Za-z]\w*|\b[a-z]+[A-Z]\w*|\b[A-Za-z]+(?:\+\+|#)"
)
_EDGES: Final = "`'\"“”‘’()[]{}<>,.;:!?*"
_BESIDES: Final = re.compile(r"(?<=[A-Za-z0-9_./=-])[가-힣]+$")
"""A Korean particle behind a name."""
_WORD: Final = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|[가-힣]+|[^\W\d_A-Za-z가-힣]+")
_LEAST_ALIKE: Final = 5
"""Letters that two English words of one stem begin with: ``configure``, ``configuration``."""

_FREE_ENGLISH: Final = """
repeat repeating repeatedly contain contains
a an the this that these those it its they them their there here we us our you your i me my he she his her who what which
how why one ones some other another such same own as is are was were be been being am do does did done doing have has had
having will would shall should can could may might must ought need needs want wants let lets like likes prefer please
kindly to of in on at by for from with without into onto about over under within through via per up down out off and or
but nor not no never none nothing nobody n't cannot don doesn didn isn aren wasn won shouldn mustn avoid stop refrain
instead rather than so then thus also too even just only ever again still already yet now later first last before after
until unless if when whenever where wherever while because since once every each all any both always anything everything
something anyone everyone someone whole entire use using used run running execute call invoke perform make keep ensure
remember follow apply try start begin go get give take put set work works working fail fails failed failure rejected error
errors exist exists missing available command commands tool tools input result output way ways thing things case cases
time times step steps task tasks rule order request instruction agent user person people session project moment next new
future general default exactly explicitly directly properly correctly good better well right wrong true false ok yes more
less most very really back sure persons said say says asked
"""
_FREE_KOREAN: Final = """
때문 때문이다 작성 작성하다 반복하다
하다 되다 있다 없다 않다 말다 마다 아니다 이다 쓰다 사용 사용하다 이용 이용하다 실행 실행하다 돌리다 주다 보다 두다 같다
위하다 따르다 지키다 대하다 통하다 한다 것 거 수 때 경우 전 전에 전에는 후 후에 뒤 뒤에 다음 먼저 항상 늘 꼭 반드시 절대
절대로 무조건 매번 모든 모두 전부 전체 각 각각 그 이 저 그것 이것 저것 그거 이거 여기 거기 우리 저희 나 내 너 네 제 누구
무엇 뭔가 아무 어떤 이런 그런 이렇게 그렇게 저렇게 어떻게 왜 안 못 말고 대신 대신에 아니라 아니고 없이 금지 피하다 삼가다
그만 만 도 및 또는 또 그리고 그러나 하지만 그래서 계속 다시 이제 지금 앞으로 앞으로는 이후 요청 요청하다 지시 명령 명령어
명령을 도구 작업 작업하다 방법 방식 규칙 프로젝트 세션 사용자 에이전트 사람 실패 실패하다 오류 에러 결과 입력 출력 해야
해서 하고 하며 하면 하지 있으면 없으면 나면 나다 오다 가다 좋다 쭉 원래 원래는 일 함
"""
_SAME: Final = """
answer reply respond response
delete remove erase
edit modify change alter touch
char chars character characters
show display
fix repair
find found
지우다 삭제 삭제하다 제거 제거하다
고치다 바꾸다 수정 수정하다 변경 변경하다 편집 편집하다 건드리다 손대다
묻다 물어보다 질문 질문하다
추가 추가하다 넣다
만들다 생성 생성하다
보여주다 표시 표시하다
확인 확인하다 점검 점검하다
repo repository
dir directory folder
doc docs documentation
db database
config configuration configure setting
dependency dependencies
install setup
"""


class Words:
    """The words of some texts, to look for others among them.

    Args:
        texts: as they are; what nobody sees is left out.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        # Words are found in the text as it stands, as they are in what is held against them: "Aß" is other letters when folded.
        seen = " ".join(without_unseen(text) for text in texts)
        self._text = seen.casefold()
        self._words = {word for token in words(seen) for word in _forms(token)}
        self._begun = {word[:_LEAST_ALIKE] for word in self._words if word.isascii() and len(word) >= _LEAST_ALIKE}
        self.has_hangul = any(map(is_hangul, self._text))

    def say(self, telling: str) -> bool:
        """Whether a telling word, or a literal, is among them."""
        if not _is_word(telling):
            return _says_literal(self._text, telling)
        forms = _forms(telling)
        if forms & self._words:
            return True
        if is_hangul(telling[0]):
            return any(_is_one_korean_word(telling, word) for word in self._words if is_hangul(word[0]))
        return any(_is_one_english_word(telling, word) for word in self._words) if telling[:5] in self._begun else False


def telling(text: str) -> list[str]:
    """The telling words and literals of a text, in their order, each once."""
    seen = without_unseen(text)
    found = literals(seen)
    rest = _LITERAL.sub(" ", seen)
    return list(dict.fromkeys([*found, *(word for word in words(rest) if not is_free(word))]))


def literals(text: str) -> list[str]:
    """The literals of a text, each once."""
    stripped = (_BESIDES.sub("", found.strip(_EDGES)).strip(_EDGES).casefold() for found in _LITERAL.findall(text))
    return list(dict.fromkeys(one for one in stripped if any(map(str.isalnum, one))))


def words(text: str) -> Iterator[str]:
    """The words of a text as they stand; without the particles that Korean glues to a name."""
    for found in _WORD.finditer(text):
        before = text[found.start() - 1 : found.start()]
        is_glued = before.isascii() and before.isalnum() and is_hangul(found[0][0])
        if not is_glued or before not in stems(before + found[0]):
            yield found[0].casefold().replace("’", "'")


def untold(told: Sequence[str], quotes: Iterable[str]) -> list[str]:
    """What some texts say and no quote says: telling words and literals."""
    said = Words(quotes)
    return [one for text in told for one in telling(text) if not said.say(one)]


def texts_of(claim: Mapping[str, Any]) -> list[str]:
    """What a claim tells, in all its parts."""
    return [claim["title"], claim["rule"], claim.get("trigger", ""), *claim.get("exceptions", ())]


def is_told_without(told: Sequence[str], quotes: Iterable[str], left: Iterable[str]) -> bool:
    """Whether the quotes that are left say all that some texts have of the quotes that there were."""
    before, now = Words(quotes), Words(left)
    return all(now.say(one) or not before.say(one) for text in told for one in telling(text))


@lru_cache(maxsize=1 << 14)
def is_free(word: str) -> bool:
    """Whether a rule may have a word by itself."""
    if not is_hangul(word[0]):
        return word in _FREE or inflected(word) in _FREE or word.partition("'")[0] in _FREE
    return bool(_forms(word) & _FREE)


@lru_cache(maxsize=1 << 14)
def _forms(word: str) -> frozenset[str]:
    """What a word may be without its endings, and what says the same."""
    if is_hangul(word[0]):
        forms = frozenset((word, taken_apart(word).stem, *stems(word), *dictionary_forms(word)))
        return forms.union(*(_GROUPS[form] for form in forms if form in _GROUPS))
    stem = inflected(word.partition("'")[0])
    return frozenset((word, stem)) | _GROUPS.get(stem, frozenset())


def _is_word(told: str) -> bool:
    return _WORD.fullmatch(told) is not None and not _LITERAL.fullmatch(told)


def _says_literal(text: str, literal: str) -> bool:
    """Whether a text says a literal and no longer one: ``60`` is not in ``600``."""
    before = r"(?<![a-z0-9])" if literal[0].isalnum() else ""
    after = r"(?![a-z0-9])" if literal[-1].isalnum() else ""
    return re.search(f"{before}{re.escape(literal)}{after}", text) is not None


def _is_one_korean_word(one: str, other: str) -> bool:
    """Whether one begins with the other, of two syllables at least, or both with the same three."""
    shorter, longer = sorted((one, other), key=len)
    return (len(shorter) >= 2 and longer.startswith(shorter)) or (len(shorter) >= 3 and one[:3] == other[:3])


def _is_one_english_word(one: str, other: str) -> bool:
    """Whether one begins with the other but for its last letter."""
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= _LEAST_ALIKE and longer.startswith(shorter[: max(_LEAST_ALIKE, len(shorter) - 1)])


_FREE: Final = frozenset((_FREE_ENGLISH + _FREE_KOREAN).split())
_GROUPS: Final = {
    word: frozenset(line.split())
    for line in _SAME.strip().split("\n")
    for word in (*line.split(), *map(inflected, line.split()))
}
