"""What a person answered in a dialog that an agent opened: the question and the answer as the tool's record tells them.

Claude Code answers the call of ``AskUserQuestion`` with a line of ``"question"="answer"`` pairs; SpecStory writes questions,
options and answers into one text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from memory_assets.sessions.model import Message

SHOWN_CHARACTERS = 2_000
"""How much of such a record is shown to an extractor."""

_TOLD = re.compile(r"\A\s{0,8}User has answered your questions?:")
_PAIR = re.compile(r'"(?P<question>[^"\n]{4,400}[?？][^"\n]{0,40})"="(?P<answer>[^"\n]{1,400})"')
_WRITTEN = re.compile(r"^\*\*Answer:\*\* (?P<answer>[^\n\"]{1,300})", re.MULTILINE)
_QUESTION = re.compile(r"^\*\*(?P<question>[^*\n]{4,300}[?？])\*\*", re.MULTILINE)
_OPTION = re.compile(r"^- \*\*(?P<label>[^*\n]{1,120})\*\*[^\n]{0,400}$", re.MULTILINE)
_REFUSED = r"(?<!\bnot )(?<!\bno )(?<!\bwithout )(?<!\binstead of )"
_RECOMMENDED = re.compile(r"\s?\((?:recommended|추천|권장)\)", re.IGNORECASE)
ASKING_TOOL = "askuserquestion"


@dataclass(frozen=True, slots=True)
class Answered:
    """A question and its answer.

    Attributes:
        question: empty where one line answers several questions, and whose it is cannot be told.
        quotes: the words of the record that say both: the answer first; where it answers several questions, what was taken.
    """

    question: str
    answer: str
    quotes: tuple[str, ...]


def holds_answers(message: Message) -> bool:
    """Whether a tool's record tells what the person answered."""
    if message.kind == "tool_result":
        return not message.is_error and tells_answers(message)
    asked = message.kind == "tool_call" and (message.tool_name or "").lower() == ASKING_TOOL
    return asked and _WRITTEN.search(message.text[:SHOWN_CHARACTERS]) is not None


def tells_answers(message: Message) -> bool:
    """Whether a result is worded as answers.

    One that is an error besides is shown to nobody: what is shown, and hashed, does not say which of the two it was.
    """
    return _TOLD.match(message.text) is not None


def answered_in(message: Message) -> Iterator[Answered]:
    """The questions of a record with their answers, in order."""
    text = message.text[:SHOWN_CHARACTERS]
    if message.kind == "tool_result":
        for pair in _PAIR.finditer(text):
            yield Answered(pair["question"], pair["answer"], (pair.group(),))
        return
    questions = list(_QUESTION.finditer(text))
    answers = list(_WRITTEN.finditer(text))
    unanswered: list[re.Match[str]] = []
    for number, answer in enumerate(answers):
        begun = answers[number - 1].end() if number else 0
        unanswered += [question for question in questions if begun <= question.start() < answer.start()]
        if len(unanswered) == 1:
            yield _answered(unanswered.pop(), answer, text)
        elif unanswered:
            following = (one.start() for one in (*questions, *answers) if one.start() > answer.start())
            told = list(_taken_of_several(unanswered, answer, text, min(following, default=len(text))))
            bound = {one.question for one in told}
            unanswered = [question for question in unanswered if question["question"] not in bound]
            yield from told


def _answered(question: re.Match[str], answer: re.Match[str], text: str) -> Answered:
    said = answer["answer"].strip()
    options = _OPTION.finditer(text, question.end(), answer.start())
    option = next((one.group() for one in options if said in (one["label"], _bare(one["label"]))), None)
    return Answered(question["question"], said, (answer.group(), question.group(), *([option] if option else [])))


def _taken_of_several(asked: Sequence[re.Match[str]], answer: re.Match[str], text: str, ended: int) -> Iterator[Answered]:
    """One line answers several questions: to each belong those of its own options that the line names.

    An option that several of them have is none's. Where the line names none, it is told without a question.
    """
    told = text[answer.start("answer") : ended]
    of_each = {
        question: list(_OPTION.finditer(text, question.end(), following.start() if following is not None else answer.start()))
        for question, following in zip_longest(asked, asked[1:])
    }
    labels = Counter(_bare(option["label"]) for options in of_each.values() for option in options)
    is_bound = False
    for question, options in of_each.items():
        taken, rest = [], told
        for option in sorted(options, key=lambda one: -len(one["label"])):
            label = _bare(option["label"])
            rest, count = re.subn(rf"{_REFUSED}(?<!\w){re.escape(label)}(?!\w)(?!\s?(?:말고|빼고|대신))", " ", rest)
            if count and labels[label] == 1:
                taken.append(option)
        if taken:
            is_bound = True
            quotes = (*(option.group() for option in taken), question.group(), answer.group())
            yield Answered(question["question"], ", ".join(_bare(option["label"]) for option in taken), quotes)
    if not is_bound:
        yield Answered("", answer["answer"], (answer.group(),))


def _bare(label: str) -> str:
    """What an option is called in an answer."""
    return _RECOMMENDED.sub("", label).strip()
