"""Dagster's newer command, `dg`, knows this project by its pyproject.toml (docs/dagster.md)."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from memory_assets.settings import Settings

PROJECT = Path(__file__).parents[2]
DG = Path(sys.executable).with_name("dg")


def environment(settings: Settings) -> dict[str, str]:
    folders = {"MEMORY_HOME": str(settings.home), "DAGSTER_HOME": str(settings.dagster_home)}
    return os.environ | folders | {"VIRTUAL_ENV": str(Path(sys.prefix)), "COLUMNS": "200"}


def dg_(settings: Settings, *arguments: str) -> str:
    settings.dagster_home.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [DG, *arguments], cwd=PROJECT, env=environment(settings), capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
def test_definitions_are_checked(settings: Settings) -> None:
    assert "All definitions loaded successfully" in dg_(settings, "check", "defs")


@pytest.mark.long
def test_definitions_are_listed(settings: Settings) -> None:
    said = json.loads(dg_(settings, "list", "defs", "--json"))
    names = json.dumps(said)
    for name in ("session_files", "idris_checked", "task_board", "every_file_can_be_read", "refresh_leaves", "sessions_folder"):
        assert f'"{name}"' in names or f":{name}" in names, name


@pytest.mark.slow
def test_dev_serves_the_code_location(settings: Settings, tmp_path: Path) -> None:
    settings.dagster_home.mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (tmp_path / "output").open("wb") as output:
        process = subprocess.Popen(
            [DG, "dev", "--port", str(port), "--host", "127.0.0.1"],
            cwd=PROJECT,
            env=environment(settings),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        query = "{ repositoriesOrError { ... on RepositoryConnection { nodes { sensors { name } } } } }"
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/graphql",
            data=json.dumps({"query": query}).encode(),
            headers={"Content-Type": "application/json"},
        )
        deadline = time.monotonic() + 90
        answer = ""
        while "sessions_folder" not in answer:
            assert process.poll() is None and time.monotonic() < deadline, (tmp_path / "output").read_text()[-3000:] + answer
            time.sleep(0.5)
            with contextlib.suppress(OSError), urllib.request.urlopen(request, timeout=20) as response:
                answer = response.read().decode()
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
