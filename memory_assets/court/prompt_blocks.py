"""A prompt in a file that agents read: a block between two marks, and nothing else of the file is touched.

The first mark says whose prompt it is and its hash. A block whose text has another hash was changed by hand, and is not
written over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from memory_assets.court.prompts import MARK, prompt_hash, with_line_feeds

PROMPT_FILES: Final = ("CLAUDE.md", "AGENTS.md")
"""The names of files that agents read as instructions."""

_BEGIN: Final = re.compile(rf"<!-- {MARK} role=(?P<role>\S+) version=(?P<version>\d+) sha256=(?P<sha256>[0-9a-f]{{64}}) -->")
_END: Final = f"<!-- /{MARK} -->"
_ANY_MARK: Final = re.compile(rf"<!-- /?{MARK}\b[^\n]*")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a block is not written: its marks do not stand as they were set, it stands twice, or its mark says another hash."""

    kind: Literal["broken", "twice", "changed_by_hand"]


@dataclass(frozen=True, slots=True)
class PromptBlock:
    """A version of a role's prompt as it stands in a file."""

    role: str
    version: int
    prompt: str

    def lines(self) -> str:
        """The block with its marks, without a line break at its end."""
        begin = f"<!-- {MARK} role={_marked(self.role)} version={self.version} sha256={prompt_hash(self.prompt)} -->"
        return f"{begin}\n{self.prompt}\n{_END}"


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    role: str
    sha256: str
    text: str


def with_block(file: str, block: PromptBlock) -> str | Trouble:
    """The file's text with the block in place of the role's older one, or at its end; every other character stays.

    The block has the line breaks that the older one has, or that the file has.
    """
    found = _blocks(file)
    if found is None:
        return Trouble("broken")
    mine = [one for one in found if one.role == _marked(block.role)]
    if len(mine) > 1:
        return Trouble("twice")
    if not mine:
        line_break = _line_break(file)
        return f"{file}{_between(file, line_break)}{block.lines().replace(chr(10), line_break)}{line_break}"
    start, end = mine[0].start, mine[0].end
    if prompt_hash(mine[0].text) != mine[0].sha256:
        return Trouble("changed_by_hand")
    return file[:start] + block.lines().replace("\n", _line_break(file[start:end])) + file[end:]


def _blocks(file: str) -> list[_Found] | None:
    """The blocks of all roles in their order; None where a mark stands without its other one."""
    found = []
    at = 0
    while mark := _ANY_MARK.search(file, at):
        begin = _BEGIN.match(file, mark.start())
        end = _ANY_MARK.search(file, begin.end()) if begin else None
        if begin is None or end is None or not file.startswith(_END, end.start()):
            return None
        text = with_line_feeds(file[begin.end() : end.start()]).removeprefix("\n").removesuffix("\n")
        at = end.start() + len(_END)
        found.append(_Found(begin.start(), at, begin["role"], begin["sha256"], text))
    return found


def _line_break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _between(file: str, line_break: str) -> str:
    """What stands between the end of the file and a block behind it: one empty line."""
    if not file.strip("\ufeff"):
        return ""
    return line_break if file.endswith("\n") else line_break * 2


def _marked(role: str) -> str:
    """A role as a mark says it: letters and digits as they are, everything else so that it ends no word and no comment."""
    return "".join(sign if sign.isalnum() or sign in "._-" else _escaped(sign) for sign in role)


def _escaped(sign: str) -> str:
    return "".join(f"%{byte:02X}" for byte in sign.encode())
