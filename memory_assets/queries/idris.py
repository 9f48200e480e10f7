"""The proof checkers that there are, and modules in files judged by one of them."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from memory_assets.errors import check_word
from memory_assets.graduation.proofs.checker import checker_labels, checker_version
from memory_assets.graduation.proofs.errors import CheckerUnavailableError
from memory_assets.graduation.proofs.generator import GENERATOR_VERSION
from memory_assets.graduation.proofs.idris2 import TRIED_VERSIONS, find_idris2
from memory_assets.graduation.proofs.idris2_verdicts import Idris2
from memory_assets.graduation.proofs.literals import TEXT_IS_UNICODE
from memory_assets.graduation.proofs.model import Checker, RuleFailure, subject_text
from memory_assets.graduation.proofs.module_files import FILE_READABLE, FILE_SIZE, FileVerdict, judge_files

if TYPE_CHECKING:
    from memory_assets.configuration import Resources

# A module of a hundred entries has some 150 kB; messages are embedded up to 4,000 characters, or as a window.
MODULE_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class IdrisStatus:
    """Which compiler there is and who judges.

    Attributes:
        usable: it was found, built the package and passed its self-test.
        executable: what was found or configured; None where there is none.
        reason: why it cannot be used; empty where it can, or where there is none.
        tried: the version is one that the generated modules were tried with.
        package: where the ``Memory`` package lies as this compiler built it.
        batches: it can judge several sessions in one process.
        judges: whose verdicts sessions get, the one that counts last.
    """

    usable: bool
    executable: str | None
    version: str | None
    tried: bool
    reason: str
    package: str | None
    batches: bool
    processes: int
    timeout_seconds: float
    judges: tuple[str, ...]
    embedded_version: str
    generator_version: str
    require_idris2: bool


def idris_status(resources: Resources) -> IdrisStatus:
    """Look for the compiler and have it pass its self-test, where it has not yet."""
    found = resources.idris2
    executable = find_idris2(resources.settings.idris.path, os.environ)
    compiler = found if isinstance(found, Idris2) else None
    return IdrisStatus(
        usable=compiler is not None,
        executable=None if executable is None else str(executable),
        version=compiler.version if compiler else None,
        tried=compiler is not None and compiler.version in TRIED_VERSIONS,
        reason="" if found is None or compiler else getattr(found, "reason", ""),
        package=str(compiler.core) if compiler else None,
        batches=compiler is not None and compiler.batch_entries > 0,
        processes=compiler.processes if compiler else 0,
        timeout_seconds=resources.settings.idris.timeout_seconds,
        judges=checker_labels(compiler),
        embedded_version=checker_version(None).removeprefix("embedded "),
        generator_version=GENERATOR_VERSION,
        require_idris2=resources.settings.graduation.require_idris2,
    )


def check_files(resources: Resources, paths: Sequence[Path], *, checker: str | None = None) -> list[FileVerdict]:
    """Audit and judge generated modules in files; what one imports lies beside it. In the order of the paths.

    Args:
        checker: ``embedded`` or ``idris2``; None for idris2 where it can be used.

    Raises:
        InvalidArgumentError: there is no such checker.
        CheckerUnavailableError: idris2 is asked for and cannot be used.
    """
    check_word("checker", checker, get_args(Checker))
    compiler = None if checker == "embedded" else resources.usable_idris2
    if checker == "idris2" and compiler is None:
        status = idris_status(resources)
        raise CheckerUnavailableError(
            f"idris2 cannot be used: {status.reason}" if status.reason else "there is no idris2 on PATH or in MEMORY_IDRIS2",
            hint="`--checker embedded` judges without it; docs/idris.md says where to get it",
        )
    return judge_files(paths, read_module_file, idris2=compiler)


def read_module_file(path: Path) -> str | RuleFailure:
    """A file's text as it is, or why there is none."""
    subject = subject_text(path.name or str(path))
    try:
        # A pipe or a device could keep us waiting for ever.
        if not stat.S_ISREG(path.stat().st_mode):
            return RuleFailure(FILE_READABLE, subject)
        with path.open("rb") as file:
            content = file.read(MODULE_BYTES + 1)
    except (OSError, ValueError):
        return RuleFailure(FILE_READABLE, subject)
    if len(content) > MODULE_BYTES:
        return RuleFailure(FILE_SIZE, subject)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return RuleFailure(TEXT_IS_UNICODE, subject)
