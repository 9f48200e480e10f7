"""The gates of one store, chosen by its own golden questions: they stand in its folder, and hold instead of the shipped ones.

Only gates are kept. They belong to the shipped weights that they were chosen with: a release with others does not read them.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from memory_assets.errors import ConfigInvalidError
from memory_assets.search.answerability.sureness import SurenessCalibration, shipped

FILE: Final = "answerability.toml"
_HINT: Final = "`memory eval calibrate --reset` takes it away, `memory eval calibrate --write` chooses anew"


def calibration_of(home: Path) -> SurenessCalibration:
    """The shipped weights with the store's own gates, or with the shipped ones where it has none for these weights.

    Raises:
        ConfigInvalidError: the file is there and holds no gates.
    """
    path = home / FILE
    try:
        found = path.stat()
    except OSError:
        return shipped()
    return _read(path, found.st_mtime_ns, found.st_size)


def is_out_of_date(home: Path) -> bool:
    """Whether the store has gates of its own that were chosen with the weights of another release."""
    return (home / FILE).exists() and calibration_of(home) is shipped()


def written(version: str, *, within: float | None, over_all: float | None) -> str:
    """A file of gates; of what is None the shipped one holds."""
    gates = {"within_a_project": within, "over_all": over_all}
    lines = "".join(f"{name} = {gate}\n" for name, gate in gates.items() if gate is not None)
    return (
        f"# Chosen by `memory eval calibrate`. `memory eval calibrate --reset` takes it away.\n"
        f'version = "{version}"\nweights = "{shipped().version}"\n\n[gates]\n{lines}'
    )


@lru_cache(maxsize=8)
def _read(path: Path, _changed: int, _size: int) -> SurenessCalibration:
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        if told["weights"] != shipped().version:
            return shipped()
        gates = told["gates"]
        within, over_all = (
            _gate(gates.get(name, ours))
            for name, ours in (("within_a_project", shipped().gate_within), ("over_all", shipped().gate_over_all))
        )
        version = str(told["version"])
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigInvalidError(f"{path} holds no gates: {type(error).__name__}", hint=_HINT) from error
    return replace(shipped(), version=version, gate_within=within, gate_over_all=over_all)


def _gate(told: object) -> float:
    if isinstance(told, bool) or not isinstance(told, int | float) or not 0 <= told <= 1:
        raise ValueError
    return float(told)
