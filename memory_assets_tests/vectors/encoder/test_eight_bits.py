"""Weights of eight bits: vectors beside the exact ones, each of its own text alone, and only where that is faster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memory_assets.vectors.embedder import EmbedderSettings, SentenceTransformersEmbedder
from memory_assets.vectors.encoder import choice
from memory_assets.vectors.encoder.choice import LEAST_COSINE, PROBES, choose_for_many, key_in_eight_bits, no_gain
from memory_assets.vectors.encoder.eight_bits import graph_in_eight_bits
from memory_assets.vectors.encoder.kept_graphs import Kept, KeptGraphs
from memory_assets.vectors.encoder.model_files import EncoderFiles, read_encoder
from memory_assets.vectors.encoder.runtimes import OnnxRuntime
from memory_assets_tests.tiny_model import save_tiny_model
from memory_assets_tests.vectors.encoder.test_choice import TEXTS

SENTENCES = (
    "The payment gateway timed out because its certificate had expired.",
    "We renewed the certificate of the gateway and payments work again.",
    "결제 게이트웨이의 인증서가 만료되어 결제가 실패했다.",
    "Redis drops keys when its memory is full.",
    "The cache evicts entries once it runs out of memory.",
    "Use tabs, never spaces, in Go files.",
    "def total(rows): return sum(row.count for row in rows)",
    "The migration locks the table for four minutes.",
)


@pytest.fixture(scope="module")
def exact() -> OnnxRuntime:
    loaded = SentenceTransformersEmbedder().loaded()
    assert isinstance(loaded, OnnxRuntime)
    return loaded


@pytest.fixture(scope="module")
def eight_bits(exact: OnnxRuntime) -> OnnxRuntime:
    return OnnxRuntime(exact.files, graph_in_eight_bits(exact.files))


def files_of(folder: Path) -> EncoderFiles:
    files = read_encoder(folder)
    assert isinstance(files, EncoderFiles)
    return files


def as_fast_as(share: float) -> Callable[[object, object], float]:
    return lambda one, other: share


def test_its_vectors_lie_beside_the_exact_ones(exact: OnnxRuntime, eight_bits: OnnxRuntime) -> None:
    first, second = eight_bits.encode(TEXTS + SENTENCES, 8), exact.encode(TEXTS + SENTENCES, 8)
    assert first.shape == second.shape and first.dtype == np.float32
    cosines = np.einsum("ij,ij->i", first, second)
    # Not the same, or eight bits were not used.
    assert LEAST_COSINE <= cosines.min() < 0.9999 and cosines.mean() >= 0.99
    # What is nearest to an exact question is what was.
    ours, theirs = first[-len(SENTENCES) :], second[-len(SENTENCES) :]
    apart = ~np.eye(len(SENTENCES), dtype=bool)
    assert (np.where(apart, theirs @ ours.T, -1).argmax(1) == np.where(apart, theirs @ theirs.T, -1).argmax(1)).all()


def test_a_vector_does_not_depend_on_its_neighbours(eight_bits: OnnxRuntime) -> None:
    alone = np.concatenate([eight_bits.encode([text], 1) for text in TEXTS])
    assert np.allclose(eight_bits.encode(TEXTS, 32), alone, atol=1e-5)
    assert np.allclose(eight_bits.encode(TEXTS[::-1], 3)[::-1], alone, atol=1e-5)


@pytest.mark.parametrize("family", ["bert", "xlm-roberta"])
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_models_of_a_kind_that_is_known(family: str, pooling: str, tmp_path: Path) -> None:
    folder = save_tiny_model(tmp_path / "tiny", family=family, pooling=pooling, seed=5)
    one = SentenceTransformersEmbedder(EmbedderSettings(model=str(folder)), cache_folder=tmp_path / "cache")
    files = files_of(folder)
    vectors = OnnxRuntime(files, graph_in_eight_bits(files)).encode(PROBES, 4)
    assert np.einsum("ij,ij->i", vectors, one.embed_documents(PROBES)).min() >= LEAST_COSINE


def test_it_is_compared_once_and_kept(exact: OnnxRuntime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "_share_of_time", as_fast_as(0.5))
    kept = KeptGraphs(tmp_path)
    chosen = choose_for_many(exact.files, kept, exact)
    assert isinstance(chosen, OnnxRuntime), chosen
    monkeypatch.setattr(choice, "no_gain", lambda *_: pytest.fail("it was compared again"))
    again = choose_for_many(exact.files, kept, exact)
    assert isinstance(again, OnnxRuntime) and np.array_equal(again.encode(SENTENCES, 4), chosen.encode(SENTENCES, 4))
    # Of another processor or another runtime nothing is known.
    key = key_in_eight_bits(exact.files)
    monkeypatch.setattr(choice, "_processor", lambda: "another")
    assert key_in_eight_bits(exact.files) != key


def test_where_it_is_no_faster_texts_are_embedded_exactly(
    exact: OnnxRuntime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "_share_of_time", as_fast_as(1.2))
    one = SentenceTransformersEmbedder(cache_folder=tmp_path)
    assert np.array_equal(one.embed_many(SENTENCES), one.embed_documents(SENTENCES))
    found = KeptGraphs(tmp_path / "encoders").read(key_in_eight_bits(exact.files))
    assert found == Kept(b"", "in eight bits it is no faster here (120% of the time)")
    assert "eight bits" not in (one.run_by() or "")


def test_another_models_weights_are_found_out(exact: OnnxRuntime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "_share_of_time", as_fast_as(0.5))

    class Elsewhere(OnnxRuntime):
        def encode(self, texts, batch_size):  # type: ignore[no-untyped-def]
            return np.roll(super().encode(texts, batch_size), 1, axis=1)

    class Nowhere(OnnxRuntime):
        def encode(self, texts, batch_size):  # type: ignore[no-untyped-def]
            return np.full_like(super().encode(texts, batch_size), np.nan)

    graph = graph_in_eight_bits(exact.files)
    assert no_gain(OnnxRuntime(exact.files, graph), exact) is None
    for wrong in (Elsewhere, Nowhere):
        assert "its vectors are others" in (no_gain(wrong(exact.files, graph), exact) or "")


def test_questions_are_exact_and_a_setting_has_texts_so_too(
    exact: OnnxRuntime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "_share_of_time", as_fast_as(0.5))
    one = SentenceTransformersEmbedder(cache_folder=tmp_path)
    many = one.embed_many(SENTENCES)
    assert (one.run_by() or "").endswith("many texts in eight bits")
    expected = exact.encode(SENTENCES, 8)
    assert not np.allclose(many, expected, atol=1e-3)
    assert np.allclose(one.embed_queries(SENTENCES), expected, atol=1e-5)
    assert np.allclose(one.embed_documents(SENTENCES), expected, atol=1e-5)
    # Where somebody wants it so, and where nothing can be kept.
    (tmp_path / "file").write_text("")
    for chosen, cache in (
        (EmbedderSettings(eight_bits=False), tmp_path),
        (EmbedderSettings(), None),
        (EmbedderSettings(), tmp_path / "file"),
    ):
        other = SentenceTransformersEmbedder(chosen, cache_folder=cache)
        assert np.allclose(other.embed_many(SENTENCES), expected, atol=1e-5)


def test_a_damaged_file_is_made_again(exact: OnnxRuntime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "_share_of_time", as_fast_as(0.5))
    expected = SentenceTransformersEmbedder(cache_folder=tmp_path).embed_many(SENTENCES)
    file = tmp_path / "encoders" / f"{key_in_eight_bits(exact.files)}.kept"
    whole = file.read_bytes()
    file.write_bytes(whole[:-1000])
    assert np.array_equal(SentenceTransformersEmbedder(cache_folder=tmp_path).embed_many(SENTENCES), expected)
    assert file.read_bytes() == whole
