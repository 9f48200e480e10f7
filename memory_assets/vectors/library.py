"""LanceDB, imported without the client of a REST catalogue that it brings along and that nobody here uses.

To make that client's thousand classes is two fifths of the import (0.8 of 2.0 s of CPU, measured), in every command that
searches. Its package runs when something of it is asked for; its modules are imported as ever.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any, TypeVar

_Answer = TypeVar("_Answer")

_CLIENT = "lance_namespace_urllib3_client"


def lancedb() -> Any:
    """The library, imported at the first call."""
    # Read when the library is first imported: its warnings are about its own affairs.
    os.environ.setdefault("LANCEDB_LOG", "error")
    if "lancedb" not in sys.modules:
        _put_off(_CLIENT)
    import lancedb as library

    return library


def waited_for(work: Coroutine[Any, Any, _Answer]) -> _Answer:
    """What some asynchronous work comes to, for a caller that waits; where its thread does such work itself, in another one."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, work).result()


def _put_off(name: str) -> None:
    """Have a package run when an attribute of it is asked for, and not before."""
    if name in sys.modules or (spec := importlib.util.find_spec(name)) is None or spec.loader is None:
        return
    package = ModuleType(name)
    package.__spec__, package.__file__, package.__path__ = spec, spec.origin, list(spec.submodule_search_locations or ())
    loader = spec.loader

    def run(attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        del package.__getattr__
        loader.exec_module(package)
        return getattr(package, attribute)

    package.__getattr__ = run  # type: ignore[method-assign]
    sys.modules[name] = package
