"""Machines as people have them: the command `memory`, each in processes and a folder of its own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memory_assets.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Machine:
    """A folder and the address of the shared log."""

    home: Path
    url: str

    def environment(self) -> dict[str, str]:
        """What its processes are started with."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MEMORY_") and name != "DAGSTER_HOME"}
        own = {"MEMORY_HOME": str(self.home), "MEMORY_STORE_URL": self.url, "MEMORY_EMBEDDING_MODEL": "hashing"}
        return kept | own | {"PYTHONPATH": str(ROOT)}

    def run(self, *arguments: str, code: int | None = 0) -> subprocess.CompletedProcess[str]:
        """What a command printed."""
        done = subprocess.run(
            [sys.executable, "-m", "memory_assets", *arguments],
            env=self.environment(),
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert code is None or done.returncode == code, (arguments, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
        return done

    def json(self, *arguments: str, code: int | None = 0) -> Any:
        """The object that a command printed."""
        return json.loads(self.run(*arguments, "--json", code=code).stdout)

    def error(self, *arguments: str) -> Any:
        """The error that a command ended with."""
        return json.loads(self.run(*arguments, "--json", code=2).stderr.splitlines()[-1])


@dataclass(frozen=True)
class NearMachine(Machine):
    """A machine whose commands run in this process: seconds cheaper for each, and the same answers."""

    def run(self, *arguments: str, code: int | None = 0) -> subprocess.CompletedProcess[str]:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        mask = os.umask(0o022)
        try:
            with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                environment = self.environment()
                for name in os.environ.keys() - environment.keys():
                    patch.delenv(name)
                for name, value in environment.items():
                    patch.setenv(name, value)
                # A run in this process sets it; it is taken away again with the rest.
                patch.setenv("DAGSTER_HOME", "")
                ended = main(list(arguments))
        finally:
            os.umask(mask)
        out.seek(0)
        err.seek(0)
        done = subprocess.CompletedProcess(arguments, ended, out.read(), err.read())
        assert code is None or done.returncode == code, (arguments, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
        return done
