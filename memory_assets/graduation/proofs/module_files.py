"""Judging generated modules that lie in files, by whichever checker (issue 5, item 8).

What is wrong with a file (no text, another language, an import that is not beside it) is a refusal with a rule and a
subject, like a proof that fails. The names of the files say nothing but where an import lies: a module is judged under
its own name. This module is pure; the files are read by a function that it is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memory_assets.graduation.proofs.audit import CLOSED_VOCABULARY, audit
from memory_assets.graduation.proofs.embedded import EMBEDDED_VERSION, judge
from memory_assets.graduation.proofs.idris2 import Chain, Idris2, Unavailable
from memory_assets.graduation.proofs.idris2_batches import compile_all
from memory_assets.graduation.proofs.model import Checker, RuleFailure, subject_text

FILE_READABLE: Final = "file-readable"
FILE_SIZE: Final = "file-size"
IMPORT_BESIDE: Final = "import-beside"
IMPORTS_ACYCLIC: Final = "imports-acyclic"
CHECKER_ANSWERS: Final = "checker-answers"

_NAME = r"Session[0-9a-f]{16}P[0-9]{1,6}"
_HEADER = re.compile(rf"module ({_NAME})\nimport Memory\.Session\n(?:import ({_NAME})\n)?")

ReadModule = Callable[[Path], str | RuleFailure]


@dataclass(frozen=True, slots=True)
class ModuleFile:
    """A module that was read from a file."""

    name: str
    source: str


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """What a checker says of the module in a file, what it imports included. ``note``: why it gave no verdict."""

    path: Path
    accepted: bool
    checker: Checker
    checker_version: str
    rules_failed: tuple[RuleFailure, ...]
    note: str = ""


def judge_files(paths: Sequence[Path], read: ReadModule, *, idris2: Idris2 | None = None) -> list[FileVerdict]:
    """Audit and judge modules in files, in their order, by the compiler, or without one by the embedded checker."""
    outcomes: dict[int, tuple[RuleFailure, ...] | Unavailable] = {}
    chains: dict[int, tuple[ModuleFile, ...]] = {}
    for place, path in enumerate(paths):
        chain = chain_of(path, read)
        if isinstance(chain, RuleFailure):
            outcomes[place] = (chain,)
        else:
            chains[place] = chain
            outcomes[place] = judge([module.source for module in chain]).failures
    if idris2 is not None:
        # What the embedded checker thinks of them only says which are worth putting into one process.
        outcomes |= _compiled(idris2, chains, alone={place for place in chains if outcomes[place]})
    return [_verdict(path, outcomes[place], idris2) for place, path in enumerate(paths)]


def chain_of(path: Path, read: ReadModule) -> tuple[ModuleFile, ...] | RuleFailure:
    """A file's module behind all that it imports, from the folder in which it lies; each in the closed language."""
    chain: list[ModuleFile] = []
    wanted: str | None = None
    at = path
    while True:
        text = read(at)
        if isinstance(text, RuleFailure):
            return text if wanted is None else RuleFailure(IMPORT_BESIDE, wanted)
        name, imported = _header(text, at)
        if audit(text) is not None:
            return RuleFailure(CLOSED_VOCABULARY, name)
        if wanted is not None and name != wanted:
            return RuleFailure(IMPORT_BESIDE, wanted)
        if any(module.name == name for module in chain):
            return RuleFailure(IMPORTS_ACYCLIC, name)
        chain.insert(0, ModuleFile(name, text))
        if imported is None:
            return tuple(chain)
        wanted, at = imported, path.parent / f"{imported}.idr"


def _header(text: str, path: Path) -> tuple[str, str | None]:
    """The module's own name and the module that it imports. Of a text with another header, the file's name."""
    header = _HEADER.match(text)
    return (header[1], header[2]) if header else (subject_text(path.name), None)


def _compiled(
    idris2: Idris2, chains: Mapping[int, tuple[ModuleFile, ...]], *, alone: Collection[int]
) -> dict[int, tuple[RuleFailure, ...] | Unavailable]:
    given = {
        str(place): Chain(chain, sum(module.source.count(" : Entry ") for module in chain)) for place, chain in chains.items()
    }
    compiled = compile_all(idris2, given, alone={str(place) for place in alone})
    return {
        int(place): outcome if isinstance(outcome, Unavailable) else outcome.failures for place, outcome in compiled.items()
    }


def _verdict(path: Path, outcome: tuple[RuleFailure, ...] | Unavailable, idris2: Idris2 | None) -> FileVerdict:
    checker: Checker = "embedded" if idris2 is None else "idris2"
    version = EMBEDDED_VERSION if idris2 is None else idris2.version
    if isinstance(outcome, Unavailable):
        # Without an answer nothing is accepted.
        unanswered = RuleFailure(CHECKER_ANSWERS, subject_text(path.name))
        return FileVerdict(path, False, checker, version, (unanswered,), outcome.reason)
    return FileVerdict(path, not outcome, checker, version, outcome)
