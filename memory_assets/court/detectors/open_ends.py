"""What a case leaves open: a call of which no result is known, and a question that nobody answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from memory_assets.court.case import Case, CaseEvent
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.speech import Language, Typed, reports
from memory_assets.court.detectors.traffic import Step, quoted
from memory_assets.court.detectors.wording import cut, key_of, on_one_line, same_word
from memory_assets.court.findings import Finding, Quoted
from memory_assets.extraction.completeness import also_orders, asks_to_know
from memory_assets.extraction.sentence_context import words_of
from memory_assets.text.sentences import Sentence, sentences

_READ: Final = 4_000
_SHORT_REPLY: Final = 16
_SHORT_KOREAN_REPLY: Final = 9
"""Characters of a reply that answers whatever was asked, unless it goes on to something else."""
_ANSWERED_WITHIN: Final = 3
"""Messages of the other one in which a question may still be answered."""
_HEARD: Final = 200
_MOST_ASKED: Final = 3
_LOOKED_BACK: Final = 6
_MOST_ABOUT: Final = 300
"""Characters of what a question is about, in whole sentences."""
_LAST: Final = 3
"""Sentences at the end of an agent's words that may be its question."""
_QUESTION_MARKS: Final = ("?", "？")
_LEAD = re.compile(r"\A[^\n:?]{1,60}:\s")
"""What stands before a question ("Before I write the job:")."""
_INTERJECTION = re.compile(r"\A\W{0,3}(?:ah+|oh+|hm+|uh|아|음|앗|오)[,.!~\s]{1,3}(?=\S)", re.IGNORECASE)
_PLAIN_YES = re.compile(
    r"\W{0,3}(?:ok(?:ay)?|yes|yep|sure|great|good|nice|ㅇㅋ|ㅇㅇ|응|네|그래|좋아|오케이)(?![가-힣\w])", re.IGNORECASE
)
"""No answer to one of two."""
_NUMBER = re.compile(r"\d[\d.,:]*")
_OR = re.compile(r",? or (?=\S)")
_EITHER = re.compile(
    r"(?P<either>[^\n.?!]{1,80}(?:까요|나요|가요|지요?|래요?)[,?] ?[^\n.?!,]{1,60}(?:까요|나요|가요|지요?|래요?))\s*\?"
)
_TOPIC = re.compile(r"[^\n,]{0,60}?[가-힣](?:은|는|을|를) ")
"""What a question of one of two is about: who speaks of it has not chosen yet."""
_BESIDE: Final = 5
_ALSO = re.compile(r"[가-힣]도 \S")
_NAME = re.compile(r"[A-Z]{2,20}")
_COMMON: Final = words_of(
    "before after first then last next good better other another same many much still once again run job file files"
)

_MEND: Final = words_of("fix please correct repair solve 고쳐줘 고쳐 해결해줘 수정해줘 해줘")


def missing_results(case: Case, steps: Sequence[Step], language: Language) -> Iterator[Finding]:
    """Calls behind which the case goes on without their result, each program or tool once.

    A call without an id is of a format that tells some results beside the call, and some not at all.
    """
    if not any(step.result is not None for step in steps):
        return  # the format tells no results
    spoken = [event.place for event in case.events if _speaks(event)]
    last = spoken[-1] if spoken else -1
    told: set[str] = set()
    for step in steps:
        name = same_word(step.programs, step.tool)
        if (
            step.outcome == "missing"
            and step.call.message.tool_use_id
            and name not in told
            and step.call.place < last
            and not _is_cut(case, step)
        ):
            told.add(name)
            yield _missing(step, name, language)


def unanswered_questions(
    case: Case, said: Sequence[Typed], language: Language, *, without: frozenset[int]
) -> Iterator[Finding]:
    """What the person asked and the agent passed over, and what the agent asked and the person passed over.

    Args:
        without: places of messages that say something else already.
    """
    for message in said:
        question = _asked_by_person(message) if message.place not in without else None
        if question is not None and _is_passed_over(case, said, message, question):
            yield _unanswered(message.quoted(question.start, question.end, "question"), "coder", language)
    for order, message in enumerate(said[1:], start=1):
        if message.place not in without:
            asked = _asked_before(case, message.place)
            yield from (_unanswered(one, "user", language) for one in _left_open(asked, said[order : order + _ANSWERED_WITHIN]))
    last = _asked_before(case, len(case.events))
    yield from (_unanswered(one, "user", language) for one in last[:1] if cue("question", "decides").search(one.quote))


def _left_open(asked: Sequence[Quoted], replies: Sequence[Typed]) -> list[Quoted]:
    """Of the questions of an agent's message those that the replies leave open: all of them, or one of two."""
    open_ones = [one for one in asked if not any(_speaks_of(later, one.quote) for later in replies)]
    if not open_ones or not replies[0].said or (_is_short(replies[0]) and not _goes_elsewhere(replies[0], open_ones[0].quote)):
        return []
    if len(open_ones) < len(asked):
        return [one for one in open_ones if _asks_person(one.quote)]
    reply = replies[0].event.message.text.strip()
    is_either = cue("question", "alternatives").search(open_ones[0].quote) is not None
    if cue("question", "whether").search(open_ones[0].quote) and cue("question", "decided").search(reply):
        return []
    answers = cue("question", "answers")
    if (answers.match(reply) or answers.match(_INTERJECTION.sub("", reply))) and not (is_either and _PLAIN_YES.match(reply)):
        return []
    return open_ones[:1] if _turns_away(replies[0]) else []


def _turns_away(message: Typed) -> bool:
    """Whether a message asks for something, comes to something else, or takes leave; who only tells something right behind a
    question answers it."""
    text = message.event.message.text.strip()
    named = (("correction", "new_work"), *(("question", name) for name in ("leaves", "goes_elsewhere", "comes_to_else")))
    if any(cue(kind, name).search(text) for kind, name in named):
        return True
    plain = [message.plain_of(one) for one in message.said]
    return any(_asks_for_work(one) or one.rstrip().endswith(_QUESTION_MARKS) for one in plain)


def _speaks(event: CaseEvent) -> bool:
    return event.actor == "ai" and event.message.kind == "said" and not event.message.sidechain


def _is_cut(case: Case, step: Step) -> bool:
    """Whether the conversation was folded into a summary right behind a call: its result is not missing there."""
    behind = case.events[step.call.place + 1 : step.call.place + 4]
    return any(event.message.kind == "injected" and cue("call", "folded").match(event.message.text) for event in behind)


def _asked_by_person(message: Typed) -> Sentence | None:
    """The sentence of a message that asks to be told something."""
    for one in message.said:
        plain = message.plain_of(one)
        if cue("question", "tell_me").search(plain) or (
            _is_besides(message, one) and cue("question", "asks_plainly").search(plain)
        ):
            return one
        if not plain.rstrip().endswith(_QUESTION_MARKS) or reports(plain) or cue("correction", "supposes").search(plain):
            continue
        wants = cue("question", "wants_to_know").search(plain) and not cue("question", "requests").search(plain)
        if wants or asks_to_know(plain):
            return one
    return None


def _is_besides(message: Typed, sentence: Sentence) -> bool:
    """Whether a sentence without a question mark stands beside something that is asked for."""
    return any(_asks_for_work(message.plain_of(one)) for one in message.said if one != sentence)


def _is_passed_over(case: Case, said: Sequence[Typed], message: Typed, question: Sentence) -> bool:
    """Whether the agent says nothing before the person speaks again, or did what was asked besides and says nothing of it."""
    behind = _place_of(case, said, message.order + 1)
    if not any(event.actor == "ai" for event in case.events[message.place + 1 : behind]):
        return False
    until = min(_place_of(case, said, message.order + _ANSWERED_WITHIN), message.place + _HEARD)
    told = [event.message.text[:_READ] for event in case.events[message.place + 1 : until] if _speaks(event)]
    asked = words_of(question.text)
    heard = [message]
    if not any(_speaks(event) for event in case.events[message.place + 1 : behind]):
        # The person went on before the agent could answer; who speaks of the same goes on with the question.
        heard += [
            one for one in said[message.order + 1 : message.order + 2] if _topics(one.plain).isdisjoint(_topics(question.text))
        ]
    besides = any(_asks_for_work(one.plain_of(sentence)) for one in heard for sentence in one.said if sentence != question)
    behind_order = cue("question", "asks_behind").match(question.text)
    if behind_order and (_asks_for_work(behind_order[0]) or not behind_order[0].isascii()):
        asked, besides = words_of(question.text[behind_order.end() :]), True
    if not told or not besides:
        return not told
    asked -= {word for one in message.said if one != question for word in words_of(one.text)}
    return bool(asked) and not _is_told(question.text, asked, message.event.message.text, " ".join(told))


def _is_told(question: str, asked: frozenset[str], message: str, told: str) -> bool:
    """Whether an agent's words tell what was asked besides something to do: a reason, a number, yes or no, or the question's
    words in a sentence that says more than what was done or is done next."""
    if cue("question", "asks_reason").search(question):
        return cue("question", "gives_reason").search(told) is not None
    if cue("question", "asks_number").search(question):
        if set(_NUMBER.findall(told)) - set(_NUMBER.findall(message)):
            return True
    elif cue("question", "asks_which").search(question) is None and cue("question", "says_yes_or_no").search(told):
        return True
    says = [one.text for one in sentences(told) if not _only_works(one.text)]
    return not asked.isdisjoint(words_of(" ".join(says)))


def _only_works(text: str) -> bool:
    """Whether an agent's sentence says what it did or does next."""
    return cue("correction", "plans").match(text) is not None or cue("question", "reports_work").match(text) is not None


def _topics(text: str) -> frozenset[str]:
    return words_of(text) | frozenset(_NAME.findall(text))


def _place_of(case: Case, said: Sequence[Typed], order: int) -> int:
    return said[order].place if order < len(said) else len(case.events)


def _asks_for_work(text: str) -> bool:
    if text.rstrip().endswith(_QUESTION_MARKS):
        return also_orders(text)
    orders = cue("order", "korean_orders").search(text) or cue("question", "orders_work").match(text)
    # "Fix it" speaks of what was asked about.
    return orders is not None and bool(words_of(text) - _MEND)


def _asked_before(case: Case, end: int) -> list[Quoted]:
    """The questions of the agent's words right before a place, the last one first; offers are none."""
    for place in range(end - 1, max(-1, end - 1 - _LOOKED_BACK), -1):
        event = case.events[place]
        if event.message.kind == "tool_result" or event.actor == "human":
            break
        if _speaks(event) and (asked := _questions_of(event)):
            return [] if _only_offers(asked[0].quote) else asked
    return []


def _questions_of(event: CaseEvent) -> list[Quoted]:
    """The questions with which a message ends, and those in it that decide something; the last one first."""
    shift = max(0, len(event.message.text) - _READ)
    told = sentences(event.message.text[shift:])
    questions = [one for one in told if one.text.rstrip().endswith(_QUESTION_MARKS)]
    asked = [one for one in questions if one in told[-_LAST:] or _asks_person(one.text)]
    begins = {one: _begins_with_what(event.message.text[shift:], one, told) for one in asked[-_MOST_ASKED:]}
    return [quoted(event, start + shift, one.end + shift, "question") for one, start in reversed(begins.items())]


def _begins_with_what(text: str, question: Sentence, told: Sequence[Sentence]) -> int:
    """Where a question begins with what it is about: with the paragraph before it, where it says nothing by itself."""
    before = [one for one in told if one.end <= question.start]
    if cue("question", "bare").match(question.text) is None or not before:
        return question.start
    end = before[-1].end
    paragraph = text.rfind("\n\n", 0, end) + 1
    first = next((one.start for one in before if one.start >= max(paragraph, end - _MOST_ABOUT)), before[-1].start)
    return first if question.start - first <= 2 * _MOST_ABOUT else question.start


def _only_offers(text: str) -> bool:
    """Whether a question offers more work, and leaves nothing to be chosen."""
    return cue("question", "offers").search(text) is not None and cue("question", "alternatives").search(text) is None


def _asks_person(text: str) -> bool:
    """Whether a question in the middle of an agent's words is one to the person, and decides something."""
    return all(cue("question", name).search(text) for name in ("asks_person", "decides"))


def _speaks_of(message: Typed, question: str) -> bool:
    """Whether a message has to do with a question."""
    text = message.event.message.text
    shared = words_of(text) & (_words_to_choose(_LEAD.sub("", question)) - _COMMON)
    return len(shared) > (cue("correction", "new_work").match(text.strip()) is not None)


def _words_to_choose(question: str) -> frozenset[str]:
    """The words by which a question is answered: of one of two, what stands beside the "or"."""
    if (korean := _EITHER.search(question)) is not None:
        return words_of(_TOPIC.sub(" ", korean["either"]))
    either = _OR.search(question)
    if either is None:
        return words_of(question)
    return words_of(" ".join([*question[: either.start()].split()[-_BESIDE:], question[either.end() :]]))


def _is_short(message: Typed) -> bool:
    """Whether a message is so short that it answers whatever was asked."""
    text = message.event.message.text.strip()
    most = _SHORT_REPLY if text.isascii() else _SHORT_KOREAN_REPLY
    goes_on = cue("correction", "new_work").match(text) or cue("question", "leaves").match(text) or _ALSO.search(text)
    return len(text) <= most and goes_on is None


def _goes_elsewhere(message: Typed, question: str) -> bool:
    """Whether a short message asks for other work where something has to be named."""
    text = message.event.message.text.strip()
    return (
        cue("question", "asks_which").search(question) is not None
        and cue("question", "goes_elsewhere").search(text) is not None
    )


def _missing(step: Step, name: str, language: Language) -> Finding:
    call = cut(on_one_line(step.command or f"{step.tool} {step.text}"), 120)
    if language == "ko":
        title = f"결과가 없는 호출: {cut(call, 80)}"
        rule = f"`{call}`: 결과를 모르므로 다시 확인한다."
    else:
        title = f"No result of {cut(call, 80)}"
        rule = f"`{call}`: its result is not known, check it."
    return Finding(
        kind="missing_result",
        role="system",
        polarity="do",
        severity="low",
        title=cut(title, 120),
        rule=rule,
        trigger="",
        key=key_of(f"{name} result"),
        evidence=(step.quoted_call("question"),),
        confidence=0.5,
    )


def _unanswered(question: Quoted, role: str, language: Language) -> Finding:
    asked = on_one_line(question.quote)
    if language == "ko":
        title, rule = f"답이 없는 질문: {cut(asked, 100)}", f"답이 없다: {cut(asked, 300)}"
    else:
        title, rule = f"Not answered: {cut(asked, 100)}", f"Not answered: {cut(asked, 300)}"
    return Finding(
        kind="unanswered_question",
        role=role,
        polarity="do",
        severity="low",
        title=cut(title, 120),
        rule=rule,
        trigger="",
        key=key_of(asked),
        evidence=(question,),
        confidence=0.5,
    )
