"""What was kept of a model, opened; and the texts by which one runtime is compared with another."""

from __future__ import annotations

from memory_assets.vectors.encoder.kept_graphs import Kept
from memory_assets.vectors.encoder.model_files import EncoderFiles, NotRunnable
from memory_assets.vectors.encoder.runtimes import OnnxRuntime
from memory_assets.vectors.errors import cause_line

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


def opened(files: EncoderFiles, kept: Kept) -> OnnxRuntime | NotRunnable:
    """The graph that was kept, loaded, or why there is none."""
    if kept.reason is not None:
        return NotRunnable(kept.reason)
    try:
        return OnnxRuntime(files, kept.graph)
    except Exception as error:  # of native code
        return NotRunnable(f"ONNX Runtime does not take it: {cause_line(error)}")
