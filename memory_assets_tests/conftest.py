"""What holds for all tests."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from memory_assets import interpreter
from memory_assets.log import readers
from memory_assets.log.database import Database
from memory_assets.log.errors import of_system
from memory_assets.log.tip import TIP_FILE_NAME
from memory_assets_tests import filled_store

# How long an example takes says nothing on a machine that does other work beside.
settings.register_profile("memory_assets", deadline=None)
settings.load_profile("memory_assets")

MIGRATED = Database._create
"""Makes a store as the program does, by its migrations."""

# Two workers share two cores: threads of DuckDB would wait for each other, at a fifth more CPU for small stores.
readers.use_one_thread()
# The same of a model's arithmetic: where the cores are busy, PyTorch's threads burn CPU while they wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


# Without bytecode beside the sources each process that a test starts compiles the package, and each worker rewrites the
# assertions of four hundred files.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

MEMORY = Path("/dev/shm")
ENOUGH_BYTES = 4_000_000_000


def _keep_temporary_files_in_memory() -> None:
    """An import waits fifty times for the disk and takes a fifth more CPU there; what tests write is thrown away anyway.

    Who says where temporary files lie (``TMPDIR``) has the word.
    """
    if "TMPDIR" in os.environ or not MEMORY.is_dir() or not os.access(MEMORY, os.W_OK):
        return
    # Some tests run programs that they have written.
    if shutil.disk_usage(MEMORY).free >= ENOUGH_BYTES and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None


_keep_temporary_files_in_memory()


# As every process of ours does; of what is loaded by now see below.
interpreter.prepare()


@pytest.fixture(scope="session", autouse=True)
def _empty_stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A store is made by the migrations once; every further one is a copy of it. The tests of ``log`` make each anew."""
    template = tmp_path_factory.mktemp("empty_store")

    def copied(database: Database) -> None:
        folder, unfinished = database.path.parent, database.path.with_name(f"{database.path.name}.new")
        with database._exclusive():
            if database.path.exists():
                return
            try:
                if (template / TIP_FILE_NAME).exists() and not (folder / TIP_FILE_NAME).exists():
                    shutil.copy(template / TIP_FILE_NAME, folder)
                shutil.copy(template / database.path.name, unfinished)
                unfinished.rename(database.path)
            except OSError as error:
                raise of_system(error, unfinished) from error

    MIGRATED(Database(template))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "_create", copied)
        yield


def pytest_collection_finish() -> None:
    """The garbage collector need not look at what is loaded by now (a tenth of the CPU)."""
    interpreter.keep_what_is_loaded()


def pytest_sessionfinish() -> None:
    """A worker is ended without the last things that an interpreter does."""
    filled_store.forget()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``TEST_SHARD=1/2`` the files of the first of two shards: each file is in one of them, whatever else there is."""
    shard, _, count = os.environ.get("TEST_SHARD", "1/1").partition("/")
    own: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        (own if zlib.crc32(item.location[0].encode()) % int(count) == int(shard) - 1 else others).append(item)
    config.hook.pytest_deselected(items=others)
    # The longest files lie beside this one: begun last, one worker would be done while the other has a minute to go.
    items[:] = sorted(own, key=lambda item: item.path.parent != Path(__file__).parent)
