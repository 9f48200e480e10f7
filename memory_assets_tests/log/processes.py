"""Other processes that use a store at the same time."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def python(program: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A program in a process of its own; killed when the block is left."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def first_line(process: subprocess.Popen[str]) -> str:
    """The next line that the process prints; what it complained of when there is none."""
    assert process.stdout is not None and process.stderr is not None
    line = process.stdout.readline().strip()
    assert line, process.stderr.read()
    return line
