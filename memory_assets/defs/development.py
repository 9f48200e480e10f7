"""Dagster's own processes and its history of runs, as the commands ``dev`` and ``prune`` need them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from memory_assets.defs import pruning
from memory_assets.defs.instance import dagster_home, dagster_instance
from memory_assets.settings import Settings


def prune_runs(settings: Settings, *, older_than_days: int) -> int:
    """Delete Dagster's own records of runs that were made before so many days; the log keeps everything. The runs deleted."""
    return pruning.prune_runs(dagster_instance(settings), settings.dagster_home, older_than_days=older_than_days)


def serve_development(settings: Settings, *, port: int) -> int:
    """Start Dagster's daemon and its UI, for its own page alone, on loopback until they are stopped; their exit status."""
    home = dagster_home(settings)
    dagster_instance(settings)  # its files are made under our lock, before Dagster's own processes look for them
    settings.sessions_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    environment = os.environ | {"DAGSTER_HOME": str(home), "MEMORY_HOME": str(settings.home)}
    if settings.config_file is not None:
        environment["MEMORY_CONFIG"] = str(settings.config_file)
    services = "memory_assets.defs.dagster_services"
    command = [sys.executable, "-m", services, "-m", "memory_assets.definitions", "-h", "127.0.0.1", "-p", str(port)]
    # Dagster takes SIGTERM as it takes SIGINT, which a shell's background job ignores: then nothing but a kill would end it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, env=environment) as process:
        # Whoever ends this process means Dagster's: it is told, and waited for.
        previous = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
        try:
            return process.wait()
        except KeyboardInterrupt:
            return process.wait()
        finally:
            signal.signal(signal.SIGTERM, previous)
