"""What a sentence wants and what it does not, clause by clause: whether a rule says what the words that it quotes say, or more,
or the opposite.

No grammar is read. A text is cut where a clause may end; a clause that denies makes its words unwanted, one that rejects
("instead of", "말고") turns round what stands beside it, and one that says when is a condition, which neither wants nor denies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Final

from memory_assets.court.telling import Words, is_free, literals, telling, words
from memory_assets.text.invisible import without_unseen
from memory_assets.text.korean_words import is_hangul


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ENDS_SENTENCE: Final = re.compile(r"(?:[.!?。…][\"'”’)`]*|;)\Z")
_ENDS_CLAUSE: Final = re.compile(r"[,:—–]\Z")
_OPENS: Final = _listed("but instead rather without unless until when whenever if where while before after even")
_CONDITIONS: Final = _listed(
    "unless until when whenever if where while before after even during for on in at as once with within under"
)
_JOINS: Final = ("and", "then", "or")
_BEHIND_JOIN: Final = _listed("never always do don't don’t not no use run keep")
_AUXILIARY: Final = _listed(
    "do does did is are was were be been must should shall can could will would may might has have had please"
)
_REJECTS: Final = _listed("instead rather without")
_DENIES: Final = re.compile(
    r"\b(?:not|never|no|nobody|nothing|cannot|avoid\w*|stop\w*|refrain\w*|refuse\w*|forbid\w*|prohibit\w*|banned|ban"
    r"|disallow\w*|quit)\b|n['’]t\b"
    r"|지 ?마(?:라|세요|십시오|시오|요)?(?![가-힣])|지 ?말(?=[고아라자것기 ])|금지|않"
    r"|(?<![가-힣])안 |(?<![가-힣])안(?=[하해했돼되])|(?<![가-힣])못|삼가|피하|피한|피해|자제|그만|중단|없다|없게|아니다",
    re.IGNORECASE,
)
_BOTH_WAYS: Final = re.compile(
    r"\b(?:forget\w*|fail\w*|skip\w*|miss(?:es|ed|ing)?|omit\w*|hesitat\w*|not only)\b"
    r"|잊|빼먹|빠뜨|빠트|놓치|않으면 안|(?<![가-힣])안 [가-힣 ]{1,20}면 안"
    r"|(?<=[가-힣A-Za-z0-9])(?<![을를은는이가도만로에면서선대고]) 안 (?![돼되됩된하해했할함])",
    re.IGNORECASE,
)
"""Beside a denial these may turn it round once more, or belong to a noun: what is wanted is not decided then."""
_REJECTING_KOREAN: Final = re.compile(r"(?:말고|대신에?|아니라|아니고|없이|보다는?|빼고)\Z")
_REJECTING_ALONE: Final = _listed("말고 대신 대신에 아니라 아니고 없이 보다 보다는 빼고")
_TOPIC: Final = re.compile(r"[가-힣A-Za-z0-9][은는]\Z")
_CONDITION_KOREAN: Final = re.compile(
    r"(?:[가-힣]면|때|때는|때마다|때만|전에|전에는|전엔|후에|후에는|뒤에|[가-힣A-Za-z]에는|[가-힣A-Za-z]에서는|에선|경우|경우에|경우에는|동안|동안에는"
    r"|중에는|만|[가-힣A-Za-z]에서)\Z"
)
_ENDING_KOREAN: Final = re.compile(r"(?:[가-힣]고|[가-힣]며|[가-힣]는데|[가-힣]지만|[가-힣]니까)\Z")
_MAY_NOT: Final = re.compile(r"[가-힣](?:면|서는|선)\Z")
"""In front of ``안`` no condition: ``지우면 안 돼`` denies."""
_INTERJECTION: Final = re.compile(r"\A(?:nope|아니|아니야|아니요|아뇨)\Z", re.IGNORECASE)
_BEHIND_NO: Final = _listed("we you i it it's that that's this use don't don’t not never the please always keep")
"""Behind ``no`` these begin what is wanted instead; anything else is what is not."""
_LEFT_UNDONE: Final = re.compile(
    r"\b(?:forgot|forget|missed|skipped)\b|\b(?:did|have|has|had|was|were)(?: not|n['’]t)\b"
    r"|(?<![가-힣])안 ?[가-힣]*[았었했렸됐였]|지 ?않았|빼먹|빠뜨|잊",
    re.IGNORECASE,
)
_DONE_WRONG: Final = re.compile(
    r"\b(?:why did|why do|you (?:again |just )?\w+ed|you (?:did|put|made|wrote|ran))\b|(?<![가-힣])왜 ", re.IGNORECASE
)
_PHRASE: Final = re.compile(r"\b(?:on|in|for|at|with|without|by|under|within|to|only|except)\b", re.IGNORECASE)
_ONCE: Final = re.compile(
    r"\b(?:this time|for now|just once|just this once|this once|today|tonight|temporarily|for (?:this|that) \w+)\b"
    r"|(?<![가-힣])(?:이번|일단|오늘|지금만|임시|당분간)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence.

    Attributes:
        sentence: which one of the text, from 0.
        denied: whether what it says is not wanted.
        is_undecided: it denies, and what it denies may be a denial too: it neither wants nor denies.
        is_condition: it says when, or of what, and nothing that is to be done.
    """

    text: str
    sentence: int
    denied: bool
    is_condition: bool
    is_undecided: bool = False


def clauses(text: str, *, complains: bool = False) -> list[Clause]:
    """The clauses of a text.

    Args:
        complains: the text tells what somebody did wrong: what was left undone is wanted.
    """
    found = [
        _clause(tokens, sentence, is_topic=is_topic)
        for sentence, part in _parts(without_unseen(text))
        for tokens, is_topic in _without_topic(part)
    ]
    for place, one in enumerate(found):
        beside = place + 1 if _REJECTING_KOREAN.search(one.text.rstrip(" ,")) else place - 1
        first = next(iter(words(one.text)), "")
        if first in _REJECTS or beside > place:
            near = found[beside] if 0 <= beside < len(found) and found[beside].sentence == one.sentence else None
            denied = not (near is not None and near.denied and not near.is_condition)
            found[place] = replace(one, denied=denied, is_undecided=_BOTH_WAYS.search(one.text) is not None)
        elif complains and one.denied and _LEFT_UNDONE.search(one.text):
            found[place] = replace(one, denied=False, is_undecided=False)
    return found


def _clause(tokens: Sequence[str], sentence: int, *, is_topic: bool) -> Clause:
    first = tokens[0].casefold().strip("`'\"(*")
    text = " ".join(tokens)
    bare = text.rstrip(" ,.!?:;`'\")")
    is_condition = (
        is_topic or first in _CONDITIONS or (is_hangul(bare[-1:] or " ") and _CONDITION_KOREAN.search(bare) is not None)
    )
    denied = _DENIES.search(f"{text} ") is not None
    return Clause(text, sentence, denied, is_condition, is_undecided=denied and _BOTH_WAYS.search(text) is not None)


def _parts(text: str) -> Iterator[tuple[int, list[str]]]:
    """The tokens of each clause, with the number of its sentence."""
    sentence = 0
    for line in text.splitlines():
        tokens, part = line.split(), list[str]()
        for place, token in enumerate(tokens):
            before = part[-1].casefold().rstrip(",") if part else ""
            behind = tokens[place + 1].casefold() if place + 1 < len(tokens) else ""
            if part and _opens(token.casefold().strip("`'\"("), before, behind):
                yield sentence, part
                part = []
            part.append(token)
            ends_sentence = _ENDS_SENTENCE.search(token) is not None
            is_no = len(part) == 1 and (_INTERJECTION.match(token) or (token.casefold() == "no" and behind in _BEHIND_NO))
            if ends_sentence or is_no or (_ends_clause(token) and not (_MAY_NOT.search(token) and behind.startswith("안"))):
                yield sentence, part
                part = []
            sentence += ends_sentence
        if part:
            yield sentence, part
        sentence += 1


def _without_topic(tokens: list[str]) -> Iterator[tuple[list[str], bool]]:
    """A clause, and before it the topic that is not what it rejects, told apart: ``서버는 | 3000 말고``."""
    topic = 0
    if _REJECTING_KOREAN.search(tokens[-1].rstrip(" ,")):
        topic = max((place + 1 for place, token in enumerate(tokens[:-1]) if _TOPIC.search(token)), default=0)
    if 0 < topic < len(tokens) - (tokens[-1] in _REJECTING_ALONE):
        yield tokens[:topic], True
        tokens = tokens[topic:]
    yield tokens, False


def _opens(token: str, before: str, behind: str) -> bool:
    if token in _OPENS:
        return before != "even" and not (token == "rather" and behind != "than")
    if token in _JOINS:
        return behind in _BEHIND_JOIN
    if token in ("never", "always"):
        return before not in ("we", "you", "i", "please", "and", "then", "or", "must", "should")
    return token == "not" and before not in _AUXILIARY and before not in _JOINS


def _ends_clause(token: str) -> bool:
    return any(ends.search(token) for ends in (_ENDS_CLAUSE, _REJECTING_KOREAN, _CONDITION_KOREAN, _ENDING_KOREAN))


@dataclass(frozen=True, slots=True)
class Wants:
    """What some quoted words want, and what they do not.

    Attributes:
        clauses: those of what a person says.
        wanted, unwanted: the words of each.
        told_of: words of which it is not said.
        blamed: words of what was done wrong.
        undecided: words of which it cannot be told.
    """

    clauses: tuple[Clause, ...]
    wanted: Words
    unwanted: Words
    told_of: Words
    blamed: Words
    undecided: Words


def wants(said: Iterable[str], *, told_of: Iterable[str] = (), wanted: Iterable[str] = (), complains: bool = False) -> Wants:
    """What some texts want.

    Args:
        said: by a person, who wants what is not denied.
        told_of: texts of which nothing follows: what failed.
        wanted: texts that are wanted as they are: what worked.
        complains: of what was done before (a correction).
    """
    found = clauses("\n".join(said), complains=complains)
    blamed = [one for one in found if complains and not one.denied and _DONE_WRONG.search(one.text)]
    decided = [one for one in found if one not in blamed and not one.is_condition and not one.is_undecided]
    return Wants(
        tuple(found),
        Words([*(one.text for one in decided if not one.denied), *wanted]),
        Words([one.text for one in decided if one.denied]),
        Words([*(one.text for one in found if one.is_condition), *told_of]),
        Words([one.text for one in blamed]),
        Words([one.text for one in found if one.is_undecided]),
    )


def says_otherwise(rule: str, quoted: Wants) -> bool:
    """Whether a rule wants what the quotes do not want, or the other way round, or this cannot be told."""
    told = (clause for clause in clauses(rule) if not clause.is_condition)
    return any(_is_turned(clause, quoted) for clause in told if not _is_as_quoted(clause, quoted))


def _is_as_quoted(clause: Clause, quoted: Wants) -> bool:
    """Whether a clause that cannot be decided stands in the quotes word for word, and is denied there as often.

    "Don't skip the tests" says the same as itself, whatever it wants.
    """
    if not clause.is_undecided:
        return False
    own, denials = list(words(clause.text)), len(_DENIES.findall(f"{clause.text} "))
    return any(
        one.is_undecided and len(_DENIES.findall(f"{one.text} ")) == denials and _holds(list(words(one.text)), own)
        for one in quoted.clauses
    )


def _holds(longer: Sequence[str], shorter: Sequence[str]) -> bool:
    """Whether words stand in others, one after the other."""
    starts = range(len(longer) - len(shorter) + 1)
    return bool(shorter) and any(longer[start : start + len(shorter)] == shorter for start in starts)


def _is_turned(clause: Clause, quoted: Wants) -> bool:
    same, against = (quoted.unwanted, quoted.wanted) if clause.denied else (quoted.wanted, quoted.unwanted)
    names = set(literals(clause.text)) | (
        {one for one in telling(clause.text) if one.isascii()} if _is_korean(clause.text) else set()
    )
    told = telling(clause.text)
    plain = [word for word in words(clause.text) if not is_free(word)]
    act = plain[-1 if _is_korean(clause.text) else 0] if plain else ""
    if any(quoted.undecided.say(word) and not same.say(word) for word in told):
        return True
    agrees = disagrees = 0
    for word in told:
        if same.say(word):
            agrees += 1
        elif against.say(word) and not quoted.told_of.say(word):
            if word in names or word == act:
                return True
            disagrees += 1
    is_blamed = not clause.denied and not agrees and any(map(quoted.blamed.say, told))
    return is_blamed or (disagrees > 0 and disagrees >= agrees)


def _is_korean(text: str) -> bool:
    return any(map(is_hangul, text))


def says_more(told: Sequence[str], rule: str, quoted: Wants) -> bool:
    """Whether a rule leaves out what limits the words that it is told with, or has only their condition.

    Args:
        told: the rule, when it applies, and when not.
    """
    sentences = [tuple(part) for _, part in groupby(quoted.clauses, key=lambda clause: clause.sentence)]
    said, everything = Words(one.text for one in clauses(rule) if not one.is_condition), Words(told)
    shared = [sum(said.say(word) for one in part for word in words(one.text)) for part in sentences]
    most = max(shared, default=0)
    if not most:
        return False
    nearest = [part for part, count in zip(sentences, shared, strict=True) if count == most]
    return all(_limits(part, said, everything) for part in nearest)


def _limits(sentence: Sequence[Clause], said: Words, told: Words) -> bool:
    whole = " ".join(one.text for one in sentence)
    if (once := _ONCE.search(whole)) and not told.say(once[0].casefold()):
        return True
    main = [one for one in sentence if not one.is_condition]
    if (acts := [word for one in main for word in telling(one.text)]) and not any(map(said.say, acts)):
        return True
    limits = [telling(one.text) for one in sentence if one.is_condition and not one.text.casefold().startswith("even ")]
    for one in main:
        if any(map(said.say, telling(one.text))):
            starts = [found.start() for found in _PHRASE.finditer(one.text)]
            limits += [telling(one.text[start:end]) for start, end in pairwise([*starts, len(one.text)])]
    return any(limit and 2 * sum(map(told.say, limit)) <= len(limit) for limit in limits)


def names_its_polarity(rule: str, polarity: str) -> bool:
    """Whether a rule says do where its polarity is ``do``, and not to do where it is ``dont``."""
    main = [clause for clause in clauses(rule) if not clause.is_condition and any(words(clause.text))]
    denied = [clause.denied for clause in main]
    return not denied or (any(denied) if polarity == "dont" else not all(denied))
