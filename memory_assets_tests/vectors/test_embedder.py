import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memory_assets.vectors.embedder import (
    BUNDLED_MODEL,
    EmbedderSettings,
    HashingEmbedder,
    SentenceTransformersEmbedder,
    make_embedder,
)
from memory_assets.vectors.errors import EmbedderUnavailableError
from memory_assets.vectors.index import VectorIndex
from memory_assets_tests.tiny_model import save_tiny_model


def test_hashed_vectors_are_the_same_everywhere() -> None:
    vector = HashingEmbedder(8).embed_query("로그를 지우자 the log")
    # Written down: another value under the same version would mix two spaces in one table.
    assert np.allclose(vector, EXPECTED, atol=1e-6)


EXPECTED = [0.0, 0.0, 0.5547002, -0.2773501, 0.0, 0.0, -0.5547002, 0.5547002]


def test_hashed_vectors_have_length_one_for_any_text() -> None:
    texts = ["", "!!!", "로그", "\ud800", "word " * 100_000]
    vectors = HashingEmbedder().embed_documents(texts)
    assert vectors.shape == (5, 256)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    assert np.array_equal(vectors, HashingEmbedder().embed_documents(texts))
    assert HashingEmbedder().embed_documents([]).shape == (0, 256)


def test_shared_words_are_near() -> None:
    embedder = HashingEmbedder()
    query = embedder.embed_query("배포 스크립트")
    near, far = embedder.embed_documents(["배포 스크립트를 고쳤다", "점심을 먹었다"])
    assert query @ near > query @ far + 0.2


def test_versions_name_tables_and_tell_recipes_apart(tmp_path: Path) -> None:
    settings = [
        EmbedderSettings(),
        EmbedderSettings(model="hashing"),
        EmbedderSettings(model="hashing", hashing_dimensions=64),
        EmbedderSettings(query_prefix="query: "),
        EmbedderSettings(passage_prefix="passage: "),
        EmbedderSettings(max_chars=500),
        EmbedderSettings(model="someone/Multilingual_E5 small", query_prefix="query: "),
    ]
    embedders = [make_embedder(one) for one in settings]
    versions = [one.embedding_version for one in embedders]
    assert len(set(versions)) == len(versions)
    assert versions[:3] == ["all-minilm-l6-v2-1", "hashing-256-1", "hashing-64-1"]
    assert versions[-1].startswith("multilingual-e5-small-1-")
    for version in versions:
        VectorIndex(tmp_path, version, 8)
    assert len({one.fingerprint for one in embedders}) == len(embedders)


def test_batch_size_is_no_part_of_the_recipe() -> None:
    one, other = make_embedder(EmbedderSettings(batch_size=8)), make_embedder(EmbedderSettings())
    assert (one.embedding_version, one.fingerprint) == (other.embedding_version, other.fingerprint)


def test_nothing_heavy_is_imported_before_the_first_text() -> None:
    code = """
import sys
from memory_assets.vectors.embedder import EmbedderSettings, make_embedder
from memory_assets.vectors.drain import drain
from memory_assets.citations import addresses
from memory_assets.search.ranking import fusion, ranking, retrievers
from memory_assets.text import tokens
embedder = make_embedder(EmbedderSettings())
assert embedder.dimensions == 384 and len(embedder.fingerprint) == 64
models = {"torch", "sentence_transformers", "transformers", "onnx", "onnxruntime", "tokenizers", "huggingface_hub", "litellm"}
heavy = (models | {"lancedb", "pyarrow", "numpy"}) & sys.modules.keys()
assert not heavy, heavy
import pathlib, tempfile
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.words import WordIndex
assert WordIndex(pathlib.Path(tempfile.mkdtemp())).lexical_search("x", 3).own == ()
assert VectorIndex(pathlib.Path(tempfile.mkdtemp()), embedder.embedding_version, 384).count() == 0
heavy = models & sys.modules.keys()
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_folder_without_a_model_is_an_error_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({}))
    with pytest.raises(EmbedderUnavailableError) as caught:
        SentenceTransformersEmbedder(EmbedderSettings(model=str(tmp_path))).embed_query("x")
    assert str(tmp_path) in str(caught.value)
    assert "lexical" in caught.value.hint


@pytest.mark.parametrize("name", ["~nobody-has-this-name/model", "x" * 5000, "a\x00b", "hub/no-such-model"])
def test_a_name_of_nothing_is_an_error_with_a_hint(name: str) -> None:
    with pytest.raises(EmbedderUnavailableError) as caught:
        make_embedder(EmbedderSettings(model=name)).embed_query("x")
    assert len(str(caught.value)) < 1000
    assert "embedding.allow_download" in caught.value.hint


def test_weights_that_are_no_weights_are_a_model_that_is_missing(tmp_path: Path) -> None:
    folder = save_tiny_model(tmp_path / "tiny")
    (weights,) = folder.rglob("*.safetensors")
    weights.write_bytes(bytes(range(256)) * 4)
    with pytest.raises(EmbedderUnavailableError, match="cannot be loaded") as caught:
        make_embedder(EmbedderSettings(model=str(folder))).embed_query("x")
    assert "allow_download" not in caught.value.hint


@pytest.fixture(scope="module")
def offline() -> Iterator[list[str]]:
    """A guard: records every attempt to reach another machine, and refuses it."""
    attempts: list[str] = []

    def refuse(*arguments: object, **_: object) -> None:
        attempts.append(repr(arguments))
        raise OSError("no network in this test")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        yield attempts


@pytest.fixture(scope="module")
def bundled(offline: list[str]) -> SentenceTransformersEmbedder:
    return SentenceTransformersEmbedder()


@pytest.mark.long
def test_the_bundled_model(bundled: SentenceTransformersEmbedder, offline: list[str]) -> None:
    texts = ["The deployment failed with a timeout.", "I had noodles for lunch.", "", "로그", "word " * 50_000]
    vectors = bundled.embed_documents(texts)
    assert bundled.model_id == BUNDLED_MODEL
    assert vectors.shape == (len(texts), bundled.dimensions) == (5, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    query = bundled.embed_query("Why did the release break?")
    assert query.shape == (384,)
    assert query @ vectors[0] > query @ vectors[1] + 0.2
    # The order of a batch is nobody's business but the model's.
    assert np.allclose(bundled.embed_documents(texts[::-1])[::-1], vectors, atol=1e-5)
    assert bundled.embed_documents([]).shape == (0, 384)
    assert offline == []


def test_prefixes_reach_the_model(bundled: SentenceTransformersEmbedder) -> None:
    prefixed = SentenceTransformersEmbedder(EmbedderSettings(query_prefix="query: ", passage_prefix="passage: ", max_chars=6))
    prefixed._runtime = bundled.loaded()
    expected = bundled.embed_documents(["query: failed", "passage: failed"])
    assert np.allclose(prefixed.embed_query("failed later"), expected[0], atol=1e-5)
    assert np.allclose(prefixed.embed_documents(["failed later"])[0], expected[1], atol=1e-5)
