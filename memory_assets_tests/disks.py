"""A file system that can really be full."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def mounted(folder: Path, megabytes: int) -> Iterator[Path]:
    """A small file system at a folder; the test is skipped where this user may not mount one."""
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs"]
    if subprocess.run(["mount", *options, folder], capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small file system needs rights that this user does not have")
    try:
        yield folder
    finally:
        # Lazily: Dagster keeps files of its records open for as long as this process lives.
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(folder: Path) -> Path:
    """Leave not a byte on the file system of a folder; the file that takes it all is removed to free it."""
    ballast = folder / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    return ballast
