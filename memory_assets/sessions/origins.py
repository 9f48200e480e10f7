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

from memory_assets.sessions.model import Message
from memory_assets.sessions.tagged_blocks import Block, closed_blocks, opening_of
from memory_assets.text.machine_text import MachineText
from memory_assets.vocabulary import Origin

_TEMPLATE_BLOCK = opening_of(("context", "details", "file", "document", "attachment", "selection", "editor_context"))
_TOOL_BLOCK = opening_of(("tool-use",))
_TOOL_END = "</details></tool-use>"
_NUMBERED_LINES = re.compile(r"^(?:[ \t]{0,8}\d{1,6}→[^\n]*(?:\n|\Z)){5,}", re.MULTILINE)
"""Lines of a file with their numbers, as tools print them."""
_TEMPLATE_REST = re.compile(r"^If you need specific details from before exiting plan mode\b", re.MULTILINE)
"""What a program adds behind the plan that it hands over; all that follows is its own."""
_TEMPLATE_WHOLE = re.compile(
    r"\A\s{0,8}(?:"
    r"---\n(?:[\w-]{1,40}:[^\n]{0,2000}\n){0,20}?(?:name|description|allowed-tools|argument-hint):"  # a skill, a command
    r"|(?:#{1,3} [^\n]{1,80}\n\s{0,4})?- Current (?:git|pull request|branch|directory)[^\n]{0,60}:"  # a command's context
    r"|Please analyze this codebase and create a CLAUDE\.md file"
    r"|Your task is to create a detailed summary of the conversation"
    r"|\[SUGGESTION MODE:"
    r")"
)
_ROLE = re.compile(r"\A\s{0,8}You are (?:an?|the) (?:expert|interactive|agent|senior|specialized|Claude|coding)\b")
_ROLE_LENGTH = 600
"""Characters from which a message that gives an agent its role is a prompt, and not a person's beginning of a request."""
_PLAN = re.compile(
    r"\A\s{0,8}(?:please\s)?(?:implement|execute|carry out|follow|apply)\s(?:the (?:following|attached)|this)\splan\b"
    r"[^\n]{0,80}\n"
    r"|\A\s{0,8}(?:다음|아래|이) (?:계획|플랜)(?:을|대로)?\s[^\n]{0,30}(?:구현|실행|진행|적용|수행)[^\n]{0,20}\n",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(r"^(?:#{1,4} \S|<meta>|---$)", re.MULTILINE)
_DOCUMENT_LENGTH = 600
"""Characters behind a heading from which they are a document that somebody handed over, and not a message with a heading."""
_LAST_WORDS = 160
"""Characters of a last line that may be the person's own request."""
_LAST_LINES = 8
"""Lines of a paragraph behind a document that may be the person's own."""
_BLANK_LINES = re.compile(r"\n[ \t]{0,80}\r?\n")
_POINTS_AT_IT = re.compile(r"이건|이것|위[는의에]|내역|내용|문서|파일|\b(?:this|that|above|here)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\d{1,2}[.)]\s")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")
_MARKED_LINE = "#|`<>*-0123456789"
_REQUEST = re.compile(
    r"(?:줘|주세요|줄래|부탁(?:해(?:요|줘)?|합니다|드려요|드립니다)?|해라|하자|할까|까요|나요|바랍니다|\?)[.!~\s]*\Z"
    r"|\A(?:please|can you|could you|now|let'?s)\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]{0,12}(```|~~~)", re.MULTILINE)
_MACHINE_LINES = 2
"""Lines in a row that a program wrote, from which they are pasted; a single one may be what the person speaks of."""
_LINES_BETWEEN = 8
"""Lines of one paragraph between such lines, which are of the same paste: a test prints what it likes between its failures."""


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


def _typed(text: str) -> tuple[Stretch, ...]:
    if _TEMPLATE_WHOLE.match(text) or (len(text) >= _ROLE_LENGTH and _ROLE.match(text)):
        return (Stretch(0, len(text), "template"),)
    end = len(text)
    templates: list[tuple[int, int, Origin]] = []
    if rest := _TEMPLATE_REST.search(text):
        templates.append((rest.start(), end, "template"))
        end = rest.start()
    blocks = (block for block in closed_blocks(text[:end], _TEMPLATE_BLOCK) if _is_attached(text, block))
    templates.extend((block.start, _behind_blanks(text, block.end), "template") for block in blocks)
    begins = _begins_document(text, end)
    pasted = [(begins, _ends_document(text, begins, end))] if begins is not None else []
    pasted.extend(_machine_runs(text, begins if begins is not None else end))
    return _laid_out(len(text), templates, [(start, stop, "pasted") for start, stop in pasted], "typed")


def _said(text: str) -> tuple[Stretch, ...]:
    tools: list[tuple[int, int, Origin]] = [(block.start, block.end, "tool") for block in closed_blocks(text, _TOOL_BLOCK)]
    ends = text.find(_TOOL_END)
    if ends >= 0 and not any(start <= ends < stop for start, stop, _ in tools):
        tools.append((0, ends + len(_TOOL_END), "tool"))  # the rest of a block whose beginning another message holds
    lines: list[tuple[int, int, Origin]] = [(run.start(), run.end(), "tool") for run in _NUMBERED_LINES.finditer(text)]
    return _laid_out(len(text), tools, lines, "said")


def _is_attached(text: str, block: Block) -> bool:
    """Whether a program put a block there: it says what it holds (``<context ref="…">``). Documents use bare tags too."""
    return block.tag == "details" or "=" in text[block.start : block.inner_start]


def _behind_blanks(text: str, place: int) -> int:
    """Behind the blanks of a line that ends with a block, and its end."""
    while place < len(text) and text[place] in " \t":
        place += 1
    return place + text.startswith("\n", place)


def _begins_document(text: str, end: int) -> int | None:
    """Where a document begins that the person hands over; None where all is said in passing."""
    plan = _PLAN.match(text)
    if plan is not None:
        return plan.end() if text[plan.end() : end].strip() else None
    fences = [fence.start() for fence in _FENCE.finditer(text, 0, end)]
    for heading in _DOCUMENT.finditer(text, 0, max(0, end - _DOCUMENT_LENGTH + 1)):
        if bisect_right(fences, heading.start()) % 2 == 0:
            return heading.start()
    return None


def _ends_document(text: str, begins: int, end: int) -> int:
    """Where the document ends: a request on the last line, behind it, is the person's own, and so is the paragraph of requests
    that it ends, with a line before them that says what the document is."""
    document = text[begins:end].rstrip()
    last = document.rfind("\n") + 1
    words = document[last:].strip()
    if not (last and len(words) > 1 and words[0] not in _MARKED_LINE and _requests(words)):
        return end
    paragraph = max((blank.end() for blank in _BLANK_LINES.finditer(document)), default=0)
    lines = [line for line in map(str.strip, document[paragraph:last].splitlines()) if line]
    orders = lines[1:] if lines and _POINTS_AT_IT.search(lines[0]) else lines
    typed = 0 < len(lines) <= _LAST_LINES and all(
        any(map(_requests, _SENTENCE_END.split(line))) and (line[0] not in _MARKED_LINE or _NUMBERED.match(line))
        for line in orders
    )
    return begins + (paragraph if paragraph and typed else document.index(words, last))


def _requests(words: str) -> bool:
    return len(words) <= _LAST_WORDS and _REQUEST.search(words) is not None


@dataclass(slots=True)
class _Run:
    """Lines in a row that a program wrote.

    Attributes:
        counts: how many; of a fenced block each is as good as two.
        between: lines of nobody's behind its end.
        may_go_on: such lines may stand between its own: not behind a fence, where people write.
    """

    start: int
    end: int = 0
    counts: int = 0
    between: int = 0
    may_go_on: bool = False

    def wrote(self, end: int, *, fenced: bool) -> None:
        self.end, self.between, self.may_go_on = end, 0, not fenced
        self.counts += _MACHINE_LINES if fenced else 1

    def goes_on(self, line: str) -> bool:
        """Whether it may go on behind a line of nobody's, should the program write again before the paragraph ends."""
        return self.may_go_on and self.is_pasted and self.between < _LINES_BETWEEN and not _requests(line)

    @property
    def is_pasted(self) -> bool:
        return self.counts >= _MACHINE_LINES


def _machine_runs(text: str, end: int) -> Iterator[tuple[int, int]]:
    """Fenced blocks, and lines in a row that a program wrote, with a few between them that nobody would tell it from."""
    machine, fence, position = MachineText(), "", 0
    run: _Run | None = None
    for line in text[:end].splitlines(keepends=True):
        start, position = position, position + len(line)
        opened = _FENCE.match(line)
        fenced = bool(fence or opened)
        if fenced:
            closes = bool(fence and opened and opened.group(1) == fence)
            fence = "" if closes else fence or (opened.group(1) if opened else "")
        # What a program indents goes on.
        indented = run is not None and not run.between and line.startswith(("    ", "\t"))
        wrote = fenced or machine.wrote(line.rstrip()) or indented
        if run is not None and (run.between if fenced or not line.strip() else not wrote and not run.goes_on(line.strip())):
            if run.is_pasted:
                yield run.start, run.end
            run = None
        if wrote:
            run = run or _Run(start)
            run.wrote(position, fenced=fenced)
        elif run is not None and line.strip():
            run.between += 1
    if run is not None and run.is_pasted:
        yield run.start, run.end


_Mark = tuple[int, int, Origin]


def _laid_out(length: int, above: list[_Mark], below: list[_Mark], own: Origin) -> tuple[Stretch, ...]:
    """Marked stretches and what stands between them; of two that share text the one ``above`` has it, else the earlier one."""
    first = list(_apart(above))
    kept = sorted([*first, *(piece for mark in _apart(below) for piece in _beside(mark, first))])
    stretches: list[Stretch] = []
    position = 0
    for start, end, origin in kept:
        if start > position:
            stretches.append(Stretch(position, start, own))
        stretches.append(Stretch(start, end, origin))
        position = end
    if position < length:
        stretches.append(Stretch(position, length, own))
    return tuple(stretches)


def _apart(marks: list[_Mark]) -> Iterator[_Mark]:
    """Marks in order, each without what an earlier one has."""
    position = 0
    for start, end, origin in sorted(marks):
        if end > max(start, position):
            yield max(start, position), end, origin
            position = end


def _beside(mark: _Mark, taken: list[_Mark]) -> Iterator[_Mark]:
    """What of a mark none of the others, which are in order, has."""
    start, end, origin = mark
    for number in range(bisect_right(taken, start, key=lambda one: one[1]), len(taken)):
        low, high, _ = taken[number]
        if low >= end:
            break
        if low > start:
            yield start, low, origin
        start = high
    if start < end:
        yield start, end, origin
