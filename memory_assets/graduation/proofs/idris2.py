"""Which compiler there is, and whether it can be trusted: found, asked who it is, given the ``Memory`` package, and tested.

One that cannot be trusted (absent, hanging, another program, one that accepts what is false) is :class:`Unavailable`, with the
reason. ``idris2_verdicts`` asks it; it, this module and ``idris2_process`` alone run a program and write files here.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from memory_assets.graduation.proofs.errors import CacheUnusableError
from memory_assets.graduation.proofs.generator import generate
from memory_assets.graduation.proofs.idris2_process import DidNotRun, Ran, run
from memory_assets.graduation.proofs.idris2_verdicts import (
    SAID_ERROR,
    Chain,
    Idris2,
    NotTogether,
    Unavailable,
    check,
    check_together,
)
from memory_assets.graduation.proofs.model import (
    ProofEntry,
    ProofEvidence,
    ProofMessage,
    ProofSession,
    Sourced,
)
from memory_assets.identifiers import sha256_hex

__all__ = ["TRIED_VERSIONS", "Idris2", "Unavailable", "find_idris2", "prepare"]

CORE_PACKAGE: Final = "memory.ipkg"
# Those that the generated modules were tried with. Another one is used when it passes the self-test.
TRIED_VERSIONS: Final = ("0.7.0", "0.8.0")

_VERSION = re.compile(r"version (\d+\.\d+\.\d+[0-9A-Za-z.+-]{0,40})")
_TTC_VERSION = re.compile(r"^\s*(\d{1,14})\s*$")
_LOCK_WAIT_S: Final = 300.0
_PASSED: Final = ("PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH")
_PASSED_PREFIXES: Final = ("LC_", "IDRIS2_", "CHEZ", "DYLD_", "NIX")


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
            if exit_code != 0 or core is None or SAID_ERROR.search(output):
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
