"""What a person answered in a dialog that an agent opened: the question and the answer as the tool's record tells them.

Claude Code answers the call of ``AskUserQuestion`` with a line of ``"question"="answer"`` pairs; SpecStory writes questions,
options and answers into one text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_assets.sessions.model import Message

SHOWN_CHARACTERS = 2_000
"""How much of such a record is shown to an extractor."""

_TOLD = re.compile(r"\A\s{0,8}User has answered your questions?:")
_PAIR = re.compile(r'"(?P<question>[^"\n]{4,400}[?？][^"\n]{0,40})"="(?P<answer>[^"\n]{1,400})"')
_WRITTEN = re.compile(r"^\*\*Answer:\*\* (?P<answer>[^\n\"]{1,300})", re.MULTILINE)
_QUESTION = re.compile(r"^\*\*(?P<question>[^*\n]{4,300}[?？])\*\*", re.MULTILINE)
_TOOL = "askuserquestion"


@dataclass(frozen=True, slots=True)
class Answered:
    """A question and its answer; ``quotes`` are the words of the record that say both, the answer first where they are two."""

    question: str
    answer: str
    quotes: tuple[str, ...]


def holds_answers(message: Message) -> bool:
    """Whether a tool's record tells what the person answered."""
    if message.kind == "tool_result":
        return not message.is_error and tells_answers(message)
    asked = message.kind == "tool_call" and (message.tool_name or "").lower() == _TOOL
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
    for answer in _WRITTEN.finditer(text):
        asked = [question for question in questions if question.start() < answer.start()]
        if asked:
            option = re.search(rf"^- \*\*{re.escape(answer['answer'].strip())}\*\*[^\n]{{0,400}}$", text, re.MULTILINE)
            quotes = (answer.group(), asked[-1].group(), *([option.group()] if option else []))
            yield Answered(asked[-1]["question"], answer["answer"], quotes)
