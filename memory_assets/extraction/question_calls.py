"""What a person answered in a dialog that an agent opened: the question and the answer as the tool's record tells them.

Claude Code answers the call of ``AskUserQuestion`` with a line of ``"question"="answer"`` pairs; SpecStory writes questions,
options and answers into one text.
"""

from __future__ import annotations

import re
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
_OPTION = re.compile(r"^- \*\*(?P<label>[^*\n]{1,120})\*\*", re.MULTILINE)
ASKING_TOOL = "askuserquestion"


@dataclass(frozen=True, slots=True)
class Answered:
    """A question and its answer; ``quotes`` are the words of the record that say both, the answer first where they are two.

    ``question`` is empty where one line answers several questions and names none of their options.
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
    for number, answer in enumerate(answers):
        begun = answers[number - 1].end() if number else 0
        asked = [question for question in questions if begun <= question.start() < answer.start()]
        ended = answers[number + 1].start() if number + 1 < len(answers) else len(text)
        if len(asked) == 1:
            yield _answered(asked[0], answer["answer"], answer.group(), text)
        elif asked:
            yield from _taken_of_several(asked, answer, text, ended)


def _answered(question: re.Match[str], said: str, quote: str, text: str) -> Answered:
    option = re.search(rf"^- \*\*{re.escape(said.strip())}\*\*[^\n]{{0,400}}$", text, re.MULTILINE)
    return Answered(question["question"], said, (quote, question.group(), *([option.group()] if option else [])))


def _taken_of_several(asked: Sequence[re.Match[str]], answer: re.Match[str], text: str, ended: int) -> Iterator[Answered]:
    """One line answers several questions: each is answered by that of its own options which the answer names.

    What cannot be told apart so is told without a question.
    """
    told = text[answer.start() : ended]
    is_bound = False
    for question, following in zip_longest(asked, asked[1:]):
        options = text[question.end() : following.start() if following is not None else answer.start()]
        taken = [option["label"] for option in _OPTION.finditer(options) if option["label"] in told]
        if len(taken) == 1:
            is_bound = True
            yield _answered(question, taken[0], answer.group() if taken[0] in answer.group() else taken[0], text)
    if not is_bound:
        yield Answered("", answer["answer"], (answer.group(),))
