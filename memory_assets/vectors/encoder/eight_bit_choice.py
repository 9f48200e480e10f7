"""Whether texts are embedded in eight bits on this machine: where that is faster, and gives vectors beside the exact ones.

It is found out once for a store's cache and a kind of processor, and kept: one that cuts sums off gives other vectors, an older
one saves no time.
"""

from __future__ import annotations

import importlib.metadata
import platform
import time
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.vectors.encoder.eight_bits import EIGHT_BITS_VERSION, graph_in_eight_bits
from memory_assets.vectors.encoder.graph import GRAPH_VERSION
from memory_assets.vectors.encoder.kept_graphs import Kept, KeptGraphs
from memory_assets.vectors.encoder.model_files import EncoderFiles, NotRunnable
from memory_assets.vectors.encoder.opening import PROBES, opened
from memory_assets.vectors.encoder.runtimes import OnnxRuntime
from memory_assets.vectors.errors import cause_line

if TYPE_CHECKING:
    from memory_assets.vectors.encoder.runtimes import Runtime

LEAST_COSINE, LEAST_MEAN_COSINE = 0.97, 0.99
"""Of a probe's vector in eight bits with the exact one. Measured .98 at least, .997 on average; texts that are like none of the
probes may lie a little further off."""
MOST_TIME = 0.95
"""Of the exact vectors' time. Measured .5, up to .83 for a single text beside other programs."""
_TRIES = 8


def choose_eight_bits(files: EncoderFiles, kept: KeptGraphs, exact: OnnxRuntime) -> OnnxRuntime | NotRunnable:
    """An encoder in eight bits, or why texts are left to ``exact``, which runs it as it is."""
    key = key_in_eight_bits(files)
    if (found := kept.read(key)) is not None:
        return opened(files, found)
    with kept.alone(key):
        if (found := kept.read(key)) is not None:
            return opened(files, found)
        try:
            made, chosen = _compared(files, exact)
        except (OSError, MemoryError, ImportError) as error:  # it may well go the next time
            return NotRunnable(f"its graph in eight bits cannot be made: {cause_line(error)}")
        # Of another processor's or another runtime's graph nothing is wanted here any more.
        if not kept.write(key, made, instead_of=_beginning(files)):
            return NotRunnable("its graph in eight bits cannot be kept in the cache")
    return chosen


def told_of_eight_bits(files: EncoderFiles, kept: KeptGraphs) -> str:
    """What is known of it here, for people, behind who runs the model; empty before its first text. Loads nothing."""
    found = kept.read(key_in_eight_bits(files))
    if found is None:
        return ""
    return f"; texts exactly: {found.reason}" if found.reason else "; texts in eight bits"


def key_in_eight_bits(files: EncoderFiles) -> str:
    """What is kept of these files is kept under this: what a graph gives, and how fast, depends on processor and runtime."""
    made_of = [GRAPH_VERSION, EIGHT_BITS_VERSION, files.weights.name, files.digest, _processor(), _runtime()]
    return f"{_beginning(files)}{sha256_hex(canonical_json(made_of))[:32]}"


def _beginning(files: EncoderFiles) -> str:
    return f"eight-bits-{files.digest[:16]}-"


def _processor() -> str:
    """What a processor can do, as far as the system tells; where it does not, which one it is."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        told = []
    able = [line for line in told if line.lower().startswith(("flags", "features", "isa"))]
    return " ".join([platform.machine(), *(able[:1] or [platform.processor(), platform.version()])])


def _runtime() -> str:
    try:
        return importlib.metadata.version("onnxruntime")
    except importlib.metadata.PackageNotFoundError:  # it comes under other names too
        return "unknown"


def _compared(files: EncoderFiles, exact: OnnxRuntime) -> tuple[Kept, OnnxRuntime | NotRunnable]:
    """What is to be kept of it, and who embeds texts.

    Raises:
        OSError, MemoryError, ImportError: nothing was found out.
    """
    try:
        graph = graph_in_eight_bits(files)
        runtime = OnnxRuntime(files, graph)
        reason = other_vectors(runtime, exact) or no_faster(runtime, exact)
    except (OSError, MemoryError, ImportError):
        raise
    except Exception as error:  # of two libraries and their native code
        reason = f"ONNX Runtime does not take it in eight bits: {cause_line(error)}"
    return (Kept(graph), runtime) if reason is None else (Kept(b"", reason), NotRunnable(reason))


def other_vectors(eight_bits: Runtime, exact: Runtime) -> str | None:
    """What tells its vectors from the exact ones; None where they lie beside each other."""
    import numpy as np

    first, second = eight_bits.encode(PROBES, 4), exact.encode(PROBES, 4)
    # A text without tokens has no direction.
    cosines = np.einsum("ij,ij->i", first, second)[np.any(second, axis=1)]
    least, mean = float(cosines.min()), float(cosines.mean())
    if least >= LEAST_COSINE and mean >= LEAST_MEAN_COSINE:  # neither of which is true of what is no number
        return None
    return f"in eight bits its vectors are others (cosines of {least:.2g} at least, {mean:.3g} on average)"


def no_faster(eight_bits: Runtime, exact: Runtime) -> str | None:
    """Why it is not worth it here; None where it is."""
    share = _share_of_time(eight_bits, exact)
    return None if share <= MOST_TIME else f"in eight bits it is no faster here ({share:.0%} of the time)"


def _share_of_time(one: Runtime, other: Runtime) -> float:
    """The CPU time that a long text takes, as a part of what it takes the other: the least of several tries, made in turn, for
    other programs use the machine too."""
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(_TRIES):
        for runtime, seconds in zip((one, other), spent, strict=True):
            begun = time.process_time()
            runtime.encode([PROBES[-1]], 1)
            seconds.append(time.process_time() - begun)
    return min(spent[0]) / max(min(spent[1]), 1e-9)
