"""The real compiler as a checker (architecture.md section 4, *Proof*; requirements G-150, X-22). The package's one impure
part, with ``idris2_process``: it runs a program and writes to a fresh directory and to the cache that it is given.

A verdict is positive only when all three agree: exit status 0, a fresh ``.ttc`` of every module, no error in what was
said. A compiler that cannot be trusted with that (absent, hanging, another program, one that accepts what is false) is
:class:`Unavailable`, with the reason; it is never a verdict.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from memory_assets.graduation.errors import CacheUnusableError
from memory_assets.graduation.generator import generate
from memory_assets.graduation.idris2_process import DidNotRun, Ran, run
from memory_assets.graduation.model import (
    ProofEntry,
    ProofEvidence,
    ProofMessage,
    ProofSession,
    RuleFailure,
    failures_sorted,
)
from memory_assets.graduation.module_writer import WELL_TYPED, Module
from memory_assets.identifiers import sha256_hex

CORE_PACKAGE: Final = "memory.ipkg"
COMPILER_ERROR: Final = "compiler-error"

_VERSION = re.compile(r"version (\d+\.\d+\.\d+[0-9A-Za-z.+-]{0,40})")
_TTC_VERSION = re.compile(r"^\s*(\d{1,14})\s*$")
# Where an error is: at the margin, by module (a snippet of the source or a printed type never begins a line like this).
_PLACE = re.compile(r"^(Session[0-9a-f]{16}P\d+):(\d+):\d+--\d+:\d+", re.MULTILINE)
_ERROR = re.compile(r"\berror\b", re.IGNORECASE)
# What the compiler itself says of a module, as against what a loader or a run-time system says of the compiler.
_OWN_ERROR = re.compile(r"^Error\b", re.MULTILINE)
_LOCK_WAIT_S: Final = 300.0


@dataclass(frozen=True, slots=True)
class Idris2:
    """A compiler that passed its self-test.

    Attributes:
        version: as ``idris2 --version`` says it, for verdicts.
        core: the folder to put on ``IDRIS2_PATH``: the ``Memory`` package as this compiler built it.
        environ: of its process.
    """

    executable: Path
    version: str
    core: Path
    environ: Mapping[str, str] = field(repr=False)
    timeout_s: float = 120.0


@dataclass(frozen=True, slots=True)
class Unavailable:
    """No compiler to ask. ``reason`` is one line for people; quotes no compiler output."""

    reason: str


@dataclass(frozen=True, slots=True)
class Compiled:
    """What the compiler says of a chain of modules. ``failures`` are blamed by line: at least one of each definition that
    fails, not always the first. ``duration_ms`` is telemetry and no part of a verdict."""

    accepted: bool
    failures: tuple[RuleFailure, ...]
    duration_ms: float


def find_idris2(configured: str | None, environ: Mapping[str, str]) -> Path | None:
    """The compiler of the settings, else of ``MEMORY_IDRIS2``, else on ``PATH``; None where there is none.

    A configured path is taken as it is, also when nothing is there: :func:`prepare` then says so, instead of another
    compiler being used than the one that was named.
    """
    named = configured or environ.get("MEMORY_IDRIS2")
    if named:
        return Path(shutil.which(named, path=environ.get("PATH")) or named)
    found = shutil.which("idris2", path=environ.get("PATH", ""))
    return Path(found) if found else None


def prepare(
    executable: Path,
    *,
    cache: Path,
    package: Path,
    environ: Mapping[str, str],
    timeout_s: float = 120.0,
    build_timeout_s: float = 300.0,
) -> Idris2 | Unavailable:
    """Ask the compiler who it is, build the ``Memory`` package with it once, and test both.

    The built package lies in ``cache``, by compiler version, ttc version and the package's own hash. The test, once for
    each executable: a sound module must be accepted, one whose message differs from the slice refused.

    Raises:
        CacheUnusableError: when the cache folder cannot be written or its lock is not to be had.
    """
    env = {**environ, "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
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
            if core is not None and tested.is_file() and mark in tested.read_text(encoding="utf-8").splitlines():
                return Idris2(executable, version, core, env, timeout_s)
            built = _build(executable, folder, package, env, build_timeout_s)
            if isinstance(built, Unavailable):
                return built
            tool = Idris2(executable, version, built, env, timeout_s)
            failing = _self_test(tool)
            if failing is not None:
                return Unavailable(f"idris2 {version} failed its self-test: {failing}")
            tested.write_text(f"{mark}\n", encoding="utf-8")
            return tool
    except OSError as problem:
        raise CacheUnusableError(
            f"the cache for the Idris package cannot be used: {cache} ({type(problem).__name__})",
            hint="make the folder writable, or unset MEMORY_IDRIS2 to go without the compiler",
        ) from problem


def check(tool: Idris2, modules: tuple[Module, ...]) -> Compiled | Unavailable:
    """The compiler's verdict on a chain of modules; the last imports the one before it, and so on.

    The modules must have passed the audit.
    """
    elsewhere = tool.environ.get("IDRIS2_PATH")
    path = f"{tool.core}{os.pathsep}{elsewhere}" if elsewhere else str(tool.core)
    env = {**tool.environ, "IDRIS2_PATH": path}
    with tempfile.TemporaryDirectory(prefix="memory-idris2-") as fresh:
        folder = Path(fresh)
        for module in modules:
            (folder / f"{module.name}.idr").write_text(module.source, encoding="utf-8", newline="\n")
        command = [str(tool.executable), "--no-prelude", "-Werror", "--check", f"{modules[-1].name}.idr"]
        match run(command, cwd=folder, env=env, timeout_s=tool.timeout_s):
            case DidNotRun(reason):
                return Unavailable(f"idris2 {tool.version} {reason}")
            case Ran(exit_code, output, duration_ms):
                proved = all(any(folder.glob(f"build/**/{module.name}.ttc")) for module in modules)
    if exit_code == 0 and proved and not _ERROR.search(output):
        return Compiled(True, (), duration_ms)
    return _refusal(tool, modules, output, duration_ms)


def _refusal(tool: Idris2, modules: tuple[Module, ...], output: str, duration_ms: float) -> Compiled | Unavailable:
    """Blame by position: the line says which obligation stands there. An error without a place is still a no."""
    if not _OWN_ERROR.search(output):
        return Unavailable(f"idris2 {tool.version} ended without a proof and without an error")
    lines = {module.name: module.lines for module in modules}
    headers = {module.name: module.source[: module.source.index("%default")].count("\n") + 1 for module in modules}
    failures: set[RuleFailure] = set()
    places = [(name, int(line)) for name, line in _PLACE.findall(output) if name in lines]
    for name, line in places:
        if line <= headers[name]:
            return Unavailable(f"idris2 {tool.version} cannot import the Memory package that it built")
        stands = lines[name].get(line)
        failures.add(RuleFailure(stands.rule, stands.subject) if stands else RuleFailure(WELL_TYPED, name))
    if not failures:
        failures.add(RuleFailure(COMPILER_ERROR, modules[-1].name))
    return Compiled(False, failures_sorted(failures), duration_ms)


# -- who it is, and the core package -----------------------------------------------------------------------------------


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


def _self_test(tool: Idris2) -> str | None:
    """Whether the compiler can say yes and can say no; None when it can do both."""
    text = "We keep every event. 모든 기록은 남긴다."
    quote = text[:20]
    evidence = ProofEvidence("evidence", "message", "exact", 1.0, 0, len(quote), quote, quote)
    entry = ProofEntry("entry", "decision", "We keep every event", (evidence,))
    sound = generate(ProofSession("self-test", (ProofMessage("message", 0, text),), (entry,))).modules[0]
    changed = generate(ProofSession("self-test", (ProofMessage("message", 0, "X" + text[1:]),), (entry,))).modules[0]
    for module, wanted in ((sound, True), (changed, False)):
        outcome = check(tool, (module,))
        if isinstance(outcome, Unavailable):
            return outcome.reason
        if outcome.accepted != wanted:
            return "it refuses a sound module" if wanted else "it accepts a false one"
    return None
