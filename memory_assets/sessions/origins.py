"""Who wrote the stretches of a message: the person, the agent, or something that one of them put there.

A person's message holds more than what the person typed: a plan that an agent wrote, a log, a document to work on, the body of
a slash command, the files that an editor attaches. What is remembered, and under whose name, depends on it. The origin
follows from the text alone, so that it is the same at every reading.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memory_assets.sessions.model import Message
from memory_assets.text.machine_text import MachineText
from memory_assets.vocabulary import Origin

_TEMPLATE_BLOCK = re.compile(
    r"<(?P<tag>context|details|file|document|attachment|selection|editor_context)\b[^<>\n]{0,300}>"
    r"(?:(?!<(?P=tag)\b).){0,60000}?</(?P=tag)>[ \t]*\n?",
    re.DOTALL,
)
_TOOL_BLOCK = re.compile(r"<tool-use\b[^<>\n]{0,400}>.{0,60000}?</tool-use>", re.DOTALL)
_TOOL_REST = re.compile(r"^[ \t]{0,8}\d{1,5}→", re.MULTILINE)
"""Lines of a file with their numbers, as tools print them: the rest of a block whose beginning another message holds."""
_TEMPLATE_REST = re.compile(r"^If you need specific details from before exiting plan mode\b", re.MULTILINE)
"""What a program adds behind the plan that it hands over; all that follows is its own."""
_TEMPLATE_WHOLE = re.compile(
    r"\A\s{0,8}(?:"
    r"---\n(?:[\w-]{1,40}:[^\n]{0,2000}\n){0,20}?(?:name|description|allowed-tools|argument-hint):"  # a skill, a command
    r"|(?:#{1,3} [^\n]{1,80}\n\s{0,4})?- Current (?:git|pull request|branch|directory)[^\n]{0,60}:"  # a command's context
    r"|Please analyze this codebase and create a CLAUDE\.md file"
    r"|Your task is to create a detailed summary of the conversation"
    r"|\[SUGGESTION MODE:|You are (?:an?|the) (?:expert|interactive|agent|senior|specialized|Claude|coding)\b"
    r")"
)
_PLAN = re.compile(
    r"\A\s{0,8}(?:please\s)?(?:implement|execute|carry out|follow|apply)\s(?:the (?:following|attached)|this)\splan\b"
    r"[^\n]{0,80}\n"
    r"|\A\s{0,8}(?:다음|아래|이) (?:계획|플랜)(?:을|대로|을 그대로)?\s[^\n]{0,60}\n",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(r"^(?:#{1,4} \S|<meta>|---$)", re.MULTILINE)
_DOCUMENT_LENGTH = 600
"""Characters behind a heading from which they are a document that somebody handed over, and not a message with a heading."""
_LAST_WORDS = re.compile(r"\n\s{0,40}\n?(?P<words>[^\n#|`<>*\-\d][^\n]{1,160})\s*\Z")
_REQUEST = re.compile(
    r"(?:줘|주세요|줄래|부탁|해라|하자|할까|까요|나요|바랍니다|\?)[.!~\s]*\Z|\A(?:please|can you|could you|now|let'?s)\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]{0,12}(```|~~~)")
_MACHINE_LINES = 2
"""Lines in a row that a program wrote, from which they are pasted; a single one may be what the person speaks of."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Code points ``start`` to ``end`` of a message, half-open, and who wrote them."""

    start: int
    end: int
    origin: Origin


def hands_over_plan(text: str) -> bool:
    """Whether a message is a plan that a person hands over to be carried out, as agents do when they leave plan mode."""
    return _PLAN.match(text) is not None


def origins_of(message: Message) -> tuple[Stretch, ...]:
    """The stretches of a message in order, without gaps; empty for an empty text.

    Tool traffic is ``tool``, injected text ``template``, what one agent tells another ``template``; what an agent says is
    ``said``, a person's words ``typed``.
    """
    text = message.text
    if not text:
        return ()
    if message.kind in ("tool_call", "tool_result"):
        return (Stretch(0, len(text), "tool"),)
    if message.kind == "injected" or message.role == "system" or (message.sidechain and message.role == "user"):
        return (Stretch(0, len(text), "template"),)
    if message.role == "user":
        return _typed(text)
    return _said(text)


def origin_at(stretches: tuple[Stretch, ...], place: int) -> Origin:
    """The origin of the code point at ``place``."""
    number = bisect_right(stretches, place, key=lambda stretch: stretch.start)
    return stretches[max(0, number - 1)].origin


@lru_cache(maxsize=256)  # the stages ask for the same messages again and again
def _typed(text: str) -> tuple[Stretch, ...]:
    if _TEMPLATE_WHOLE.match(text):
        return (Stretch(0, len(text), "template"),)
    marks: list[tuple[int, int, Origin]] = []
    end = len(text)
    if rest := _TEMPLATE_REST.search(text):
        marks.append((rest.start(), end, "template"))
        end = rest.start()
    marks.extend((block.start(), block.end(), "template") for block in _TEMPLATE_BLOCK.finditer(text, 0, end))
    begins = _begins_document(text, end)
    if begins is not None:
        marks.append((begins, _ends_document(text, begins, end), "pasted"))
    marks.extend((start, stop, "pasted") for start, stop in _machine_runs(text, begins if begins is not None else end))
    return _laid_out(len(text), marks, "typed")


@lru_cache(maxsize=256)
def _said(text: str) -> tuple[Stretch, ...]:
    marks: list[tuple[int, int, Origin]] = [(block.start(), block.end(), "tool") for block in _TOOL_BLOCK.finditer(text)]
    if ("</tool-use>" in text and not marks) or len(_TOOL_REST.findall(text[:20_000])) >= 5:
        return (Stretch(0, len(text), "tool"),)
    return _laid_out(len(text), marks, "said")


def _begins_document(text: str, end: int) -> int | None:
    """Where a document begins that the person hands over; None where all is said in passing."""
    plan = _PLAN.match(text)
    if plan is not None:
        return plan.end() if text[plan.end() : end].strip() else None
    found = _DOCUMENT.search(text, 0, end)
    return found.start() if found is not None and end - found.start() >= _DOCUMENT_LENGTH else None


def _ends_document(text: str, begins: int, end: int) -> int:
    """Where the document ends: a request on the last line, behind it, is the person's own."""
    last = _LAST_WORDS.search(text[begins:end])
    if last is not None and _REQUEST.search(last["words"].strip()):
        return begins + last.start("words")
    return end


def _machine_runs(text: str, end: int) -> Iterator[tuple[int, int]]:
    """Fenced blocks, and lines in a row that a program wrote."""
    machine, fence, position = MachineText(), "", 0
    run: tuple[int, int, int] | None = None
    for line in text[:end].splitlines(keepends=True):
        start, position = position, position + len(line)
        opened = _FENCE.match(line)
        if fence or opened:
            closes = bool(fence and opened and opened.group(1) == fence)
            fence = "" if closes else fence or (opened.group(1) if opened else "")
            wrote, counts = True, _MACHINE_LINES
        else:
            # What a program indents goes on.
            wrote, counts = machine.wrote(line.rstrip()) or (run is not None and line.startswith(("    ", "\t"))), 1
        if wrote:
            run = (run[0] if run else start, position, (run[2] if run else 0) + counts)
        elif line.strip():
            if run is not None and run[2] >= _MACHINE_LINES:
                yield run[:2]
            run = None
    if run is not None and run[2] >= _MACHINE_LINES:
        yield run[:2]


def _laid_out(length: int, marks: list[tuple[int, int, Origin]], own: Origin) -> tuple[Stretch, ...]:
    """Marked stretches and what stands between them; where two marks share text the one that begins first has it."""
    stretches: list[Stretch] = []
    position = 0
    for start, end, origin in sorted(marks):
        start = max(start, position)
        if end <= start:
            continue
        if start > position:
            stretches.append(Stretch(position, start, own))
        stretches.append(Stretch(start, end, origin))
        position = end
    if position < length:
        stretches.append(Stretch(position, length, own))
    return tuple(stretches)
