"""Lines that begin with a command of the chat program: what of them it is told, and what a person says.

``/add src/app.py`` only tells the program something. ``/ask why does it fail`` says how the words behind it are to be taken: a
person says them. ``/login returns 500 since noon`` is no command at all.
"""

from __future__ import annotations

import re
from typing import Final

_MODE: Final = re.compile(r"\s{0,8}/(?:ask|code|architect|context|copy-context)[ \t]{1,8}(?=[^\s~./-])")
_TELLS_PROGRAM: Final = re.compile(
    r"\s{0,8}/(?!(?!(?:add|drop|read-only|run|git|test|lint|load|save)\s)[a-z-]{2,25}(?:\s{1,2}\w{1,40}[,.!?]?(?=\s|$)){3})"
    r"[a-z][a-z-]{1,24}(?:\s{1,2}[~./\w-]{1,200}){0,40}$",
    re.IGNORECASE,
)
"""A name and words or paths, but not three plain words behind a name that runs or opens nothing."""
_PATH: Final = re.compile(r"\S*[/.]\w\S*\s*")


def behind_mode(line: str) -> int:
    """Where the words of a command such as ``/ask`` begin; 0 where there is none, or a path alone stands behind it."""
    found = _MODE.match(line)
    return found.end() if found is not None and not _PATH.fullmatch(line, found.end()) else 0


def only_tells_program(line: str) -> bool:
    """Whether a line is a command and nothing that a person says."""
    return not behind_mode(line) and _TELLS_PROGRAM.match(line) is not None
