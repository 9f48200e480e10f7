"""Judging generated modules that lie in files, by whichever checker.

What is wrong with a file (no text, another language, an import that is not beside it) is a refusal with a rule and a
subject, like a proof that fails. The names of the files say nothing but where an import lies: a module is judged under
its own name. This module is pure; the files are read by a function that it is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memory_assets.graduation.proofs.audit import CLOSED_VOCABULARY, MODULE_NAME, audit
from memory_assets.graduation.proofs.embedded import EMBEDDED_VERSION, judge
from memory_assets.graduation.proofs.idris2_batches import compile_all
from memory_assets.graduation.proofs.idris2_verdicts import Chain, Idris2, Unavailable
from memory_assets.graduation.proofs.model import Checker, RuleFailure, subject_text

FILE_READABLE: Final = "file-readable"
FILE_SIZE: Final = "file-size"
IMPORT_BESIDE: Final = "import-beside"
IMPORTS_ACYCLIC: Final = "imports-acyclic"
CHECKER_ANSWERS: Final = "checker-answers"

_HEADER = re.compile(rf"module ({MODULE_NAME})\nimport Memory\.Session\n(?:import ({MODULE_NAME})\n)?")

ReadModule = Callable[[Path], str | RuleFailure]


@dataclass(frozen=True, slots=True)
class ModuleFile:
    """A module that was read from a file."""

    name: str
    source: str


_Chain = tuple[ModuleFile, ...]


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """What a checker says of the module in a file, what it imports included. ``note``: why it gave no verdict, or that the
    embedded checker refuses what it accepts (then ``rules_failed`` are the embedded checker's)."""

    path: Path
    accepted: bool
    checker: Checker
    checker_version: str
    rules_failed: tuple[RuleFailure, ...]
    note: str = ""


def judge_files(paths: Sequence[Path], read: ReadModule, *, idris2: Idris2 | None = None) -> list[FileVerdict]:
    """Audit and judge modules in files, in their order, by the compiler, or without one by the embedded checker. Equal texts
    are judged once. A compiler's yes stands for nothing where the embedded checker says no."""
    chains = [chain_of(path, read) for path in paths]
    embedded: dict[_Chain, tuple[RuleFailure, ...]] = {}
    for chain in chains:
        if not isinstance(chain, RuleFailure) and chain not in embedded:
            embedded[chain] = judge([module.source for module in chain]).failures
    compiled = {} if idris2 is None else _compiled(idris2, embedded)
    return [
        _verdict(path, (chain,), None, idris2)
        if isinstance(chain, RuleFailure)
        else _verdict(path, embedded[chain], compiled.get(chain), idris2)
        for path, chain in zip(paths, chains, strict=True)
    ]


def chain_of(path: Path, read: ReadModule) -> _Chain | RuleFailure:
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
    idris2: Idris2, embedded: Mapping[_Chain, tuple[RuleFailure, ...]]
) -> dict[_Chain, tuple[RuleFailure, ...] | Unavailable]:
    """What the compiler says. What the embedded checker thinks of a chain says which are worth putting into one process."""
    keys = {str(place): chain for place, chain in enumerate(embedded)}
    given = {key: Chain(chain, sum(module.source.count(" : Entry ") for module in chain)) for key, chain in keys.items()}
    outcomes = compile_all(idris2, given, alone={key for key, chain in keys.items() if embedded[chain]})
    return {keys[key]: outcome if isinstance(outcome, Unavailable) else outcome.failures for key, outcome in outcomes.items()}


def _verdict(
    path: Path,
    embedded: tuple[RuleFailure, ...],
    compiled: tuple[RuleFailure, ...] | Unavailable | None,
    idris2: Idris2 | None,
) -> FileVerdict:
    """``compiled`` is None where the compiler was not asked."""
    if idris2 is None:
        return FileVerdict(path, not embedded, "embedded", EMBEDDED_VERSION, embedded)
    failures, note = embedded, ""
    match compiled:
        case Unavailable(reason):
            # Without an answer nothing is accepted.
            failures, note = (RuleFailure(CHECKER_ANSWERS, subject_text(path.name)),), reason
        case () if embedded:
            note = f"the checkers disagree: idris2 {idris2.version} accepts what embedded {EMBEDDED_VERSION} refuses"
        case tuple():
            failures = compiled
    return FileVerdict(path, not failures, "idris2", idris2.version, failures, note)
