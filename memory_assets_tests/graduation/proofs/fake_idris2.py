"""A program that stands in for the compiler, to test how it is run: it answers as idris2 does, and misbehaves as told.

It builds the package into empty files and judges modules with the embedded checker, one after the other, up to the first
that fails: there it names the lines of the obligations that fail, or the line that the test names. It misbehaves at the
modules that hold the word of its mode. What it says about proofs proves nothing; that is for the tests marked ``idris2``.
"""

from __future__ import annotations

import sys
from pathlib import Path

_SCRIPT = """#!{python}
import os, sys, time
sys.path.insert(0, {root!r})
args, mode, log = sys.argv[1:], {mode!r}, {log!r}
with open(log, "a") as file:
    file.write(" ".join(args) + "\\n")
with open(os.path.join(os.path.dirname(log), "seen"), "a") as file:
    file.write(" ".join(os.environ) + "\\n")
if "--version" in args:
    if mode == "other-program":
        print("GNU coreutils 9.1"); sys.exit(0)
    if mode == "crashes":
        sys.exit(139)
    if mode == "hangs-at-once":
        time.sleep(60)
    print("Idris 2, version {version}"); sys.exit(0)
if "--ttc-version" in args:
    print("2024011200"); sys.exit(0)
if "--build" in args:
    if mode == "cannot-build":
        print("Error: Module Memory.Rule not found"); sys.exit(1)
    os.makedirs("build/ttc/2024011200/Memory")
    for name in ("Rule", "Evidence", "Stage", "Task", "Session"):
        open(f"build/ttc/2024011200/Memory/{{name}}.ttc", "w").close()
    sys.exit(0)
assert args[:3] == ["--no-prelude", "-Werror", "--check"], args
assert sys.stdin.read() == ""
core = os.environ["IDRIS2_PATH"].split(":")[0]
name = args[3].removesuffix(".idr")
if not os.path.isfile(core + "/2024011200/Memory/Session.ttc"):
    print(f"Error: Module Memory.Session not found\\n\\n{{name}}:2:1--2:22"); sys.exit(1)
from memory_assets.graduation.proofs.error_locations import error_locations
from memory_assets.graduation.proofs.embedded import judge

built = {{}}
def header(text):
    return [line.split()[1] for line in text.split("%default")[0].splitlines() if line.startswith("import Session")]

def errors(name, lines):
    print("\\x1b[31mError\\x1b[0m: While processing right hand side.\\nMismatch between: True and False.\\n")
    for line in lines:
        print(f"{{name}}:{{line}}:3--{{line}}:5\\n {{line:03}} |   Ok\\n            ^^\\n")
    sys.exit(1)

def build(name):
    # What is imported first; the first module that fails ends it all.
    if name in built:
        return
    text = open(name + ".idr", encoding="utf-8").read()
    for imported in header(text):
        build(imported)
    built[name] = text
    if name != "Batch":
        chain = [text]
        while header(chain[0]):
            chain.insert(0, built[header(chain[0])[0]])
        failures = set(judge(chain).failures)
        marked = "MARK" in text
        if marked:
            misbehave()
        yes = mode == "says-yes" or marked and mode == "says-yes-to-it"
        if (failures or marked and mode == "says-no") and not yes:
            if mode == "stale-ttc":
                sys.exit(0)
            table = error_locations(text)
            lines = [line for line, at in table.items() if at in failures and text.splitlines()[line - 1] == "  Ok"]
            first = next(n for n, line in enumerate(text.split("\\n"), 1) if line == "  Ok")
            errors(name, [{place}] if {place} else lines or [first])
    elif mode == "no-batches":
        errors("Batch", [1])
    os.makedirs("build/ttc/2024011200", exist_ok=True)
    open(f"build/ttc/2024011200/{{name}}.ttc", "w").close()

def misbehave():
    if mode == "hangs":
        if os.fork() == 0:
            time.sleep(60)
        time.sleep(60)
    if mode == "talks":
        while True:
            print("x" * 100000)
    if mode == "dies":
        os.kill(os.getpid(), 9)
    if mode == "no-ttc":
        sys.exit(0)
    if mode == "error-but-exit-0":
        print("Error: something without a place"); sys.exit(0)

build(name)
"""


def write_fake(folder: Path, mode: str = "good", *, version: str = "0.8.0", place: int = 0) -> Path:
    """A fake compiler; ``place`` is the line that it blames (0 for the first obligation). Its calls go to ``calls``."""
    program = folder / f"idris2-{mode}-{version}"
    root = str(Path(__file__).resolve().parents[3])
    program.write_text(
        _SCRIPT.format(python=sys.executable, root=root, mode=mode, version=version, place=place, log=str(folder / "calls")),
        encoding="utf-8",
    )
    program.chmod(0o755)
    return program


def calls_of(folder: Path) -> list[str]:
    """The arguments of each call of a fake compiler, in order."""
    return (folder / "calls").read_text(encoding="utf-8").splitlines()
