"""What the processor of a test can do."""

from __future__ import annotations

import platform
from pathlib import Path


def sums_whole_numbers() -> bool:
    """Whether it has instructions for sums of products of eight bits that cut nothing off."""
    if platform.system() == "Darwin":
        return platform.machine() == "arm64"
    told = Path("/proc/cpuinfo").read_text().lower().split()
    return not {"avx512_vnni", "avx_vnni", "asimddp"}.isdisjoint(told)
