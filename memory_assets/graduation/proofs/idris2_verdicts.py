"""What the real compiler says of modules that passed the audit, a chain of them or several at once.

A verdict is positive only when all three agree: exit status 0, a fresh ``.ttc`` of every module, no error in what was
said. A compiler that gives no such answer is :class:`Unavailable`, with the reason; it is never a verdict.
"""

from __future__ import annotations

import math
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Final

from memory_assets.graduation.proofs.embedded import WELL_FORMED, WELL_TYPED, judge
from memory_assets.graduation.proofs.error_locations import error_locations
from memory_assets.graduation.proofs.idris2_process import DidNotRun, Ran, run
from memory_assets.graduation.proofs.model import RuleFailure, Sourced, failures_sorted

COMPILER_ERROR: Final = "compiler-error"
# A process may take the time limit once for each so many entries that it is to judge.
ENTRIES_A_LIMIT: Final = 100
BATCH_ROOT: Final = "Batch"
# Where an error is: at the margin, by module (a snippet of the source or a printed type never begins a line like this).
_PLACE = re.compile(r"^(Session[0-9a-f]{16}P\d+):(\d+):\d+--\d+:\d+", re.MULTILINE)
SAID_ERROR = re.compile(r"\berror\b", re.IGNORECASE)
# What the compiler itself says of a module, as against what a loader or a run-time system says of the compiler.
_OWN_ERROR = re.compile(r"^Error\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Idris2:
    """A compiler that passed its self-test.

    Attributes:
        version: as ``idris2 --version`` says it, for verdicts.
        core: the folder to put on ``IDRIS2_PATH``: the ``Memory`` package as this compiler built it.
        environ: of its process; of ours only what a compiler needs, nothing else that may stand there.
        timeout_s: for a process, and for each further hundred entries that it judges.
        processes: how many may run at once.
        batch_entries: how many entries of several sessions one process judges at most; 0 for one process a session.
    """

    executable: Path
    version: str
    core: Path
    environ: Mapping[str, str] = field(repr=False)
    timeout_s: float = 120.0
    processes: int = 1
    batch_entries: int = 100


@dataclass(frozen=True, slots=True)
class Unavailable:
    """No compiler to ask, or no answer from it. ``reason`` is one line for people; quotes no compiler output."""

    reason: str
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """Modules that passed the audit, each importing the one before it, and how many entries they hold."""

    modules: tuple[Sourced, ...]
    entries: int = 0


@dataclass(frozen=True, slots=True)
class Compiled:
    """What the compiler says of a chain of modules. ``failures`` are blamed by line: at least one of each definition that
    fails, not always the first. ``duration_ms`` is telemetry and no part of a verdict."""

    accepted: bool
    failures: tuple[RuleFailure, ...]
    duration_ms: float


@dataclass(frozen=True, slots=True)
class NotTogether:
    """A batch that was refused, or could not be judged: each chain has to be judged again. ``blamed`` are the places of the
    chains in which the compiler found an error."""

    blamed: frozenset[int]
    timed_out: bool = False


def check(tool: Idris2, modules: Sequence[Sourced], *, entries: int = 0, stop: Event | None = None) -> Compiled | Unavailable:
    """The compiler's verdict on a chain of modules; the last imports the one before it, and so on.

    The modules must have passed the audit.
    """
    ended = _run(tool, modules, modules[-1].name, entries, stop)
    if isinstance(ended, Unavailable):
        return ended
    if ended.is_proof:
        return Compiled(True, (), ended.duration_ms)
    return _refusal(tool, modules, ended)


def check_together(
    tool: Idris2, chains: Sequence[Chain], *, stop: Event | None = None
) -> tuple[Compiled, ...] | NotTogether | Unavailable:
    """Judge several chains in one process: all of them are accepted, or none is judged.

    The modules lie beside a root that imports the last one of each chain; no two modules bear one name. ``Unavailable``
    only when the process was stopped.
    """
    imports = [f"import {chain.modules[-1].name}" for chain in chains]
    root = _Root("\n".join([f"module {BATCH_ROOT}", *imports, "%default total", ""]))
    modules = [module for chain in chains for module in chain.modules]
    ended = _run(tool, [*modules, root], root.name, sum(chain.entries for chain in chains), stop)
    if stop is not None and stop.is_set():
        return Unavailable(f"idris2 {tool.version} was stopped")
    if isinstance(ended, Unavailable):
        return NotTogether(frozenset(), ended.timed_out)
    if not ended.is_proof:
        blamed = {name for name, _ in _places(ended.output)}
        named = {place for place, chain in enumerate(chains) if not blamed.isdisjoint(m.name for m in chain.modules)}
        return NotTogether(frozenset(named))
    weights = [max(chain.entries, 1) for chain in chains]
    return tuple(Compiled(True, (), ended.duration_ms * weight / sum(weights)) for weight in weights)


@dataclass(frozen=True, slots=True)
class _Root:
    """The module that holds a batch together."""

    source: str
    name: str = BATCH_ROOT


@dataclass(frozen=True, slots=True)
class _Ended:
    """A run of the compiler over modules, ended by itself. ``all_built``: there is a fresh ``.ttc`` of every module."""

    exit_code: int
    output: str
    duration_ms: float
    all_built: bool

    @property
    def is_proof(self) -> bool:
        return self.exit_code == 0 and self.all_built and not SAID_ERROR.search(self.output)


def _run(tool: Idris2, modules: Sequence[Sourced], root: str, entries: int, stop: Event | None) -> _Ended | Unavailable:
    elsewhere = tool.environ.get("IDRIS2_PATH")
    path = f"{tool.core}{os.pathsep}{elsewhere}" if elsewhere else str(tool.core)
    env = {**tool.environ, "IDRIS2_PATH": path}
    limit = tool.timeout_s * max(1, math.ceil(entries / ENTRIES_A_LIMIT))
    try:
        with tempfile.TemporaryDirectory(prefix="memory-idris2-", ignore_cleanup_errors=True) as fresh:
            folder = Path(fresh)
            for module in modules:
                (folder / f"{module.name}.idr").write_text(module.source, encoding="utf-8", newline="\n")
            command = [str(tool.executable), "--no-prelude", "-Werror", "--check", f"{root}.idr"]
            match run(command, cwd=folder, env=env, timeout_s=limit, stop=stop):
                case DidNotRun(reason, timed_out):
                    return Unavailable(f"idris2 {tool.version} {reason}", timed_out)
                case Ran(exit_code, output, duration_ms):
                    built = {path.stem for path in folder.glob("build/**/*.ttc")}
                    return _Ended(exit_code, output, duration_ms, built.issuperset(module.name for module in modules))
    except OSError as problem:
        return Unavailable(f"idris2 {tool.version} has no folder to work in ({type(problem).__name__})")


def _places(output: str) -> list[tuple[str, int]]:
    return [(name, int(line)) for name, line in _PLACE.findall(output)]


def _refusal(tool: Idris2, modules: Sequence[Sourced], ended: _Ended) -> Compiled | Unavailable:
    """Blame by position: the line says which obligation stands there. An error without a place is still a no."""
    if not _OWN_ERROR.search(ended.output):
        return Unavailable(f"idris2 {tool.version} ended without a proof and without an error")
    sources = {module.name: module.source for module in modules}
    failures: set[RuleFailure] = set()
    tables: dict[str, dict[int, RuleFailure]] = {}
    for name, line in _places(ended.output):
        if name not in sources:
            continue
        if line <= sources[name][: sources[name].index("%default")].count("\n") + 1:
            return Unavailable(f"idris2 {tool.version} cannot import the Memory package that it built")
        if name not in tables:
            tables[name] = error_locations(sources[name], [source for other, source in sources.items() if other != name])
        if tables[name]:
            failures.add(tables[name].get(line) or RuleFailure(WELL_TYPED, name))
        else:
            # No line of what cannot be read has a name of its own: it is called what the embedded checker calls it.
            failures |= {f for f in judge([module.source for module in modules]).failures if f.rule == WELL_FORMED}
    if not failures:
        failures.add(RuleFailure(COMPILER_ERROR, modules[-1].name))
    return Compiled(False, failures_sorted(failures), ended.duration_ms)
