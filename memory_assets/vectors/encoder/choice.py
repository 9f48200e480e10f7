"""Who runs a model: ONNX Runtime where its vectors are known to be those of sentence-transformers, else the latter.

They are known to be for the bundled model, which a test compares. Any other model is compared here, once: sentence-transformers
is loaded for it, at its first text. What was found is kept, so that no further process imports PyTorch. Many texts are embedded
with weights of eight bits where that is faster on this machine.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.vectors.encoder.eight_bits import EIGHT_BITS_VERSION, graph_in_eight_bits
from memory_assets.vectors.encoder.graph import GRAPH_VERSION, graph_of
from memory_assets.vectors.encoder.kept_graphs import Kept, KeptGraphs
from memory_assets.vectors.encoder.model_files import EncoderFiles, NotRunnable, read_encoder
from memory_assets.vectors.encoder.runtimes import OnnxRuntime
from memory_assets.vectors.errors import cause_line

if TYPE_CHECKING:
    from memory_assets.vectors.encoder.runtimes import Runtime

MOST_DIFFERENCE = 1e-4
"""Of a component of the two vectors of a text: their cosine is .99999 at least. Measured 3e-7."""

LEAST_COSINE = 0.97
"""Of a text's vector in eight bits with the exact one. Measured .98 at least, .997 on average."""
MOST_TIME = 1.0
"""Of the exact vectors' time: eight bits take no longer. Measured .5, up to .83 for a single text beside other programs."""
_TRIES = 5

# The files of the bundled model.
COMPARED = frozenset({"7e5b9adac1909589437710415dce22b0a426d87a4b468e155dd8955c0ac6d529"})

PROBES = (
    "",
    "a",
    "Where do we keep what customers upload?",
    "배포가 실패한 이유가 뭐였지? 인증서가 만료되었다.",
    "Redis 캐시를 비우면 the stale entries 가 사라진다",
    "def total(rows: list[Row]) -> int:\n    return sum(row.count for row in rows if row.ok)\n",
    "🚀🔥 shipped — naïve café, ﬁne: 日本語もある [MASK] <s> </s> [SEP]",
    "The worker pauses when the disk is full, and raises an alarm that nobody reads. " * 100,
)
"""Texts of the kinds that the outbox holds, and of those that go wrong first: nothing, one letter, far too much."""


def choose(folder: Path, kept: KeptGraphs, reference: Callable[[], Runtime]) -> OnnxRuntime | NotRunnable:
    """The model in a folder, loaded into ONNX Runtime, or why it is left to sentence-transformers.

    Args:
        reference: loads the model there; asked where the model was never compared.

    Raises:
        EmbedderUnavailableError: of ``reference``.
    """
    files = read_encoder(folder)
    if isinstance(files, NotRunnable):
        return files
    try:
        key = key_of(files)
        if (found := kept.read(key)) is not None:
            return _opened(files, found)
        if files.digest in COMPARED:
            made = Kept(graph_of(files))
            kept.write(key, made)
            return _opened(files, made)
    except Exception as error:  # of two libraries and their native code; the model may well be sound
        return NotRunnable(f"ONNX Runtime does not take it: {cause_line(error)}")
    with kept.alone(key):
        if (found := kept.read(key)) is not None:
            return _opened(files, found)
        return _compared(files, key, kept, reference())


def choose_for_many(files: EncoderFiles, kept: KeptGraphs, exact: OnnxRuntime) -> OnnxRuntime | NotRunnable:
    """An encoder with weights of eight bits, or why its texts are left to ``exact``, which runs it as it is.

    Compared on this machine, once: it has to be faster here, and its vectors to lie beside the exact ones.
    """
    try:
        key = key_in_eight_bits(files)
        with kept.alone(key):
            if (found := kept.read(key)) is not None:
                return _opened(files, found)
            graph = graph_in_eight_bits(files)
            runtime = OnnxRuntime(files, graph)
            reason = no_gain(runtime, exact)
            if not kept.write(key, Kept(b"" if reason else graph, reason)):
                return NotRunnable(reason or "its weights of eight bits cannot be kept in the cache")
    except Exception as error:  # of two libraries and their native code
        return NotRunnable(f"ONNX Runtime does not take it in eight bits: {cause_line(error)}")
    return runtime if reason is None else NotRunnable(reason)


def run_by(folder: Path, kept: KeptGraphs) -> str:
    """Who runs the model in a folder, and why: a few words for people. Loads nothing."""
    files = read_encoder(folder)
    if isinstance(files, NotRunnable):
        return f"run by sentence-transformers: {files.reason}"
    if missing := [name for name in ("onnxruntime", "onnx") if importlib.util.find_spec(name) is None]:
        return f"run by sentence-transformers: {missing[0]} is not installed"
    found = kept.read(key_of(files))
    if found is None and files.digest not in COMPARED:
        return "compared with sentence-transformers at its first text"
    if found and found.reason:
        return f"run by sentence-transformers: {found.reason}"
    many = kept.read(key_in_eight_bits(files))
    return "run by ONNX Runtime" + (", many texts in eight bits" if many and not many.reason else "")


def key_of(files: EncoderFiles) -> str:
    """What is kept of these files is kept under this: a hash of all that the graph depends on, and of its version."""
    return sha256_hex(canonical_json([GRAPH_VERSION, files.weights.name, files.digest]))


def key_in_eight_bits(files: EncoderFiles) -> str:
    """The same for a graph in eight bits: what it gives, and how fast, depends on the processor and the runtime too."""
    made_of = [GRAPH_VERSION, EIGHT_BITS_VERSION, files.weights.name, files.digest]
    return sha256_hex(canonical_json([*made_of, _processor(), importlib.metadata.version("onnxruntime")]))


def _processor() -> str:
    """What a processor can do, as far as the system tells."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        told = []
    able = [line for line in told if line.startswith(("flags", "Features"))]
    return " ".join([platform.machine(), platform.processor(), *able[:1]])


def _opened(files: EncoderFiles, kept: Kept) -> OnnxRuntime | NotRunnable:
    if kept.reason is not None:
        return NotRunnable(kept.reason)
    try:
        return OnnxRuntime(files, kept.graph)
    except Exception as error:  # of native code
        return NotRunnable(f"ONNX Runtime does not take it: {cause_line(error)}")


def _compared(files: EncoderFiles, key: str, kept: KeptGraphs, reference: Runtime) -> OnnxRuntime | NotRunnable:
    try:
        graph = graph_of(files)
        runtime = OnnxRuntime(files, graph)
        reason = disagreement(runtime, reference)
    except Exception as error:
        return NotRunnable(f"ONNX Runtime does not take it: {cause_line(error)}")
    if not kept.write(key, Kept(b"" if reason else graph, reason)):
        # It would be compared each time; the other is loaded already.
        return NotRunnable(reason or "what was found out of it cannot be kept in the cache")
    return runtime if reason is None else NotRunnable(reason)


def disagreement(one: Runtime, other: Runtime) -> str | None:
    """What tells the vectors of two runtimes apart; None where nothing does."""
    import numpy as np

    first, second = one.encode(PROBES, 4), other.encode(PROBES, 4)
    if first.shape != second.shape:
        return f"its vectors are {first.shape[1]} long, and those of sentence-transformers {second.shape[1]}"
    most = float(np.abs(first - second).max())
    # Of what is no number nothing is true.
    return (
        None if most <= MOST_DIFFERENCE else f"its vectors are not those of sentence-transformers (they differ by {most:.2g})"
    )


def no_gain(eight_bits: Runtime, exact: Runtime) -> str | None:
    """Why texts are not worth being embedded in eight bits here; None where they are."""
    import numpy as np

    least = float(np.einsum("ij,ij->i", eight_bits.encode(PROBES, 4), exact.encode(PROBES, 4)).min())
    if not least >= LEAST_COSINE:  # nor is one that is no number
        return f"in eight bits its vectors are others (a cosine of {least:.2g})"
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
