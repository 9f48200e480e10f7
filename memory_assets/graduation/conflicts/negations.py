"""Whether a statement affirms what it says, denies it, or says the opposite."""

from __future__ import annotations

import re
from functools import lru_cache

from memory_assets.graduation.conflicts.aspect import GENERIC, Aspect, form_of, left_of
from memory_assets.graduation.conflicts.reading import Reading, content_words, listed
from memory_assets.text.english_words import inflected
from memory_assets.text.korean_words import is_hangul
from memory_assets.text.opposites import RULES, STATES, sides

# What is so at one time and not at another, or holds of one case and not of another: denied, it contradicts nothing.
_PASSING = listed(
    """
    work fail pass broken break green red done ready complete exist find error errors crash installed install available
    online offline down up empty missing happen know sure see look like want feel think understand able show appear seem
    match differ change still mind care enough finish hang hold leave need issue problem bug warning matter get 있 없 되
    작동 동작 실패 성공 통과 완료 끝나 끝 가능 필요 맞 같 보이 나오 나타나 발생 존재 알 모르 좋 틀리 정상 문제 오류 버그
    안되 돌아가 나 들어가 안 바뀌 변경
    """
)
# Said of a thing these tell how it is, said of people or to them what is to be done.
_PASSING_OF_THINGS = listed("run start stop touch block return contain")
_OF_PEOPLE = re.compile(
    r"^\W{0,3}(?:(?:do not|don't|never|always) )?(?:run|start|stop|touch|block|return)\b|\b(?:we|must|should|never|always)\b"
)
# Of people who may or must not: to see and to change is what rules are about. That they cannot may be a defect.
_PASSING_UNLESS_RULED = listed("see change start stop run 변경")
_CAN = re.compile(r"\b(?:can|cannot|can't)\b")
_MODALS = set(listed("may can 수 있 없"))
_MAY_HAPPEN = re.compile(
    r"\b(?:may|can|cannot|can't)(?: not)?(?: \w{1,20}ly)? (?:be|have|get|lose|notice|experience|encounter|forget|expect|miss"
    r"|wait|find|hit|receive|face|end|struggle|run into|try|stay|become|already|still|well)\b"
)
_UNCLEAR_DENIALS = re.compile(
    r"\bnot (?:only|just|necessarily|all|every|always|both|sure|yet|even)\b|\b(?:none|nothing|neither|nor|unable)\b"
    r"|\b(?:that|which|who|where|when|whenever|while|until|but|because|since|so)\b.{0,200}\b(?:not|never|no|cannot|\w+n't)\b"
    r"|\b(?:is|are|am|'s|'re|'m)(?: not)?(?: currently)? (?!using\b|allowing\b)\w+ing\b|\bno (?!longer\b)"
    r"|지만|는데|면서"
)


def negations(said: Reading) -> list[Aspect]:
    """What the whole statement says, and whether it denies it or says the opposite."""
    if said.denials > 1 or not said.denied_last or _UNCLEAR_DENIALS.search(said.plain):
        return []
    axes = [(place, *axis) for place, word in enumerate(said.words) if (axis := _axis(said, place, word)) is not None]
    if len(axes) > 1:
        return []
    words = list(said.words)
    affirmed = not said.denials
    shown = "" if affirmed else "never" if said.never else "not"
    if axes:
        place, name, is_first = axes[0]
        words[place] = f"<{name}>"
        affirmed = affirmed == is_first
        shown = f"{shown} {said.words[place]}".strip()
    if "<include>" in words:  # included in, excluded from
        words = [word for word in words if word != "from"]
    strong = (bool(axes) and not said.denials) or said.never or said.always
    found = []
    passes = _PASSING.intersection(words) or (_PASSING_OF_THINGS.intersection(words) and not _OF_PEOPLE.search(said.plain))
    if axes or not passes:
        found.append(("denies", content_words(tuple(words))))
    # What people do is another thing than what they may do, so the two have forms of their own.
    if said.of_people and not _MAY_HAPPEN.search(said.plain):
        ruled = content_words(left_of(tuple(words), _MODALS))
        passing = _PASSING | _PASSING_OF_THINGS if _CAN.search(said.plain) else _PASSING - _PASSING_UNLESS_RULED
        if axes or not passing.intersection(ruled):
            found.append(("rules", ruled))
    return [
        Aspect(form_of(kind, kept), affirmed, shown or ("always" if said.always else ""), strong)
        for kind, kept in found
        if len(kept) > 1 and any(word[0] != "<" and word not in GENERIC for word in kept)
    ]


# To switch a thing on and off again is work, unless it is said how it stands.
_SWITCHED = ("켜", "끄", "꺼")
_IS_SETTING = re.compile(r"\b(?:is|are|be|stays?|keep|defaults?|always|never)\b|기본|항상|절대|[가-힣A-Za-z0-9][은는] ")
_COPULA = (
    r"\b(?:is|are|be|stays?|remains?|defaults? to|keep [\w ]{1,30}|kept|set to|turn|turned|switch|switched)"
    r"(?: always| by default)? "
)


def _axis(said: Reading, place: int, word: str) -> tuple[str, bool] | None:
    """The pair of opposites that a word turns round the statement with, and the side that it is on."""
    for_korean = is_hangul(word[0])
    rules, states = _sides(RULES), _sides(STATES)
    spellings = [word, word[:2], word[:3]] if for_korean else [word]
    for spelling in spellings:
        if spelling in rules and rules[spelling][0] not in ("alway", "항상"):
            return rules[spelling] if spelling not in _SWITCHED or _IS_SETTING.search(said.plain) else None
    state = next((spelling for spelling in spellings if spelling in states), None)
    if state is None:
        return None
    behind = content_words(tuple(said.words[place + 1 :]))
    if state in ("on", "off"):
        turned = place > 0 and said.words[place - 1] in ("turn", "switch") and _IS_SETTING.search(said.plain)
        if not turned and not re.search(
            rf"\b(?:is|are|be|stay|stays) {state}(?:\W{{0,3}}$| (?:in|for|by|during|at)\b)", said.plain
        ):
            return None
        return states[state]
    if for_korean:
        return states[state] if not behind else None
    if behind and not re.search(rf"{_COPULA}{re.escape(state[:5])}", said.plain):
        return None
    return states[state]


@lru_cache(maxsize=4)
def _sides(pairs: str) -> dict[str, tuple[str, bool]]:
    return sides(pairs, inflected)
