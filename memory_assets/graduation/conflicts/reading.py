"""What a statement says of a subject for good, so that it can be contradicted: a rule, a choice, a setting.

Most of what sessions hold cannot: questions, examples, what somebody said, what was done or measured once, how things stand
at the moment. It says nothing here. What is left is read as plain words in their order, without inflection, particles,
politeness, "we decided to", "from now on", and without the words that only join a value to its subject.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from memory_assets.text.english_words import inflected, is_past
from memory_assets.text.korean_words import is_hangul
from memory_assets.text.statements import MAX_CHARACTERS, ROLE, statement_of


def listed(words: str) -> frozenset[str]:
    """The words of a list that is written as a text."""
    return frozenset(words.split())


_FRAMES = re.compile(
    r"^\s{0,9}(?:[-*•>#]{1,3} )?\*{0,2}(?:decision|decided|agreed|rule|note|policy|preference|convention"
    r"|결정|원칙|규칙|합의|정책)"
    r"(?: \d{1,3})?\*{0,2} ?[:：]\*{0,2}"
    r"|\b(?:(?:we|i)(?:'ve| have)? )?(?:decided|agreed|chose|resolved|settled)(?: now| today)? (?:to|that|on)\b"
    r"|\bit (?:was|is) (?:decided|agreed) (?:to|that)\b"
    r"|\blet['’]?s\b|\blet us\b|\bfrom now on\b,?|\bgoing forward\b,?|\bplease\b"
    r"|\bmake sure (?:to|that)\b|\bremember (?:to|that)\b"
    r"|앞으로(?:는|도)?(?= )|이제(?:부터)?(?:는)?(?= )|지금부터(?:는)?(?= )|반드시(?= )|꼭(?= )",
    re.IGNORECASE,
)
_KOREAN_ENDS = (
    (re.compile(r"기로 ?(?:했|하였|결정|정했|정하|합의|한다|함)[가-힣]{0,6}"), "다"),
    (re.compile(r"로 ?(?:결정|정|합의|확정)(?:했|하였|하기로|한|합)[가-힣]{0,4}"), "로 한다"),
    (re.compile(r"수 ?(있|없)어야 ?(?:한다|합니다|해요|해|함|됩니다|된다)(?![가-힣])"), r"수 \1다"),
    (re.compile(r"(?:하면|해서는|해선) ?안 ?(?:된다|됩니다|돼요|돼|됨)(?![가-힣])"), " 않는다"),
    (re.compile(r"해야 ?(?:한다|합니다|해요|해|함|됩니다|된다)(?![가-힣])"), "한다"),
    (re.compile(r"써야 ?(?:한다|합니다|해요|해|함|됩니다|된다)(?![가-힣])"), "쓴다"),
    (
        re.compile(r"(?<=[가-힣])하지 ?않는다(?![가-힣])|(?<=[가-힣])하지 ?않습니다|(?<=[가-힣])하지 ?않다(?![가-힣])"),
        " 않는다",
    ),
)

_IS_NO_SENTENCE = re.compile(
    r"^\s{0,9}(?:\d{1,6}(?:→|\t)|[+\-] ?(?:\t| {2,})|\+[^\d]|[|✓✔✗☑✅❌⚠→←↳⎿●$#@{}\[\]();/\\])|:=|[{};]\s{0,3}$"
    r"|\.\.\.|…|→|=>| \| |==|\(\)"
    r"|\[[^\]\n]{0,60} [^\]\n]{0,60}\]|^[\w.\-]{1,60} ?= ?\S"
    r"|^\s{0,9}(?:const|let|var|val|int|final|static|export) [^=]{1,60}= ?\S"
)
"""What tools print, code, rows of tables, and what is cut off or to be filled in."""
_ASKS = re.compile(
    r"[?？]|(?:까|나요|는지|은지|을지|는가|까요)[.!\s]{0,3}$"
    r"|^\W{0,3}(?:is|are|does|did|what|why|how|who|whether|(?:should|can|could|shall|will|do) (?:we|i|you|it|they))\b"
)
_SUPPOSES = re.compile(
    r"\b(?:if|would|could|might|maybe|perhaps|possibly|suppose|supposing|assuming|example|examples|e\.g|eg|i\.e|instance|consider"
    r"|considered|considering|imagine|proposal|propose|proposed|suggest|suggested|option|alternatively|wonder|hopefully|probably"
    r"|likely|seems?|think|thought|guess|otherwise|wish|hope)\b"
    r"|만약|만일|예를 들|예컨대|예시|가령|아마|혹시|제안|고려|검토"
    r"|수 있|수도 있|것 같|(?<![화측반표전정후도지단장국])면(?:[ ,]|$)"
)
_QUOTES = re.compile(
    r"\b(?:said|says|say|told|tells|asked|asks|claim|claims|claimed|according|reported|mentions?|mentioned|wrote)\b"
    r"|[\"“”「『]|(?:라고|다고|냐고|자고) "
)
_POINTS = re.compile(
    r"\b(?:it|it's|they|them|their|he|she|him|her|his|hers|its|here|there|above|former|latter|such|which|whose|same)\b"
    r"|\b(?:this|that|these|those)\b(?! (?:repo|repository|project|codebase|package|team)\b)"
    r"|(?<![가-힣])(?:그건|이건|저건|그게|이게|그거|이거|그것|이것|저것|여기|거기|해당|그런|이런|이렇게|그렇게|위와|이는|그는)"
    r"|(?<![가-힣])[그이저] "
)
_NOW = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|currently|right now|at the moment|for now|at present|last|just|already|yet"
    r"|still|so far|temporarily|recently|was|were|did|had|been|went|got|found|took|ran|began|came|saw|gave|met"
    r"|bought|brought|lost|felt|heard"
    r"|became|grew|knew|spent|won|fell|meanwhile|next|finally|earlier|later|first|second|then)\b"
    r"|(?<![가-힣])(?:어제|오늘|방금|아까|아직|현재|지금|이번|내일|일단|우선|임시|당분간|먼저|다음|이미(?![가-힣]))"
    r"|(?:는|은|을) 중|중이|고 있|[였었았했]던"
)
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|approximately|approx|nearly|almost|some|circa|or so)\b"
    r"|~ ?\d|(?<![가-힣])(?:약|대략) ?\d|정도|쯤|가량"
)
_PASSIVE = listed(
    """
    is are be being get gets the a an all every any each our your no stay stays remain remains keep 's not always never
    only and or
    """
)
_PAST_IN_FORM_ALONE = listed(
    """
    memcached enabled disabled required allowed forbidden permitted supported deprecated blocked
    """
)
_IMPERATIVES = listed(
    """
    use always never keep run write log set store do don't avoid prefer retry limit allow forbid block disable enable
    include exclude skip require show hide reject accept deploy put
    """
)
_IRREGULAR_PAST = listed("made built chose broke sent kept held paid led left wrote")
_ORDERED_NOUNS = listed("commit push merge publish ship cache check edit upload delete ignore review")
_DESCRIBING = listed("generated compiled minified bundled vendored encrypted signed unsigned cached built untested")
"""Behind a verb that begins an order such a participle says which ("commit generated files"); a noun is followed by others."""
_PEOPLE = (
    r"^\W{0,3}(?:(?:the|our|all|any|no) )?(?:(?!only\b)[a-z-]{2,20} )?(?:users?|guests?|visitors?|members?|admins?"
    r"|administrators?|moderators?|editors?|viewers?|authors?|owners?|maintainers?|reviewers?|developers?|contributors?|contractors?|interns?"
    r"|employees?|customers?|clients|sellers?|buyers?|merchants?|students?|teachers?|operators?|managers?)"
)
RULED_PEOPLE = re.compile(
    rf"{_PEOPLE} (?:may|must|can|shall|should|cannot|can't|mustn't)\b"
    r"|^\W{0,3}(?:[가-힣]{1,8} )?(?:사용자|손님|고객|회원|비회원|게스트|방문자|관리자|운영자|직원|판매자|구매자|학생)"
    r"[은는] .{1,120} 수 [있없]다"
)
"""What people may and must do, and may not: of things "may" and "can" say what happens."""
_ABLE = re.compile(rf"({_PEOPLE}) (?:must|should|shall)( not)? be able to\b", re.IGNORECASE)
_THEIR = re.compile(r"\btheir\b")
_MAY_IN_KOREAN = re.compile(
    r" (?:볼|(?:삭제|수정|편집|조회|초대|게시|작성|변경|공유|다운로드|업로드|승인)할|내보낼|만들|지울) 수 있다"
)
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]{1,3})?|[.,;:!\n]")

_JOINING = listed(
    """
    be is are do of for to as at by in on has have should must shall will need ought now =we =i =our =my =us
    =me 하 되 한 이 로 으로 의 함 다 것 걸 은 는 을 를 가 에 에서 입 우리 저희 =우리는 =우리가 =저는 =나는 절대 절대로
    """
)
_LIGHT = listed("value setting time option parameter 시간 값 설정 옵션 기간 설정하")
_DENIALS = frozenset(("=not", "=no", "=never"))
_DENYING_STEMS = frozenset(("않", "않는", "말", "마", "못하", "못", "아니", "안"))
_DENYING_WORDS = {"avoid": "use"}
_NO_PARTICLE = listed("경로 진로 새로 바로 서로 따로 별로 스스로 실제로 주로 그대로 함부로 위로 아래로 뒤로 미로 도로 선로")
_PARTICLES = (
    "에서는",
    "에게는",
    "으로는",
    "로는",
    "에는",
    "으로만",
    "에서",
    "에게",
    "으로",
    "로",
    "에",
    "은",
    "는",
    "을",
    "를",
)
_SPELLINGS = {
    **dict.fromkeys(listed("쓰 써 쓴 쓸 씁 쓰기 쓰지 쓰자 쓰도록 사용 이용 사용하 이용하 사용하지 활용 활용하"), "use"),
    **dict.fromkeys(("utilize", "using", "adopt", "choose", "pick"), "use"),
    **dict.fromkeys(("꺼", "끄지", "끄자"), "끄"),
    **dict.fromkeys(("켜지", "켜자", "킨", "키"), "켜"),
    **dict.fromkeys(("forbidden", "forbade"), "forbid"),
    **dict.fromkeys(("hidden", "hid"), "hide"),
    "shown": "show",
    "kept": "keep",
    "built": "build",
    "written": "write",
    "sent": "send",
    "만드": "만들",
    "maximum": "max",
    "minimum": "min",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement that can be contradicted.

    Attributes:
        plain: the text without its frame, in lower case, for what only the text can tell (a particle, a copula).
        written: the same with its capitals.
        words: its words in order; a number keeps its ``=``.
        denials: how often it denies; ``always`` and ``never`` where it holds these words.
        denied_last: whether what it denies is its own verb, and not something beside it.
        about: whether its numbers are rounded.
        of_people: whether it says what people may or must do, or not.
    """

    plain: str
    written: str
    words: tuple[str, ...]
    denials: int
    always: bool
    never: bool
    denied_last: bool
    about: bool
    of_people: bool


def read(text: str) -> Reading | None:
    """A text as it can be contradicted; None where it cannot. Linear in the text, of which the first 600 characters count."""
    if len(text) > MAX_CHARACTERS or _IS_NO_SENTENCE.search(text):
        return None
    written = _unframed(unicodedata.normalize("NFKC", text)[:MAX_CHARACTERS].replace("’", "'"))
    plain = written.lower()
    of_people = RULED_PEOPLE.search(plain) is not None
    judged = _MAY_IN_KOREAN.sub(" ", _THEIR.sub("", plain)) if of_people else plain
    if any(tells.search(judged) for tells in (_ASKS, _SUPPOSES, _QUOTES, _POINTS, _NOW)):
        return None
    if _tells_what_happened(plain):
        return None
    said = [word.partition(ROLE)[0] for word in statement_of(written).split()]
    if _past_in_korean(said):
        return None
    words: list[str] = []
    denials = 0
    denied_at = -1
    for place, word in enumerate(said):
        following = said[place + 1] if place + 1 < len(said) else ""
        if word in _DENIALS:
            if not (place and ("금지" in said[place - 1] or "불가" in said[place - 1])):
                denials, denied_at = denials + 1, place
            continue
        if word == "=ed" or (word in _DENYING_STEMS and following == "=not") or (word == "longer" and said[place - 1] == "=no"):
            continue
        if word in _DENYING_WORDS:
            denials, denied_at, word = denials + 1, place, _DENYING_WORDS[word]
        is_unit = place > 0 and said[place - 1][:1] == "=" and said[place - 1][-1].isdigit()
        plain_word = _plain_word(
            word, is_last=following in ("", "=not"), is_denied=following in _DENYING_STEMS, is_unit=is_unit
        )
        if plain_word and plain_word not in ("항상", "늘", "alway", "=="):
            words.append(plain_word)
    return Reading(
        plain=plain,
        written=written,
        words=tuple(words),
        denials=denials,
        always="alway" in said or "항상" in said,
        never="=never" in said or any(word in ("절대", "절대로") for word in said),
        denied_last=not denials or not _has_hangul(plain) or denied_at >= len(said) - 2,
        about=_ABOUT.search(plain) is not None,
        of_people=of_people,
    )


def joins(word: str) -> bool:
    """Whether a word only joins others: a preposition, a particle, an auxiliary verb."""
    return word in _JOINING


def content_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without the words that only join a value to its subject."""
    return tuple(word for word in words if not joins(word) and word not in _LIGHT)


def _unframed(text: str) -> str:
    text = _ABLE.sub(r"\1 may\2", _FRAMES.sub(" ", text))
    for end, instead in _KOREAN_ENDS:
        text = end.sub(instead, text)
    return " ".join(text.split())


def _has_hangul(text: str) -> bool:
    return any(is_hangul(character) for character in text)


def _tells_what_happened(plain: str) -> bool:
    """Whether an English verb stands in the past, other than as a participle that describes."""
    before = "."
    is_order = False
    words = _WORD.findall(plain)
    if len(words) > 2 and words[0] in _ORDERED_NOUNS and words[1] in _DESCRIBING and words[2][0].isalpha():
        is_order = True
    for word in words:
        if not word[0].isalpha():
            before, is_order = ".", False
            continue
        if (before == "." and word in _IMPERATIVES) or word in ("must", "should", "always", "never"):
            is_order = True
        past = (len(word) > 3 and is_past(word) and word not in _PAST_IN_FORM_ALONE) or word in _IRREGULAR_PAST
        if past and not is_order and before not in _PASSIVE and not before.endswith("ly"):
            return True
        before = word
    return False


def _past_in_korean(said: list[str]) -> bool:
    return any(word == "=ed" and place and is_hangul(said[place - 1][0]) for place, word in enumerate(said))


def _plain_word(word: str, *, is_last: bool, is_denied: bool, is_unit: bool) -> str:
    bare = word.removeprefix("~")
    if not is_hangul(bare[0]):
        bare = inflected(bare) if bare.isalpha() else bare
        return _SPELLINGS.get(bare, bare)
    if bare in _SPELLINGS:
        return _SPELLINGS[bare]
    if bare not in _NO_PARTICLE:
        # Behind one syllable `로` and the like are as often a part of the word; `으로` never is, nor what is behind a unit.
        bare = next(
            (
                bare[: -len(end)]
                for end in _PARTICLES
                if bare.endswith(end) and len(bare) > len(end) + (not (is_unit or end[0] == "으"))
            ),
            bare,
        )
    for end in ("기로", "도록", "하지", "하", "되"):
        if bare.endswith(end) and len(bare) >= len(end) + 2:
            bare = bare[: -len(end)]
            break
    if len(bare) >= 2 and ((is_denied and bare.endswith("지")) or (is_last and bare[-1] in "자이")):
        bare = bare[:-1]
    return _SPELLINGS.get(bare, bare)
