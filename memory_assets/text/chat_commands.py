"""Lines that begin with a command of the chat program: what of them it is told, and what a person says.

``/add src/app.py`` only tells the program something. ``/ask why does it fail`` says how the words behind it are to be taken: a
person says them. ``/login returns 500 since noon`` is no command at all.
"""

from __future__ import annotations

import re
from typing import Final

_MODE: Final = re.compile(r"\s{0,8}/(?:ask|code|architect|context|copy-context)[ \t]{1,8}(?=[^\s~./-])")
_NAMED: Final = re.compile(r"\s{0,8}/(?P<name>[a-z][a-z-]{1,24})(?=\s|$)", re.IGNORECASE)
_GIVEN: Final = re.compile(r"[~./\w*-]{1,200}")
_RUNS: Final = frozenset(("add", "drop", "read-only", "run", "git", "test", "lint", "load", "save"))
"""Names of commands behind which plain words are what a terminal is given."""
_FAULT: Final = re.compile(r"broken|fail\w*|missing|slow\w*|wrong|crash\w*|returns?", re.IGNORECASE)
"""What is said of an address that begins like a command: ``/checkout fails``."""
_FEW_PLAIN, _MOST_OF_TERMINAL = 2, 6
_READ: Final = 400
"""Characters of a line that are looked at."""


def behind_mode(line: str) -> int:
    """Where the words of a command such as ``/ask`` begin; 0 where there is none, or a path alone stands behind it."""
    found = _MODE.match(line)
    if found is None:
        return 0
    given = line[found.end() :].split(maxsplit=1)
    return 0 if len(given) == 1 and re.search(r"[/.]\w", given[0][:_READ]) else found.end()


def only_tells_program(line: str) -> bool:
    """Whether a line is a command and nothing that a person says: few plain words stand behind its name, or only paths."""
    named = _NAMED.match(line)
    if named is None or behind_mode(line):
        return False
    given = line[named.end() : _READ].split()
    if not all(_GIVEN.fullmatch(word) for word in given):
        return False
    if any(_FAULT.fullmatch(word) for word in given):
        return False
    plain = sum(word.isalnum() for word in given)
    return plain <= _FEW_PLAIN or (named["name"].lower() in _RUNS and len(given) <= _MOST_OF_TERMINAL)
