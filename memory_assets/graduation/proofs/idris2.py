"""The real compiler as a checker. The package's one impure
part, with ``idris2_process``: it runs a program and writes to a fresh directory and to the cache that it is given.

A verdict is positive only when all three agree: exit status 0, a fresh ``.ttc`` of every module, no error in what was
said. A compiler that cannot be trusted with that (absent, hanging, another program, one that accepts what is false) is
:class:`Unavailable`, with the reason; it is never a verdict.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Final

from memory_assets.graduation.proofs.embedded import WELL_FORMED, judge
from memory_assets.graduation.proofs.error_locations import WELL_TYPED, error_locations
from memory_assets.graduation.proofs.errors import CacheUnusableError
from memory_assets.graduation.proofs.generator import generate
from memory_assets.graduation.proofs.idris2_process import DidNotRun, Ran, run
from memory_assets.graduation.proofs.model import (
    ProofEntry,
    ProofEvidence,
    ProofMessage,
    ProofSession,
    RuleFailure,
    Sourced,
    failures_sorted,
)
from memory_assets.identifiers import sha256_hex

CORE_PACKAGE: Final = "memory.ipkg"
COMPILER_ERROR: Final = "compiler-error"
# Those that the generated modules were tried with. Another one is used when it passes the self-test.
TRIED_VERSIONS: Final = ("0.7.0", "0.8.0")
# A process may take the time limit once for each so many entries that it is to judge.
ENTRIES_A_LIMIT: Final = 100
BATCH_ROOT: Final = "Batch"

_VERSION = re.compile(r"version (\d+\.\d+\.\d+[0-9A-Za-z.+-]{0,40})")
_TTC_VERSION = re.compile(r"^\s*(\d{1,14})\s*$")
# Where an error is: at the margin, by module (a snippet of the source or a printed type never begins a line like this).
_PLACE = re.compile(r"^(Session[0-9a-f]{16}P\d+):(\d+):\d+--\d+:\d+", re.MULTILINE)
_ERROR = re.compile(r"\berror\b", re.IGNORECASE)
# What the compiler itself says of a module, as against what a loader or a run-time system says of the compiler.
_OWN_ERROR = re.compile(r"^Error\b", re.MULTILINE)
_LOCK_WAIT_S: Final = 300.0
_PASSED: Final = ("PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH")
_PASSED_PREFIXES: Final = ("LC_", "IDRIS2_", "CHEZ", "DYLD_", "NIX")


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


def find_idris2(configured: str | None, environ: Mapping[str, str]) -> Path | None:
    """The compiler of the settings, else of ``MEMORY_IDRIS2``, else on ``PATH``; None where there is none.

    A configured path is taken as it is, also when nothing is there: :func:`prepare` then says so, instead of another
    compiler being used than the one that was named.
    """
    named = configured or environ.get("MEMORY_IDRIS2")
    wanted = Path(named or "idris2").expanduser()
    # It runs in a folder of its own, where a relative path leads nowhere.
    if named and os.sep in named:
        return wanted.absolute()
    found = shutil.which(wanted, path=environ.get("PATH", ""))
    if found is None and not named:
        return None
    return Path(found or wanted).absolute()


def prepare(
    executable: Path,
    *,
    cache: Path,
    package: Path,
    environ: Mapping[str, str],
    timeout_s: float = 120.0,
    build_timeout_s: float = 300.0,
    processes: int = 1,
    batch_entries: int = 100,
) -> Idris2 | Unavailable:
    """Ask the compiler who it is, build the ``Memory`` package with it once, and test both.

    The built package lies in ``cache``, by compiler version, ttc version and the package's own hash. The test, once for
    each executable: a sound module must be accepted, one whose message differs from the slice refused. One that cannot
    judge two sound modules in one process judges each session in a process of its own.

    Raises:
        CacheUnusableError: when the cache folder cannot be written or its lock is not to be had.
    """
    env = {**_needed(environ), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    identity = _identity(executable, env, min(timeout_s, 20.0))
    if isinstance(identity, Unavailable):
        return identity
    version, ttc_version = identity
    folder = cache / f"idris2-{version}-{ttc_version}-{_package_hash(package)[:16]}"
    tested = folder / "tested"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _lock(cache / "idris2.lock"):
            core = _core_folder(folder)
            mark = _executable_mark(executable)
            known = _tested(tested).get(mark)
            if core is not None and known is not None:
                return Idris2(executable, version, core, env, timeout_s, processes, batch_entries if known else 0)
            built = _build(executable, folder, package, env, build_timeout_s)
            if isinstance(built, Unavailable):
                return built
            tool = Idris2(executable, version, built, env, timeout_s, processes, batch_entries)
            failing = _self_test(tool)
            if failing is not None:
                return Unavailable(f"idris2 {version} failed its self-test: {failing}")
            together = _can_batch(tool)
            tested.write_text(f"{mark} {'batches' if together else 'alone'}\n", encoding="utf-8")
            return tool if together else replace(tool, batch_entries=0)
    except OSError as problem:
        raise CacheUnusableError(
            f"the cache for the Idris package cannot be used: {cache} ({type(problem).__name__})",
            hint="make the folder writable, or unset MEMORY_IDRIS2 to go without the compiler",
        ) from problem


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
        return self.exit_code == 0 and self.all_built and not _ERROR.search(self.output)


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


# -- who it is, and the core package -----------------------------------------------------------------------------------


def _needed(environ: Mapping[str, str]) -> dict[str, str]:
    """What a compiler needs of an environment: where programs, libraries and its own parts lie. No keys, no tokens."""
    return {name: value for name, value in environ.items() if name in _PASSED or name.startswith(_PASSED_PREFIXES)}


def _identity(executable: Path, env: Mapping[str, str], timeout_s: float) -> tuple[str, str] | Unavailable:
    answers = []
    for option, pattern in (("--version", _VERSION), ("--ttc-version", _TTC_VERSION)):
        match run([str(executable), option], cwd=Path(tempfile.gettempdir()), env=env, timeout_s=timeout_s):
            case DidNotRun(reason):
                return Unavailable(f"{executable.name} {reason}")
            case Ran(exit_code, output, _):
                said = pattern.search(output)
                if exit_code != 0 or said is None:
                    return Unavailable(f"{executable.name} does not answer {option} as idris2 does")
                answers.append(said[1])
    return answers[0], answers[1]


def _executable_mark(executable: Path) -> str:
    """Another program under the same path and version is tested anew."""
    facts = executable.resolve().stat()
    return sha256_hex(f"{executable.resolve()} {facts.st_size} {facts.st_mtime_ns}")


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    import portalocker

    flags = portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
    lock = portalocker.Lock(path, mode="a", timeout=_LOCK_WAIT_S, flags=flags)
    try:
        lock.acquire()
    except portalocker.exceptions.LockException as problem:
        raise CacheUnusableError(
            f"another process has been building the Idris package for {_LOCK_WAIT_S:g} s: {path}",
            hint="wait for it, or end it, and run again",
        ) from problem
    try:
        yield
    finally:
        lock.release()


def _package_hash(package: Path) -> str:
    sources = sorted(path for path in package.rglob("*") if path.suffix in (".idr", ".ipkg"))
    return sha256_hex("".join(f"{path.relative_to(package)} {sha256_hex(path.read_bytes())}\n" for path in sources))


def _build(executable: Path, folder: Path, package: Path, env: Mapping[str, str], timeout_s: float) -> Path | Unavailable:
    """Build the package in a copy: an installed one may be read-only."""
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(package, folder, ignore=shutil.ignore_patterns("build"))
    match run([executable, "--build", CORE_PACKAGE], cwd=folder, env=env, timeout_s=timeout_s):
        case DidNotRun(reason):
            return Unavailable(f"{executable.name} {reason} while building the Memory package")
        case Ran(exit_code, output, _):
            core = _core_folder(folder)
            if exit_code != 0 or core is None or _ERROR.search(output):
                return Unavailable(f"{executable.name} cannot build the Memory package")
            return core


def _core_folder(folder: Path) -> Path | None:
    """The folder for ``IDRIS2_PATH``. The compiler itself appends its ttc version to it."""
    found = sorted(folder.glob("build/ttc/**/Memory/Session.ttc"))
    if not found:
        return None
    built = found[0].parent.parent
    return built.parent if built.name.isdigit() else built


def _tested(record: Path) -> dict[str, bool]:
    """Executables that passed the test -> whether they can judge batches."""
    if not record.is_file():
        return {}
    lines = [line.split() for line in record.read_text(encoding="utf-8").splitlines()]
    return {words[0]: words[1] == "batches" for words in lines if len(words) == 2}


_TEXT: Final = "We keep every event. 모든 기록은 남긴다."


def _test_module(name: str, text: str) -> Sourced:
    quote = _TEXT[:20]
    evidence = ProofEvidence("evidence", "message", "exact", 1.0, 0, len(quote), quote, quote)
    entry = ProofEntry("entry", "decision", "We keep every event", (evidence,))
    return generate(ProofSession(name, (ProofMessage("message", 0, text),), (entry,))).modules[0]


def _self_test(tool: Idris2) -> str | None:
    """Whether the compiler can say yes and can say no; None when it can do both."""
    for module, wanted in ((_test_module("self-test", _TEXT), True), (_test_module("self-test", "X" + _TEXT[1:]), False)):
        outcome = check(tool, (module,))
        if isinstance(outcome, Unavailable):
            return outcome.reason
        if outcome.accepted != wanted:
            return "it refuses a sound module" if wanted else "it accepts a false one"
    return None


def _can_batch(tool: Idris2) -> bool:
    """Whether it judges several modules in one process as we ask it to, and then still can say no."""
    sound = [Chain((_test_module(f"self-test {n}", _TEXT),), 1) for n in range(2)]
    false = Chain((_test_module("self-test 2", "X" + _TEXT[1:]),), 1)
    return isinstance(check_together(tool, sound), tuple) and isinstance(check_together(tool, [*sound, false]), NotTogether)
