"""What a process of ours asks of its interpreter before it works; a library that is imported by others asks nothing."""

from __future__ import annotations

import gc
import importlib.util
import sys
from importlib.abc import MetaPathFinder
from typing import Final

_ALLOCATIONS_BETWEEN_COLLECTIONS: Final = (20_000, 20, 50)


class NoPandas(MetaPathFinder):
    """Says at once that there is no pandas.

    DuckDB looks for it with every value that it is given. Where there is none all paths are searched each time: a quarter of a
    millisecond, where a small statement takes a third (measured).
    """

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        """Nothing, or the error that the search would end in; who only asks whether there is one gets no error.

        Raises:
            ModuleNotFoundError: pandas is imported.
        """
        if fullname == "pandas" and sys._getframe(2).f_code.co_name != "find_spec":
            raise ModuleNotFoundError("No module named 'pandas'", name="pandas")


def prepare() -> None:
    """Let nothing be searched that is not there, and garbage be collected less often: a tenth of an import's CPU (measured)."""
    is_told = any(isinstance(finder, NoPandas) for finder in sys.meta_path)
    if not is_told and importlib.util.find_spec("pandas") is None:
        sys.meta_path.insert(0, NoPandas())
    gc.set_threshold(*_ALLOCATIONS_BETWEEN_COLLECTIONS)


def keep_what_is_loaded() -> None:
    """What is loaded by now stays until the process ends: no collection looks at it again."""
    gc.collect()
    gc.freeze()
