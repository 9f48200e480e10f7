"""Machines as people have them: the command `memory`, each in processes and a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
