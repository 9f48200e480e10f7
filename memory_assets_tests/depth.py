"""How deep property tests, crash loops and large folds go: a little with every change, all the way in ``make slow``.

A test that goes deeper there is marked ``deep``: the same test runs in both, with other numbers.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

IS_DEEP = os.environ.get("TEST_DEPTH") == "deep"

T = TypeVar("T")


def depth(shallow: T, deep: T) -> T:
    """The number that is in force."""
    return deep if IS_DEEP else shallow


def cases(shallow: Sequence[Any], deep: Sequence[Any]) -> list[Any]:
    """The cases of a parametrized test, those behind the first as slow tests."""
    return [*shallow, *(pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in deep)]
