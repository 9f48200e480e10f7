"""The two that run a model: ONNX Runtime, and sentence-transformers with PyTorch behind it.

With PyTorch a question takes 4.5 seconds of CPU and 500 MB, without it 0.3 and 120 (measured, loading included).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from memory_assets.vectors.errors import EmbedderUnavailableError, cause_line

if TYPE_CHECKING:
    from memory_assets.vectors.embedder import Vectors
    from memory_assets.vectors.encoder.model_files import EncoderFiles

# Of one pass. More texts at once are no faster, and what lies between two layers takes memory in proportion.
_TOKENS_AT_ONCE = 512
_MOST_THREADS = 8
_FATAL = 4


class Runtime(Protocol):
    """A model that is loaded.

    Attributes:
        dimensions: length of each vector.
    """

    @property
    def dimensions(self) -> int: ...

    def encode(self, texts: Sequence[str], batch_size: int) -> Vectors:
        """One row a text, float32, of length one, in the order given."""
        ...


class OnnxRuntime:
    """An encoder run by ONNX Runtime. The weights that a graph names are mapped from the model's own file, not copied.

    Attributes:
        files: the model's.

    Raises:
        Exception: whatever ONNX Runtime or the tokenizer raises of a graph or a file that they do not take.
    """

    def __init__(self, files: EncoderFiles, graph: bytes) -> None:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        import onnxruntime
        from tokenizers import Tokenizer

        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = _FATAL  # what fails is raised, and told by whoever asked
        options.intra_op_num_threads = min(_cores(), _MOST_THREADS)
        # Threads that wait for each other's part of a layer sleep: spinning, they burn half as much CPU again.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(files.weights.parent))
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
        # The file may say otherwise: it is how the model was trained that counts, and what it says of itself.
        self._tokenizer.enable_truncation(files.max_tokens)
        self._tokenizer.no_padding()
        self._padding_id = files.padding_id
        self.files = files
        self.dimensions = files.dimensions

    def encode(self, texts: Sequence[str], batch_size: int) -> Vectors:
        import numpy as np

        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        vectors = np.zeros((len(tokens), self.dimensions), dtype=np.float32)
        # Texts of one length beside each other: little is padded.
        waiting = sorted(range(len(tokens)), key=lambda place: -len(tokens[place]))
        while waiting:
            longest = max(1, len(tokens[waiting[0]]))
            count = max(1, min(batch_size, _TOKENS_AT_ONCE // longest))
            batch, waiting = waiting[:count], waiting[count:]
            ids = np.full((len(batch), longest), self._padding_id, dtype=np.int64)
            mask = np.zeros_like(ids)
            for row, place in enumerate(batch):
                ids[row, : len(tokens[place])] = tokens[place]
                mask[row, : len(tokens[place])] = 1
            vectors[batch] = self._session.run(["vectors"], {"input_ids": ids, "attention_mask": mask})[0]
        return vectors


class SentenceTransformersRuntime:
    """A model run by sentence-transformers.

    Args:
        model_id: for people.
        folder: of the model on this machine; None for a name on a hub.
        download: whether a hub's model may be fetched.

    Raises:
        EmbedderUnavailableError: the model cannot be loaded.
    """

    def __init__(self, model_id: str, folder: Path | None, *, download: bool) -> None:
        local = folder is not None or not download
        before_the_hub_is_imported(offline=local)
        try:
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging as transformers_logging

            transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
            self._model: Any = SentenceTransformer(str(folder or model_id), local_files_only=local)
        except Exception as error:  # each format of weights and tokenizers has errors of its own
            fetched = "" if folder or download else " A hub's model is fetched only where embedding.allow_download is set."
            raise EmbedderUnavailableError(
                f"the embedding model {model_id[:200]} cannot be loaded: {cause_line(error)}",
                hint=f"Check the model's name or folder; lexical search works without it.{fetched}",
            ) from error

    @property
    def dimensions(self) -> int:
        return int(self._model.get_embedding_dimension())

    def encode(self, texts: Sequence[str], batch_size: int) -> Vectors:
        import numpy as np

        # encode() sorts by length before it cuts batches, so that little is padded.
        vectors = self._model.encode(
            list(texts), batch_size=batch_size, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)


def before_the_hub_is_imported(*, offline: bool) -> None:
    """What the hub's library reads when it is first imported. Whoever uses it says the same again where it can."""
    if offline:
        os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")
    os.environ.update(HF_HUB_DISABLE_TELEMETRY="1", TOKENIZERS_PARALLELISM="false")


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
