"""Whether what differs between an input that failed and one that worked explains the error.

An error is of a *kind* that says what an input has to be changed in: a program that is not there, an option that is not known,
a quotation mark that is not closed. A report on code (a red test, a finding of a linter) is of none: no input helps against it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from memory_assets.court.detectors.cues import cue, names_of

_MOST: Final = 2_000
_TOKEN = re.compile(r"[^\s'\"`,;|&(){}<>\[\]\\=]+")
_QUOTING = re.compile(r"['\"\\`$<>(){}\[\]!*]+|<<-?")
_PATH = re.compile(r"[\w.~@+-]*/[\w./~@+-]*|[\w-]+\.[A-Za-z]\w{0,7}\Z")
_NUMBER = re.compile(r"\d{2,9}")
_ASSIGNS = re.compile(r"(?<![\w-])[A-Z_][A-Z0-9_]{1,40}=")
_BEHIND = re.compile(r"[^&>]&\s{0,3}\Z")
_TRIM = ".,:;!?()[]{}'\"`"


@dataclass(frozen=True)
class Change:
    """What differs between two inputs of the same kind."""

    failed: str
    worked: str

    @cached_property
    def removed(self) -> frozenset[str]:
        """Tokens that stand in the failed input alone."""
        return tokens(self.failed) - tokens(self.worked)

    @cached_property
    def added(self) -> frozenset[str]:
        """Tokens that stand in the input that worked alone."""
        return tokens(self.worked) - tokens(self.failed)

    @property
    def quoting(self) -> bool:
        """Whether quotation marks, escapes or a here-document differ."""
        return _QUOTING.findall(self.failed) != _QUOTING.findall(self.worked)

    @property
    def paths(self) -> bool:
        """Whether a path differs, or the folder in which it runs."""
        return any(_PATH.search(token) for token in self.removed | self.added) or "cd" in self.removed ^ self.added

    @property
    def numbers(self) -> bool:
        """Whether a number differs."""
        return any(_NUMBER.search(token) for token in self.removed | self.added)

    @property
    def options(self) -> bool:
        """Whether an option differs."""
        return any(token.startswith("-") for token in self.removed | self.added)

    @property
    def more_options(self) -> bool:
        """Whether an option was added."""
        return any(token.startswith("-") for token in self.added)

    @property
    def programs(self) -> bool:
        """Whether another program, or the same through another one, runs."""
        return _first_words(self.failed) != _first_words(self.worked)

    @property
    def assigned(self) -> bool:
        """Whether another variable is set for it."""
        return _assigns(self.failed) != _assigns(self.worked)

    @property
    def background(self) -> bool:
        """Whether it runs behind, or does less."""
        return "run_in_background" in self.worked or _BEHIND.search(self.worked) is not None


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """A kind of error, how it is told, and whether a change of the input may answer it."""

    name: str
    told: re.Pattern[str]
    answers: Callable[[Change], bool]


def _answers_encoding(change: Change) -> bool:
    return any(_ENCODING.search(token) for token in change.added | change.removed)


_ENCODING = re.compile(r"utf|encod|locale|lang|latin|cp949|euc", re.IGNORECASE)
_ANSWERS: Final[dict[str, Callable[[Change], bool]]] = {
    "missing program": lambda change: change.programs or change.options or change.paths or change.assigned,
    "task": lambda change: change.programs or change.paths or change.options,
    "option": lambda change: bool(change.removed | change.added) or change.quoting,
    "quoting": lambda change: change.quoting,
    "directory": lambda change: change.options or change.paths,
    "version": lambda change: change.programs or change.assigned or change.options or change.paths,
    "place": lambda change: change.paths or change.more_options or change.quoting,  # another word told to it is other work
    "right": lambda change: bool(change.removed | change.added),
    "name": lambda change: bool(change.removed & change.added) or bool(change.removed and change.added),
    "time": lambda change: change.background,  # to wait longer is no other input
    "size": lambda change: change.numbers or change.options or bool(change.added),
    "setting": lambda change: change.assigned or change.options,
    "taken": lambda change: change.numbers or change.options or change.paths,
    "encoding": _answers_encoding,
}
ERROR_KINDS: Final = tuple(ErrorKind(name, cue("error", name), _ANSWERS[name]) for name in names_of("error"))
NO_KIND: Final = ErrorKind("", re.compile(r"(?!)"), lambda change: False)
"""An error of no known kind: only what it names itself answers it."""
_ON_CODE = re.compile(
    r"^\s{0,4}--- FAIL|^FAILED |^FAIL\b|^E {2,7}\S|AssertionError|assert(?:ion)? (?:failed|error)"
    r"|\b[1-9]\d{0,4} (?:failed|failing|failures?|errors?)\b|^\s{0,8}[✕✗×✘] |npm ERR! Test failed|would reformat"
    r"|\d+ problems? \("
    r"|expected .{1,80}(?:but )?(?:got|received|to (?:be|equal|have))|^\S{1,200}\.[A-Za-z]{1,5}:\d{1,6}(?::\d{1,5})?:? "
    r"|^\S{1,200}\(\d{1,6},\d{1,5}\): error|error TS\d{3,5}|error\[[A-Z]\d{2,6}\]|\[build failed\]",
    re.MULTILINE,
)


def kind_of(error: str) -> ErrorKind | None:
    """The kind of an error, by its telling line and what stands around it; None for one that no input answers."""
    return next((kind for kind in ERROR_KINDS if kind.told.search(error)), None)


def passes_by_itself(error: str) -> bool:
    """Whether an error is of the network or of a service that was busy."""
    return cue("failure", "passes_by_itself").search(error) is not None


def is_on_code(output: str) -> bool:
    """Whether an output reports on code: a red test, a compiler's or a linter's finding."""
    return _ON_CODE.search(output[:_MOST]) is not None or _ON_CODE.search(output[-_MOST:]) is not None


def names_change(error: str, change: Change) -> bool:
    """Whether the error itself names something that was left out of the input, or put into it."""
    named = tokens(error)
    said = {part for token in named for part in (token, token.rsplit("/", 1)[-1])}
    changed = {part for token in change.removed | change.added for part in (token, token.rsplit("/", 1)[-1])}
    return not {one for one in said & changed if len(one) > 1 and any(map(str.isalpha, one))}.issubset(_PLAIN)


_SAYING_NOTHING = """
the to of in on for and or not no is are be it a an error file with from as at by this that was were has failed
"""
_PLAIN: Final = frozenset(_SAYING_NOTHING.split())


def tokens(text: str) -> frozenset[str]:
    """The words, options and paths of an input or an error, without the marks around them."""
    found = (token.strip(_TRIM) if not token.startswith("-") else token.rstrip(_TRIM) for token in _TOKEN.findall(text[:_MOST]))
    return frozenset(token for token in found if token)


def _first_words(command: str) -> frozenset[str]:
    parts = re.split(r"&&|\|\||;|\n|\|", command[:_MOST])
    return frozenset(" ".join(part.split()[:2]) for part in parts if part.split())


def _assigns(command: str) -> frozenset[str]:
    return frozenset(_ASSIGNS.findall(command[:_MOST]))
