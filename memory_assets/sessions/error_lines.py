"""The line of a program's output that says what went wrong, and what makes two of them the same error."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

MOST_CHARACTERS: Final = 240
"""Characters of a line that are read."""
_MOST_LINES: Final = 1_500
_LONGEST_TAG: Final = 120
_MOST_COMPARED: Final = 20
_TRACED: Final = 0
_PLACED: Final = 2
_TEST_TOLD: Final = 3
_UNCERTAIN: Final = 4

ERROR_HINT: Final = (
    r"Traceback \(most recent|(?:Error|Exception): |npm (?:ERR!|error)|FAILED |--- FAIL|error(?:\[\w{1,12}\])?: |[Ff]atal: "
    r"|panic: |ERROR|command not found|[Ee]xit(?:ed with)? code:? [1-9]|오류|에러|실패"
)
"""What stands in every text that :func:`telling_line` finds a line in without being told that it failed; for DuckDB too."""

# An exception by its name, or a program that says in its own words what it could not do.
_NAMED = re.compile(
    r"[\w.$]{1,80}(?:Error|Exception|Exit|Interrupt)(?: \[\w{1,40}\])?: \S"
    r"|(?:error|ERROR)\[\w{1,12}\]: \S|panic: \S|(?:fatal|Fatal|FATAL): \S"
    r"|npm (?:ERR!|error) (?!code|errno|syscall|path|A complete log|\s*$)\S"
    r"|[^\s:]{1,80}: (?:\S{1,120}: )?"
    r"(?:command not found|[Nn]o such file or directory|[Pp]ermission denied|[Oo]peration not permitted)"
    r"|\(eval\):(?:\w{1,20}:)?[0-9]{1,4}: \S|(?:[\w./~-]{1,120}: )?[^\s:]{1,80}: 명령어?를 찾을 수 없"
)
_SAID = re.compile(
    r"(?:[\w./-]{1,60}:? )?(?:error|Error|ERROR)(?: TS[0-9]{3,5})?: \S"
    r"|(?:go|mise|cargo|make|git|gh|pip|uv): \S.{0,200}(?:not|no|cannot|failed|invalid|unknown)\b"
    r"|(?:오류|에러)(?: ?발생)? ?[:：] ?\S|(?:Unknown|Invalid|Unexpected|Unable to|Cannot|Could not|Can't) \S.{4,}"
)
_TEST = re.compile(r"\s{0,4}--- FAIL: \S|FAILED \S|\s{0,8}[✕✗×✘] \S|E {2,7}(?!\^)\S|FAIL (?:\S{1,160}\.[jt]sx?)\b")
_TEST_FAILED = re.compile(r"(?:\[[\w:.-]{1,30}\] ?|\s{0,4})--- FAIL: \S|FAILED \S|FAIL (?:\S{1,160}\.[jt]sx?)\b")
_AT_A_LINE = re.compile(
    r"[\w./@+~-]{1,200}:[0-9]{1,6}(?::[0-9]{1,5})?:? (?:error|warning)?:? ?\S"
    r"|[\w./@+-]{1,200}\([0-9]{1,6},[0-9]{1,5}\): error \S"
)
_BEGINS_TRACE = re.compile(r"\s{0,12}Traceback \(most recent call last\):")
_LAST_OF_TRACE = re.compile(r"[A-Za-z_][\w.]{1,100}(?:: |\Z)")
# What a program says of itself, and not of the error: its exit, its summary, the task runner's word.
_NOISE = re.compile(
    r"\[?[\w:-]{0,30}\]? ?ERROR (?:task|run) (?:failed|exited)|ERROR: Job|exit status [0-9]"
    r"|Error: (?:Process completed|exit status|$)|.{0,60}(?:exit(?:ed)? (?:with )?(?:code|status)|no test files|\(cached\))"
    r"|.{0,40}Command failed(?:$| with)|error: (?:task|recipe) |.{0,80}\b(?:0 (?:errors?|failed|failures?)|no errors?)\b"
    r"|make(?:\[[0-9]\])?: \*\*\*|error: script \"|\S{1,200}:[0-9]{1,6}: : # ",
    re.IGNORECASE,
)
# A line of a file that was shown: its number before it.
_LISTED = re.compile(r"\s{0,8}[0-9]{1,6}\s?(?:→|\t|[:│|-] )")
_PREFIX = re.compile(r"(?:\x1b\[[0-9;]{0,12}m|\[[\w:.-]{1,30}\] ?|[>│|]\s{1,3}|\s){0,6}")
_SUFFIX = re.compile(r"(?:\s{0,8}\x1b\[[0-9;]{0,12}m){1,4}\Z")

_URL = re.compile(r"https?://(?P<host>[^/\s'\"]{1,100})[^\s'\"]{0,400}")
_PLACE = re.compile(r"(?:[\w.#+-]{1,100}:(?:#:?){1,2} ?)(?:error: )?(?=\S)")
_TIMES = re.compile(r"[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9:.,]{5,15}(?:Z|[+-][0-9:]{4,6})?|\([0-9.]{1,8}m?s\)")
_ADDRESSES = re.compile(r"0x[0-9a-f]{2,16}|\b[0-9a-f]{8,40}\b")
_FOLDERS = re.compile(r"(?:[A-Za-z]:)?(?:[\w.@+~-]{0,80}[/\\]){1,30}(?=[\w.@+~-])")
_NUMBERS = re.compile(r"[0-9]+")
_SPACES = re.compile(r"\s+")

_SLIP = re.compile(
    r"imported (?:and|but) (?:not used|unused)|declared and not used|is defined but never used|unused (?:import|variable)"
    r"|no new variables on left side|undefined(?: name|:)|undeclared (?:name|identifier)|cannot find (?:name|symbol)"
    r"|missing return|unexpected (?:token|indent)|unterminated|invalid syntax|expected ['\"`‘]?[;)\]}:]"
    r"|\b(?:F401|F811|F841|E[1-9]\d\d|TS2304|TS6133)\b",
    re.IGNORECASE,
)
"""What compilers and linters say of a slip of typing."""
_IN_A_SOURCE = re.compile(r"[\w-]\.[A-Za-z]{1,5}(?::\d|\(\d|\W{1,4}line \d)|^\s{0,8}\d{1,6}:\d{1,5}\s")
"""The place in a file that they name; a server's answer names none."""


def is_slip(error: str) -> bool:
    """Whether an error is one of typing that its next edit ends: a compiler or a linter names the line and what is wrong."""
    return _SLIP.search(error) is not None and _IN_A_SOURCE.search(error) is not None


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """A telling line: ``text == output[start:end]``, without the marks before it and the space behind it.

    Attributes:
        is_certain: no program that ran well prints such a line.
        others: how many other errors are told of as well as this one.
    """

    start: int
    end: int
    text: str
    is_certain: bool = True
    others: int = 0

    @property
    def tag(self) -> str:
        """What the same error has in common wherever it happens: without times, addresses, places and numbers."""
        plain = _TIMES.sub("", _URL.sub(lambda url: url["host"], self.text.casefold()))
        plain = _NUMBERS.sub("#", _FOLDERS.sub("", _ADDRESSES.sub("#", plain)))
        # The same compiler's word of another file is the same error.
        if place := _PLACE.match(plain):
            plain = plain[place.end() :]
        return _SPACES.sub(" ", plain).strip(" .:…")[:_LONGEST_TAG].rstrip()


def telling_line(output: str, *, failed: bool) -> ErrorLine | None:
    """The line that says best what went wrong; None where no line does.

    Args:
        failed: it is known that the program failed. Otherwise only lines count that no source file, listing or prose holds
            by chance.
    """
    ranked: list[tuple[int, ErrorLine]] = []
    in_trace = test_failed = False
    position = 0
    for line in output.splitlines(keepends=True)[:_MOST_LINES]:
        start, position = position, position + len(line)
        body = _SUFFIX.sub("", line.rstrip()[:MOST_CHARACTERS])
        if _BEGINS_TRACE.match(body):
            in_trace = True
            continue
        if in_trace and body and not body[0].isspace():
            # The first line behind the frames is the exception, unless another trace follows.
            in_trace = False
            if _LAST_OF_TRACE.match(body) and not body.startswith(("The above", "During handling")):
                ranked.append((_TRACED, _line(start, body, 0)))
            continue
        if in_trace or not body:
            continue
        if _TEST_FAILED.match(body) and not test_failed:
            # What programs say while they are tested is no failure: that is told with the test.
            test_failed = True
            ranked = [told for told in ranked if told[0] in (_TRACED, _PLACED)]
        rank = _rank(body, failed=failed)
        if rank is not None:
            rank = max(rank, _TEST_TOLD) if test_failed and rank < _PLACED else rank
            lead = _PREFIX.match(body)
            ranked.append((rank, _line(start, body, lead.end() if lead else 0)))
    return _best(ranked)


def _best(ranked: list[tuple[int, ErrorLine]]) -> ErrorLine | None:
    """The first of the best; of several traces the last, which the others led to."""
    if not ranked:
        return None
    best = min(rank for rank, _ in ranked)
    lines = [line for rank, line in ranked if rank == best]
    others = len({line.tag for line in lines[:_MOST_COMPARED]}) - 1
    return replace(lines[-1] if best == _TRACED else lines[0], is_certain=best < _UNCERTAIN, others=others)


def _line(start: int, body: str, lead: int) -> ErrorLine:
    return ErrorLine(start + lead, start + len(body), body[lead:])


def _rank(body: str, *, failed: bool) -> int | None:
    """How well a line tells what went wrong, 0 best; None for one that does not."""
    lead = _PREFIX.match(body)
    plain = body[lead.end() if lead else 0 :]
    if len(plain) < 8 or _LISTED.match(body) or _NOISE.match(plain):
        return None
    if _NAMED.match(plain):
        return 1
    if not failed:
        if _TEST.match(body) and not body.startswith(("E ", " ")):
            return _TEST_TOLD
        return _UNCERTAIN if plain.startswith("Error: ") else None
    if _AT_A_LINE.match(plain) and not plain.endswith((":", ",", "{", "(")):
        return _PLACED
    if _TEST.match(body) or _TEST.match(plain):
        return _TEST_TOLD
    return _UNCERTAIN if _SAID.match(plain) else None
