"""Weights of eight bits: vectors beside the exact ones, each of its own text alone, and only where that is faster."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from memory_assets.vectors import embedder as embedders
from memory_assets.vectors.embedder import EmbedderSettings, SentenceTransformersEmbedder
from memory_assets.vectors.encoder import eight_bit_choice
from memory_assets.vectors.encoder.eight_bit_choice import (
    LEAST_COSINE,
    choose_eight_bits,
    key_in_eight_bits,
    no_faster,
    other_vectors,
)
from memory_assets.vectors.encoder.eight_bits import graph_in_eight_bits
from memory_assets.vectors.encoder.kept_graphs import Kept, KeptGraphs
from memory_assets.vectors.encoder.model_files import EncoderFiles, NotRunnable, read_encoder
from memory_assets.vectors.encoder.opening import PROBES
from memory_assets.vectors.encoder.runtimes import OnnxRuntime
from memory_assets_tests.tiny_model import save_tiny_model
from memory_assets_tests.vectors.encoder.processor import sums_whole_numbers
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
    if not sums_whole_numbers():
        pytest.skip("this processor cuts sums of products of eight bits off")
    return OnnxRuntime(exact.files, graph_in_eight_bits(exact.files))


@pytest.fixture
def always(eight_bits: OnnxRuntime, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight bits are faster here, and few texts are many."""
    monkeypatch.setattr(eight_bit_choice, "_share_of_time", as_fast_as(0.5))
    monkeypatch.setattr(embedders, "FEW_CHARACTERS", 0)


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
    for beside in (eight_bits.encode(TEXTS, 32), eight_bits.encode(TEXTS[::-1], 3)[::-1]):
        # A number that lies between two steps may fall to either; with the runtime's own eight bits it is .99.
        assert np.einsum("ij,ij->i", beside, alone).min() >= 0.9999


@pytest.mark.usefixtures("eight_bits")
@pytest.mark.parametrize("family", ["bert", "xlm-roberta"])
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_models_of_a_kind_that_is_known(family: str, pooling: str, tmp_path: Path) -> None:
    folder = save_tiny_model(tmp_path / "tiny", family=family, pooling=pooling, seed=5)
    one = SentenceTransformersEmbedder(EmbedderSettings(model=str(folder)), cache_folder=tmp_path / "cache")
    files = files_of(folder)
    vectors = OnnxRuntime(files, graph_in_eight_bits(files)).encode(PROBES, 4)
    assert np.einsum("ij,ij->i", vectors, one.embed_documents(PROBES)).min() >= LEAST_COSINE


@pytest.mark.usefixtures("always")
def test_it_is_compared_once_and_kept(exact: OnnxRuntime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = KeptGraphs(tmp_path)
    chosen = choose_eight_bits(exact.files, kept, exact)
    assert isinstance(chosen, OnnxRuntime), chosen
    monkeypatch.setattr(eight_bit_choice, "_compared", lambda *_: pytest.fail("it was compared again"))
    again = choose_eight_bits(exact.files, kept, exact)
    assert isinstance(again, OnnxRuntime) and np.array_equal(again.encode(SENTENCES, 4), chosen.encode(SENTENCES, 4))


@pytest.mark.usefixtures("always")
def test_of_another_processor_nothing_is_known_and_nothing_is_left(
    exact: OnnxRuntime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = KeptGraphs(tmp_path)
    kept.write("another model", Kept(b"a graph"))
    choose_eight_bits(exact.files, kept, exact)
    first = key_in_eight_bits(exact.files)
    monkeypatch.setattr(eight_bit_choice, "_processor", lambda: "another")
    choose_eight_bits(exact.files, kept, exact)
    second = key_in_eight_bits(exact.files)
    assert {path.stem for path in tmp_path.glob("*.kept")} == {second, "another model"} != {first, "another model"}


@pytest.mark.parametrize("error", [OSError("no room"), MemoryError(), ImportError("onnx")])
def test_what_may_go_the_next_time_is_not_kept(
    error: Exception, exact: OnnxRuntime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_: EncoderFiles) -> bytes:
        raise error

    monkeypatch.setattr(eight_bit_choice, "graph_in_eight_bits", failing)
    assert isinstance(choose_eight_bits(exact.files, KeptGraphs(tmp_path), exact), NotRunnable)
    assert not list(tmp_path.glob("*.kept"))


def test_questions_and_few_texts_do_not_wait_for_the_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def choosing(*_: object) -> NotRunnable:
        begun.set()
        assert go_on.wait(60)
        return NotRunnable("it is not wanted here")

    monkeypatch.setattr(embedders, "choose_eight_bits", choosing)
    one = SentenceTransformersEmbedder(cache_folder=tmp_path)
    many = threading.Thread(target=one.embed_many, args=[["word " * 2_000] * 5])
    many.start()
    assert begun.wait(60)
    beside = threading.Thread(target=lambda: (one.embed_query("why"), one.embed_many(["few"])))
    beside.start()
    beside.join(30)
    assert not beside.is_alive() and many.is_alive()
    go_on.set()
    many.join(60)


def test_few_texts_are_embedded_exactly_and_load_no_second_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedders, "choose_eight_bits", lambda *_: pytest.fail("a second graph was loaded"))
    one = SentenceTransformersEmbedder(cache_folder=tmp_path)
    assert np.array_equal(one.embed_many(SENTENCES), one.embed_documents(SENTENCES))


def test_the_faster_one_takes_the_smaller_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(eight_bit_choice.time, "process_time", lambda: now[0])

    class Taking:
        dimensions = 1

        def __init__(self, seconds: float) -> None:
            self.seconds = iter([5.0, *[seconds] * 20])  # the first text takes long

        def encode(self, texts: Sequence[str], batch_size: int) -> embedders.Vectors:
            now[0] += next(self.seconds)
            return np.zeros((len(texts), 1), dtype=np.float32)

    assert no_faster(Taking(1.0), Taking(2.0)) is None
    assert no_faster(Taking(2.0), Taking(1.0)) == "in eight bits it is no faster here (200% of the time)"


@pytest.mark.usefixtures("always")
def test_where_it_is_no_faster_texts_are_embedded_exactly(
    exact: OnnxRuntime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eight_bit_choice, "_share_of_time", as_fast_as(1.2))
    one = SentenceTransformersEmbedder(cache_folder=tmp_path)
    assert np.array_equal(one.embed_many(SENTENCES), one.embed_documents(SENTENCES))
    found = KeptGraphs(tmp_path / "encoders").read(key_in_eight_bits(exact.files))
    assert found == Kept(b"", "in eight bits it is no faster here (120% of the time)")
    assert (one.run_by() or "").endswith("texts exactly: in eight bits it is no faster here (120% of the time)")


def test_vectors_of_another_direction_are_found_out(exact: OnnxRuntime, eight_bits: OnnxRuntime) -> None:
    class Elsewhere(OnnxRuntime):
        def encode(self, texts, batch_size):  # type: ignore[no-untyped-def]
            return np.roll(super().encode(texts, batch_size), 1, axis=1)

    class Nowhere(OnnxRuntime):
        def encode(self, texts, batch_size):  # type: ignore[no-untyped-def]
            return np.full_like(super().encode(texts, batch_size), np.nan)

    graph = graph_in_eight_bits(exact.files)
    assert other_vectors(eight_bits, exact) is None
    for wrong in (Elsewhere, Nowhere):
        assert "its vectors are others" in (other_vectors(wrong(exact.files, graph), exact) or "")


def test_a_model_that_cannot_be_run_in_eight_bits_is_not_tried_again(
    exact: OnnxRuntime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eight_bit_choice, "graph_in_eight_bits", lambda _: b"no graph")
    found = choose_eight_bits(exact.files, KeptGraphs(tmp_path), exact)
    assert isinstance(found, NotRunnable) and "does not take it in eight bits" in found.reason
    monkeypatch.setattr(eight_bit_choice, "_compared", lambda *_: pytest.fail("it was tried again"))
    assert choose_eight_bits(exact.files, KeptGraphs(tmp_path), exact) == found


@pytest.mark.usefixtures("always")
def test_questions_are_exact_and_a_setting_has_texts_so_too(exact: OnnxRuntime, tmp_path: Path) -> None:
    one = SentenceTransformersEmbedder(cache_folder=tmp_path)
    many = one.embed_many(SENTENCES)
    assert (one.run_by() or "").endswith("; texts in eight bits")
    expected = exact.encode(SENTENCES, 8)
    assert not np.allclose(many, expected, atol=1e-3)
    assert np.allclose(one.embed_queries(SENTENCES), expected, atol=1e-5)
    assert np.allclose(one.embed_documents(SENTENCES), expected, atol=1e-5)
    # Where somebody wants it so, where nothing is kept, and where nothing can be.
    (tmp_path / "file").write_text("")
    for chosen, cache in (
        (EmbedderSettings(eight_bits=False), tmp_path),
        (EmbedderSettings(), None),
        (EmbedderSettings(), tmp_path / "file"),
    ):
        other = SentenceTransformersEmbedder(chosen, cache_folder=cache)
        assert np.allclose(other.embed_many(SENTENCES), expected, atol=1e-5)
        assert "eight bits" not in (other.run_by() or "")


@pytest.mark.usefixtures("always")
def test_a_damaged_file_is_made_again(exact: OnnxRuntime, tmp_path: Path) -> None:
    expected = SentenceTransformersEmbedder(cache_folder=tmp_path).embed_many(SENTENCES)
    file = tmp_path / "encoders" / f"{key_in_eight_bits(exact.files)}.kept"
    whole = file.read_bytes()
    file.write_bytes(whole[:-1000])
    assert np.array_equal(SentenceTransformersEmbedder(cache_folder=tmp_path).embed_many(SENTENCES), expected)
    assert file.read_bytes() == whole
