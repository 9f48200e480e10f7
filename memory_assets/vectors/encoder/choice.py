"""Who runs a model: ONNX Runtime where its vectors are known to be those of sentence-transformers, else the latter.

They are known to be for the bundled model, which a test compares. Any other model is compared here, once: sentence-transformers
is loaded for it, at its first text. What was found is kept, so that no further process imports PyTorch.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.vectors.encoder.eight_bit_choice import told_of_eight_bits
from memory_assets.vectors.encoder.graph import GRAPH_VERSION, graph_of
from memory_assets.vectors.encoder.kept_graphs import Kept, KeptGraphs
from memory_assets.vectors.encoder.model_files import EncoderFiles, NotRunnable, read_encoder
from memory_assets.vectors.encoder.opening import PROBES, opened
from memory_assets.vectors.encoder.runtimes import OnnxRuntime
from memory_assets.vectors.errors import cause_line

if TYPE_CHECKING:
    from memory_assets.vectors.encoder.runtimes import Runtime

MOST_DIFFERENCE = 1e-4
"""Of a component of the two vectors of a text: their cosine is .99999 at least. Measured 3e-7."""

# The files of the bundled model.
COMPARED = frozenset({"7e5b9adac1909589437710415dce22b0a426d87a4b468e155dd8955c0ac6d529"})


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
            return opened(files, found)
        if files.digest in COMPARED:
            made = Kept(graph_of(files))
            kept.write(key, made)
            return opened(files, made)
    except Exception as error:  # of two libraries and their native code; the model may well be sound
        return NotRunnable(f"ONNX Runtime does not take it: {cause_line(error)}")
    with kept.alone(key):
        if (found := kept.read(key)) is not None:
            return opened(files, found)
        return _compared(files, key, kept, reference())


def run_by(folder: Path, kept: KeptGraphs, *, eight_bits: bool) -> str:
    """Who runs the model in a folder, and why: a few words for people. Loads nothing.

    Args:
        eight_bits: texts may be embedded in eight bits.
    """
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
    return "run by ONNX Runtime" + (told_of_eight_bits(files, kept) if eight_bits else "")


def key_of(files: EncoderFiles) -> str:
    """What is kept of these files is kept under this: a hash of all that the graph depends on, and of its version."""
    return sha256_hex(canonical_json([GRAPH_VERSION, files.weights.name, files.digest]))


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
