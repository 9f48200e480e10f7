"""What a Korean title says of how far its task has come: at its end, where the verb stands, and seldom at its beginning.

``로그인 버그를 수정해야 함``, ``로그인 버그 수정 끝냄`` and ``로그인 버그 수정했습니다`` keep what is worked on and the
noun that says how. A verb that is no noun with ``하다`` becomes its dictionary noun: ``고쳐야 함`` and ``고쳤습니다`` are
``고치기``.
"""

from __future__ import annotations

import re

from memory_assets.tasks.english_status import REACH
from memory_assets.text.korean_words import PARTICLES, is_hangul, taken_apart

LABEL = (
    r"완료(?:됨|함)?|진행 ?중|작업 ?중|(?:해야 ?)?할 ?일|다음(?: ?할 ?일| ?작업| ?단계)?|남은 ?(?:일|작업|할 ?일)|미완료|막힘"
    r"|보류|대기 ?중?|예정|취소(?:됨|함)?|나중에|투두|끝(?:냄|남)?"
)

_END = r"[\s.!…~]*\Z"
_POLITE = r"(?:음|다|습니다|어요?|네요?|죠|지)"
_DID = rf"(?:했{_POLITE}|하였{_POLITE}|됐{_POLITE}|되었{_POLITE}|됨)"
_IS = r"(?:임|이다|입니다|이에요|예요)?"
_MUST = rf"야\s?(?:함|합니다|한다|해요?|됨|됩니다|된다|돼요?|할\s?듯|하겠{_POLITE}|겠{_POLITE}|지|하는데)"
_THERE = rf"있(?:{_POLITE}|는\s상태)"

_DONE = (
    rf"완료(?:함|{_DID})?|끝|끝(?:냄|남|났{_POLITE}|냈{_POLITE})|마(?:침|쳤{_POLITE})|미완료"
    rf"|(?:(?<!지\s)(?:안|못)|다)\s?(?:함|했{_POLITE}|끝남|끝냄)"
)
_GOING = rf"(?:진행|작업)?\s?(?:하는\s?)?중{_IS}|(?:진행|작업)\s?예정{_IS}|예정{_IS}|(?:시작|진행)(?:함|{_DID})|하고\s?{_THERE}"
HELD = rf"막혀\s?{_THERE}|막힘|막혔{_POLITE}|막힌\s상태|(?:블록|블로킹)(?:됨|당함)?"
_STUCK = rf"(?:진행|작업)\s?(?:불가(?:능)?|못\s?함)(?:\s?상태)?{_IS}"
_WAITING = rf"대기(?:\s?중{_IS}|함)?|기다리는\s?중{_IS}|기다림|기다리고\s?(?:{_THERE}|있어서\s{_STUCK})|기다려{_MUST}"
_PUT_OFF = rf"보류(?:\s?중{_IS}|됨|함)?|취소(?:됨|함|{_DID})|나중에"
_NEEDED = r"(?:할\s?)?필요(?:함|합니다|하다|해요?|(?:가\s?)?\s?있(?:음|다|습니다))?"
_ADVERB = r"(?:(?:다|모두|전부|거의|이미|아직|현재|지금|일단|나중에|성공적으로|정상적으로)\s+)?"

# A word of its own behind what the task is.
_SAID = re.compile(rf"\s+{_ADVERB}(?:{_DONE}|{_GOING}|{HELD}|{_PUT_OFF}|{_NEEDED}|대기\s?중{_IS}|할\s?것){_END}")
_SET_OFF = re.compile(
    rf"\s*(?:[(\[【]\s*(?P<in>{{0}})\s*[)\]】]|(?:\s[-–—|:]|[,;:]|\s(?:→|->))\s*(?:{{0}})){_END}".format(
        rf"{_ADVERB}(?:{_DONE}|{_GOING}|{_PUT_OFF}|{_NEEDED}|(?:[^()\[\]【】,;]{{1,80}}?\s?)?(?:{HELD}|{_WAITING}))"
    )
)
# `하다` behind the noun that names the work.
_DOES = re.compile(
    rf"(?P<noun>[^\W_]{{2}}(?<![야로게다])(?:[)\]])?)(?:\s?(?:할\s?것(?:임|이다)?|할\s?예정{_IS}|해{_MUST}|하기로\s?(?:함|결정(?:함|{_DID})?|{_DID})|하자|합시다|할게요?"
    rf"|하겠{_POLITE}|하려고?\s?(?:함|합니다|한다)|하고\s?{_THERE}|하는\s?중{_IS}|하지\s?못\s?(?:함|{_DID})|해\s?(?:줘요?|주세요|주십시오|줄래요?|둬|라|보자|봐)|하세요|하십시오|부탁(?:해요?|드립니다|합니다)?"
    rf"|{_DID})|하기|합니다|한다|하다|됩니다|된다|함){_END}"
)
# `함` in these is a box, or part of the word.
_NO_VERB = re.compile(
    r"(?:보관|수신|발신|메일|알림|편지|우편|문서|작업|보낸|찾기|투표|쪽지|사물|서류|저장|받은|결|포|위|필요|가능|불편|중요)함[\s.!…~]*\Z"
)

_MUST_DO = re.compile(rf"(?P<verb>[가-힣]{{1,8}}){_MUST}{_END}")
_TO_DO = re.compile(rf"(?P<verb>[가-힣]{{1,8}})\s?(?:것|예정){_IS}{_END}")
_TO_BE_DONE = re.compile(
    rf"(?P<verb>[가-힣]{{1,8}})(?:기로\s?(?:함|{_DID})|는\s?중{_IS}|고\s?{_THERE}|지\s?못\s?(?:함|{_DID})|기\s?(?:완료|시작){_END}){_END}"
)
_ASKED = re.compile(rf"(?P<verb>[가-힣]{{1,8}})\s?(?:줘요?|주세요|주십시오|두자|놓자){_END}")
_STATED = re.compile(rf"(?P<verb>[가-힣]{{0,8}}[친긴린킨인운준본쓴꾼눈낸든둔]다|[가-힣]{{2,8}}니다){_END}")
_PAST = re.compile(rf"(?P<verb>[가-힣]{{2,9}}){_END}")
_NOUNS_OF_VERBS = {
    form: noun
    for noun, forms in {
        "고치기": "고침 고치자 고칠게요 고칠게",
        "만들기": "만듦 만들자",
        "바꾸기": "바꿈 바꾸자",
        "옮기기": "옮김 옮기자",
        "지우기": "지움 지우자",
        "넣기": "넣음 넣자",
        "빼기": "뺌 빼자",
        "줄이기": "줄임 줄이자",
        "올리기": "올리자",
        "쓰기": "쓰자",
        "늘리기": "늘리자",
        "나누기": "나누자",
        "합치기": "합치자",
        "붙이기": "붙이자",
        "찾기": "찾자",
    }.items()
    for form in forms.split()
}
# Verbs whose stem ends in ㄹ: `만들 것` is of `만들다`, `고칠 것` of `고치다`.
_ENDING_IN_L = frozenset("늘열풀달걸돌밀물팔알들만말불빌")
# `붙입니다` is of `붙이다`; any other noun before `이다` is what something is, and nothing that is done.
# fmt: off
_VERBS_IN_I = (
    "붙이", "줄이", "높이", "늘이", "보이", "쌓이", "속이", "먹이", "녹이", "끓이", "들이", "기울이", "움직이", "섞이", "모이",
    "놓이", "쓰이", "벌이", "조이", "숙이",
)
# fmt: on
# `재고 있음` is of what is in stock.
_NOUNS_IN_GO = frozenset(
    ("재고", "광고", "경고", "창고", "사고", "권고", "참고", "신고", "예고", "원고", "보고", "공고", "냉장고")
)
# `써`, `꺼` and the like have lost the ㅡ of their stem.
_STEMS = {
    "써": "쓰",
    "꺼": "끄",
    "떠": "뜨",
    "커": "크",
    "모아": "모으",
    "따라": "따르",
    "골라": "고르",
    "올라": "오르",
    "눌러": "누르",
    "도와": "돕",
    "지어": "짓",
}
_L, _SS, _FINALS = 8, 20, 28

_LEADS = re.compile(r"(?:나중에\s+(?!\S{1,4}기\s)|(?:이제|일단|다음으로)\s*,?\s+)(?=\S)")
_MIDDLE_LATER = re.compile(r"\s나중에(?=\s\S{1,12}\Z)")
_BECAUSE = re.compile(r".{1,80}?\s?(?:때문에|로 인해)\s+(?=\S)")
_HELD_AT_END = re.compile(rf"(?:{HELD}|{_WAITING}){_END}")
# What stands before them is another matter: `로그인은 되는데 배포가 막혀 있음`.
_BUT = ("는데", "은데", "인데", "지만")
_SUBJECT = ("이", "가", "은", "는")
# They look like a topic or subject and are what a noun is described by.
_DESCRIBING = (
    "하는",
    "되는",
    "있는",
    "없는",
    "않는",
    "가는",
    "오는",
    "나는",
    "지는",
    "리는",
    "치는",
    "같은",
    "많은",
    "작은",
    "높은",
    "낮은",
)
_NO_PARTICLE = ("추가", "평가", "증가", "허가", "인가", "참가", "휴가", "국가", "작가", "단가", "원가", "차이", "높이", "길이")


def without_lead(text: str) -> str:
    """Without ``나중에`` and the like at the beginning; ``나중에 보기 기능`` is a feature."""
    lead = _LEADS.match(text, 0, REACH)
    return text[lead.end() :] if lead else text


def without_tail(text: str) -> str:
    """Without what the end says of the status, and the particle before it: ``수정이 끝났음`` is ``수정``."""
    start = max(0, len(text) - REACH)
    if not any(map(is_hangul, text[start:])):
        return text
    held = _HELD_AT_END.search(text, start)
    if held and (about := _held_task(text, held.start())):
        return about
    if tail := (_SET_OFF.search(text, start) or _SAID.search(text, start)):
        return without_particle(text[: tail.start()])
    if _NO_VERB.search(text, start):
        return text
    if does := _DOES.search(text, start):
        return text[: does.end("noun")]
    return text


def with_plain_verb(text: str) -> str:
    """With the verb at the end as a noun: ``로그인 버그를 고쳐야 함`` is ``로그인 버그를 고치기``."""
    start = max(0, len(text) - REACH)
    if not any(map(is_hangul, text[start:])):
        return text
    text = _MIDDLE_LATER.sub("", text) if "나중에" in text else text
    for pattern, noun in ((_MUST_DO, _of_past), (_TO_DO, _of_future), (_TO_BE_DONE, _as_it_is), (_ASKED, _of_past)):
        if (found := pattern.search(text, max(0, len(text) - REACH))) and (stem := noun(found["verb"])):
            return text if _is_copula(stem) else text[: found.start("verb")] + stem + "기"
    last = text.rpartition(" ")[2].rstrip(".!…~")
    if last in _NOUNS_OF_VERBS:
        return text[: text.rindex(last)] + _NOUNS_OF_VERBS[last]
    if (found := _STATED.search(text, start)) or ((found := _PAST.search(text, start)) and taken_apart(found["verb"]).past):
        stem = taken_apart(found["verb"]).stem
        # That something is there is nothing that is done.
        return text if stem.endswith(("있", "없")) or _is_copula(stem) else text[: found.start("verb")] + stem + "기"
    return text


def without_particle(text: str) -> str:
    """Without the particle of its last word."""
    text = text.rstrip(" ,;:-–—")
    last = text[text.rfind(" ") + 1 :]
    if len(last) > 1 and last[-1] in PARTICLES and not is_hangul(last[-2]):
        return text[:-1]
    if last.endswith(_NO_PARTICLE) or not all(map(is_hangul, last)) or len(last) < 2:
        return text
    apart = taken_apart(last)
    return text[: len(text) - len(last)] + apart.stem if apart.role and last.startswith(apart.stem) else text


def _held_task(text: str, end: int) -> str | None:
    """What is held up, where the end says by what: ``배포는 PR 12에 막혀 있음`` is ``배포``; None where it does not."""
    words = text[:end].split()
    contrasted = max((place for place, word in enumerate(words[:40], 1) if word.endswith(_BUT)), default=0)
    if 0 < contrasted < len(words):
        if about := _held_of(words, contrasted):
            return about
        if words[-1].endswith(_SUBJECT) and without_particle(words[-1]) != words[-1]:
            return without_particle(" ".join(words[contrasted:]))
    if about := _held_of(words, 0):
        return about
    because = _BECAUSE.match(text, 0, end)
    return without_particle(text[because.end() : end]) if because else None


def _held_of(words: list[str], start: int) -> str | None:
    """What the words from ``start`` on are about: those to the first topic or subject."""
    for place, word in enumerate(words[start:40], start):
        stem = without_particle(word)
        if stem == word or word.endswith((*_DESCRIBING, "을", "를", "에")) or place + 1 == len(words):
            continue
        return " ".join([*words[start:place], stem])
    return None


def _of_past(verb: str) -> str | None:
    """``고쳐`` is ``고치``, ``넣어`` is ``넣``."""
    for ending, stem in _STEMS.items():
        if verb.endswith(ending):
            return verb[: -len(ending)] + stem
    number = ord(verb[-1]) - 0xAC00
    if number % _FINALS or verb[-1] == "해":
        return None
    apart = taken_apart(verb[:-1] + chr(ord(verb[-1]) + _SS) + "다")
    return apart.stem if apart.past else None


def _of_future(verb: str) -> str | None:
    """``고칠`` is ``고치``, ``넣을`` is ``넣``, ``만들`` is itself."""
    last = verb[-1]
    if (ord(last) - 0xAC00) % _FINALS != _L or last == "할":
        return None
    if last == "을" and len(verb) > 1 and (ord(verb[-2]) - 0xAC00) % _FINALS:
        return verb[:-1]
    return verb if last in _ENDING_IN_L else verb[:-1] + chr(ord(last) - _L)


def _is_copula(stem: str) -> bool:
    return stem.endswith("이") and not stem.endswith(_VERBS_IN_I)


def _as_it_is(verb: str) -> str | None:
    return None if verb.endswith("하") or f"{verb}고" in _NOUNS_IN_GO else verb


_BEFORE = re.compile(
    rf"\s*(?:(?:의\s)?(?:{_WAITING})|(?:{HELD})|(?:완료|종료|머지|승인|배포|해결|출시)?\s?(?:이후|후|뒤)(?:에)?|(?:에\s?)?의존(?:함|{_DID}|\s?중)?|필요(?:함|합니다)?|때문에"
    rf"|(?:끝나|끝내|완료(?:되|돼)?|머지(?:되|돼)?|승인(?:되|돼)?|배포(?:되|돼)?|해결(?:되|돼)?|나오|나와|준비(?:되|돼)?)"
    rf"(?:야\s?(?:함|합니다|한다|해요?|됨|진행\s?가능)|어야\s?(?:함|합니다|한다|해요?|됨)|면|기\s?전(?:까지|에)?|길\s?(?:대기|기다림))"
    rf"|(?:끝날|완료될|머지될|승인될|배포될|해결될|나올|준비될)\s?때까지(?:\s?(?:{_WAITING}|{HELD}))?){_END}"
)


def without_waiting(text: str) -> str:
    """What a text says that is waited for: ``디자인 리뷰가 끝나야 함`` and ``디자인 리뷰 대기 중`` are ``디자인 리뷰``."""
    start = max(0, len(text) - REACH)
    if not any(map(is_hangul, text[start:])):
        return text
    waits = _BEFORE.search(text, start)
    return without_particle(text[: waits.start()]) if waits and waits.start() else text
