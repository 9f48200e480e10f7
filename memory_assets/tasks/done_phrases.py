"""What a report says of its own certainty, and what a person answers to it, in English and in Korean."""

from __future__ import annotations

import re

_MOST = 400
"""Characters of a text that are read: an answer begins with what it says of the report."""

_TESTS_PASS = re.compile(
    r"\b(?:tests?|specs?|checks?|suites?|CI|builds?|lint)\b[^.!?\n]{0,60}?"
    r"\b(?:pass(?:es|ed|ing)?\b(?! (?:an?|the|its?|them)\b)|(?:is|are|all|fully) green)\b"
    r"|\b[1-9]\d{0,5} (?:tests? )?pass(?:ed|ing)\b|\bpass(?:es|ed)? all (?:the )?(?:tests?|checks?)\b"
    r"|(?:테스트|검증|빌드|체크|CI)[^.!?\n]{0,30}?통과(?=했|하였|됐|됨|함|합니다|\b(?!\s*(?:해야|하면|시|필요|예정|여부)))"
    r"|(?:모두|전부) 통과(?=했|하였|됐|합니다)",
    re.IGNORECASE,
)
_NOT_THE_TESTS = re.compile(
    r"n['’]t\b|\b(?:not|no|fail(?:s|ed|ing)?|until|once|if|when|whether|ensure|make sure|verify|before|after|to|must|should"
    r"|will|except|some|most)\b|안 |못 |실패|하면|해야",
    re.IGNORECASE,
)
_FAILURE = re.compile(
    r"\b(?!0 )\d+ (?:tests? |checks? )?fail(?:ed|ing|ures?)\b"
    r"|\b(?:tests?|checks?|builds?|CI) (?:is |are |still |now |that )*fail\w*|\bfail(?:ed|ing) (?:tests?|checks?)\b"
    r"|(?:테스트|빌드|검증)[^.!?\n]{0,20}실패",
    re.IGNORECASE,
)
_COMMITTED = re.compile(
    r"\b(?:committed|pushed|landed|merged)\s(?:as|in|to|at|with)?\s?(?:commit\s)?[`'\"(\[]?"
    r"(?P<sha>[0-9a-f]{7,40})(?![0-9A-Za-z_\-])"
    r"|\b(?:commit|커밋)\s?(?:id|sha|hash|해시)?[*_`\s]{0,4}[:：][*_`'\"\s]{0,4}(?P<sha_said>[0-9a-f]{7,40})(?![0-9A-Za-z_\-])"
    r"|(?:커밋|푸시)[^\n.]{0,12}[`'\"(\[](?P<sha_behind>[0-9a-f]{7,40})[`'\")\]]"
    r"|^\[(?:detached HEAD|[^\]\s]{1,200})(?: \(root-commit\))? (?P<sha_shown>[0-9a-f]{7,40})\] ",
    re.IGNORECASE | re.MULTILINE,
)
_GUESS = re.compile(
    r"\A\W{0,6}(?:(?:i['’]ll|i will|let me|let['’]s|next\b|now (?:i|let)|plan\b|i['’]m going|the plan)\b)"
    r"|\b(?:should (?:now |all |already |be |just )*(?:be|work|pass|fix|do|resolve|done)|probably|hopefully|presumably|perhaps"
    r"|i (?:think|guess|believe|assume)|(?:might|may) (?:be|have)|supposed to|(?:is|are|be) going to|plan(?:s|ned|ning)? to"
    r"|(?:once|when|after|until|if) (?:it|this|that|these|all)[^.\n]{0,30}(?:is|are|done|finished)|to be done|not yet|yet to)\b"
    r"|아마|[할될]\s?(?:예정|계획|것\s?(?:같|입|이)|거\s?(?:같|예|야)|듯)|겠습니다|하려고|해야|되어야|돼야|[할될]게요?(?!\S)",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\A\W{0,6}(?:(?:ok(?:ay)?|yes|yep|oh|wow|very|응|네|오|와|아주|정말)[\s,.!~]{1,3}){0,2}"
    r"(?:(?:great|perfect|thanks?|thank you|thx|nice|awesome|excellent|lgtm|looks? (?:good|great)|good job|well done|amazing"
    r"|(?:that|it|this) works|works (?:now|great|well)|love it)(?!['’\w])"
    r"|고마|감사|수고|좋아(?!하)|좋네|좋습|좋다|잘\s?했|잘\s?됐|잘\s?된|잘\s?되네|완벽|훌륭|굿)",
    re.IGNORECASE,
)
_CONTRADICTS = re.compile(
    r"\A\W{0,6}(?:no\b(?!\s(?:problem|worries|need))|nope|wrong|wait\b|stop\b|hmm|undo|revert|아니(?!면)|아냐|아뇨|잠깐|틀렸)"
    r"|\b(?:not (?:what i|right|working|done|fixed|correct|there|quite)"
    r"|is(?:n['’]t| not) (?:working|right|fixed|done|correct|there)"
    r"|do(?:es)?(?:n['’]t| not) (?:work|look right|seem)|did(?:n['’]t| not) (?:work|fix|do|change|help)"
    r"|still (?:fail|broken|not|see|get|show|there|happen|does|is|has|have|wrong|the same)\w*|you (?:missed|forgot|broke)"
    r"|that(?:['’]?s| is) (?:wrong|not)|(?:revert|undo) (?:that|this|it|your|the)|try again|redo (?:it|this|that))\b"
    r"|안\s?(?:돼|되[네는고]|됩|됐|고쳐|나[와오]|보[여이])|여전히|아직도|아직\s?(?:안|못)|잘못|틀렸|틀린|되돌려|원복|롤백"
    r"|다시\s?(?:해|작업|고쳐|수정|만들|시도)|빠졌|빠뜨|누락|빼먹",
    re.IGNORECASE,
)


_LATER = re.compile(
    r"^\W{0,3}later\b|\b(?:do|fix|add|handle|address|revisit|tackle|clean up) (?:(?:it|this|that|them) )?later\b"
    r"|\b(?:someday|some day|eventually|at some point|in the future|next (?:week|month|sprint))\b"
    r"|나중에|추후|언젠가|차후|다음 ?(?:주|달|번)(?:에|으로)?(?=[\s.,!]|$)",
    re.IGNORECASE,
)


def all_tests_pass(text: str) -> bool:
    """Whether a text says that tests or checks pass, not that they should or will, and nowhere that any fail."""
    return not says_failure(text) and any(
        _NOT_THE_TESTS.search(match[0]) is None
        and _NOT_THE_TESTS.search(text[max(0, match.start() - 25) : match.start()]) is None
        for match in _TESTS_PASS.finditer(text)
    )


def says_failure(text: str) -> bool:
    """Whether a text says that tests, checks or a build fail."""
    return _FAILURE.search(text) is not None


def commit_made(text: str) -> str | None:
    """The id of the commit that something was committed as; of any commit that is called one ``references_in`` tells."""
    found = _COMMITTED.search(text)
    sha = next((value for value in found.groups() if value), "").lower() if found else ""
    return None if not sha or sha.isalpha() or sha.isdecimal() else sha[:12]


def is_guess(text: str) -> bool:
    """Whether a text plans, guesses or hopes that something is done."""
    return _GUESS.search(text[:_MOST]) is not None


def is_for_later(text: str) -> bool:
    """Whether a text puts what it asks for off."""
    return _LATER.search(text[:_MOST]) is not None


def thanks(answer: str) -> bool:
    """Whether a person's answer begins with thanks or praise."""
    return _THANKS.match(answer[:_MOST]) is not None


def contradicts(answer: str) -> bool:
    """Whether a person's answer says that it is not so, not right, or to be done again."""
    return _CONTRADICTS.search(answer[:_MOST]) is not None
